import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A list of several pages whose reading is interrupted is continued, where the pages contain the objects or only their ids.
@Suite("Lists that an earlier run has read in part", .limitedConcurrency) struct UnfinishedCrawlTests {
    private static func page(_ number: Int) -> String { "/works?page=\(number)&size=2" }
    private static func pages(_ targets: [String]) -> [String] { targets.filter { $0.hasPrefix("/works?") } }

    private static let select =
        "select:\n  department: { get: \"/works?department={value}&page={page}&size={size}\" }"

    private func museum(
        _ count: Int = 10, _ change: (inout SmallDescription) -> Void = { _ in }
    ) throws -> ScriptedMuseum {
        try ScriptedMuseum(
            SmallDescription {
                $0.rows = SmallDescription.objects
                change(&$0)
            }, works: ScriptedMuseum.works(count, ["department": "a"]))
    }

    /// A sync that is cancelled when it sends another request than the first `count`.
    private func cancel(_ museum: ScriptedMuseum, after count: Int) async throws {
        let mirror = museum.mirror
        let summary = try await mirror.network.stopping(after: count) { try await mirror.sync() }
        #expect(summary.outcome == .cancelled)
        _ = museum.requests()
    }

    @Test(arguments: [SmallDescription.objects, SmallDescription.idsAndVersions, SmallDescription.ids])
    func `a list is continued with the page that had no answer`(rows: String) async throws {
        let museum = try museum { $0.rows = rows }
        try await cancel(museum, after: 3)
        museum.mirror.pass(hours: 1)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(Self.pages(museum.requests()) == [4, 5].map(Self.page))
        #expect(try museum.ids == ScriptedMuseum.ids(10))
        #expect(summary.objects["artwork"]?.listed == 10)
        // The next sync reads the list from its beginning.
        museum.mirror.pass(hours: 1)
        #expect(try await museum.sync().hasChanges == false)
        #expect(Self.pages(museum.requests()) == (1...5).map(Self.page))
    }

    @Test func `a list may be continued several times`() async throws {
        let museum = try museum()
        for _ in 0..<2 { try await cancel(museum, after: 2) }
        #expect(try await museum.sync().outcome == .complete)
        #expect(Self.pages(museum.requests()) == [Self.page(5)])
        #expect(try museum.ids == ScriptedMuseum.ids(10))
    }

    @Test func `a list without a total is continued, and its first page is read again at the end`()
        async throws
    {
        let museum = try museum { $0.total = nil }
        try await cancel(museum, after: 3)
        #expect(try await museum.sync().outcome == .complete)
        // Page 6 is empty.
        #expect(Self.pages(museum.requests()) == [4, 5, 6, 1].map(Self.page))
    }

    @Test func `a list that changed in between is incomplete`() async throws {
        let museum = try museum()
        try await cancel(museum, after: 3)
        museum.remove("1")
        let summary = try await museum.sync()
        #expect(summary.outcome == .partial)
        #expect(summary.problems.contains { $0.what == "incomplete list" }, "\(summary.problems)")
        #expect(try await museum.sync().outcome == .complete)
    }

    @Test func `a list that a day's budget interrupts is continued on the next day`() async throws {
        let museum = try museum { $0.top = "rate: { per_day: 3 }" }
        museum.mirror.pass(hours: 12)
        #expect(try await museum.sync().outcome == .partial)
        #expect(museum.requests() == [1, 2, 3].map(Self.page))
        #expect(try museum.ids == ScriptedMuseum.ids(6), "what was read is stored")
        museum.mirror.pass(hours: 13)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems) \(summary.failure ?? "")")
        #expect(museum.requests() == [4, 5].map(Self.page))
        #expect(try museum.ids == ScriptedMuseum.ids(10))
    }

    // MARK: - What it proves

    @Test func `a later list is not continued, so that it proves what is missing`() async throws {
        let museum = try museum()
        #expect(try await museum.sync().outcome == .complete)
        museum.remove("10")
        for _ in 0..<2 {
            museum.mirror.pass(days: 1, hours: 1)
            #expect(try await museum.sync().outcome == .complete)
        }
        museum.mirror.pass(days: 1, hours: 1)
        try await cancel(museum, after: 2)
        #expect(try museum.missing == ["10": 2], "a part of a list counts no absence")
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete && summary.continuedLists.isEmpty)
        #expect(museum.requests() == (1...5).map(Self.page) + ["/works/10"])
        #expect(try !museum.ids.contains("10"))
    }

    @Test func `a continued list removes no work that was called gone`() async throws {
        let museum = try museum {
            $0.rows =
                "SELECT value ->> 'id' AS id, value ->> 'version' AS version, value ->> 'gone' AS gone, value AS object FROM json_each(:body, '$.data')"
            $0.gone = "{ by: signal }"
        }
        #expect(try await museum.sync().outcome == .complete)
        museum.change("1", ["gone": true])
        museum.change("10", ["gone": true])
        try await cancel(museum, after: 2)
        #expect(try museum.ids == ScriptedMuseum.ids(10), "a part of a list removes nothing")
        _ = try await museum.sync()
        _ = try await museum.sync()
        #expect(try museum.ids == ScriptedMuseum.ids(10).filter { !["1", "10"].contains($0) })
    }

    // MARK: - What isn't continued

    @Test func `a list is read from its beginning after a day`() async throws {
        let museum = try museum()
        try await cancel(museum, after: 3)
        museum.mirror.pass(days: 1, hours: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requests() == (1...5).map(Self.page))
    }

    @Test func `another selection is read from its beginning`() async throws {
        let museum = try museum { $0.top = Self.select }
        try await cancel(museum, after: 3)
        #expect(
            try await museum.sync { $0.source.selection = [.init("department", "a")] }.outcome == .complete)
        #expect(museum.requests() == (1...5).map { "/works?department=a&page=\($0)&size=2" })
    }

    @Test func `another description is read from its beginning`() async throws {
        let museum = try museum()
        try await cancel(museum, after: 3)
        try museum.describe(
            SmallDescription {
                $0.rows = SmallDescription.objects
                $0.row = "SELECT :body ->> 'title' AS title"
            })
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requests() == (1...5).map(Self.page))
    }

    @Test func `a full sync reads the list from its beginning`() async throws {
        let museum = try museum()
        try await cancel(museum, after: 3)
        #expect(try await museum.sync { $0.full = true }.outcome == .complete)
        #expect(Self.pages(museum.requests()) == (1...5).map(Self.page))
    }
}
