import Catalogue
import Testing

@testable import MirrorSync

@Suite("Lines of a snapshot") struct SnapshotLineTests {
    private static func read(_ text: String) throws -> SnapshotLine {
        try Array(text.utf8).withUnsafeBytes { try SnapshotLine($0) }
    }

    /// As this server writes them, and as another may: with spaces, other orders, more fields and escapes.
    @Test(arguments: [
        #"{"url":"/artwork/a","etag":"\"x\"","body":{"id":"a","t":"}\n"}}"#,
        #"{"body":{"id":"a","t":"}\n"},"etag":"\"x\"","url":"/artwork/a"}"#,
        #"{ "url" : "\/artwork\/a", "more": [1], "etag": "\u0022x\"", "body" : { "id" : "a", "t": "}\n" } }"#,
        "\u{FEFF}" + #"{"url":"/artwork/a","etag":"\"x\"","body":{"id":"a","t":"}\n"}}"#,
        "\u{FEFF}" + #"{"body":{"id":"a","t":"}\n"},"etag":"\"x\"","url":"/artwork/a"}"#,
    ]) func anEntryIsReadHoweverItIsWritten(_ text: String) throws {
        guard case .entry(let url, let etag, let body) = try Self.read(text) else {
            Issue.record("no entry")
            return
        }
        #expect(url == "/artwork/a" && etag == "\"x\"")
        #expect(try JSONValue(parsing: body) == JSONValue(parsing: #"{"id":"a","t":"}\n"}"#))
    }

    @Test(arguments: ["\u{1}", "\t", "\r"]) func aControlCharacterIsNoPartOfAString(_ character: String) {
        for line in [
            "{\"url\":\"/x\(character)\",\"etag\":\"e\",\"body\":{}}",
            "{\"url\":\"/x\",\"etag\":\"\(character)\",\"body\":{}}",
        ] {
            #expect(throws: SnapshotFailure.brokenLine) { try Self.read(line) }
        }
    }

    /// What is before the body of a line that is too long to be held.
    @Test(arguments: [
        #"{"url":"/p/a","etag":"\"x\"","body":["#, #"{"url":"\/p\/a","etag":"\"x\"","body":["#,
        #"{ "url" : "/p/a",  "etag": "\"x\"" , "body" :  ["#,
        "\u{FEFF}" + #"{"url":"/p/a","etag":"\"x\"","body":["#,
        "\u{FEFF}" + #"{ "url" : "/p/a", "etag" : "\"x\"", "body" : ["#,
    ]) func aHeadMayHaveSpaces(_ begin: String) throws {
        let bytes = Array(begin.utf8)
        let head = try #require(bytes.withUnsafeBytes { SnapshotLine.head($0) })
        #expect(head.url == "/p/a" && head.etag == "\"x\"")
        #expect(bytes[head.end...].filter { $0 != UInt8(ascii: " ") } == [UInt8(ascii: "[")])
    }

    @Test(arguments: [
        "", "{", #"{"etag":"x","url":"/a","body":["#, #"{"url":"/a","body":["#,
        #"{"url":"/a","etag":"x","body"  "#,
        #"{"url":"/\u0061","etag":"x","body":["#,
    ]) func anyOtherBeginningIsNoHead(_ begin: String) {
        #expect(Array(begin.utf8).withUnsafeBytes { SnapshotLine.head($0) } == nil)
    }

    @Test func anEntryMayBeWithoutAnETagAndItsBodyAnything() throws {
        guard case .entry("/x", nil, let body) = try Self.read(#"{"url":"/x","body":[1,2]}"#) else {
            Issue.record("no entry")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == "[1,2]")
    }

    @Test func headAndEndAreToldApart() throws {
        guard case .head("e-1", 7, 12) = try Self.read(#"{"event_id":"e-1","count":7,"bytes":12}"#),
            case .head(nil, 0, nil) = try Self.read("\u{FEFF}" + #"{"count":0}"#),
            case .end(7) = try Self.read(#"{"end":true,"count":7}"#)
        else {
            Issue.record("not told apart")
            return
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"url":"/x"}"#, #"{"url":1,"body":{}}"#, #"{"count":-1}"#, #"{"end":true}"#,
        #"{"url":"/x","etag":"e","body":{}"#.replacing("\"body", with: " \"body"), "<html>",
        #"{"count":"7"}"#,
    ]) func anythingElseIsBroken(_ text: String) {
        #expect(throws: SnapshotFailure.brokenLine) { try Self.read(text) }
    }

    /// What comes of a text in pieces of that size: `+` stands between the parts of a long line.
    private static func cut(_ text: String, _ size: Int, wholeLimit: Int) throws -> ([String], isCut: Bool) {
        let text = Array(text.utf8)
        var lines = SnapshotLines(wholeLimit: wholeLimit), found: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            try lines.feed(Array(text[start..<min(start + size, text.count)])) { cut in
                switch cut {
                case .whole(let line): found.append(String(decoding: line, as: UTF8.self))
                case .begin(let begin): found.append(String(decoding: begin, as: UTF8.self) + "+")
                case .more(let piece, let isLast):
                    let last = found.removeLast()
                    #expect(last.hasSuffix("+"))
                    found.append(
                        last.dropLast() + String(decoding: piece, as: UTF8.self) + (isLast ? "" : "+"))
                }
            }
        }
        return (found, lines.isCut)
    }

    @Test(arguments: 1...9) func linesAreCutAlikeHoweverTheyCome(_ size: Int) throws {
        let (found, isCut) = try Self.cut("first\n\nthird line\nrest", size, wholeLimit: 100)
        #expect(found == ["first", "", "third line"])
        #expect(isCut)
        #expect(try !Self.cut("first\n", size, wholeLimit: 100).isCut)
    }

    @Test(arguments: 1...9) func aLongLineComesInParts(_ size: Int) throws {
        let (found, isCut) = try Self.cut("a\nlonger than that\nb\n\nagain longer", size, wholeLimit: 5)
        #expect(found == ["a", "longer than that", "b", "", "again longer+"])
        #expect(isCut)
    }

    @Test func aLineThatNeverEndsIsGivenUp() {
        var lines = SnapshotLines(wholeLimit: 1)
        let piece = [UInt8](repeating: 0x20, count: 1 << 20)
        #expect(throws: SnapshotFailure.endlessLine) {
            for _ in 0...(SnapshotLines.limit >> 20) { try lines.feed(piece) { _ in } }
        }
    }
}

@Suite("A list whose line is long") struct LongListTests {
    private static func read(_ body: String, _ size: Int) -> (ids: [String], isWhole: Bool) {
        let body = Array(body.utf8)
        var list = body.prefix(size).withUnsafeBytes { LongList("/x", .own(.artwork), begin: $0) }
        var (before, ids) = list.takeIDs()
        #expect(before == 0)
        for start in stride(from: size, to: body.count, by: size) {
            body[start..<min(start + size, body.count)].withUnsafeBytes { list.feed($0) }
            let (count, more) = list.takeIDs()
            #expect(count == ids.count)
            ids += more
        }
        #expect(list.bytes == body.count)
        return (ids, list.finish())
    }

    @Test(arguments: 1...12) func itsIdsComeHoweverItIsCut(_ size: Int) {
        #expect(Self.read(#"["a", "b\"","c"]}"#, size) == (["a", "b\"", "c"], true))
        #expect(Self.read("[]}", size) == ([], true))
    }

    @Test(arguments: [
        "[\"a\"]", "[\"a\"}", "[\"a\"]]", "[\"a\"]}}", "{\"a\":1}}", "[[1]]}", "[\"a\",]}", "", "}",
    ])
    func whatIsNoListIsNone(_ body: String) {
        for size in 1...12 { #expect(!Self.read(body, size).isWhole, "\(body) by \(size)") }
    }
}
