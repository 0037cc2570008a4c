import Catalogue
import Testing

@Suite struct ListScannerTests {
    private static let list =
        #" [ "a" ,"b\"]\\" , {"id":"x","n":[1,{"q":"}\"]"}]}, 12 ,-1.5e3,null,true, [ ] ,"é😀", "" ] "#
    private static let elements: [JSONValue] = [
        "a", "b\"]\\", ["id": "x", "n": [1, ["q": "}\"]"]]], 12, .number(JSONNumber(-1500)), .null, true, [],
        "é😀", "",
    ]

    private func scan(_ chunks: [ArraySlice<UInt8>], limit: Int = 1 << 20) throws -> [JSONValue] {
        var scanner = ListScanner(elementLimit: limit)
        var result: [JSONValue] = []
        for chunk in chunks { try scanner.feed(Array(chunk)) { result.append($0) } }
        try scanner.finish()
        #expect(scanner.count == result.count)
        return result
    }

    @Test func cuttingTheInputAnywhereChangesNothing() throws {
        let bytes = Array(Self.list.utf8)
        for cut in 0...bytes.count {
            #expect(try scan([bytes[..<cut], bytes[cut...]]) == Self.elements)
        }
        for size in 1...7 {
            let chunks = stride(from: 0, to: bytes.count, by: size).map {
                bytes[$0..<min($0 + size, bytes.count)]
            }
            #expect(try scan(chunks) == Self.elements)
        }
    }

    @Test func aByteOrderMarkBeforeTheListIsPassedOverHoweverItIsCut() throws {
        let bytes = Array(("\u{FEFF}" + Self.list).utf8)
        for cut in 0...6 { #expect(try scan([bytes[..<cut], bytes[cut...]]) == Self.elements) }
        #expect(try scan(bytes.indices.map { bytes[$0...$0] }) == Self.elements)
    }

    @Test func elementsComeAsSoonAsTheyAreWhole() throws {
        var scanner = ListScanner()
        var seen: [JSONValue] = []
        try scanner.feed(Array("[\"a\",\"b".utf8)) { seen.append($0) }
        #expect(seen == ["a"])
        try scanner.feed(Array("c\"".utf8)) { seen.append($0) }
        #expect(seen == ["a", "bc"])
    }

    @Test(arguments: ["[]", " [ ] ", "\n[\t]\r\n"])
    func anEmptyListIsAList(text: String) throws { #expect(try scan([Array(text.utf8)[...]]) == []) }

    @Test(
        arguments: [
            ("", JSONError.Code.notAnArray), ("  ", .notAnArray), ("null", .notAnArray),
            ("{\"error\":1}", .notAnArray),
            ("<html>", .notAnArray), ("\"a\"", .notAnArray), ("\u{FEFF}", .notAnArray),
            (" \u{FEFF}[]", .notAnArray), ("\u{FEFF}\u{FEFF}[]", .notAnArray), ("[\u{FEFF}1]", .syntax),
            ("\u{FEFE}[]", .notAnArray), ("[", .truncated), ("[\"a\"", .truncated),
            ("[\"a\",", .truncated), ("[\"a", .truncated), ("[{\"a\":1", .truncated), ("[12", .truncated),
            ("[\"a\",]", .syntax), ("[,\"a\"]", .syntax), ("[\"a\" \"b\"]", .syntax), ("[{\"a\"}]", .syntax),
            ("[tru]", .syntax), ("[1}", .truncated), ("[{]}]", .syntax), ("[\"\\x\"]", .syntax),
            ("[}", .syntax),
            ("[] []", .trailingGarbage), ("[]x", .trailingGarbage), ("[\"a\nb\"]", .syntax),
        ] as [(String, JSONError.Code)])
    func whatIsNoWholeListIsRefused(text: String, code: JSONError.Code) {
        let bytes = Array(text.utf8)
        for size in [1, 3, 1000] {
            let chunks = stride(from: 0, to: bytes.count, by: size).map {
                bytes[$0..<min($0 + size, bytes.count)]
            }
            let error = #expect(throws: JSONError.self) { _ = try scan(chunks) }
            #expect(error?.code == code, "\(text) in chunks of \(size)")
        }
    }

    @Test func anErrorIsPlacedInTheWholeList() {
        var scanner = ListScanner()
        let error = #expect(throws: JSONError.self) {
            try scanner.feed(Array("[\"a\", {\"b\"".utf8)) { _ in }
            try scanner.feed(Array(": nope}]".utf8)) { _ in }
        }
        #expect(error?.offset == 12)
    }

    @Test func afterAnErrorTheScannerStaysFailed() {
        var scanner = ListScanner()
        #expect(throws: JSONError.self) { try scanner.feed(Array("null".utf8)) { _ in } }
        #expect(throws: JSONError.self) { try scanner.feed(Array("[]".utf8)) { _ in } }
        #expect(throws: JSONError.self) { try scanner.finish() }
    }

    @Test func whatTheReceiverThrowsComesOutAndEndsTheList() {
        struct Stop: Error {}
        var scanner = ListScanner()
        #expect(throws: Stop.self) { try scanner.feed(Array("[1,2]".utf8)) { _ in throw Stop() } }
        #expect(throws: JSONError.self) { try scanner.finish() }
    }

    @Test func anElementBeyondTheLimitIsRefusedBeforeItIsWhole() throws {
        let fits = Array("[\"12345678\"]".utf8)
        #expect(try scan([fits[...]], limit: 10) == ["12345678"])
        #expect(try scan(fits.indices.map { fits[$0...$0] }, limit: 10) == ["12345678"])
        var scanner = ListScanner(elementLimit: 10)
        try scanner.feed(Array("[\"12345".utf8)) { _ in }
        let error = #expect(throws: JSONError.self) {
            try scanner.feed(Array("67890".utf8)) { _ in }
        }
        #expect(error?.code == .elementTooLarge)
    }

    @Test(
        arguments: [
            (#""x""#, ListEntry(id: "x")), ("42", ListEntry(id: "42")),
            (
                #"{"id":"x","etag":"\"e\"","lists":{"artworks":"\"l\"","odd":1}}"#,
                ListEntry(id: "x", etag: "\"e\"", lists: ["artworks": "\"l\""])
            ),
            (#"{"id":"x","etag":" ","lists":null}"#, ListEntry(id: "x")),
            (#"{"id":7,"title":"T"}"#, ListEntry(id: "7", object: ["id": 7, "title": "T"], isWhole: true)),
            (
                #"{"id":"x","etag":"e","title":"T"}"#,
                ListEntry(
                    id: "x", etag: "e", object: ["id": "x", "etag": "e", "title": "T"], isWhole: true)
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
    func entriesOfEveryShapeAreRead(text: String, entry: ListEntry) throws {
        #expect(try ListEntry(JSONValue(parsing: text)) == entry)
    }

    @Test(arguments: [
        #""""#, #""  ""#, "null", "true", "[]", "{}", #"{"id":""}"#, #"{"id":null}"#, #"{"id":{}}"#,
    ])
    func anEntryWithoutAnIdIsAnErrorOfItsOwn(text: String) throws {
        let element = try JSONValue(parsing: text)
        #expect(throws: PayloadError.self) { try ListEntry(element) }
    }
}
