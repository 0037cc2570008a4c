import Catalogue
import CatalogueSources
import Testing

@Suite struct SourceReaderObjectTests {
    @Test func theAnswerMustBeAboutTheRequestedObject() throws {
        let reader = try TestDescription().reader()
        #expect(try reader.object(#"{"id":7,"title":"A"}"#, id: "7").object?.id == "7")
        for (answer, message) in [
            (#"{"id":8,"title":"A"}"#, "The answer is about artwork \"8\", but \"7\" was requested."),
            (#"{"title":"A"}"#, "The answer doesn't say which artwork it is about; \"7\" was requested."),
            (#"{"id":"","title":"A"}"#, "The answer doesn't say which artwork it is about;"),
            ("[]", "The answer doesn't say which artwork it is about;"),
        ] {
            let error = #expect(throws: SourceReadingError.self) { try reader.object(answer, id: "7") }
            #expect(error?.code == .identity)
            #expect(error?.message.hasPrefix(message) == true)
        }
    }

    @Test(arguments: [404, 410]) func aStatusOfAbsenceMeansThatThereIsNoSuchObject(_ status: Int) throws {
        let reader = try TestDescription().reader()
        #expect(try reader.object(#"{"message":"no"}"#, id: "7", status: status) == .absent)
        #expect(try reader.object("", id: "7", status: status) == .absent)
    }

    @Test(arguments: [401, 403, 429, 500, 503, 301]) func noOtherStatusMeansAbsence(_ status: Int) throws {
        let reader = try TestDescription().reader()
        let error = #expect(throws: SourceReadingError.self) {
            try reader.object(#"{"id":7,"title":"A"}"#, id: "7", status: status)
        }
        #expect(error?.code == .status)
    }

    @Test(arguments: [200, 404, 410]) func anHTMLPageIsNeverAbsence(_ status: Int) throws {
        let reader = try TestDescription().reader()
        let error = #expect(throws: SourceReadingError.self) {
            try reader.object("\n<html><body>Not Found</body></html>", id: "7", status: status)
        }
        #expect(error?.code == .notJSON)
    }

    @Test func aConditionOfAbsenceIsReadFromTheWholeAnswerBeforeTheID() throws {
        var description = TestDescription()
        description.object = ["root: \"$.items[0]\"", "absent: { where: \"SELECT :body ->> 'found' = 0\" }"]
        let reader = try description.reader()
        #expect(try reader.object(#"{"found":0,"items":[]}"#, id: "7") == .absent)
        #expect(try reader.object(#"{"found":1,"items":[{"id":7,"title":"A"}]}"#, id: "7").object?.id == "7")
        let error = #expect(throws: SourceReadingError.self) { try reader.object(#"{"items":[]}"#, id: "7") }
        #expect(error?.code == .shape)
        #expect(
            error?.message.hasPrefix("The answer has nothing at $.items[0], the root of artwork.") == true)
    }

    @Test func anObjectWhoseEveryColumnIsEmptyIsAnError() throws {
        let error = #expect(throws: SourceReadingError.self) {
            try TestDescription().reader().object(#"{"id":7,"name":"A"}"#, id: "7")
        }
        #expect(error?.code == .shape)
        #expect(error?.message.hasPrefix("Every column of artwork \"7\" is empty.") == true)
    }

    @Test func controlCharactersOfAnIDDontReachAMessage() throws {
        let error = #expect(throws: SourceReadingError.self) {
            try TestDescription().reader().object(#"{"id":"\u001b[2J","title":"A"}"#, id: "7")
        }
        #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    // MARK: - Batches and entries

    private static func batch(rows: String?) throws -> SourceReader {
        var description = TestDescription()
        let own = rows.map { ", rows: \"\($0)\"" } ?? ""
        description.object = ["root: $.data", "batch: { get: \"/works?ids={ids}\", size: 10\(own) }"]
        return try description.reader()
    }

    @Test func objectsOfABatchAreReadByTheListsRows() throws {
        let answer =
            #"{"works":[{"id":1,"title":"A"},{"id":2},{"id":3,"title":"C"},{"id":1,"title":"again"}]}"#
        let answers = try Self.batch(rows: nil).objects(
            Array(answer.utf8), ids: ["1", "2", "4"], of: .artwork)
        // 2 can't be read, 3 was not requested, 4 is missing: those that were requested are requested singly.
        #expect(answers.keys.map(\.text).sorted() == ["1"])
        #expect(answers[ExactText("1")]?.object?.json["title"] == "A")
    }

    @Test func `an object of a batch has the version of its row`() throws {
        let reader = try Self.batch(
            rows:
                "SELECT value ->> 'id' AS id, value ->> 'v' AS version, value AS object FROM json_each(:body)"
        )
        let answer = #"{"data":[{"id":1,"v":7,"title":"A"},{"id":2,"title":"B"}]}"#
        let answers = try reader.objects(Array(answer.utf8), ids: ["1", "2"], of: .artwork)
        #expect(answers[ExactText("1")]?.object?.version == "7")
        #expect(answers[ExactText("2")]?.object?.version == nil)
    }

    @Test func aBatchsOwnRowsReadWhatStandsAtTheRoot() throws {
        let reader = try Self.batch(
            rows: "SELECT value ->> 'id' AS id, value AS object FROM json_each(:body)")
        let answers = try reader.objects(
            Array(#"{"data":[{"id":1,"title":"A"}]}"#.utf8), ids: ["1"], of: .artwork)
        #expect(answers[ExactText("1")]?.object?.json["title"] == "A")
        let error = #expect(throws: SourceReadingError.self) {
            try reader.objects(Array(#"{"works":[]}"#.utf8), ids: ["1"], of: .artwork)
        }
        #expect(error?.code == .shape)
    }

    @Test func anEntrysObjectSeesThePageAndItsID() throws {
        var description = TestDescription()
        description.row = "SELECT :page ->> 'name' AS title, :id AS inventory_id, :base AS provenance"
        let object = try description.reader().onlyObject(on: #"{"name":"P","works":[{"id":1}]}"#)
        #expect(
            object?.json.canonicalText
                == #"{"id":"1","inventory_id":"1","provenance":"https://api.example.org/v1","slug":"p-1","title":"P"}"#
        )
    }

    @Test func anObjectReadsTheSameInAListABatchAndAnAnswerOfItsOwn() throws {
        var description = TestDescription()
        description.rows =
            "SELECT value ->> 'id' AS id, value ->> 'at' AS changed, value AS object FROM json_each(:body, '$.works')"
        description.object = ["batch: { get: \"/works?ids={ids}\", size: 2 }"]
        let reader = try description.reader(), work = #"{"id":1,"title":"A","at":"2026-01-02"}"#
        let list = #"{"works":[\#(work)]}"#
        let listed = try #require(try reader.onlyObject(on: list))
        let single = try #require(try reader.object(work, id: "1").object)
        let batch = try reader.objects(Array(list.utf8), ids: ["1"], of: .artwork)
        #expect(listed.json == ["id": "1", "slug": "a-1", "title": "A"])
        #expect(listed.json == single.json && listed.hash == single.hash)
        #expect(batch[ExactText("1")]?.object?.json == single.json)
        description.row = "SELECT :body ->> 'title' AS title, :body ->> 'own' AS updated_at"
        let own = try description.reader().onlyObject(
            on: #"{"works":[{"id":1,"title":"A","at":"2026-01-02","own":"x"}]}"#)
        #expect(own?.json["updated_at"] == "x")
    }

    // MARK: - Hash

    @Test func theHashCoversWhatWasReadWithoutVolatileColumns() throws {
        var description = TestDescription()
        description.row = "SELECT :body ->> 'title' AS title, :body ->> 'views' AS views"
        description.object = [
            "volatile: [views]", "artists: \"SELECT value AS name FROM json_each(:body, '$.by')\"",
        ]
        let reader = try description.reader()
        func hash(_ answer: String) throws -> String? { try reader.object(answer, id: "1").object?.hash }
        let usual = try hash(#"{"id":1,"title":"A","views":7,"by":["Ada"],"other":1}"#)
        #expect(usual?.count == 64)
        #expect(try hash(#"{"other":2,"by":["Ada"],"views":8,"title":"A","id":1}"#) == usual)
        #expect(try hash(#"{"id":1,"title":"B","views":7,"by":["Ada"]}"#) != usual)
        #expect(try hash(#"{"id":1,"title":"A","views":7,"by":["Eva"]}"#) != usual)
    }
}
