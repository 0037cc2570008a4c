import CatalogueSources
import Testing

/// `plain`, and the functions that search texts in SQLite's place.
@Suite struct TextFunctionTests {
    private func value(_ expression: String, _ body: String = "") throws -> SQLValue {
        try SourceSandbox(language: nil).value(SourceQuery("SELECT \(expression)"), SourceValues(body: body))
    }

    @Test func htmlBecomesPlainText() throws {
        let cases: [(String, String)] = [
            ("Plain text", "Plain text"), ("", ""), ("  a \n\t b  ", "a b"),
            ("Has <em>HTML</em>.", "Has HTML."),
            ("<p>One</p><p>Two</p>", "One\nTwo"), ("<p>One</p>\n\n<p>Two</p>\n", "One\nTwo"),
            ("a<br>b<BR/>c<br />d", "a\nb\nc\nd"),
            ("<ul><li>a</li> <li>b</li></ul>c", "a\nb\nc"),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
            ("&lt;b&gt; &amp;amp; &quot;q&quot; &apos;", "<b> &amp; \"q\" '"),
            ("caf&eacute; &ndash; &euro;5", "café – €5"),
            ("&#233;&#xE9;&#XE9;", "ééé"), ("&#146;&#150;", "’–"),
            ("&#0;&#x110000;&#xD800;&#7;", "\u{FFFD}\u{FFFD}"),
            ("a&nbsp;&nbsp;b&#160;c\u{A0}d", "a b c d"), ("soft&shy;hyphen", "softhyphen"),
            ("AT&T & co; &unknown; &", "AT&T & co; &unknown; &"),
            ("a < b > c", "a < b > c"), ("1<2 and <3", "1<2 and <3"), ("a <b", "a <b"), ("<", "<"),
            ("</", "</"), ("x<!", "x<!"),
            ("<script>alert('<p>x</p>')</script>y", "y"), ("<STYLE>p{}</Style >z", "z"),
            ("a<script>b", "a"), ("a<script/>b", "ab"),
            ("a<!-- <p> -->b", "ab"), ("a<!-- b", "a"),
            ("<a title=\"a > b\" href='x>y'>link</a>", "link"), ("<a title=\">text", "text"),
            ("<!DOCTYPE html><html><head><title>t</title></head><body>b</body></html>", "t\nb"),
            ("<?xml v?>a", "a"),
            ("<h1>Ä</h1>ö 日本", "Ä\nö 日本"), ("<i>a</i><b>b</b>", "ab"),
            ("<svg><text>no</text></svg>yes", "yes"),
        ]
        let sandbox = try SourceSandbox(language: nil), query = SourceQuery("SELECT plain(:body)")
        for (html, text) in cases {
            #expect(try sandbox.value(query, SourceValues(body: html)) == .text(text), "\(html)")
        }
    }

    @Test func htmlIsReadInTimeThatGrowsWithItsLength() throws {
        let sandbox = try SourceSandbox(language: nil), start = QueryDeadline.threadTime()
        for piece in ["<a", "<a '\">", "<a \">", "<!--", "<script>", "&", "<a b=\"", "</p>"] {
            let html = String(repeating: piece, count: 5000)
            _ = try sandbox.value(SourceQuery("SELECT plain(:body)"), SourceValues(body: html))
        }
        #expect(QueryDeadline.threadTime() - start < .seconds(20))
    }

    @Test(
        arguments: [
            ("instr('héllo', 'l')", .integer(3)), ("instr('abc', '')", .integer(1)),
            ("instr('', 'a')", .integer(0)),
            ("instr('', '')", .integer(1)), ("instr('aabaabaac', 'aabaac')", .integer(4)),
            ("instr(12345, 34)", .integer(3)),
            ("instr('ab', 'abc')", .integer(0)), ("instr(NULL, 'a')", .null),
            ("instr('日本語', '語')", .integer(3)),
            ("replace('aaa', 'aa', 'b')", .text("ba")), ("replace('abc', '', 'x')", .text("abc")),
            ("replace('a-b-c', '-', ', ')", .text("a, b, c")), ("replace('abc', 'x', 'y')", .text("abc")),
            ("replace('abc', 'abc', '')", .text("")), ("replace('a', 'a', NULL)", .null),
            ("trim('xyaxbyx', 'xy')", .text("axb")),
            ("ltrim('xxaxx', 'x')", .text("axx")), ("rtrim('xxaxx', 'x')", .text("xxa")),
            ("trim('  a ')", .text("a")),
            ("trim('xx', 'x')", .text("")), ("trim(' a', '')", .text(" a")),
            ("rtrim('https://x/', '/')", .text("https://x")),
        ] as [(String, SQLValue)]) func textsAreSearchedAsInSQLite(_ call: String, _ expected: SQLValue)
        throws
    {
        #expect(try value(call) == expected)
    }

    @Test func aLongTextIsSoughtInTimeThatGrowsWithItsLength() throws {
        let body = String(repeating: "a", count: 100_000), start = QueryDeadline.threadTime()
        #expect(try value("instr(:body || :body || 'b', :body || 'b')", body) == .integer(100_001))
        #expect(
            try value("length(replace(:body || :body || 'b', :body || 'b', ''))", body) == .integer(100_000))
        #expect(try value("trim(:body || 'b', :body)", body) == .text("b"))
        #expect(QueryDeadline.threadTime() - start < .seconds(20))
    }

    @Test(arguments: [
        (
            "json_group_array(value) FROM json_each(:body)", #"[1,"a",null,1.5,{"b":[2]},true]"#,
            #"[1,"a",null,1.5,{"b":[2]},1]"#
        ),
        ("json_group_array(value) FROM json_each(:body)", "[]", "[]"),
        (
            "json_group_array(value -> 'a') FROM json_each(:body)", #"[{"a":"x\"y"},{"a":[]},{}]"#,
            #"["x\"y",[],null]"#
        ),
        ("json_object('a', json_group_array(value)) FROM json_each(:body)", "[1,2]", #"{"a":[1,2]}"#),
        (
            "group_concat(a, '|') FROM (SELECT json_group_array(value) AS a FROM json_each(:body) GROUP BY value % 2)",
            "[1,2,3]", "[2]|[1,3]"
        ),
        ("json_group_array(value) FILTER (WHERE value > 1) FROM json_each(:body)", "[1,2,3]", "[2,3]"),
    ]) func valuesAreGatheredInAnArray(_ expression: String, _ body: String, _ expected: String) throws {
        #expect(try value(expression, body) == .text(expected))
    }
}
