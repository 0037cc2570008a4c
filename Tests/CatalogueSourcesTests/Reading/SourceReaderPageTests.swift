import Catalogue
import CatalogueSources
import Testing

@Suite struct SourceReaderPageTests {
    @Test func idsAreTextInTheServersOrder() throws {
        var description = TestDescription()
        description.rows = "SELECT value AS id FROM json_each(:body, '$.ids')"
        let page = try description.reader().page(#"{"ids":[7,"XX 1","a/b",9223372036854775808,7]}"#)
        #expect(page.rows.map(\.id) == ["7", "XX 1", "a/b", "9223372036854775808", "7"])
        #expect(page.skipped == 0)
        #expect(
            page.rows.allSatisfy { $0.object == nil && $0.version == nil && $0.changed == nil && !$0.isGone })
    }

    @Test func anEntryWithoutAnIDIsSkippedAndCounted() throws {
        let page = try TestDescription().reader().page(
            #"{"works":[{"id":1},{"id":""},{"id":null},{"id":1.5},{}]}"#)
        #expect(page.rows.map(\.id) == ["1"])
        #expect(page.skipped == 4)
    }

    @Test(arguments: [
        #"{"works":[{"ident":1},{"ident":2}]}"#,
        #"{"works":[{"id":{"value":1}},{"id":""}]}"#.replacing("{\"value\":1}", with: "null"),
    ])
    func aPageWhoseEveryEntryLacksAnIDIsAnError(_ answer: String) throws {
        let reader = try TestDescription().reader()
        let error = #expect(throws: SourceReadingError.self) { try reader.page(answer) }
        #expect(error?.code == .shape)
        #expect(
            error?.message
                == "None of the 2 entries in the list of artworks has an id. The form of the answer may have changed: compare the query \"rows\" (test.yaml:10:11) with it."
        )
    }

    @Test func versionsChangesObjectsAndDeletionsAreRead() throws {
        var description = TestDescription()
        description.rows =
            "SELECT value ->> 'id' AS id, value ->> 'v' AS version, value ->> 'at' AS changed, value ->> 'gone' AS gone, value AS object FROM json_each(:body, '$.works')"
        description.kind = ["gone: { by: signal }"]
        let reader = try description.reader()
        let answer =
            #"{"works":[{"id":1,"v":3,"at":"2026-01-02T03:04:05-06:00"},{"id":2,"v":"a","gone":true},{"id":3,"gone":0}]}"#
        let page = try reader.page(answer)
        #expect(
            page.rows == [
                SourceRow(
                    id: "1", version: "3", changed: "2026-01-02T09:04:05.000Z",
                    object: #"{"at":"2026-01-02T03:04:05-06:00","id":1,"v":3}"#),
                SourceRow(id: "2", version: "a", object: #"{"gone":true,"id":2,"v":"a"}"#, isGone: true),
                SourceRow(id: "3", object: #"{"gone":0,"id":3}"#),
            ])
        #expect(try reader.object(of: page.rows[1], in: page, of: .artwork) == .absent)
        #expect(try reader.page(answer, thin: true).rows.allSatisfy { $0.object == nil })
    }

    @Test func aListInTheOrderOfChangesNeedsATimeInEachEntry() throws {
        var description = TestDescription()
        (description.form, description.get) = ("page", "/works?page={page}")
        description.list = ["size: 2", "order: changed_desc"]
        description.rows =
            "SELECT value ->> 'id' AS id, value ->> 'at' AS changed FROM json_each(:body, '$.works')"
        let reader = try description.reader()
        let page = try reader.page(
            #"{"works":[{"id":1,"at":"2026-01-02"},{"id":2,"at":"yesterday"},{"id":3}]}"#)
        #expect(page.rows.map(\.id) == ["1"])
        #expect(page.skipped == 2)
        let error = #expect(throws: SourceReadingError.self) { try reader.page(#"{"works":[{"id":1}]}"#) }
        #expect(
            error?.message.contains(
                "None of the 1 entries in the list of artworks has an id and a time of change.") == true)
    }

    @Test(arguments: [
        (#"{"works":[],"total":0,"pages":0}"#, 0, 0), (#"{"works":null,"total":0}"#, 0, nil),
        (#"{"works":[{"id":1}],"total":"12","pages":3.0}"#, 12, 3),
        (#"{"works":[{"id":1}],"total":null}"#, nil, nil),
        (#"{"works":[{"id":1}],"total":""}"#, nil, nil),
    ]) func theNumbersThatTheServerStatesAreRead(_ answer: String, _ total: Int?, _ pages: Int?) throws {
        let page = try Self.counted().page(answer)
        #expect(page.total == total)
        #expect(page.pages == pages)
    }

    @Test(arguments: [
        // An answer about something else: neither entries nor a total.
        (#"{"message":"Service unavailable"}"#, "The list of artworks has neither entries nor a total."),
        (#"{"works":[]}"#, "The list of artworks has neither entries nor a total."),
        (
            #"{"works":[{"id":1}],"total":"many"}"#,
            "The query \"total\" (test.yaml:11:12) gave something else than a number."
        ),
        (
            #"{"works":[{"id":1}],"total":-1}"#,
            "The query \"total\" (test.yaml:11:12) gave something else than a number."
        ),
    ]) func anAnswerOfAnotherFormIsAnErrorAndNotAnEmptyList(_ answer: String, _ message: String) throws {
        let reader = try Self.counted()
        let error = #expect(throws: SourceReadingError.self) { try reader.page(answer) }
        #expect(error?.code == .shape)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    private static func counted() throws -> SourceReader {
        var description = TestDescription()
        (description.form, description.get) = ("page", "/works?page={page}")
        description.list = ["total: SELECT :body ->> 'total'", "pages: SELECT :body ->> 'pages'", "size: 10"]
        return try description.reader()
    }

    @Test func aQueryThatFailsOnTheAnswerIsAnErrorWithItsPlace() throws {
        let reader = try TestDescription().reader()
        let error = #expect(throws: SourceReadingError.self) {
            try reader.page(#"{"works":["not an object"]}"#)
        }
        #expect(error?.code == .query)
        #expect(
            error?.message.hasPrefix(
                "The query \"rows\" (test.yaml:10:11) failed on the answer: malformed JSON") == true)
    }

    @Test func aPageThatIsNotJSONIsAnError() throws {
        let reader = try TestDescription().reader()
        for answer in ["<html>", "", "null,"] {
            let error = #expect(throws: SourceReadingError.self) { try reader.page(answer) }
            #expect(error?.code == .notJSON)
        }
        let error = #expect(throws: SourceReadingError.self) { try reader.page("[]", of: .show) }
        #expect(error?.code == .undescribed)
    }
}
