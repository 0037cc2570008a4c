/// A JSON object: members in the order of their keys' UTF-8 bytes, each key once.
///
/// Keys are looked up by binary search. For the about twenty members of an API object, this is faster than hashing. The
/// members of a body in canonical form are sorted already and need no sorting.
public struct JSONObject: Sendable {
    /// A key and its value.
    public struct Member: Sendable, Hashable {
        let name: JSONKey
        /// The member's value.
        public internal(set) var value: JSONValue

        /// The member's key.
        public var key: String { name.text }
    }

    /// The members, sorted by key, each key once.
    public private(set) var members: [Member]
    /// The bytes that the object was read from, if they are its canonical form; `nil` otherwise, and after a change.
    ///
    /// Bodies from another mirror are in canonical form, so they need not be written again.
    var source: [UInt8]?

    /// Creates an empty object.
    public init() { members = [] }

    /// Creates an object from members in any order; of several with one key the last is kept.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        var builder = Builder(capacity: pairs.underestimatedCount)
        for (key, value) in pairs { builder.append(JSONKey(key), value) }
        self = builder.build()
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in the order of their UTF-8 bytes.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key; `nil` if there is none. Assigning `nil` removes the member.
    public subscript(key: String) -> JSONValue? {
        get { self[JSONKey(key)] }
        set {
            let key = JSONKey(key)
            let (index, found) = position(of: key)
            if newValue != nil || found { source = nil }
            switch (newValue, found) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(Member(name: key, value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Removes a member and returns its value; `nil` if there was none.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        defer { self[key] = nil }
        return self[key]
    }

    /// The value of a prepared key, which is faster to look up.
    @inline(__always)
    subscript(key: JSONKey) -> JSONValue? {
        let (index, found) = position(of: key)
        return found ? members[index].value : nil
    }

    /// The index of a key, or the index at which it would be inserted.
    private func position(of key: JSONKey) -> (index: Int, found: Bool) {
        // A buffer avoids reference counting for each key that is compared.
        members.withUnsafeBufferPointer { members in
            var low = 0
            var high = members.count
            while low < high {
                let middle = (low + high) / 2
                let order = JSONKey.compare(members[middle].name, key)
                if order == 0 { return (middle, true) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }
    }

    /// Collects members in any order. Sorted input costs one comparison a member; other input is sorted at the end.
    struct Builder {
        private var members: [Member] = []
        /// Whether the members were appended in the order of their keys, each key once.
        private(set) var isSorted = true

        init(capacity: Int) { if capacity > 0 { members.reserveCapacity(capacity) } }

        mutating func append(_ key: JSONKey, _ value: JSONValue) {
            if let last = members.indices.last, JSONKey.compare(members[last].name, key) >= 0 {
                isSorted = false
            }
            members.append(Member(name: key, value: value))
        }

        consuming func build() -> JSONObject {
            var object = JSONObject()
            object.members = isSorted ? members : Self.sorted(members)
            return object
        }

        private static func sorted(_ members: [Member]) -> [Member] {
            let order = members.indices.sorted { a, b in
                let order = JSONKey.compare(members[a].name, members[b].name)
                return order == 0 ? a < b : order < 0
            }
            var result: [Member] = []
            result.reserveCapacity(members.count)
            for index in order {
                if let last = result.last, JSONKey.compare(last.name, members[index].name) == 0 {
                    result.removeLast()
                }
                result.append(members[index])
            }
            return result
        }
    }
}

// Compares the members only, not `source`.
extension JSONObject: Hashable {
    /// Compares the members.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; of several members with one key the last is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// The key of a member, with its first eight bytes as a number for fast comparison.
///
/// The first eight bytes decide nearly every step of a binary search, without a call or an access to the text.
struct JSONKey: Sendable {
    let text: String
    /// The first eight bytes as a big-endian number, padded with zeros if the text is shorter.
    private let start: UInt64

    init(_ text: String) {
        self.text = text
        start = text.withBytes(Self.start)
    }

    /// - Parameter bytes: the bytes of `text`.
    init(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.text = text
        start = Self.start(of: bytes)
    }

    /// Negative, zero or positive, in the order of ``UTF8Order``.
    @inline(__always)
    static func compare(_ left: JSONKey, _ right: JSONKey) -> Int {
        if left.start != right.start { return left.start < right.start ? -1 : 1 }
        // A zero is either a byte of the text or padding, so equal starts with unequal lengths are not conclusive.
        let count = left.text.utf8.count
        if count <= 8, count == right.text.utf8.count { return 0 }
        return UTF8Order.compare(left.text, right.text)
    }

    @inline(__always)
    private static func start(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        if bytes.count >= 8 {
            return UInt64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
        }
        var start: UInt64 = 0
        for byte in bytes { start = start &<< 8 | UInt64(byte) }
        return start << UInt64(64 - 8 * bytes.count)
    }
}

extension JSONKey: Hashable {
    static func == (left: JSONKey, right: JSONKey) -> Bool { compare(left, right) == 0 }

    func hash(into hasher: inout Hasher) { UTF8Order.hash(text, into: &hasher) }
}
