/// Reads the requests of a description, which may go to the hosts that it names alone.
struct TemplateReader {
    let base: WebAddress
    let hosts: [String]

    /// What a template is for.
    struct Use {
        /// One placeholder of each of these groups must be in the template.
        var required: [[URLTemplate.Placeholder]] = []
        var optional: [URLTemplate.Placeholder] = []

        static let object = Use(required: [[.id]])
        static let batch = Use(required: [[.ids]], optional: [.size])

        static func list(_ form: ListDescription.Form) -> Use {
            switch form {
            case .whole: Use()
            case .page: Use(required: [[.page]], optional: [.size])
            case .offset: Use(required: [[.offset]], optional: [.size])
            }
        }

        static func since(_ form: ListDescription.Form) -> Use {
            list(form).adding([.sinceDate, .sinceInstant])
        }
        static func selection(_ form: ListDescription.Form) -> Use { list(form).adding([.value]) }

        private func adding(_ group: [URLTemplate.Placeholder]) -> Use {
            Use(required: [group] + required, optional: optional)
        }
    }

    /// Reads a template.
    func template(_ node: DescriptionNode, for use: Use) throws(SourceDescriptionError) -> URLTemplate {
        // Some servers send only the fields that a request names.
        try template(try node.text(limit: 8_000), of: node, for: use)
    }

    /// Parses the text of a template that stands in a node, or was made of it.
    func template(
        _ text: String, of node: DescriptionNode, for use: Use
    ) throws(SourceDescriptionError) -> URLTemplate {
        let template: URLTemplate
        do { template = try URLTemplate(text) } catch { throw node.failure("\(node.path): \(error.message)") }
        try checkPlaceholders(template, of: node, for: use)
        try checkLiterals(template, of: node)
        try checkHost(template, of: node)
        return template
    }

    private func checkPlaceholders(
        _ template: URLTemplate, of node: DescriptionNode, for use: Use
    ) throws(SourceDescriptionError) {
        let present = template.placeholders, known = use.required.flatMap { $0 } + use.optional
        if let other = template.pieces.lazy.compactMap(\.placeholder).first(where: { !known.contains($0) }) {
            let list = known.map(\.written).enumeration
            throw node.failure(
                "\(node.path) can't contain \(other.written). "
                    + (known.isEmpty
                        ? "It is a request without placeholders." : "Its placeholders are \(list)."))
        }
        if let missing = use.required.first(where: present.isDisjoint) {
            throw node.failure(
                "\(node.path) must contain \(missing.map(\.written).joined(separator: " or ")).")
        }
    }

    private func checkLiterals(
        _ template: URLTemplate, of node: DescriptionNode
    ) throws(SourceDescriptionError) {
        for case .literal(let text) in template.pieces {
            if let scalar = text.unicodeScalars.first(where: {
                !$0.isASCII || !URLTemplate.isLiteral(UInt8($0.value))
            }) {
                let code = scalar.utf8.map {
                    "%" + String($0 >> 4, radix: 16, uppercase: true)
                        + String($0 & 15, radix: 16, uppercase: true)
                }
                throw node.failure(
                    "\(node.path) contains \(String(scalar).quoted), which a URL can't contain. Write \(code.joined())."
                )
            }
            let escapes = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
            guard escapes.allSatisfy({ $0.utf8.prefix(2).count(where: \.isHexDigit) == 2 }) else {
                throw node.failure(
                    "\(node.path) contains a percent sign without two hexadecimal digits. Write a literal percent sign as %25."
                )
            }
        }
    }

    /// The host is literal text: no value from an answer can change it.
    private func checkHost(_ template: URLTemplate, of node: DescriptionNode) throws(SourceDescriptionError) {
        if ["/", "?"].contains(where: template.text.hasPrefix) { return }
        guard template.isAbsolute, case .literal(let start)? = template.pieces.first,
            let address = WebAddress(start)
        else {
            throw node.failure(
                "\(node.path) must begin with a slash, as in /objects, or be a whole URL such as https://api.museum.org/objects."
            )
        }
        guard template.pieces.count == 1 || !address.rest.isEmpty else {
            throw node.failure("\(node.path) can't have a placeholder in its host.")
        }
        guard address.isSecure || !base.isSecure else {
            throw node.failure("\(node.path) must begin with https://, as the base does.")
        }
        guard address.host == base.host || hosts.contains(address.host) else {
            throw node.failure(
                "\(node.path) goes to \(address.host.quoted), which is neither the base's host nor one of \"hosts\". Add it to hosts."
            )
        }
    }
}

extension URLTemplate {
    /// Whether the template is a whole URL, and not relative to the base.
    var isAbsolute: Bool { text.hasPrefix("https://") || text.hasPrefix("http://") }

    /// Whether a byte may stand in a URL, be it an encoded one (RFC 3986) or one of `|`, `[` and `]`, which servers expect.
    static func isLiteral(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._~:/?[]@!$&'()*+,;=%|{}".utf8.contains(byte)
    }
}

extension URLTemplate.Piece {
    var placeholder: URLTemplate.Placeholder? {
        if case .placeholder(let placeholder) = self { placeholder } else { nil }
    }
}

extension URLTemplate.Placeholder {
    /// `{id}`
    var written: String { "{\(rawValue)}" }
}

extension UInt8 {
    var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }
}
