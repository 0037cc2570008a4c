import Testing

@testable import Catalogue

@Suite struct EscapingTests {
    /// The mark joins the quote before it to one character.
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("a\"b", "a\"\"b"), ("\"\u{301}", "\"\"\u{301}"), ("é\"", "é\"\""),
        ("\"\"", "\"\"\"\""),
    ])
    func quotesAreDoubledAlsoBeforeACombiningMark(text: String, escaped: String) {
        let result = text.escaping("\"", as: "\"\"")
        #expect(Array(result.utf8) == Array(escaped.utf8))
    }
}
