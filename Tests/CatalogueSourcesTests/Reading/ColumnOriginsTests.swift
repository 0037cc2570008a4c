import Catalogue
import Synchronization
import Testing

@testable import CatalogueSources

@Suite struct ColumnOriginsTests {
    private func origins(_ columns: ColumnOrigins, _ query: String, _ column: String) -> [String]? {
        columns.columns.first { $0.query == query && $0.column == column }?.origins
    }

    @Test func theColumnsOfAnObjectNameThePathsThatTheyWereReadFrom() throws {
        let met = try SourceReader(builtIn: "met")
        let columns = try met.origins(ofObject: Array(PublishedExamples.met.utf8), id: "900001", of: .artwork)
        #expect(origins(columns, "is", ":body ->> 'objectID'") == ["$.objectID"])
        #expect(origins(columns, "row", "title") == ["$.title"])
        #expect(origins(columns, "row", "height") == ["$.measurements[].elementMeasurements.Height"])
        // An empty text is found, too, because it is varied like any other.
        #expect(origins(columns, "row", "location_id") == ["$.GalleryNumber"])
        // The name for sorting is that of the artist who is displayed.
        #expect(
            origins(columns, "artists", "sortable_id")
                == ["$.artistAlphaSort", "$.artistDisplayName", "$.constituents[].name"])
        #expect(origins(columns, "images", "url") == ["$.primaryImage"])
        #expect(columns.conditions["images"] == ["$.additionalImages", "$.isPublicDomain"])
        #expect(!columns.isCut)
    }

    @Test func theColumnsOfAPageIncludeThoseOfItsObjects() throws {
        let artic = try SourceReader(builtIn: "artic")
        let columns = try artic.origins(ofPage: Array(PublishedExamples.artic.utf8), of: .artwork)
        #expect(origins(columns, "rows", "changed") == ["$.data[].updated_at"])
        #expect(origins(columns, "rows", "version") == ["$.data[].source_updated_at"])
        #expect(origins(columns, "row", "title") == ["$.data[].title"])
        #expect(origins(columns, "images", "iiif") == ["$.config.iiif_url", "$.data[].image_id"])
        #expect(columns.conditions["images"]?.contains("$.data[].is_public_domain") == true)
    }

    @Test func columnsThatAreEmptyInEveryRowOfAPageAreNamed() throws {
        var description = TestDescription()
        description.row =
            "SELECT :body ->> 'title' AS title, :body ->> 'materials' AS medium, :body ->> 'year' AS date"
        let columns = try description.reader().origins(
            ofPage: Array(
                #"{"works":[{"id":1,"title":"A","year":""},{"id":2,"title":"","year":1800}]}"#.utf8),
            of: .artwork)
        #expect(columns.columns.filter(\.isEmpty).map(\.column) == ["medium"])
        let date = try #require(columns.columns.first { $0.column == "date" })
        #expect(date.rows == 2)
        #expect(date.filled == 1)
        #expect(date.example == .integer(1800))
    }

    @Test func unknownColumnsHaveTheNearestField() throws {
        var description = TestDescription()
        description.row = "SELECT 1 AS titel, 2 AS inventoryid, 3 AS credit_line, 4 AS location"
        description.object = ["artists: SELECT 'Ada' AS name, 1800 AS birhday"]
        let columns = try description.reader().origins(
            ofObject: Array(#"{"id":1}"#.utf8), id: "1", of: .artwork)
        let unknown = columns.columns.filter(\.isUnknown).map { [$0.column, $0.nearestField ?? "-"] }
        #expect(
            unknown == [
                ["titel", "title"], ["inventoryid", "inventory_id"], ["credit_line", "-"],
                ["birhday", "birthday"],
            ])
    }

    @Test func thePathsThatNoQueryReadAreListed() throws {
        let object = #"{"made":1800,"id":1,"title":"A","hands":[{"who":"Ada"},{"who":"Bo"}]}"#
        let reader = try TestDescription().reader()
        let columns = try reader.origins(ofObject: Array(object.utf8), id: "1", of: .artwork)
        #expect(columns.unread == ["$.hands[].who", "$.made"])
        let page = try reader.origins(
            ofPage: Array("{\"works\":[\(object)],\"next\":null}".utf8), of: .artwork)
        #expect(page.unread == ["$.next", "$.works[].hands[].who", "$.works[].made"])
    }

    @Test func aQueryThatFailsOnAVariationIsIgnoredThere() throws {
        var description = TestDescription()
        description.row = "SELECT value ->> 'text' AS title FROM json_each(:body, '$.titles')"
        let columns = try description.reader().origins(
            ofObject: Array(#"{"id":1,"titles":[{"text":"A"}],"other":[]}"#.utf8), id: "1", of: .artwork)
        #expect(origins(columns, "row", "title") == ["$.titles[].text"])
    }

    @Test func aLongAnswerIsCutBeforeItIsVaried() throws {
        var description = TestDescription()
        description.rows = "SELECT value AS id FROM json_each(:body, '$.ids')"
        let ids = (1...5_000).map(String.init).joined(separator: ",")
        let columns = try description.reader().origins(ofPage: Array("{\"ids\":[\(ids)]}".utf8), of: .artwork)
        #expect(origins(columns, "rows", "id") == ["$.ids[]"])
        #expect(columns.columns.first?.rows == 5_000)
        let wide = (0...AnswerVariations.leafLimit).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(AnswerVariations(of: try JSONValue(parsing: "{\(wide)}")).isCut)
    }

    @Test func everyLeafIsVariedOnceOrTwice() throws {
        let answer = try JSONValue(parsing: #"{"a b":[1,{"c":true}],"d":null,"e":[],"f":{},"g":"x"}"#)
        var seen: [String] = []
        AnswerVariations(of: answer).forEach {
            seen.append("\($0.path) \($0.answer.canonicalText)")
            return true
        }
        #expect(
            seen == [
                #"$."a b"[] {"a b":[2,{"c":true}],"d":null,"e":[],"f":{},"g":"x"}"#,
                #"$."a b"[] {"a b":[null,{"c":true}],"d":null,"e":[],"f":{},"g":"x"}"#,
                #"$."a b"[].c {"a b":[1,{"c":false}],"d":null,"e":[],"f":{},"g":"x"}"#,
                #"$."a b"[].c {"a b":[1,{"c":null}],"d":null,"e":[],"f":{},"g":"x"}"#,
                #"$.d {"a b":[1,{"c":true}],"d":"x7","e":[],"f":{},"g":"x"}"#,
                #"$.e {"a b":[1,{"c":true}],"d":null,"e":["x7"],"f":{},"g":"x"}"#,
                #"$.g {"a b":[1,{"c":true}],"d":null,"e":[],"f":{},"g":"x7"}"#,
                #"$.g {"a b":[1,{"c":true}],"d":null,"e":[],"f":{},"g":null}"#,
            ])
    }

    /// A clock that advances by a second whenever it is read, as if each query took almost as long as it may.
    private func slowClock() -> @Sendable () -> Duration {
        let readings = Mutex(0)
        return {
            readings.withLock { readings in
                readings += 1
                return .seconds(readings)
            }
        }
    }

    @Test func slowQueriesEndTheVariations() throws {
        let leaves = (0..<200).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let object = Array("{\"id\":1,\"title\":\"A\",\(leaves)}".utf8)
        let reader = try TestDescription().reader()
        let slow = try reader.origins(ofObject: object, id: "1", of: .artwork, now: slowClock())
        #expect(slow.isCut && slow.unread.count < 12)
        #expect(slow.columns.contains { $0.column == "title" && $0.rows == 1 && $0.filled == 1 })
        let usual = try reader.origins(ofObject: object, id: "1", of: .artwork)
        #expect(!usual.isCut && usual.unread.count == 200)
    }

    /// Each object of a page runs queries of its own.
    @Test func slowQueriesEndTheReadingOfAPage() throws {
        let works = (0..<200).map { "{\"id\":\($0),\"title\":\"A\"}" }.joined(separator: ",")
        let page = Array("{\"works\":[\(works)]}".utf8), reader = try TestDescription().reader()
        let slow = try reader.origins(ofPage: page, of: .artwork, now: slowClock())
        let title = try #require(slow.columns.first { $0.query == "row" && $0.column == "title" })
        #expect(slow.isCut && title.rows <= 12)
        #expect(
            try reader.origins(ofPage: page, of: .artwork).columns.first { $0.query == "row" }?.rows == 200)
    }

    /// SQLite ends such a query after a second. It is not run again for each variation of the answer.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS title FROM c",
            "SELECT count(*) AS title FROM json_tree(:body) a, json_tree(:body) b, json_tree(:body) c, json_tree(:body) d, json_tree(:body) e",
        ])
    func anEndlessQueryIsRunOnce(sql: String) throws {
        var description = TestDescription()
        description.row = sql
        let works = (0..<20).map {
            "{\"id\":\($0),\"list\":[\((0..<60).map(String.init).joined(separator: ","))]}"
        }
        let page = Array("{\"works\":[\(works.joined(separator: ","))]}".utf8)
        let columns = try description.reader().origins(ofPage: page, of: .artwork)
        #expect(columns.columns.contains { $0.query == "rows" && $0.column == "id" && $0.rows == 20 })
    }
}
