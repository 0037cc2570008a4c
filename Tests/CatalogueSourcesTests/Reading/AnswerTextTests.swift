import Catalogue
import Testing

@testable import CatalogueSources

@Suite struct AnswerTextTests {
    private static func text(_ answer: String) throws -> String {
        try AnswerText.read(Array(answer.utf8)).canonicalText
    }

    @Test(arguments: [
        // A byte order mark, and white space.
        ("\u{FEFF}{\"a\": 1}\n", #"{"a":1}"#),
        // SQLite before 3.45 doesn't find a label that is written with an escape.
        (#"{"\u0061b":1}"#, #"{"ab":1}"#),
        (#"{"a":"\u00e9\/"}"#, #"{"a":"é/"}"#),
        // The last of two equal keys counts.
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a\u0000b":"c\u0000d","e":["\u0000"]}"#, #"{"ab":"cd","e":[""]}"#),
        (
            #"[9223372036854775807,9223372036854775808,-9223372036854775809]"#,
            #"[9223372036854775807,"9223372036854775808","-9223372036854775809"]"#
        ),
        // Floating-point numbers stay numbers, except for those that are infinite.
        ("[1.50,1e5,12345678901234567890.5,1e999]", #"[1.50,1e5,12345678901234567890.5,"1e999"]"#),
        (#"[[{"n":123456789012345678901}],true,null]"#, #"[[{"n":"123456789012345678901"}],true,null]"#),
    ]) func anAnswerIsReadAsCanonicalText(_ answer: String, _ expected: String) throws {
        #expect(try Self.text(answer) == expected)
    }

    @Test func anAnswerThatNeedsNoChangeIsNotCopied() throws {
        #expect(AnswerText.cleaned(try JSONValue(parsing: #"{"a":[1,2.5,"x",null,{"b":true}]}"#)) == nil)
    }

    @Test func anAnswerMayHave512Levels() throws {
        func nested(_ levels: Int, _ inner: String) -> String {
            String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
        }
        #expect(
            try Self.text(nested(512, "123456789012345678901")) == nested(512, "\"123456789012345678901\""))
        #expect(throws: SourceReadingError.self) { try Self.text(nested(513, "1")) }
    }

    @Test(arguments: [
        ("<!DOCTYPE html><p>_Incapsula_Resource", "The answer is an HTML page instead of JSON."),
        ("\u{FEFF}\n <html>", "The answer is an HTML page instead of JSON."),
        ("", "The answer is not JSON."), ("{\"a\":", "The answer is not JSON."),
        ("Not found", "The answer is not JSON."),
    ]) func anAnswerThatIsNotJSONIsAnErrorThatSaysSo(_ answer: String, _ message: String) {
        let error = #expect(throws: SourceReadingError.self) { try Self.text(answer) }
        #expect(error?.code == .notJSON)
        #expect(error?.message.hasPrefix(message) == true)
    }

    @Test(arguments: [
        ("$", #"{"data":{"a b":[1,2,3]},"x":null}"#), ("$.data", #"{"a b":[1,2,3]}"#),
        (#"$.data."a b""#, "[1,2,3]"),
        (#"$."data"."a b"[1]"#, "2"), (#"$.data."a b"[#-1]"#, "3"), ("$.x", "null"), ("$.y", nil),
        ("$.data[0]", nil), (#"$.data."a b"[3]"#, nil), (#"$.data."a b"[#-4]"#, nil),
        (#"$.data."a b"[#-0]"#, nil),
    ]) func aPathFindsAPartOfAnAnswer(_ path: String, _ expected: String?) throws {
        let answer = try JSONValue(parsing: #"{"data":{"a b":[1,2,3]},"x":null}"#)
        let path = try #require(AnswerPath(path))
        #expect(path.value(in: answer)?.canonicalText == expected)
    }

    @Test(arguments: [
        "", "data", "$data", "$.", "$..a", "$[", "$[x]", "$[-1]", "$[]", "$.\"a", "$[#-]", "$.a]",
    ])
    func aTextThatIsNoPathIsRefused(_ text: String) {
        // SQLite takes `a]` for a label.
        #expect((AnswerPath(text) == nil) == (text != "$.a]"))
    }
}
