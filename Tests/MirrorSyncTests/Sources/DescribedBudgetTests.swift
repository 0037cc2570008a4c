import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "When `per_day` is used up, `sync` ends with exit code 3 and says when it continues" (SOURCES.md D).
@Suite("Syncs that a day's budget ends", .limitedConcurrency) struct DescribedBudgetTests {
    /// Syncs once a day until a sync is complete, at most ten times.
    ///
    /// - Returns: the requests of each day.
    private func syncDaily(_ museum: ScriptedMuseum, perDay: Int) async throws -> [[String]] {
        var days: [[String]] = []
        for _ in 0..<10 {
            let summary = try await museum.sync()
            days.append(museum.requests())
            #expect(days.last?.count ?? 0 <= perDay)
            museum.mirror.pass(days: 1)
            if summary.outcome == .complete { return days }
            #expect(summary.outcome == .partial)
            let error = summary.cause as? SyncError
            #expect(error?.code == .paused, "\(summary.failure ?? "no failure")")
            #expect(summary.failure?.isEmpty == false)
        }
        Issue.record("No sync was complete: \(days)")
        return days
    }

    @Test func `what was received is stored, and the next day continues`() async throws {
        let museum = try ScriptedMuseum(SmallDescription { $0.top = "rate: { per_day: 6 }" })
        let first = try await museum.sync()
        #expect(first.outcome == .partial)
        #expect((first.cause as? SyncError)?.code == .paused)
        #expect(
            first.failure?.contains("2026-02-02") == true, "it says when it continues: \(first.failure ?? "")"
        )
        #expect(museum.requests().count == 6)
        #expect(try museum.ids.count == 3, "three pages, and three works")
        #expect(first.objects["artwork"]?.created == 3)
        museum.mirror.pass(days: 1)
        let second = try await museum.sync()
        #expect(second.outcome == .complete, "\(second.problems) \(second.failure ?? "")")
        #expect(museum.requestedWorks().count == 2, "no work is requested twice")
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test(arguments: [4, 5, 7]) func `no work is requested twice over several days`(perDay: Int) async throws
    {
        let museum = try ScriptedMuseum(
            SmallDescription { $0.top = "rate: { per_day: \(perDay) }" }, works: ScriptedMuseum.works(6))
        let days = try await syncDaily(museum, perDay: perDay)
        #expect(days.flatMap(ScriptedMuseum.workIDs).sorted() == ScriptedMuseum.ids(6), "\(days)")
        #expect(try museum.ids == ScriptedMuseum.ids(6))
    }

    @Test func `a second sync on the same day sends nothing, and says so`() async throws {
        let museum = try ScriptedMuseum(SmallDescription { $0.top = "rate: { per_day: 6 }" })
        #expect(try await museum.sync().outcome == .partial)
        _ = museum.requests()
        museum.mirror.pass(hours: 1)
        let error = try await museum.syncError()
        #expect(error?.code == .paused)
        #expect(museum.requests() == [])
        #expect(try museum.ids.count == 3)
    }

    @Test func `objects in pages are stored before the budget ends the run`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "rate: { per_day: 2 }"
                $0.rows = SmallDescription.objects
            })
        #expect(try await museum.sync().outcome == .partial)
        #expect(try museum.ids == ["1", "2", "3", "4"])
    }

    @Test func `a used-up budget is no absence`() async throws {
        let museum = try ScriptedMuseum(SmallDescription { $0.top = "rate: { per_day: 20 }" })
        #expect(try await museum.sync().outcome == .complete)
        museum.remove("5")
        try museum.describe(SmallDescription { $0.top = "rate: { per_day: 2 }" })
        for _ in 0..<4 {
            museum.mirror.pass(days: 1, hours: 1)
            #expect(try await museum.sync().outcome == .partial)
        }
        #expect(try museum.ids == ScriptedMuseum.ids(5))
        // The last list counts only if its own URL was absent after it.
        #expect(try museum.missing["5"] ?? 0 <= 1)
    }

    // "answers already received are stored"
    @Test(arguments: [SmallDescription.idsAndVersions, SmallDescription.ids])
    func `concurrent answers are stored before the budget ends the run`(rows: String) async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "rate: { per_day: 20 }"
                $0.list = "form: whole\nget: /works"
                $0.rows = rows
            }, works: ScriptedMuseum.works(50))
        var answered: [String] = []
        for day in 1...2 {
            let summary = try await museum.sync { $0.synchronous = false }
            #expect(summary.outcome == .partial)
            answered += ScriptedMuseum.workIDs(
                museum.mirror.network.take().filter { $0.status == 200 }.map { ScriptedMuseum.target($0.url) }
            )
            #expect(try museum.ids == Set(answered).sorted(), "day \(day)")
            #expect(answered.count == 19 * day && Set(answered).count == answered.count)
            museum.mirror.pass(days: 1)
        }
    }

    /// Three works are in flight. The first is answered before the others; its picture is one request too many.
    @Test func `works in flight are stored before a picture's used-up budget ends the run`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "rate: { per_day: 4 }"
                $0.list = "form: whole\nget: /works"
                $0.object =
                    "images: SELECT value AS url FROM json_each(:body, '$.pictures') WHERE :body ->> 'free'"
            }, works: ScriptedMuseum.works(3))
        museum.change("1", ["pictures": .array([.string("https://api.museum.test/1.jpg")]), "free": true])
        let network = museum.mirror.network
        network.hold { url in
            guard url.contains("/works/") else { return }
            for _ in 0..<100_000 where !Task.isCancelled {
                if url.hasSuffix("/works/1"), network.exchanges.count == 4 { return }
                await Task.yield()
            }
        }
        let summary = try await museum.sync { ($0.synchronous, $0.jobs) = (false, 8) }
        #expect(summary.outcome == .partial && (summary.cause as? SyncError)?.code == .paused)
        #expect(network.exchanges.allSatisfy { $0.status == 200 } && network.exchanges.count == 4)
        #expect(try museum.ids == ["1", "2", "3"])
        let day = RequestBudget.DayCount.day(of: DescribedMirror.start)
        let counts = try museum.mirror.read { try $0.requests(onDay: day) }
        #expect(Array(counts.values) == [4], "what was counted was sent")
    }

    @Test func `pictures of another host have a budget of their own`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "hosts: [pictures.museum.test]\nrate: { per_day: 5 }"
                $0.list = "form: whole\nget: /works"
                $0.object =
                    "images: SELECT value AS url FROM json_each(:body, '$.pictures') WHERE :body ->> 'free'"
            }, works: ScriptedMuseum.works(3))
        for id in ["1", "2", "3"] {
            let urls = ["a", "b"].map { JSONValue.string("https://pictures.museum.test/\(id)\($0).jpg") }
            museum.change(id, ["pictures": .array(urls), "free": true])
        }
        let first = try await museum.sync()
        let targets = museum.requests()
        #expect(first.outcome == .partial && (first.cause as? SyncError)?.code == .paused)
        #expect(
            ScriptedMuseum.workIDs(targets).count == 3 && targets.filter { $0.hasPrefix("https:") }.count == 5
        )
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requests().filter { $0.hasPrefix("https:") }.count == 1, "only the missing picture")
    }
}
