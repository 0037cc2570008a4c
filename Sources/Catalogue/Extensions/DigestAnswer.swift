/// A node of a server's digest (`digest` extension), as it is on the wire.
///
/// Hashes are 64 hexadecimal digits in lower case.
public struct DigestAnswer: Sendable, Hashable {
    /// A canonical URL and the ETag that the server gives it.
    public struct Leaf: Sendable, Hashable {
        public let url: String
        public let etag: String

        public init(url: String, etag: String) {
            self.url = url
            self.etag = etag
        }
    }

    public enum Content: Sendable, Hashable {
        /// The hashes of the nodes under it, from that of the digit 0 to that of f.
        case children([String])
        /// Everything that it holds, at most 16.
        case leaves([Leaf])
    }

    /// The hexadecimal digits that the SHA-256 of every URL in it begins with, in lower case.
    public let prefix: String
    public let hash: String
    public let content: Content

    public init(prefix: String, hash: String, content: Content) {
        self.prefix = prefix
        self.hash = hash
        self.content = content
    }

    /// Reads a node. Digits may be in either case.
    ///
    /// - Throws: ``PayloadError`` for anything that isn't a whole node.
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
