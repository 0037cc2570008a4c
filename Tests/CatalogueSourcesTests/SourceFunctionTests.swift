import CatalogueSources
import Testing

/// The functions of descriptions, called as a description calls them.
@Suite struct SourceFunctionTests {
    private func value(_ expression: String, _ body: String = "", language: String? = "en") throws -> SQLValue
    {
        try SourceSandbox(language: language).value(
            SourceQuery("SELECT \(expression)"), SourceValues(body: body))
    }

    /// Checks a function of one text; an expected `nil` is NULL.
    private func check(_ function: String, _ cases: [(String, String?)]) throws {
        let sandbox = try SourceSandbox(language: "en"), query = SourceQuery("SELECT \(function)(:body)")
        for (text, expected) in cases {
            let found = try sandbox.value(query, SourceValues(body: text))
            #expect(found == expected.map(SQLValue.text) ?? .null, "\(function) of \(text)")
        }
    }

    @Test(arguments: [
        "plain(NULL)", "year(NULL)", "instant(NULL)", "text(NULL)", "reading_order(NULL)",
        "centimetres(NULL, 'cm')",
        "centimetres(1, NULL)", "free(NULL)", "iiif_base(NULL)", "list(NULL)", "joined(NULL, ';')",
        "joined('[1]', NULL)",
    ]) func nullGivesNull(_ call: String) throws { #expect(try value(call) == .null) }

    @Test(arguments: [
        "plain()", "year(1, 2)", "instant()", "text(1, 2)", "reading_order()", "centimetres(1)", "free()",
        "iiif_base(1, 2)",
        "list()", "joined('[]')",
    ]) func aWrongNumberOfArgumentsIsAnError(_ call: String) {
        let failure = #expect(throws: SQLFailure.self) { try value(call) }
        #expect(failure?.message.hasPrefix("wrong number of arguments to function") == true)
    }

    @Test func instantsAreWrittenInOneForm() throws {
        try check(
            "instant",
            [
                ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
                ("2026-01-02T04:00:00.123Z", "2026-01-02T04:00:00.123Z"),
                ("2026-01-02T03:04:05-0500", "2026-01-02T08:04:05.000Z"),
                ("2026-01-02T03:04:05-06:00", "2026-01-02T09:04:05.000Z"),
                ("2026-01-02T03:04:05+05:30", "2026-01-01T21:34:05.000Z"),
                ("2026-01-02 03:04:05.000000", "2026-01-02T03:04:05.000Z"),
                ("2020-01-01T05:00:00", "2020-01-01T05:00:00.000Z"),
                ("2026-01-02", "2026-01-02T00:00:00.000Z"),
                ("1770-01-01T00:00:00.000Z", "1770-01-01T00:00:00.000Z"),
                (" 2026-01-02T03:04Z ", "2026-01-02T03:04:00.000Z"),
                ("2026-01-02 03:04", "2026-01-02T03:04:00.000Z"), ("1767323045", "2026-01-02T03:04:05.000Z"),
                ("1767323045678", "2026-01-02T03:04:05.678Z"),
                ("2024-08-15T13:51:17Z", "2024-08-15T13:51:17.000Z"),
                ("", nil), ("2026", nil), ("20260102", nil), ("2026-13-01", nil), ("2026-02-30", nil),
                ("yesterday", nil),
                ("2026-01-02T25:00:00Z", nil), ("0000-01-01T00:00:00+01:00", nil),
                ("9999-12-31T23:59:59-01:00", nil),
                ("2026-01-02T03:04:05 oops", nil),
            ])
        #expect(try value("instant(1700000000)") == .text("2023-11-14T22:13:20.000Z"))
    }

    @Test func textIsReadFromAnyShape() throws {
        let cases: [(String, String?)] = [
            ("null", nil), ("\"\"", nil), ("\" Oil \"", "Oil"), ("5", "5"), ("1.50", "1.50"),
            ("true", "true"), ("[]", nil), ("{}", nil),
            ("[\"oil\",\"canvas\"]", "oil, canvas"), ("[null,\"\",\"oil\"]", "oil"),
            ("[[\"a\"],[\"b\"]]", "a, b"),
            (#"{"en":["A Study"],"da":["Et studie"]}"#, "A Study"),
            (#"{"da":"Et studie","en-GB":"A Study"}"#, "A Study"),
            (#"{"da":["Et studie"],"none":["Study"]}"#, "Study"),
            (#"{"da":["Et studie"],"nl":["Studie"]}"#, "Et studie"),
            (#"{"en":["One","Two"]}"#, "One, Two"), (#"{"@none":["x"]}"#, "x"),
            (#"{"@value":"x","@language":"nl"}"#, "x"),
            (
                #"[{"title":"Et studie","language":"da"},{"title":"A Study","language":"en","type":"museum"}]"#,
                "A Study"
            ),
            (#"[{"title":"Et studie","language":"da"},{"title":"Study"}]"#, "Study"),
            (#"[{"value":"x","lang":"da"}]"#, "x"),
            (#"[{"@value":"Studie","@language":"nl"},{"@value":"Study","@language":"EN"}]"#, "Study"),
            (#"{"text":"Maker, Ada","id":"A1"}"#, "Maker, Ada"), (#"{"label":"Title","content":"x"}"#, "x"),
            (#"{"id":"A1","width":5}"#, nil), (#"[{"text":"a"},{"text":"b"}]"#, "a, b"),
        ]
        let sandbox = try SourceSandbox(language: "en"), query = SourceQuery("SELECT text(:body -> 't')")
        for (json, expected) in cases {
            let found = try sandbox.value(query, SourceValues(body: "{\"t\":\(json)}"))
            #expect(found == expected.map(SQLValue.text) ?? .null, "\(json)")
        }
        let titles = #"[{"title":"Et studie","language":"da"},{"title":"A Study","language":"en"}]"#
        #expect(try value("text(:body)", titles, language: "da") == .text("Et studie"))
        #expect(try value("text(:body)", titles, language: nil) == .text("Et studie"))
    }

    @Test func aTextThatOnlyLooksLikeJSONIsAText() throws {
        try check(
            "text",
            [
                ("[Untitled]", "[Untitled]"), ("\"Quoted\"", "\"Quoted\""), ("null", "null"), ("{", "{"),
                ("12", "12"), ("[\"a\"]", "a"),
                (" [\"a\"]", "a"),
            ])
        #expect(
            try value("group_concat(text(value), '|') FROM json_each(:body)", #"["[a]",["b"],{"en":"c"},5]"#)
                == .text("[a]|b|c|5"))
    }

    @Test func listsAreMadeOfAnyShape() throws {
        try check(
            "list",
            [
                ("a", "[\"a\"]"), ("", "[]"), ("[]", "[]"), ("[1,null,\"\",\"a\"]", "[1,\"a\"]"),
                (#"{"b":1,"a":2}"#, #"[{"a":2,"b":1}]"#),
                ("[broken", "[\"[broken\"]"),
            ])
        #expect(try value("list(5)") == .text("[5]"))
        #expect(try value("list(:body -> 'a')", #"{"a":null}"#) == .text("[]"))
        #expect(try value("list(:body -> 'b')", #"{"a":null}"#) == .null)
        #expect(try value("count(*) FROM json_each(list(:body -> 'a'))", #"{"a":"x"}"#) == .integer(1))
        #expect(try value("count(*) FROM json_each(list(:body -> 'b'))", #"{"a":"x"}"#) == .integer(0))
        #expect(
            try value("joined(:body, '; ')", #"["oil",{"en":"canvas"},null,5]"#) == .text("oil; canvas; 5"))
        #expect(try value("joined(:body, '; ')", "oil") == .text("oil"))
        #expect(try value("joined(:body, '; ')", "[]") == .null)
    }

    @Test func namesArePutIntoReadingOrder() throws {
        try check(
            "reading_order",
            [
                ("Maker, Ada", "Ada Maker"), ("Ada Maker", "Ada Maker"),
                ("Van Dyck, Willard", "Willard Van Dyck"), ("", ""),
                ("Fores, S. W.", "S. W. Fores"), ("Maker,Ada", "Ada Maker"), ("  Maker ,  Ada ", "Ada Maker"),
                ("Maker,", "Maker,"),
                ("Holbein, Hans, the Younger", "Hans Holbein the Younger"),
                ("Hancock, John, Jr.", "John Hancock, Jr."),
                ("Moore, Henry, OM, CH", "Henry Moore, OM, CH"),
                ("Williams, Trebilcock, Whitehead", "Williams, Trebilcock, Whitehead"),
                ("unknown American, New York or Philadelphia", "unknown American, New York or Philadelphia"),
                ("Vereinigte Lausitzer Glaswerke, AG", "Vereinigte Lausitzer Glaswerke, AG"),
                ("Black, Starr and Frost, Ltd.", "Black, Starr and Frost, Ltd."),
                ("Čapek, Josef", "Josef Čapek"),
                ("Maker, Ada; Maker, Bob", "Maker, Ada; Maker, Bob"),
            ])
    }

    @Test(
        arguments: [
            ("10", "cm", .integer(10)), ("10", "centimeter", .integer(10)), ("102", "mm", .real(10.2)),
            ("1,5", "m", .integer(150)),
            ("4", "in", .real(10.16)), ("10", "inches", .real(25.4)), ("1", "ft.", .real(30.48)),
            ("0.1", "Metres", .integer(10)),
            (" 12.5 ", " CM ", .real(12.5)), ("10", "kg", .null), ("ten", "cm", .null), ("-1", "cm", .null),
            ("", "cm", .null),
            ("1e5", "cm", .null), ("0x10", "cm", .null), ("inf", "cm", .null), ("1.2.3", "cm", .null),
            ("0", "mm", .integer(0)),
            ("1", "\"", .real(2.54)),
        ] as [(String, String, SQLValue)]) func lengthsAreConverted(
            _ number: String, _ unit: String, _ expected: SQLValue
        ) throws
    {
        let values = SourceValues(body: number, id: unit)
        #expect(
            try SourceSandbox(language: nil).value(SourceQuery("SELECT centimetres(:body, :id)"), values)
                == expected)
    }

    @Test func aNumberIsConvertedLikeItsText() throws {
        #expect(try value("centimetres(0.2, 'm')") == .integer(20))
        #expect(try value("centimetres(10.25, 'cm')") == .real(10.25))
    }

    @Test func freeLicencesAreRecognised() throws {
        let free = [
            "CC0", "cc0", "CC0 1.0", "CC0-1.0", "CC-Zero", "cc zero", "Creative Commons Zero",
            "CC0 1.0 Universal",
            "http://creativecommons.org/publicdomain/zero/1.0/",
            "https://creativecommons.org/publicdomain/zero/1.0",
            "https://creativecommons.org/publicdomain/zero/1.0/deed.en",
            "HTTPS://WWW.CreativeCommons.org/publicdomain/zero/1.0/",
            "//creativecommons.org/publicdomain/zero/1.0/", "creativecommons.org/publicdomain/zero/1.0/",
            "https://creativecommons.org/share-your-work/public-domain/cc0/",
            "https://creativecommons.org/public-domain/cc0/",
            "https://creativecommons.org/publicdomain/mark/1.0/",
            "http://creativecommons.org/publicdomain/mark/1.0/?ref=x",
            "http://creativecommons.org/licenses/publicdomain/", "Public Domain", "public domain mark",
            "PDM 1.0", "PDM", "publicDomain",
            "https://spdx.org/licenses/CC0-1.0.html", " CC0 ",
        ]
        let other = [
            "", "1", "CC BY 4.0", "CC-BY-SA", "Copyrighted", "In Copyright", "not public domain",
            "No known copyright", "CC0 pending",
            "https://creativecommons.org/licenses/by/4.0/",
            "https://creativecommons.org/licenses/by-nc-nd/4.0/",
            "https://creativecommons.org/", "https://creativecommons.org.example.org/publicdomain/zero/1.0/",
            "https://example.org/creativecommons.org/publicdomain/zero/1.0/",
            "https://example.org/?creativecommons.org/publicdomain/zero",
            "http://rightsstatements.org/vocab/InC/1.0/", "http://rightsstatements.org/vocab/NoC-US/1.0/",
            "https://user@creativecommons.org/publicdomain/zero/1.0/",
            "https://creativecommons.org/publicdomain/zero-not/1.0/",
        ]
        let sandbox = try SourceSandbox(language: nil), query = SourceQuery("SELECT free(:body)")
        for text in free {
            #expect(try sandbox.value(query, SourceValues(body: text)) == .integer(1), "\(text)")
        }
        for text in other {
            #expect(try sandbox.value(query, SourceValues(body: text)) == .integer(0), "\(text)")
        }
    }

    @Test func theBaseOfAnImageIsFound() throws {
        try check(
            "iiif_base",
            [
                (
                    "https://framemark.vam.ac.uk/collections/2000AA0001/full/!100,100/0/default.jpg",
                    "https://framemark.vam.ac.uk/collections/2000AA0001"
                ),
                (
                    "https://framemark.vam.ac.uk/collections/2000AA0001/",
                    "https://framemark.vam.ac.uk/collections/2000AA0001"
                ),
                (
                    "https://www.artic.edu/iiif/2/00000000-0000-0000-0000-000000000001/full/843,/0/default.jpg",
                    "https://www.artic.edu/iiif/2/00000000-0000-0000-0000-000000000001"
                ),
                ("https://iip.smk.dk/iiif/jp2/x1.tif.jp2", "https://iip.smk.dk/iiif/jp2/x1.tif.jp2"),
                (
                    "https://iip.smk.dk/iiif/jp2/x1.tif.jp2/full/max/0/native.jpg",
                    "https://iip.smk.dk/iiif/jp2/x1.tif.jp2"
                ),
                ("https://x.org/iiif/a%2Fb/pct:1,2,3,4/pct:50/!90/gray.png", "https://x.org/iiif/a%2Fb"),
                ("https://x.org/iiif/a/info.json", "https://x.org/iiif/a"),
                ("http://x.org/iiif/a/info.json?x=1#y", "http://x.org/iiif/a"),
                ("https://x.org/a/b/c/d/photo.jpg", "https://x.org/a/b/c/d/photo.jpg"),
                ("https://x.org", nil), ("https://x.org/", nil),
                ("", nil), ("x.org/iiif/a", nil), ("ftp://x.org/a", nil), ("javascript:alert(1)", nil),
                ("https:///a", nil),
                ("https://x.org/a\nb", nil),
            ])
    }
}
