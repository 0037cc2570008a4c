import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

@Suite("Loops, pages of events and totals in the store")
struct LoopTests {
    let test: TestStore
    private var store: CatalogueStore { test.store }

    init() throws { test = try TestStore() }

    private func page(
        _ writes: [Write], asked: String?, cursor: String, run: Int64? = nil, loop: String = LoopRecord.coreID
    ) throws -> PageCommit {
        PageCommit(
            loop: loop, kind: .core, asked: asked, newestRun: try run ?? store.newestRun(), cursor: cursor,
            writes: writes)
    }

    private func commit(_ page: PageCommit, check: () throws -> Void = {}) throws -> PageOutcome {
        try store.commit(page, report: { _ in ("{}", []) }, check: check)
    }

    private func artwork(_ id: String) -> Write { .object(.make(.artwork, id, name: "T")) }

    private func show(_ id: String, end: String) -> Write {
        let values = Kind.show.columns.map { column -> FieldValue in
            column.name == "end_at" ? .text(end) : .null
        }
        return .object(
            ObjectRecord(kind: .show, id: id, values: values, json: "{\"id\":\"\(id)\"}", etag: nil))
    }

    private func titles() throws -> [String] {
        try store.read {
            try String.fetchAll($0, sql: "SELECT title FROM artwork WHERE ghost = 0 ORDER BY id")
        }
    }

    private struct CheckFailed: Error {}

    @Test func aPageAndItsCursorAreStoredInOneTransaction() throws {
        #expect(throws: CheckFailed.self) {
            _ = try commit(page([artwork("a")], asked: nil, cursor: "1")) { throw CheckFailed() }
        }
        #expect(try titles().isEmpty && store.loop(LoopRecord.coreID) == nil && store.newestRun() == nil)
        guard case .stored(let stored) = try commit(page([artwork("a")], asked: nil, cursor: "1")) else {
            return #expect(Bool(false), "not stored")
        }
        #expect(stored.counts[.artwork]?.created == 1)
        #expect(stored.items.map(\.action) == ["created"])
        #expect(try store.loop(LoopRecord.coreID)?.cursor == "1")
        #expect(try store.runs(limit: 1).first?.command == "events")
    }

    @Test func aPageForAnotherCursorOrAnOlderRunIsDropped() throws {
        _ = try commit(page([artwork("a")], asked: nil, cursor: "1"))
        for late in [
            try page([artwork("b")], asked: nil, cursor: "2"),
            try page([artwork("b")], asked: "0", cursor: "2"),
            try page([artwork("b")], asked: "1", cursor: "2", run: 0),
        ] {
            guard case .superseded = try commit(late) else {
                return #expect(Bool(false), "an outdated page was stored")
            }
        }
        #expect(try titles() == ["T"] && store.loop(LoopRecord.coreID)?.cursor == "1")
    }

    /// A cursor alone doesn't change the generation either.
    @Test func aPageWithoutChangesCreatesNoRun() throws {
        _ = try commit(page([artwork("a")], asked: nil, cursor: "1"))
        let runs = try store.runs(limit: 10).count, generation = try store.generation()
        _ = try commit(page([], asked: "1", cursor: "2"))
        #expect(try store.generation() == generation)
        _ = try commit(page([artwork("a")], asked: "2", cursor: "3"))
        #expect(try store.runs(limit: 10).count == runs)
        #expect(try store.loop(LoopRecord.coreID)?.cursor == "3")
    }

    @Test func anObjectThatCannotBeStoredIsTheOnlyOneLeftOutOfItsPage() throws {
        try store.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER refuse BEFORE INSERT ON artwork_artist WHEN NEW.artwork_id = 'bad'
                    BEGIN SELECT RAISE(ABORT, 'bad'); END
                    """)
        }
        let bad = Write.object(.make(.artwork, "bad", artists: ["x"]))
        guard
            case .stored(let stored) = try commit(
                page([artwork("a"), bad, artwork("b")], asked: nil, cursor: "1"))
        else { return #expect(Bool(false), "not stored") }
        #expect(stored.refused.count == 1)
        #expect(try titles() == ["T", "T"])
    }

    @Test func aListThatIsOlderThanTheStoredOneIsLeftOutAndReported() throws {
        let list = ListName(url: "/partner/p/show/s/artworks", owner: Owner(.show, "s"), name: "artworks")
        func members(_ ids: [String], at date: Double) -> Write {
            .members(list: ListAnswer(list: list, etag: nil, date: date), ids: ids)
        }
        _ = try commit(
            page(
                [artwork("a"), show("s", end: "2027-01-01"), members(["a"], at: 2_000)], asked: nil,
                cursor: "1"))
        guard
            case .stored(let stored) = try commit(page([members([], at: 1_000)], asked: "1", cursor: "2"))
        else { return #expect(Bool(false), "not stored") }
        #expect(
            stored.refused.map(\.message) == [
                "The answer is older than the stored one. The next sync requests it again."
            ])
        #expect(try store.loop(LoopRecord.coreID)?.cursor == "2")
    }

    @Test func storingTheStateOfALoopDoesNotChangeItsCursor() throws {
        _ = try commit(page([], asked: nil, cursor: "1"))
        var record = LoopRecord(
            id: LoopRecord.coreID, kind: .core, state: "backingOff", failures: 2, message: "away",
            nextAt: "2027-01-01T00:00:00.000Z", health: "{}")
        record.cursor = "another"
        try store.note(record)
        let stored = try #require(try store.loop(LoopRecord.coreID))
        #expect(stored.cursor == "1" && stored.state == "backingOff" && stored.failures == 2)
        #expect(stored.lastAt != nil)
        // A stored page resets the failures of its loop.
        _ = try commit(page([], asked: "1", cursor: "2"))
        let afterPage = try #require(try store.loop(LoopRecord.coreID))
        #expect(
            afterPage.state == LoopRecord.enabled && afterPage.failures == 0 && afterPage.message == nil
                && afterPage.health == nil)
    }

    @Test func aFinishedRunStoresItsCursorOnlyIfItMayDelete() throws {
        let run = try test.beginRun()
        var request = FinishRequest(run: run)
        request.cursor = "7"
        request.mayDelete = false
        _ = try store.finish(request)
        #expect(try store.loop(LoopRecord.coreID) == nil)
        request.mayDelete = true
        _ = try store.finish(request)
        #expect(try store.loop(LoopRecord.coreID)?.cursor == "7")
    }

    /// Only the kind's list shows its changes before the cursor. So the kind's since date is deleted until then.
    @Test func aKindWhoseListIsMissingWhenTheCursorIsStoredIsOwedUntilItsListIsComplete() throws {
        var request = FinishRequest(run: try test.beginRun())
        request.since = [Kind.album, .artist].map {
            ($0, SinceRecord(since: "2027-01-01T00:00:00.000Z"))
        }
        _ = try store.finish(request)
        (request.since, request.cursor, request.owed) = ([], "7", [.album, .show])
        request.mayDelete = false
        _ = try store.finish(request)
        #expect(try store.kindsToListAgain == [], "Without a sweep there is no cursor either.")
        request.mayDelete = true
        _ = try store.finish(request)
        #expect(try store.kindsToListAgain == [.album, .show])
        #expect(try Set(store.sinceRecords().keys) == [.artist])
        var later = FinishRequest(run: try test.beginRun())
        (later.cursor, later.settled) = ("8", [.show, .artist])
        _ = try store.finish(later)
        #expect(try store.kindsToListAgain == [.album])
        (later.cursor, later.settled) = (nil, [.album])
        _ = try store.finish(later)
        #expect(try store.kindsToListAgain == [] && store.fact(.kindsToListAgain) == nil)
    }

    @Test func countsAreAddedToTheStoredTotals() throws {
        try store.add(tally: ["pages": 2, "bytes": 10])
        try store.add(tally: ["pages": 1, "requests": 0])
        try store.add(tally: [:])
        #expect(try store.tally() == ["pages": 3, "bytes": 10])
    }

    @Test func onlyARunWithoutChangesIsRemovedFromTheLog() throws {
        let idle = try test.beginRun()
        try store.endRun(idle, outcome: "complete", summary: "{}", errors: [])
        let busy = try test.beginRun()
        _ = try store.apply([artwork("a")], run: busy)
        try store.endRun(busy, outcome: "complete", summary: "{}", errors: [])
        for run in [idle, busy] { try store.forgetIdleRun(run) }
        #expect(try store.runs(limit: 10).map(\.run) == [busy])
    }

    @Test func theStatesOfLoopsAreReadWithTheirShows() throws {
        _ = try store.apply(
            [show("on", end: "2027-02-01"), show("past", end: "2026-01-01")], run: nil)
        try store.note(
            LoopRecord(id: LoopRecord.showID("on"), kind: .show, state: LoopRecord.over, health: "{}"))
        let feeds = try store.showFeeds(endingAfter: "2027-01-14")
        #expect(feeds.map(\.show) == ["on"])
        #expect(feeds.first?.state == LoopRecord.over)
        #expect(try feeds.first?.version == store.showVersion("on"))
        try store.forgetLoops([LoopRecord.showID("on")])
        #expect(try store.showFeeds(endingAfter: "2027-01-14").first?.state == nil)
    }
}
