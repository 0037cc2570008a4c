import Catalogue

/// A text field that has a section of its own on a page, such as the provenance of an artwork.
struct LongText {
    let field: String
    let heading: String
    let paragraphs: [String]
    let isCut: Bool
    private let jsonHref: String

    /// Longer texts are cut on the page; the JSON has all of them. In characters.
    static let maximumLength = 2_000

    /// The fields with sections, with their headings.
    private static let fields = [
        ("description", "Description"), ("additional_information", "About the work"),
        ("signature", "Signature"),
        ("provenance", "Provenance"), ("exhibition_history", "Exhibition history"),
        ("literature", "Literature"),
        ("confidential_notes", "Confidential notes"),
    ]

    /// The names of the fields with sections.
    static let names = Set(fields.map(\.0))

    static func texts(of body: JSONObject, jsonHref: String) -> [LongText] {
        fields.compactMap { LongText(field: $0, heading: $1, of: body, jsonHref: jsonHref) }
    }

    /// The text of a field; `nil` if it has none.
    ///
    /// - Parameter heading: default: the field's name.
    init?(field: String, heading: String? = nil, of body: JSONObject, jsonHref: String) {
        guard let text = body[field]?.stringValue, !text.isEmpty else { return nil }
        let (plain, isLong) = Self.plain(text)
        let (shown, isCut) = Self.cut(plain)
        paragraphs = Self.paragraphs(of: shown)
        // Of HTML, nothing may be left.
        if paragraphs.isEmpty { return nil }
        self.field = field
        self.heading = heading ?? Fact.label(field)
        self.isCut = isCut || isLong
        self.jsonHref = jsonHref
    }

    /// A partner's text without HTML, and whether something was left out. Of a very long text only the beginning is read.
    static func plain(_ text: String) -> (text: String, isCut: Bool) {
        let (beginning, isCut) = cut(text, to: 10 * maximumLength)
        return (PlainText.shown(beginning), isCut)
    }

    /// A text that isn't a field of the object.
    init(field: String, heading: String, paragraphs: [String], isCut: Bool, jsonHref: String) {
        (self.field, self.heading, self.paragraphs) = (field, heading, paragraphs)
        (self.isCut, self.jsonHref) = (isCut, jsonHref)
    }

    /// The lines of a text without empty ones.
    static func paragraphs(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The beginning of a text, and whether something was left out.
    ///
    /// One letter with thousands of combining marks is one character, so the text is also cut after four bytes for each
    /// permitted character, which is the longest scalar.
    ///
    /// - Parameter length: the greatest number of characters.
    static func cut(_ text: String, to length: Int = maximumLength) -> (text: String, isCut: Bool) {
        guard text.utf8.count > length else { return (text, false) }
        var end =
            text.utf8.index(text.startIndex, offsetBy: 4 * length, limitedBy: text.endIndex) ?? text.endIndex
        // A scalar's later bytes begin with the bits 10.
        while end < text.endIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        let beginning = text[..<end]
        let last =
            beginning.index(beginning.startIndex, offsetBy: length, limitedBy: beginning.endIndex)
            ?? beginning.endIndex
        guard last < text.endIndex else { return (text, false) }
        return (beginning[..<last] + "…", true)
    }

    var shown: Shown {
        [
            "id": .string(field.replacing("_", with: "-")), "heading": .string(heading),
            "paragraphs": .texts(paragraphs), "isCut": .flag(isCut), "jsonHref": .string(jsonHref),
        ]
    }
}
