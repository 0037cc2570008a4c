/// A JSON object: members in the order of their keys' UTF-8 bytes, each key once.
///
/// Looking up a key takes a binary search; for the twenty or so members of an API object that is faster than hashing,
/// and the members of a body in canonical form are stored as they come.
public struct JSONObject: Sendable {
    public struct Member: Sendable, Hashable {
        let name: JSONKey
        public internal(set) var value: JSONValue

        public var key: String { name.text }
    }

    /// Sorted by key, each key once.
    public private(set) var members: [Member]
    /// The bytes that the object was read from, as long as they are its canonical form: what a server of ours sends is,
    /// and need not be written again.
    var source: [UInt8]?

    public init() { members = [] }

    /// Takes members in any order; of several with one key the last wins.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        var builder = Builder(capacity: pairs.underestimatedCount)
        for (key, value) in pairs { builder.append(JSONKey(key), value) }
        self = builder.build()
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in the order of their UTF-8 bytes.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key; `nil` where there is none. Assigning `nil` removes the member.
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

    /// Takes out the value of a key.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        defer { self[key] = nil }
        return self[key]
    }

    /// The value of a key that was made before.
    @inline(__always)
    subscript(key: JSONKey) -> JSONValue? {
        let (index, found) = position(of: key)
        return found ? members[index].value : nil
    }

    /// A binary search: where the key is, or where it would be.
    private func position(of key: JSONKey) -> (index: Int, found: Bool) {
        // Borrowed as a buffer, so that looking at a key costs no reference counting.
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

    /// Collects members as they come. Sorted input costs one comparison each, any other is sorted at the end.
    struct Builder {
        private var members: [Member] = []
        /// Whether the members came in their order, each key once.
        private(set) var cameInOrder = true

        init(capacity: Int) { if capacity > 0 { members.reserveCapacity(capacity) } }

        mutating func append(_ key: JSONKey, _ value: JSONValue) {
            if let last = members.indices.last, JSONKey.compare(members[last].name, key) >= 0 {
                cameInOrder = false
            }
            members.append(Member(name: key, value: value))
        }

        consuming func build() -> JSONObject {
            var object = JSONObject()
            object.members = cameInOrder ? members : Self.sorted(members)
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

/// Compared by members alone: the text that an object came from doesn't count.
extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// The name of a member, with its first bytes at hand.
///
/// Members are looked up by binary search, and nearly every step of one is decided by the first eight bytes: compared
/// as one number they cost no call and no access to the text.
struct JSONKey: Sendable {
    let text: String
    /// The first eight bytes as a number, most significant first; zeros behind the end of a shorter text.
    private let start: UInt64

    init(_ text: String) {
        self.text = text
        start = text.withBytes(Self.start)
    }

    /// - Parameter bytes: those of the text, where they are at hand.
    init(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.text = text
        start = Self.start(of: bytes)
    }

    /// Negative, zero or positive, in the order of ``UTF8Order``.
    @inline(__always)
    static func compare(_ left: JSONKey, _ right: JSONKey) -> Int {
        if left.start != right.start { return left.start < right.start ? -1 : 1 }
        // A zero may be a byte of the text or stand for none, so equal starts say nothing of unequal lengths.
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
