/// How requests are sent: rate, blocks, key and header fields.
extension SourceDescription {
    mutating func readRequests(_ top: DescriptionMapping) throws(SourceDescriptionError) {
        if let node = top["rate"] { rate = try RequestRate(node) }
        for element in try top["blocked"]?.elements() ?? [] { blocked.append(try BlockRule(element)) }
        if let node = top["key"] { key = try AccessKey(node) }
        if let node = top["headers"] { headers = try Self.headers(node) }
    }

    private static func headers(_ node: DescriptionNode) throws(SourceDescriptionError) -> [HeaderField] {
        var headers: [HeaderField] = []
        for entry in try DescriptionMapping(node).entries {
            let name = entry.name.lowercased()
            guard DescriptionNode.isFieldName(entry.name) else {
                throw entry.key.failure(
                    "The name of a header field consists of letters, digits, hyphens and underscores, but it is \(entry.name.quoted)."
                )
            }
            if let replacement = reservedFields[name] {
                throw entry.key.failure("The header field \(entry.name) can't be set here. \(replacement)")
            }
            guard !headers.contains(where: { $0.name.lowercased() == name }) else {
                throw entry.key.failure(
                    "The header field \(entry.name) is written twice. Remove one of them.")
            }
            let value = try entry.value.text("a text of ASCII characters") {
                $0.utf8.allSatisfy { $0 < 0x7F }
            }
            headers.append(HeaderField(entry.name, value))
        }
        return headers
    }

    /// Header fields with a meaning for the connection or the cache, or with secrets; and what to do instead.
    private static let reservedFields: [String: String] = {
        let own = [
            "host", "connection", "content-length", "content-type", "transfer-encoding", "te", "trailer",
            "upgrade",
            "expect", "keep-alive", "accept-encoding", "range", "if-range", "if-match", "if-none-match",
            "if-modified-since", "if-unmodified-since",
        ]
        var fields = Dictionary(
            uniqueKeysWithValues: own.map { ($0, "The mirror sets it itself. Remove it.") })
        fields["user-agent"] = "The mirror names itself. Use the key \"contact\" for an address."
        for name in ["authorization", "proxy-authorization", "cookie"] {
            fields[name] =
                "Secrets don't belong in a description. Use the key \"key\", which names an environment variable."
        }
        return fields
    }()
}

extension RequestRate {
    init(_ node: DescriptionNode) throws(SourceDescriptionError) {
        self.init()
        let keys = try DescriptionMapping(node, keys: ["requests", "per_day", "parallel"])
        if let node = keys["requests"] {
            let text = try node.text()
            guard let rate = RequestRate(text) else {
                throw node.failure(
                    "\(node.path) must be a number per s, min, h or d, such as 1/s or 60/min, but it is \(text.quoted)."
                )
            }
            self = rate
        }
        perDay = try keys["per_day"]?.integer(1...1_000_000_000)
        parallel = try keys["parallel"]?.integer(1...128)
    }

    /// Reads `1/s`, `60/min`, `2.5/h`: a number of requests, and the time that it is for; `nil` for anything else, and for more than
    /// 10,000 a second.
    package init?(_ text: String) {
        self.init()
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let units = ["s": 1, "min": 60, "h": 3_600, "d": 86_400]
        // `Double` also reads `nan` and `0x1p4`.
        guard parts.count == 2, let seconds = units[String(parts[1])], (1...12).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(String(parts[0])), number > 0, number / Double(seconds) <= 10_000
        else { return nil }
        (requests, interval) = (number, .seconds(seconds))
    }
}

extension BlockRule {
    init(_ node: DescriptionNode) throws(SourceDescriptionError) {
        let keys = try DescriptionMapping(node, keys: ["status", "type", "header", "wait", "ended"])
        let sign: Sign
        let (name, value) = try keys.exactlyOne(of: ["status", "type", "header"])
        switch name {
        case "status": sign = .status(try value.integer(300...599))
        case "type":
            let type = try value.text(
                "a media type such as text/html, without parameters", where: Self.isMediaType)
            sign = .type(type.lowercased())
        default: sign = .header(try value.fieldName())
        }
        let (meaning, time) = try keys.exactlyOne(of: ["wait", "ended"])
        if meaning == "wait" {
            self.init(sign, .wait(try time.duration()))
        } else {
            try time.only("true")
            self.init(sign, .ended)
        }
    }

    private static func isMediaType(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                (1...100).contains(part.utf8.count)
                    && part.utf8.allSatisfy { $0.isLetterOrDigit || "-+._".utf8.contains($0) }
            }
    }
}

extension SourceDescription.AccessKey {
    init(_ node: DescriptionNode) throws(SourceDescriptionError) {
        let keys = try DescriptionMapping(node, keys: ["query", "header", "env"])
        let (name, value) = try keys.exactlyOne(of: ["query", "header"])
        let field = try value.fieldName()
        let variable = try keys.required("env", "Name the environment variable that contains the key.")
        let text = try variable.text()
        // A description can come from a stranger. Without this, it could have any secret of the environment sent to its server.
        guard text.hasPrefix(Self.prefix), text.utf8.count > Self.prefix.utf8.count, text.utf8.count <= 100,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F })
        else {
            throw variable.failure(
                "\(variable.path) must be the name of an environment variable that begins with \(Self.prefix), such as \(Self.prefix)MUSEUM, so that a description can't read other secrets. It is \(text.quoted)."
            )
        }
        self.init(name == "query" ? .query(field) : .header(field), variable: text)
    }

    /// How the variables begin that a description may read.
    private static let prefix = "MIRROR_KEY_"
}
