/// A JSON object: members in the order of their keys' UTF-8 bytes, each key once.
///
/// Looking up a key takes a binary search; for the twenty or so members of an API object that is faster than hashing,
/// and the members of a body in canonical form are stored as they come.
public struct JSONObject: Sendable {
    public struct Member: Sendable {
        public let key: String
        public internal(set) var value: JSONValue
    }

    /// Sorted by key, each key once.
    public private(set) var members: [Member]

    public init() { members = [] }

    /// Takes members in any order; of several with one key the last wins.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        var builder = Builder(capacity: pairs.underestimatedCount)
        for (key, value) in pairs { builder.append(key, value) }
        self = builder.build()
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }

    /// The keys in the order of their UTF-8 bytes.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key; `nil` where there is none. Assigning `nil` removes the member.
    public subscript(key: String) -> JSONValue? {
        get {
            let (index, found) = position(of: key)
            return found ? members[index].value : nil
        }
        set {
            let (index, found) = position(of: key)
            switch (newValue, found) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(Member(key: key, value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Takes out the value of a key.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        let (index, found) = position(of: key)
        return found ? members.remove(at: index).value : nil
    }

    private func position(of key: String) -> (index: Int, found: Bool) {
        Self.position(of: key, in: members)
    }

    private static func position(of key: String, in members: [Member]) -> (index: Int, found: Bool) {
        let fast = key.utf8.withContiguousStorageIfAvailable { key in
            // Borrowed as a buffer, so that looking at a key costs no reference counting.
            members.withUnsafeBufferPointer { members in
                search(members.count) { index in
                    members[index].key.utf8.withContiguousStorageIfAvailable { UTF8Order.compare($0, key) }
                }
            }
        }
        if let fast, let fast { return fast }
        let slow = search(members.count) { UTF8Order.compare(members[$0].key, key) }
        return slow ?? (members.count, false)
    }

    /// A binary search; `order` compares the member at an index with what is sought, or gives up with `nil`.
    @inline(__always)
    private static func search(_ count: Int, _ order: (Int) -> Int?) -> (index: Int, found: Bool)? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            guard let order = order(middle) else { return nil }
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Collects members as they come. Sorted input costs one comparison each.
    struct Builder {
        private var members: [Member] = []
        private var isSorted = true

        init(capacity: Int) { if capacity > 0 { members.reserveCapacity(capacity) } }

        mutating func append(_ key: String, _ value: JSONValue) {
            guard isSorted, let last = members.last else {
                members.append(Member(key: key, value: value))
                return
            }
            let order = UTF8Order.compare(last.key, key)
            if order < 0 {
                members.append(Member(key: key, value: value))
            } else if members.count > 64 {
                // Beyond this, inserting one by one would be quadratic.
                isSorted = false
                members.append(Member(key: key, value: value))
            } else {
                let (index, found) = JSONObject.position(of: key, in: members)
                if found {
                    members[index].value = value
                } else {
                    members.insert(Member(key: key, value: value), at: index)
                }
            }
        }

        consuming func build() -> JSONObject {
            var object = JSONObject()
            object.members = isSorted ? members : Self.sorted(members)
            return object
        }

        private static func sorted(_ members: [Member]) -> [Member] {
            let order = members.indices.sorted { a, b in
                let order = UTF8Order.compare(members[a].key, members[b].key)
                return order == 0 ? a < b : order < 0
            }
            var result: [Member] = []
            result.reserveCapacity(members.count)
            for index in order {
                if let last = result.last, UTF8Order.equal(last.key, members[index].key) {
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
        return zip(left.members, right.members).allSatisfy {
            UTF8Order.equal($0.key, $1.key) && $0.value == $1.value
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
