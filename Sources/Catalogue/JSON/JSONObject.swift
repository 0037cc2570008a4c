/// A JSON object: members in the order of their keys' UTF-8 bytes, each key once.
///
/// Looking up a key takes a binary search; for the twenty or so members of an API object that is faster than hashing,
/// and the members of a body in canonical form are stored as they come.
public struct JSONObject: Sendable {
    public struct Member: Sendable {
        let name: JSONKey
        public internal(set) var value: JSONValue

        public var key: String { name.text }
    }

    /// Sorted by key, each key once.
    public private(set) var members: [Member]
    /// The bytes that the object was read from, as long as they are its canonical form: what a server of ours sends is,
    /// and need not be written anew.
    private(set) var source: [UInt8]?

    public init() { members = [] }

    /// Takes members in any order; of several with one key the last wins.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        var builder = Builder(capacity: pairs.underestimatedCount)
        for (key, value) in pairs { builder.append(JSONKey(key), value) }
        self = builder.build()
    }

    /// An object as it was read from `source`, which is its canonical form.
    init(_ object: JSONObject, source: [UInt8]) {
        members = object.members
        self.source = source
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in the order of their UTF-8 bytes.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key; `nil` where there is none. Assigning `nil` removes the member.
    public subscript(key: String) -> JSONValue? {
        get { JSONKey.withBytes(of: key) { value(of: JSONKey.Sought($0)) } }
        set {
            let (index, found) = position(of: key)
            if newValue != nil || found { source = nil }
            switch (newValue, found) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(Member(name: JSONKey(key), value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The value of a key that is written in the code, whose bytes are at hand.
    subscript(field key: StaticString) -> JSONValue? {
        value(of: JSONKey.Sought(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)))
    }

    /// Takes out the value of a key.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        let (index, found) = position(of: key)
        guard found else { return nil }
        source = nil
        return members.remove(at: index).value
    }

    private func position(of key: String) -> (index: Int, found: Bool) {
        JSONKey.withBytes(of: key) { Self.position(of: JSONKey.Sought($0), in: members) }
    }

    @inline(__always)
    private func value(of key: JSONKey.Sought) -> JSONValue? {
        let (index, found) = Self.position(of: key, in: members)
        return found ? members[index].value : nil
    }

    /// A binary search: where the key is, or where it would be.
    private static func position(of key: JSONKey.Sought, in members: [Member]) -> (index: Int, found: Bool) {
        // Borrowed as a buffer, so that looking at a key costs no reference counting.
        members.withUnsafeBufferPointer { members in
            var low = 0
            var high = members.count
            while low < high {
                let middle = (low + high) / 2
                let order = members[middle].name.compare(key)
                if order == 0 { return (middle, true) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }
    }

    /// Collects members as they come. Sorted input costs one comparison each.
    struct Builder {
        private var members: [Member] = []
        private var isSorted = true
        /// Whether the members came in their order, each key once.
        private(set) var cameInOrder = true

        init(capacity: Int) { if capacity > 0 { members.reserveCapacity(capacity) } }

        mutating func append(_ key: JSONKey, _ value: JSONValue) {
            let member = Member(name: key, value: value)
            guard isSorted, let last = members.indices.last,
                JSONKey.compare(members[last].name, key) >= 0
            else { return members.append(member) }
            cameInOrder = false
            guard members.count <= 64 else {
                // Beyond this, inserting one by one would be quadratic.
                isSorted = false
                return members.append(member)
            }
            let (index, found) = JSONKey.withBytes(of: key.text) {
                JSONObject.position(of: JSONKey.Sought($0), in: members)
            }
            if found { members[index].value = value } else { members.insert(member, at: index) }
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

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if let one = left.source, let other = right.source, one == other { return true }
        return zip(left.members, right.members).allSatisfy {
            JSONKey.compare($0.name, $1.name) == 0 && $0.value == $1.value
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        for member in members {
            UTF8Order.hash(member.key, into: &hasher)
            hasher.combine(member.value)
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
