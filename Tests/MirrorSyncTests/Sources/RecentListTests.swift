import Catalogue
import Foundation
import MirrorHTTP
import MirrorTesting
import PeriodicLoops
import Testing

@testable import MirrorSync

/// "Where `since` finds the changes, a watch reads the whole list at most once a day."
@Suite("Polls of a watch of a source with changes", .limitedConcurrency) struct RecentListTests {
    static let since = "since: { get: \"/works?since={since:date}\", overlap: 2d }"

    /// A museum whose works changed long ago. Its lists say nothing about versions, unless `rows` has them.
    private func museum(rows: String = SmallDescription.ids, more: String = since) async throws
        -> ScriptedMuseum
    {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.list = "form: whole\nget: /works"
                $0.rows = rows
                $0.more = more
            }, works: ScriptedMuseum.works(5, ["changed": "2020-01-01"]))
        #expect(try await museum.sync().outcome == .complete)
        _ = museum.requests()
        return museum
    }

    /// A sync as a watch begins it at its interval, after some hours.
    ///
    /// - Returns: the requests, without what follows `since=`.
    @discardableResult
    private func poll(_ museum: ScriptedMuseum, after hours: Int = 1) async throws -> [String] {
        museum.mirror.pass(hours: hours)
        let summary = try await museum.sync { $0.usesRecentLists = true }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        return museum.requests().map { $0.contains("since=") ? "since" : $0 }
    }

    @Test func `only the changes are requested until the list is a day old`() async throws {
        let museum = try await museum()
        for _ in 0..<23 { #expect(try await poll(museum) == ["since"]) }
        #expect(try await poll(museum) == ["since", "/works"])
        #expect(try await poll(museum) == ["since"])
        museum.mirror.pass(hours: 1)
        try await museum.sync()
        #expect(museum.requests().contains("/works"), "a sync always reads the list")
    }

    @Test(arguments: [SmallDescription.ids, SmallDescription.idsAndVersions, SmallDescription.objects])
    func `new and changed works arrive by the changes alone`(rows: String) async throws {
        let museum = try await museum(rows: rows), hasObjects = rows == SmallDescription.objects
        let changes: JSONObject = ["title": "New", "version": "b", "changed": "2026-02-01"]
        museum.change("4", changes)
        museum.works.append(ScriptedMuseum.work("9", ["changed": "2026-02-01"]))
        #expect(try await poll(museum) == ["since"] + (hasObjects ? [] : ["/works/4", "/works/9"]))
        #expect(try museum.titles["4"] == "New" && museum.ids == ["1", "2", "3", "4", "5", "9"])
        guard rows != SmallDescription.ids else { return }
        #expect(try await poll(museum) == ["since"], "what has its version isn't requested again")
    }

    @Test func `a work that fails is requested by the next poll`() async throws {
        let museum = try await museum()
        museum.works.append(ScriptedMuseum.work("9", ["changed": "2026-02-01"]))
        museum.answer { $0 == "/works/9" ? ScriptedMuseum.failure(403) : nil }
        museum.mirror.pass(hours: 1)
        #expect(try await museum.sync { $0.usesRecentLists = true }.outcome == .partial)
        museum.answer()
        museum.change("9", ["changed": "2020-01-01"])
        _ = museum.requests()
        #expect(try await poll(museum) == ["since", "/works/9"])
        #expect(try museum.ids.contains("9"))
    }

    @Test func `a poll removes nothing, and the list of the day shows what is gone`() async throws {
        let museum = try await museum()
        museum.remove("2")
        try await poll(museum)
        #expect(try museum.ids == ScriptedMuseum.ids(5) && museum.missing.isEmpty)
        try await poll(museum, after: 24)
        #expect(try museum.missing == ["2": 1])
    }

    @Test func `changes that can't be read are requested again, and are no reason to read the list`()
        async throws
    {
        let museum = try await museum()
        museum.change("4", ["title": "New", "changed": "2026-02-01"])
        museum.answer { $0.contains("since=") ? ScriptedMuseum.failure(403) : nil }
        museum.mirror.pass(hours: 1)
        #expect(try await museum.sync { $0.usesRecentLists = true }.outcome == .partial)
        #expect(museum.requests().allSatisfy { $0.contains("since=") })
        museum.answer()
        #expect(try await poll(museum) == ["since", "/works/4"])
    }

    @Test func `a source without changes is read by its list`() async throws {
        let museum = try await museum(rows: SmallDescription.idsAndVersions, more: "")
        #expect(try await poll(museum) == ["/works"])
    }

    @Test func `another description reads the list`() async throws {
        let museum = try await museum()
        try museum.describe(
            SmallDescription {
                $0.list = "form: whole\nget: /works"
                $0.rows = SmallDescription.ids
                $0.more = Self.since
                $0.row = "SELECT :body ->> 'title' AS title"
            })
        #expect(try await poll(museum).contains("/works"))
    }

    @Test(arguments: WatchSync.allCases) func `only the polls of a watch use recent lists`(sync: WatchSync)
        throws
    {
        let museum = try ScriptedMuseum()
        let setting = WatchSetting(
            firstSync: Sync(partner: "museum", folder: try museum.mirror.mirror) { base, cache in
                try InterceptableSession(base: base, transport: museum.mirror.network, cache: cache)
            },
            interval: .seconds(30), clock: .continuous(startingAt: .zero), random: { 0.5 })
        #expect(setting.options(of: sync).usesRecentLists == (sync == .poll))
    }
}
