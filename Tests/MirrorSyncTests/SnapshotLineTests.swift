import Catalogue
import Testing

@testable import MirrorSync

@Suite("Lines of a snapshot") struct SnapshotLineTests {
    private static func read(_ text: String) throws -> SnapshotLine {
        try Array(text.utf8).withUnsafeBytes { try SnapshotLine($0) }
    }

    /// In the form that our server writes, and with spaces, other orders, more fields and escapes.
    @Test(arguments: [
        #"{"url":"/artwork/a","etag":"\"x\"","body":{"id":"a","t":"}\n"}}"#,
        #"{"body":{"id":"a","t":"}\n"},"etag":"\"x\"","url":"/artwork/a"}"#,
        #"{ "url" : "\/artwork\/a", "more": [1], "etag": "\u0022x\"", "body" : { "id" : "a", "t": "}\n" } }"#,
        "\u{FEFF}" + #"{"url":"/artwork/a","etag":"\"x\"","body":{"id":"a","t":"}\n"}}"#,
        "\u{FEFF}" + #"{"body":{"id":"a","t":"}\n"},"etag":"\"x\"","url":"/artwork/a"}"#,
    ]) func anEntryIsReadInAnyJSONForm(_ text: String) throws {
        guard case .entry(let url, let etag, let body) = try Self.read(text) else {
            Issue.record("no entry")
            return
        }
        #expect(url == "/artwork/a" && etag == "\"x\"")
        #expect(try JSONValue(parsing: body) == JSONValue(parsing: #"{"id":"a","t":"}\n"}"#))
    }

    @Test(arguments: ["\u{1}", "\t", "\r"]) func aRawControlCharacterInAStringBreaksALine(_ character: String)
    {
        for line in [
            "{\"url\":\"/x\(character)\",\"etag\":\"e\",\"body\":{}}",
            "{\"url\":\"/x\",\"etag\":\"\(character)\",\"body\":{}}",
        ] {
            #expect(throws: SnapshotFailure.brokenLine) { try Self.read(line) }
        }
    }

    @Test func anEntryMayLackItsETagAndHaveAnyBody() throws {
        guard case .entry("/x", nil, let body) = try Self.read(#"{"url":"/x","body":[1,2]}"#) else {
            Issue.record("no entry")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == "[1,2]")
    }

    @Test func theFirstAndTheLastLineAreDistinguished() throws {
        guard case .head("e-1", 7, 12) = try Self.read(#"{"event_id":"e-1","count":7,"bytes":12}"#),
            case .head(nil, 0, nil) = try Self.read("\u{FEFF}" + #"{"count":0}"#),
            case .end(7) = try Self.read(#"{"end":true,"count":7}"#)
        else {
            Issue.record("not distinguished")
            return
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"url":"/x"}"#, #"{"url":1,"body":{}}"#, #"{"count":-1}"#, #"{"end":true}"#,
        #"{"url":"/x","etag":"e","body":{}"#.replacing("\"body", with: " \"body"), "<html>",
        #"{"count":"7"}"#,
    ]) func anyOtherLineIsBroken(_ text: String) {
        #expect(throws: SnapshotFailure.brokenLine) { try Self.read(text) }
    }

    /// The lines of a text that arrives in pieces of `size` bytes.
    private static func cut(_ text: String, _ size: Int) throws -> ([String], isCut: Bool) {
        let text = Array(text.utf8)
        var lines = SnapshotLines(), found: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            try lines.feed(Array(text[start..<min(start + size, text.count)])) {
                found.append(String(decoding: $0, as: UTF8.self))
            }
        }
        return (found, lines.isCut)
    }

    @Test(arguments: 1...9) func linesAreSplitAlikeForAnyChunkSize(_ size: Int) throws {
        let (found, isCut) = try Self.cut("first\n\nthird line\nrest", size)
        #expect(found == ["first", "", "third line"])
        #expect(isCut)
        #expect(try !Self.cut("first\n", size).isCut)
    }

    @Test func aLineLongerThanTheLimitIsAnError() {
        var lines = SnapshotLines()
        let piece = [UInt8](repeating: 0x20, count: 1 << 20)
        #expect(throws: SnapshotFailure.endlessLine) {
            for _ in 0...(SnapshotLines.limit >> 20) { try lines.feed(piece) { _ in } }
        }
    }
}
