import Yams

/// The text of a description as a tree of YAML nodes, in which nothing was expanded.
///
/// A description can come from a stranger. Yams replaces each alias with the node that it refers to, and hashes keys with all
/// that is in them, so a few lines of nested aliases would keep it busy for years. Therefore no text with an anchor reaches Yams.
struct DescriptionFile {
    /// The file's name in messages.
    let name: String
    /// The file's lines, without their line breaks.
    let lines: [Substring]
    private(set) var root: Node = ""

    /// The maximum size of a description in bytes.
    static let maximumSize = 1 << 20

    /// Parses a description's text.
    ///
    /// - Throws: ``SourceDescriptionError`` for a text of more than 1 MiB, for control characters, for anything but one valid YAML
    ///   document, and for anchors, aliases, directives, and tags other than those of YAML's core.
    init(_ text: String, name: String) throws(SourceDescriptionError) {
        self.name = name
        guard text.utf8.count <= Self.maximumSize else {
            throw SourceDescriptionError(Self.tooLarge, file: name)
        }
        var bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let text = String(decoding: bytes, as: UTF8.self)
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        try checkCharacters()
        try checkDirectives()
        if bytes.contains(UInt8(ascii: "&")) {
            // `&name` can stand where the tag `!name` can stand, and nowhere else has `&` a meaning. So in this text, which has no
            // anchors, each anchor of the file is a tag at the same place.
            let disarmed = bytes.map { $0 == UInt8(ascii: "&") ? UInt8(ascii: "!") : $0 }
            try checkTags(try compose(disarmed))
        }
        root = try compose(bytes)
        try checkTags(root)
    }

    /// An error at a place in the file.
    func failure(_ message: String, at position: SourcePosition?) -> SourceDescriptionError {
        SourceDescriptionError(message, file: name, at: position)
    }

    /// The character at a place; `nil` behind the end of a line.
    func character(at position: SourcePosition) -> Unicode.Scalar? {
        guard lines.indices.contains(position.line - 1) else { return nil }
        return lines[position.line - 1].unicodeScalars.dropFirst(position.column - 1).first
    }

    private func compose(_ bytes: [UInt8]) throws(SourceDescriptionError) -> Node {
        // Yams keeps a pointer to the text, which is valid only for texts of more than 15 bytes: Swift stores shorter ones elsewhere.
        let text = String(decoding: bytes + [UInt8](repeating: UInt8(ascii: "\n"), count: 16), as: UTF8.self)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text, .default, .default, .utf8)
        } catch {
            throw failure(of: error)
        }
        guard let root else {
            throw failure(
                "The file is empty. \"mirror source show met\" prints a description to start from.", at: nil)
        }
        return root
    }

    /// libyaml refuses these characters, too, but without their line.
    private func checkCharacters() throws(SourceDescriptionError) {
        for (number, line) in lines.enumerated() {
            var column = 0
            for scalar in line.unicodeScalars {
                column += 1
                switch scalar.value {
                case 0x09, 0x20...0x7E, 0xA0..<0xFEFF, 0xFF00...0xFFFD, 0x10000...: continue
                default:
                    throw failure(
                        "The file contains the control character \(scalar.codePoint). Remove it, and save the file as UTF-8 text.",
                        at: SourcePosition(line: number + 1, column: column))
                }
            }
        }
    }

    /// A directive could give `!name` the meaning of a core tag, and so hide an anchor.
    private func checkDirectives() throws(SourceDescriptionError) {
        for (number, line) in lines.enumerated() where line.unicodeScalars.first == "%" {
            throw failure(
                "Directives (lines that begin with %) are not supported. Remove the line.",
                at: SourcePosition(line: number + 1, column: 1))
        }
    }

    private func checkTags(_ root: Node) throws(SourceDescriptionError) {
        var rest = [(node: root, isKey: false)]
        while let (node, isKey) = rest.popLast() {
            guard node.hasCoreTag(isKey: isKey) else {
                throw failure(ofTagAt: node.mark.map(SourcePosition.init))
            }
            switch node {
            case .mapping(let mapping):
                for (key, value) in mapping { rest += [(key, true), (value, false)] }
            case .sequence(let sequence): rest += sequence.map { ($0, false) }
            case .scalar, .alias: continue
            }
        }
    }

    private func failure(ofTagAt position: SourcePosition?) -> SourceDescriptionError {
        if position.flatMap(character) == "&" { return failure(Self.noAnchors, at: position) }
        return failure(
            "Tags such as !name are not supported. Remove the tag, or put the value in quotes if it begins with an exclamation mark.",
            at: position)
    }

    static let tooLarge =
        "The file is larger than 1 MiB, which no description needs to be. Check that it is the right file."

    static let noAnchors =
        "Anchors (&name) and aliases (*name) are not supported. Write the value out each time, or put it in quotes if it begins with & or *."
}

extension Node {
    /// Whether the node has no tag, or one of YAML's core. A key's tag may have been derived from its text.
    fileprivate func hasCoreTag(isKey: Bool) -> Bool {
        let tag =
            switch self {
            case .scalar(let scalar): scalar.tag.rawValue
            case .mapping(let mapping): mapping.tag.rawValue
            case .sequence(let sequence): sequence.tag.rawValue
            case .alias: "!"
            }
        guard !tag.isEmpty else { return true }
        let core = "tag:yaml.org,2002:"
        guard tag.hasPrefix(core) else { return false }
        return isKey
            || ["str", "int", "float", "bool", "null", "seq", "map"].contains(tag.dropFirst(core.count))
    }
}

extension SourcePosition {
    init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

extension Unicode.Scalar {
    /// `U+001B`
    var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
