import Testing

@testable import MirrorCLI

@Suite struct PrintableTests {
    @Test(arguments: [
        ("Nocturne", "Nocturne"), ("Dürer – 浮世絵 🖼️", "Dürer – 浮世絵 🖼️"),
        ("a\u{1B}[31mred", "a�[31mred"), ("a\u{9B}31m", "a�31m"), ("bell\u{7}", "bell�"),
        ("two\nlines\r\n\tand", "two lines   and"), ("left\u{202E}right", "leftright"),
        ("a\u{2066}b\u{2069}c\u{200F}", "abc"), ("\u{FEFF}z\u{200B}ero", "zero"),
        ("line\u{2028}end", "line end"),
        ("tag\u{E0041}", "tag"), ("👩\u{200D}🎨", "👩\u{200D}🎨"), ("del\u{7F}", "del�"),
    ])
    func printableTextHasNoControlCharacters(text: String, printed: String) {
        #expect(text.printable == printed)
    }

    @Test func printableJSONEscapesControlCharactersAndKeepsItsValue() {
        #expect("{\"a\":\"x\u{202E}y\"}".printableJSON == "{\"a\":\"x\\u202ey\"}")
        #expect("\"\u{7F}\u{9B}\"".printableJSON == "\"\\u007f\\u009b\"")
        #expect("\"\u{E0041}\"".printableJSON == "\"\\udb40\\udc41\"")
        #expect("\"Dürer\"".printableJSON == "\"Dürer\"")
    }

    @Test(arguments: [
        ("abc", 3), ("浮世絵", 6), ("e\u{301}", 1), ("🖼️", 2), ("👩\u{200D}🎨", 2), ("ﾊﾝｶｸ", 4), ("", 0), ("—…", 2),
    ])
    func theWidthOfTextIsInTerminalColumns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("浮世絵師", 5, "浮世…"), ("浮世絵師", 4, "浮…"), ("ab", 0, ""),
    ])
    func truncatedTextNeverExceedsTheWidth(text: String, width: Int, expected: String) {
        #expect(text.truncated(to: width) == expected)
        #expect(text.truncated(to: width).columns <= width)
    }

    @Test func textWrapsAtSpaces() {
        #expect("one two three four".wrapped(to: 9) == ["one two", "three", "four"])
        #expect("unbreakable".wrapped(to: 5) == ["unbr…"])
    }
}
