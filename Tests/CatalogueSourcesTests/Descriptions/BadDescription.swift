import Testing

/// A part of the tiny description, what replaces it, and the error that this is.
struct BadDescription: Sendable, CustomTestStringConvertible {
    let part: String
    let other: String
    /// The line and column, and the beginning of the message.
    let error: String

    init(_ part: String, _ other: String, _ error: String) {
        (self.part, self.other, self.error) = (part, other, error)
    }

    /// One that inserts lines before the artworks, in line 6.
    static func top(_ lines: String, _ error: String) -> BadDescription {
        BadDescription("artworks:", "\(lines)\nartworks:", error)
    }

    /// One that inserts lines at the end of the list, in line 12.
    static func list(_ lines: String, _ error: String) -> BadDescription {
        BadDescription("  object:", "    \(lines)\n  object:", error)
    }

    /// One that inserts lines at the end of the object, in line 16.
    static func object(_ lines: String, _ error: String) -> BadDescription {
        BadDescription("AS title\n", "AS title\n    \(lines)\n", error)
    }

    var testDescription: String { other }

    func check() {
        let error = TinyDescription.error(of: TinyDescription.replacing(part, with: other))?.description
        #expect(error?.hasPrefix("tiny.yaml:\(self.error)") == true, "\(error ?? "no error")")
    }
}
