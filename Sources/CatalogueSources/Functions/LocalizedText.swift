import Catalogue

/// Reads texts that servers write in different shapes: a string, an array, an object, or the same text in several languages.
///
/// `text`:
/// ```
/// "Oil"                                                    Oil
/// ["oil", "canvas"]                                        oil, canvas
/// {"en": ["A Study"], "da": ["Et studie"]}                 A Study
/// [{"title": "A Study", "language": "en"}, {…"da"}]        A Study
/// {"text": "Maker, Ada", "id": "A1"}                       Maker, Ada
/// ```
struct LocalizedText {
    /// The language that is preferred, such as `en`; `nil` for the first.
    let language: String?

    /// The members that name the language of an object.
    private static let languageKeys = ["language", "@language", "lang", "@xml:lang", "xml:lang"]
    /// The members that contain the text of an object, the most certain first.
    private static let textKeys = [
        "@value", "value", "#text", "text", "content", "title", "label", "name", "displayName", "_label",
    ]

    /// The text; `nil` if there is none.
    func text(_ json: JSONValue) -> String? { text(json, depth: 0) }

    private func text(_ json: JSONValue, depth: Int) -> String? {
        guard depth < 8 else { return nil }
        switch json {
        case .null: return nil
        case .bool(let value): return value ? "true" : "false"
        case .number(let number): return number.lexeme
        case .string(let text): return text.trimmed.isEmpty ? nil : text.trimmed
        case .array(let elements):
            if let index = Self.preferred(elements.map(Self.language(of:)), language) {
                return text(elements[index], depth: depth + 1)
            }
            let texts = elements.compactMap { text($0, depth: depth + 1) }
            return texts.isEmpty ? nil : texts.joined(separator: ", ")
        case .object(let object):
            for key in Self.textKeys {
                if let value = object[key], let text = text(value, depth: depth + 1) { return text }
            }
            let tags: [String?] = object.keys.map { Self.isLanguageTag($0) ? $0 : nil }
            // A lone `id` isn't Indonesian.
            guard !tags.contains(nil), tags != ["id"], let index = Self.preferred(tags, language) else {
                return nil
            }
            return text(object.members[index].value, depth: depth + 1)
        }
    }

    /// The texts of the elements of ``list(_:)``; `nil` if there are none.
    ///
    /// - Throws: ``SourceFunction/ResultTooLong`` if the result is longer than a value may be.
    func joined(_ json: JSONValue, separator: String) throws(SourceFunction.ResultTooLong) -> String? {
        let texts = Self.list(json).compactMap(text)
        let length = texts.reduce(0) { $0 + $1.utf8.count + separator.utf8.count }
        guard length <= SandboxLimits.maximum else { throw SourceFunction.ResultTooLong() }
        return texts.isEmpty ? nil : texts.joined(separator: separator)
    }

    /// An array's elements without null and blank texts. Anything else is the only element.
    static func list(_ json: JSONValue) -> [JSONValue] {
        (json.arrayValue ?? [json]).filter { element in
            switch element {
            case .null: false
            case .string(let text): !text.isBlank
            default: true
            }
        }
    }

    // MARK: - Languages

    /// The index of the best language; `nil` if no element has one.
    ///
    /// The best is the language itself, then a variant of it, then a text for all languages, then the first.
    private static func preferred(_ tags: [String?], _ language: String?) -> Int? {
        let tags = tags.map { $0?.lowercased() }
        guard tags.contains(where: { $0 != nil }) else { return nil }
        if let language = language?.lowercased() {
            if let index = tags.firstIndex(of: language) { return index }
            if let index = tags.firstIndex(where: { $0.map(primary) == primary(language) }) { return index }
        }
        return tags.firstIndex { $0 == nil || $0.map(neutralTags.contains) == true } ?? 0
    }

    private static let neutralTags: Set<String> = ["none", "@none", "und", "zxx", "mul", "def"]

    /// `en` of `en-GB`.
    private static func primary(_ tag: String) -> Substring { tag.prefix { $0 != "-" && $0 != "_" } }

    private static func language(of json: JSONValue) -> String? {
        guard let object = json.objectValue else { return nil }
        return languageKeys.lazy.compactMap { object[$0]?.stringValue }.first
    }

    /// Whether a key is two or three letters, perhaps with more after a hyphen, or a word for no language.
    private static func isLanguageTag(_ key: String) -> Bool {
        if neutralTags.contains(key.lowercased()) { return true }
        let first = primary(key)
        return (2...3).contains(first.utf8.count) && first.utf8.allSatisfy { ($0 | 0x20).isLetter }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}

extension String {
    /// The text without white space at its ends.
    var trimmed: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(scalars[...last])
    }
}
