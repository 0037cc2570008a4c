import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Requests of several objects", .limitedConcurrency) struct BatchFetchTests {
    struct Case: Sendable {
        let count: Int
        let batch: Int?
        let pages: Int?
        let way: BatchFetch.Way

        init(_ count: Int, _ batch: Int?, _ pages: Int?, _ way: BatchFetch.Way) {
            (self.count, self.batch, self.pages, self.way) = (count, batch, pages, way)
        }
    }

    static let cases = [
        Case(0, nil, nil, .singly), Case(10, nil, nil, .singly), Case(10, 1, nil, .singly),
        // A batch of one object saves nothing.
        Case(1, 5, nil, .singly), Case(2, 5, nil, .batches(of: 5)), Case(11, 5, nil, .batches(of: 5)),
        // The full list must take fewer requests, not as many.
        Case(3, nil, 3, .singly), Case(4, nil, 3, .fullList), Case(1, nil, 1, .singly),
        Case(0, nil, 1, .singly),
        Case(10, 5, 2, .batches(of: 5)), Case(11, 5, 2, .fullList), Case(0, 5, 1, .singly),
        Case(10, 5, nil, .batches(of: 5)),
    ]

    @Test(arguments: cases) func `the way with the fewest requests is taken`(this: Case) {
        #expect(BatchFetch.Way(count: this.count, batch: this.batch, pages: this.pages) == this.way)
    }

    // MARK: - Batches

    /// - Parameter columns: further columns of the rows of a batch.
    private static func museum(columns: String = "") throws -> ScriptedMuseum {
        try ScriptedMuseum(
            SmallDescription {
                $0.object = """
                    batch:
                      get: "/works?ids={ids}"
                      size: 3
                      rows: SELECT value ->> 'id' AS id, value AS object\(columns) FROM json_each(:body, '$.data')
                    """
            })
    }

    private static func isBatch(_ target: String) -> Bool { target.hasPrefix("/works?ids=") }

    @Test func `new and changed objects are requested several at a time`() async throws {
        let museum = try Self.museum()
        #expect(try await museum.sync().outcome == .complete)
        let first = museum.requests()
        #expect(first.filter(Self.isBatch).count == 2)
        #expect(ScriptedMuseum.workIDs(first) == [])
        #expect(try museum.titles.count == 5)
        museum.change("2", ["title": "B", "version": "b"])
        museum.change("4", ["title": "D", "version": "b"])
        #expect(try await museum.sync().outcome == .complete)
        let second = museum.requests()
        #expect(second.filter(Self.isBatch).count == 1 && ScriptedMuseum.workIDs(second) == [])
        #expect(try museum.titles["2"] == "B" && museum.titles["4"] == "D")
        // One changed object is requested singly.
        museum.change("5", ["title": "E", "version": "b"])
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requestedWorks() == ["5"])
        #expect(try await museum.sync().hasChanges == false)
        #expect(museum.requests().allSatisfy { $0.hasPrefix("/works?page=") })
    }

    @Test func `an object that a batch lacks is requested singly`() async throws {
        let museum = try Self.museum()
        let works: JSONValue = .array(["1", "3"].map { .object(ScriptedMuseum.work($0)) })
        let answer = ScriptedAnswer.text((["total": 2, "data": works] as JSONObject).canonicalText)
        museum.answer { Self.isBatch($0) && $0.contains("1") && $0.contains("2") ? answer : nil }
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requestedWorks() == ["2"])
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    /// The list has the new versions already, and the batch still the old objects.
    @Test func `an object of a batch that is older than the list is requested singly`() async throws {
        let museum = try Self.museum(columns: ", value ->> 'version' AS version")
        #expect(try await museum.sync().outcome == .complete)
        let works: JSONValue = .array(ScriptedMuseum.works(5).map(JSONValue.object))
        let old = ScriptedAnswer.text((["total": 5, "data": works] as JSONObject).canonicalText)
        for id in ["2", "4"] { museum.change(id, ["title": "New", "version": "b"]) }
        museum.answer { Self.isBatch($0) ? old : nil }
        _ = museum.requests()
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requestedWorks().sorted() == ["2", "4"])
        #expect(try museum.titles["2"] == "New" && museum.titles["4"] == "New")
        #expect(try await museum.sync().hasChanges == false)
        #expect(museum.requests().allSatisfy { $0.hasPrefix("/works?page=") })
    }

    @Test func `an object that the server adds to a batch is ignored`() async throws {
        let museum = try Self.museum()
        let works: JSONValue = .array(["1", "2", "3", "99"].map { .object(ScriptedMuseum.work($0)) })
        let answer = ScriptedAnswer.text((["total": 4, "data": works] as JSONObject).canonicalText)
        museum.answer { Self.isBatch($0) && $0.contains("1") ? answer : nil }
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test(arguments: [ScriptedMuseum.failure(500), ScriptedMuseum.html, ScriptedMuseum.otherShape])
    func `objects of a batch that fails are requested singly`(answer: ScriptedAnswer) async throws {
        let museum = try Self.museum()
        museum.answer { Self.isBatch($0) ? answer : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(museum.requestedWorks().sorted() == ScriptedMuseum.ids(5))
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    // MARK: - The full list

    @Test func `the full list is read again if it takes fewer requests`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.rows = SmallDescription.objects
                $0.more = "thin: { fields: \"id\" }"
            })
        func pages(_ targets: [String]) -> (thin: Int, full: Int) {
            let pages = targets.filter { $0.hasPrefix("/works?") },
                thin = pages.filter { $0.contains("fields=id") }
            return (thin.count, pages.count - thin.count)
        }
        #expect(try await museum.sync().outcome == .complete)
        let first = museum.requests()
        #expect(pages(first) == (0, 3) && ScriptedMuseum.workIDs(first) == [])
        for id in ["1", "2"] { museum.change(id, ["title": "New", "version": "b"]) }
        #expect(try await museum.sync().outcome == .complete)
        let second = museum.requests()
        #expect(pages(second) == (3, 0) && ScriptedMuseum.workIDs(second).sorted() == ["1", "2"])
        for id in ScriptedMuseum.ids(5) { museum.change(id, ["title": "Newer", "version": "c"]) }
        #expect(try await museum.sync().outcome == .complete)
        let third = museum.requests()
        #expect(pages(third) == (3, 3) && ScriptedMuseum.workIDs(third) == [])
        #expect(try Set(museum.titles.values) == ["Newer"])
        #expect(try await museum.sync().hasChanges == false)
        #expect(pages(museum.requests()) == (3, 0))
    }
}
