/// Turns HTML into plain text.
///
/// Tags, comments, scripts and styles are removed, entities decoded, and white space is collapsed. Block elements and `<br>`
/// become line breaks. A `<` that begins no tag is text, as in `a < b`. Text without tags and entities is kept, but for its
/// white space.
package enum PlainText {
    /// The text; empty if nothing is left.
    package static func plain(_ html: String) -> String {
        var reader = Reader(bytes: Array(html.utf8))
        return reader.read()
    }

    /// A partner's text as pages show it: without the tags of known HTML elements, entities decoded once.
    ///
    /// Anything else stays as it is, as in `a < b` and `<untitled>`. White space stays, too, unless there are block elements or
    /// `<br>`, which become line breaks.
    package static func shown(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return text
        }
        let bytes = Array(text.utf8)
        var reader = Reader(bytes: bytes, elements: elements)
        let lines = reader.read()
        guard !reader.hasBlocks else { return lines }
        var exact = Reader(bytes: bytes, elements: elements, keepsSpace: true)
        return exact.read()
    }

    /// The elements whose tags ``shown(_:)`` removes: those with which texts are formatted.
    private static let elements = Set(
        """
        a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code dd del dfn div dl dt em
        figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section
        small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var wbr
        """.split { $0 == " " || $0 == "\n" }.map(String.init))

    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog",
        "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hr", "li", "main",
        "nav", "ol", "p", "pre", "section", "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
    ]
    /// Elements whose contents are no text.
    private static let dropped: Set<String> = ["script", "style", "template", "noscript", "svg", "math"]

    /// Reads HTML once, from left to right.
    private struct Reader {
        let bytes: [UInt8]
        /// The elements whose tags are removed; `nil` for all, and comments.
        let elements: Set<String>?
        /// Whether white space is kept as it is.
        let keepsSpace: Bool
        /// Whether there was a block element.
        private(set) var hasBlocks = false
        private var index = 0
        private var text: [UInt8] = []
        /// What separates the next character from the last.
        private var gap = Gap.none

        private enum Gap: Int { case none, space, line }

        /// Whether no `>` follows.
        private var isWithoutEnds = false

        /// After a `>` in quotes, the end of the quotes is searched in this number of bytes.
        private static let longestQuote = 512

        init(bytes: [UInt8], elements: Set<String>? = nil, keepsSpace: Bool = false) {
            (self.bytes, self.elements, self.keepsSpace) = (bytes, elements, keepsSpace)
        }

        mutating func read() -> String {
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "<"): if !skipTag() { append(take()) }
                case UInt8(ascii: "&"): readEntity()
                case let byte where !keepsSpace && (byte <= 0x20 || byte == 0x7F):
                    widen(.space)
                    index += 1
                // A no-break space.
                case 0xC2 where !keepsSpace && index + 1 < bytes.count && bytes[index + 1] == 0xA0:
                    widen(.space)
                    index += 2
                default: append(take())
                }
            }
            return String(decoding: text, as: UTF8.self)
        }

        // MARK: - Text

        private mutating func take() -> UInt8 {
            defer { index += 1 }
            return bytes[index]
        }

        private mutating func append(_ byte: UInt8) {
            if gap != .none, !text.isEmpty { text.append(gap == .line ? 0x0A : 0x20) }
            gap = .none
            text.append(byte)
        }

        private mutating func widen(_ gap: Gap) { if gap.rawValue > self.gap.rawValue { self.gap = gap } }

        /// Appends an entity's character, or the `&` itself if it begins none.
        private mutating func readEntity() {
            guard let (character, length) = entity() else { return append(take()) }
            index += length
            for scalar in character.unicodeScalars {
                switch scalar.value {
                case 0x20, 0xA0, 0x09...0x0D: if keepsSpace { append(0x20) } else { widen(.space) }
                case 0..<0x20, 0x7F..<0xA0: break
                default: for byte in String(scalar).utf8 { append(byte) }
                }
            }
        }

        /// The character of the entity here, and the length of its text.
        private func entity() -> (String, length: Int)? {
            let rest = bytes[(index + 1)...].prefix(12)
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let name = String(decoding: rest[..<end], as: UTF8.self), length = end - index + 1
            guard name.hasPrefix("#") else { return HTMLEntities[name].map { ($0, length) } }
            let digits = name.dropFirst()
            let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
            let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.map { (String(Self.character($0)), length) }
        }

        /// Numbers from 128 to 159 mean characters of Windows-1252, as in browsers.
        private static func character(_ number: UInt32) -> Character {
            if (128...159).contains(number) { return windows[Int(number) - 128] }
            return UnicodeScalar(number).map { Character($0) } ?? "\u{FFFD}"
        }

        private static let windows = Array(
            "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ")

        // MARK: - Tags

        /// Skips a tag or comment with what it hides; `false` if the `<` here begins none.
        private mutating func skipTag() -> Bool {
            let rest = bytes[(index + 1)...]
            if elements == nil, rest.starts(with: "!--".utf8) {
                index = position(of: "-->", from: index + 4) ?? bytes.count
                return true
            }
            guard let first = rest.first else { return false }
            let isEnd = first == UInt8(ascii: "/")
            let nameStart = index + (isEnd ? 2 : 1)
            let name = lowercasedName(at: nameStart)
            let isTag =
                elements.map { $0.contains(name) && endsName(at: nameStart + name.utf8.count) }
                ?? (!name.isEmpty || first == UInt8(ascii: "!") || first == UInt8(ascii: "?"))
            guard isTag, let end = tagEnd() else { return false }
            let isSelfClosing = bytes[end - 2] == UInt8(ascii: "/")
            index = end
            if PlainText.blocks.contains(name) {
                widen(.line)
                hasBlocks = true
            }
            if name == "td" || name == "th" || name == "img" { widen(.space) }
            if PlainText.dropped.contains(name), !isEnd, !isSelfClosing {
                index = position(of: "</" + name, from: index) ?? bytes.count
            }
            return true
        }

        /// The index after the `>` of the tag here, one in quotes aside; `nil` if there is none.
        private mutating func tagEnd() -> Int? {
            guard !isWithoutEnds else { return nil }
            var quote: UInt8?, first: Int?
            for position in index..<bytes.count {
                // A quotation mark has no partner.
                if let first, position > first + Self.longestQuote { return first }
                let byte = bytes[position]
                if byte == UInt8(ascii: ">") {
                    if quote == nil { return position + 1 }
                    first = first ?? position + 1
                } else if byte == quote {
                    quote = nil
                } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                }
            }
            isWithoutEnds = first == nil
            return first
        }

        /// Whether a tag's name can end before an index: `<a@b>` is no tag.
        private func endsName(at index: Int) -> Bool {
            guard index < bytes.count else { return false }
            let byte = bytes[index]
            return byte <= 0x20 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
        }

        private func lowercasedName(at start: Int) -> String {
            let name = bytes[min(start, bytes.count)...].prefix(12).prefix { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            guard let first = name.first, first >= UInt8(ascii: "A") else { return "" }
            return String(decoding: name, as: UTF8.self).lowercased()
        }

        /// The index of a text in lower case, without regard to case; for `-->`, the index after it.
        private func position(of text: String, from start: Int) -> Int? {
            let sought = Array(text.utf8)
            guard start <= bytes.count else { return nil }
            var position = start
            while position + sought.count <= bytes.count {
                if zip(bytes[position...], sought).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) {
                    return text.hasPrefix("<") ? position : position + sought.count
                }
                position += 1
            }
            return nil
        }
    }
}
