/// A node of a server's digest trie, as the `digest` extension sends it.
///
/// Hashes are 64 hexadecimal digits in lower case: SHA-256, or zeros for an empty node.
public struct DigestAnswer: Sendable, Hashable {
    /// A canonical URL and its ETag.
    public struct Leaf: Sendable, Hashable {
        /// The canonical URL, relative to the base.
        public let url: String
        /// The ETag, quotes included.
        public let etag: String

        /// Creates a leaf.
        public init(url: String, etag: String) {
            self.url = url
            self.etag = etag
        }
    }

    /// The content of a node: either child nodes or leaves.
    public enum Content: Sendable, Hashable {
        /// The hashes of the 16 child nodes, in the order of their digits 0 to f.
        case children([String])
        /// All leaves under the node, at most 16.
        case leaves([Leaf])
    }

    /// The hexadecimal digits, in lower case, with which the SHA-256 of each URL under the node begins.
    public let prefix: String
    /// The node's hash.
    public let hash: String
    /// The child nodes or leaves.
    public let content: Content

    /// Creates a node.
    public init(prefix: String, hash: String, content: Content) {
        self.prefix = prefix
        self.hash = hash
        self.content = content
    }

    /// Reads a node from its JSON. Hexadecimal digits may be in either case.
    ///
    /// - Throws: ``PayloadError`` if a field is missing or malformed.
    public init(_ json: JSONObject) throws(PayloadError) {
        guard let prefix = json["prefix"]?.stringValue, prefix.utf8.count <= 64,
            prefix.utf8.allSatisfy({ $0.hexDigitValue != nil }), let hash = json["hash"].flatMap(Self.hash)
        else { throw Self.broken }
        self.init(prefix: prefix.lowercased(), hash: hash, content: try Self.content(json))
    }

    private static func content(_ json: JSONObject) throws(PayloadError) -> Content {
        if let children = json["children"]?.arrayValue {
            let hashes = children.compactMap(hash)
            guard children.count == 16, hashes.count == 16 else { throw broken }
            return .children(hashes)
        }
        guard let elements = json["leaves"]?.arrayValue, elements.count <= 16 else { throw broken }
        let leaves = elements.compactMap { element -> Leaf? in
            guard let leaf = element.objectValue, let url = leaf["url"]?.stringValue,
                let etag = leaf["etag"]?.stringValue
            else { return nil }
            return Leaf(url: url, etag: etag)
        }
        guard leaves.count == elements.count else { throw broken }
        return .leaves(leaves)
    }

    private static func hash(_ value: JSONValue) -> String? {
        guard let text = value.stringValue, [UInt8](hexadecimal: text)?.count == 32 else { return nil }
        return text.lowercased()
    }

    private static var broken: PayloadError {
        PayloadError(kind: "digest", message: "The server's digest could not be read.")
    }

    /// The node's JSON: `{"prefix", "hash", "children"}` or `{"prefix", "hash", "leaves"}`.
    public var json: JSONObject {
        var object: JSONObject = ["prefix": .string(prefix), "hash": .string(hash)]
        switch content {
        case .children(let hashes): object["children"] = .array(hashes.map(JSONValue.string))
        case .leaves(let leaves):
            object["leaves"] = .array(
                leaves.map { .object(["url": .string($0.url), "etag": .string($0.etag)]) })
        }
        return object
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits in lower case, two a byte.
    package var hexadecimal: String { Array(self).hexadecimal }
}

extension [UInt8] {
    /// The bytes as hexadecimal digits in lower case, two a byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            for (index, byte) in enumerated() {
                digits[2 * index] = (byte >> 4).hexDigit
                digits[2 * index + 1] = (byte & 15).hexDigit
            }
            return 2 * count
        }
    }

    /// Reads hexadecimal digits in either case, two a byte; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let values = text.utf8.compactMap(\.hexDigitValue)
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
