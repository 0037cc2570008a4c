import Catalogue
import Testing

@Suite struct ListReadingTests {
    private static let list =
        #" [ "a" ,"b\"]\\" , {"id":"x","n":[1,{"q":"}\"]"}]}, 12 ,-1.5e3,null,true, [ ] ,"é😀", "" ] "#
    private static let elements: [JSONValue] = [
        "a", "b\"]\\", ["id": "x", "n": [1, ["q": "}\"]"]]], 12, .number(JSONNumber(-1500)), .null, true, [],
        "é😀", "",
    ]

    private func read(_ text: String) throws -> [JSONValue] {
        var result: [JSONValue] = []
        try JSONValue.readList(Array(text.utf8)) { result.append($0) }
        return result
    }

    @Test func readingAListYieldsEveryElementInOrder() throws {
        #expect(try read(Self.list) == Self.elements)
    }

    @Test func aByteOrderMarkBeforeAListIsSkipped() throws {
        #expect(try read("\u{FEFF}" + Self.list) == Self.elements)
    }

    @Test func readingAListYieldsTheElementsBeforeAnError() throws {
        var seen: [JSONValue] = []
        #expect(throws: JSONError.self) {
            try JSONValue.readList(Array("[\"a\",\"b".utf8)) { seen.append($0) }
        }
        #expect(seen == ["a"])
    }

    @Test(arguments: ["[]", " [ ] ", "\n[\t]\r\n"])
    func anEmptyArrayIsReadAsAnEmptyList(text: String) throws { #expect(try read(text) == []) }

    @Test(
        arguments: [
            ("", JSONError.Code.notAnArray), ("  ", .notAnArray), ("null", .notAnArray),
            ("{\"error\":1}", .notAnArray),
            ("<html>", .notAnArray), ("\"a\"", .notAnArray), ("\u{FEFF}", .notAnArray),
            (" \u{FEFF}[]", .notAnArray), ("\u{FEFF}\u{FEFF}[]", .notAnArray), ("[\u{FEFF}1]", .syntax),
            ("\u{FEFE}[]", .notAnArray), ("[", .truncated), ("[\"a\"", .truncated),
            ("[\"a\",", .truncated), ("[\"a", .truncated), ("[{\"a\":1", .truncated), ("[12", .truncated),
            ("[\"a\",]", .syntax), ("[,\"a\"]", .syntax), ("[\"a\" \"b\"]", .syntax), ("[{\"a\"}]", .syntax),
            ("[tru]", .syntax), ("[1}", .syntax), ("[{]}]", .syntax), ("[\"\\x\"]", .syntax),
            ("[}", .syntax),
            ("[] []", .trailingGarbage), ("[]x", .trailingGarbage), ("[\"a\nb\"]", .syntax),
        ] as [(String, JSONError.Code)])
    func incompleteOrMalformedListsAreRejected(text: String, code: JSONError.Code) {
        let error = #expect(throws: JSONError.self) { _ = try read(text) }
        #expect(error?.code == code, "\(text)")
    }

    @Test func anErrorInAListHasItsOffsetInTheWholeText() {
        let error = #expect(throws: JSONError.self) { try read("[\"a\", {\"b\": nope}]") }
        #expect(error?.offset == 12)
    }

    @Test func anErrorOfTheReceiverStopsReadingTheList() {
        struct Stop: Error {}
        var count = 0
        #expect(throws: Stop.self) {
            try JSONValue.readList(Array("[1,2]".utf8)) { _ in
                count += 1
                throw Stop()
            }
        }
        #expect(count == 1)
    }

    @Test(
        arguments: [
            (#""x""#, ListEntry(id: "x")), ("42", ListEntry(id: "42")),
            (
                #"{"id":"x","etag":"\"e\"","lists":{"artworks":"\"l\"","odd":1}}"#,
                ListEntry(id: "x", etag: "\"e\"", lists: ["artworks": "\"l\""])
            ),
            (#"{"id":"x","etag":" ","lists":null}"#, ListEntry(id: "x")),
            (
                #"{"id":7,"title":"T"}"#,
                ListEntry(id: "7", object: ["id": 7, "title": "T"], isFullObject: true)
            ),
            (
                #"{"id":"x","etag":"e","title":"T"}"#,
                ListEntry(
                    id: "x", etag: "e", object: ["id": "x", "etag": "e", "title": "T"], isFullObject: true)
            ),
            (
                #"{"id":"x","etag":"e","object":{"id":"x","a":1}}"#,
                ListEntry(id: "x", etag: "e", object: ["id": "x", "a": 1])
            ),
            (
                #"{"id":"x","deleted_at":"2026-01-01T00:00:00Z"}"#,
                ListEntry(id: "x", deletedAt: "2026-01-01T00:00:00Z")
            ),
        ] as [(String, ListEntry)])
    func listEntriesOfEveryShapeAreRead(text: String, entry: ListEntry) throws {
        #expect(try ListEntry(JSONValue(parsing: text)) == entry)
    }

    @Test(arguments: [
        #""""#, #""  ""#, "null", "true", "[]", "{}", #"{"id":""}"#, #"{"id":null}"#, #"{"id":{}}"#,
    ])
    func aListEntryWithoutAnIdIsRejected(text: String) throws {
        let element = try JSONValue(parsing: text)
        #expect(throws: PayloadError.self) { try ListEntry(element) }
    }
}
