import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Changes after an event")
struct EventWindowTests {
    let test: TestStore
    private var store: CatalogueStore { test.store }
    private static let ever = "0000-01-01T00:00:00.000Z"

    init() throws { test = try TestStore() }

    private func latest() throws -> EventID { try #require(try store.latestEvent()) }

    private func since(
        _ event: EventID, of feed: EventFeed = .partner, notBefore: String = ever, limit: Int = 50,
        rows: Int = 2_000
    ) throws -> EventsSince {
        try store.served {
            try $0.events(after: event, of: feed, notBefore: notBefore, limit: limit, rows: rows)
        }
    }

    private func window(
        _ event: EventID, of feed: EventFeed = .partner, limit: Int = 50, rows: Int = 2_000
    ) throws -> EventWindow {
        guard case .window(let window) = try since(event, of: feed, limit: limit, rows: rows) else {
            throw StoreError(.unexpected, "There is no window.")
        }
        return window
    }

    private func reported(_ event: EventID, of feed: EventFeed = .partner) throws -> [String] {
        try window(event, of: feed).changes.map { "\($0.action) \($0.kind.name) \($0.id)" }
    }

    private func remove(_ kind: Kind, _ id: String, run: Int64? = nil) throws {
        _ = try store.apply([.tombstone(kind: kind, id: id, evidence: "test")], run: run)
    }

    private func document(_ owner: Owner, _ title: String) -> Write {
        .document(
            DocumentRecord(
                owner: owner, id: "d", values: [.null, .null, .null, .null],
                json: #"{"id":"d","title":"\#(title)"}"#, etag: nil, served: nil))
    }

    // MARK: - Reported changes

    @Test func eventsReportEachObjectOnceInTheOrderOfItsLastChange() throws {
        let start = try latest()
        #expect(start.seq == 0 && start.stamp == 0)
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), .make(.artwork, "c"), run: run)
        let middle = try latest()
        try test.put(.make(.artwork, "a", name: "Other"), .make(.artist, "a"), run: run)
        try remove(.artwork, "b")
        try test.put(.make(.artwork, "c", name: "Other"), run: run)
        try remove(.artwork, "c")
        try test.put(.make(.artwork, "c"), run: run)
        #expect(
            try reported(start) == [
                "create artwork a", "create artist a", "delete artwork b", "update artwork c",
            ])
        #expect(
            try reported(middle) == [
                "update artwork a", "create artist a", "delete artwork b", "update artwork c",
            ])
        let end = try latest()
        #expect(try window(start).last == end && window(middle).last == end)
        #expect(try window(end) == EventWindow(last: end))
    }

    @Test func theLatestEventIsTheLastLoggedChange() throws {
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let at: String = try #require(try test.scalar("SELECT at FROM change WHERE seq = 1"))
        let log: String = try #require(try test.scalar("SELECT value FROM meta WHERE key = 'log_id'"))
        #expect(try latest() == EventID(log: log, seq: 1, stamp: EventID.stamp(of: at)))
        #expect(log.utf8.count == 16)
    }

    @Test func aChangedListOrDocumentIsReportedAsAnUpdateOfItsOwner() throws {
        let run = try test.beginRun()
        try test.put(
            .make(.show, "s"), .make(.album, "m"), .make(.location, "l"), .make(.artist, "x"), run: run)
        _ = try test.finish(run, kinds: [])
        let images = ListName(url: "/images", owner: Owner(.show, "s"), name: "images?default=0")
        let changes: [(String, (Int64) throws -> Void)] = [
            ("update show s", { _ = try test.members(Owner(.show, "s"), ["a"], run: $0) }),
            ("update album m", { _ = try test.members(Owner(.album, "m"), ["a"], run: $0) }),
            ("update location l", { _ = try test.members(Owner(.location, "l"), ["a"], run: $0) }),
            ("update show s", { _ = try store.apply([document(Owner(.show, "s"), "D")], run: $0) }),
            ("update artist x", { _ = try store.apply([document(Owner(.artist, "x"), "D")], run: $0) }),
            ("update artist x", { _ = try store.apply([document(Owner(.artist, "x"), "E")], run: $0) }),
            (
                "update show s",
                {
                    _ = try store.apply(
                        [
                            .showImages(
                                show: "s", role: .installation, images: [.make("i")],
                                list: ListAnswer(list: images, etag: nil, date: nil))
                        ], run: $0)
                }
            ),
        ]
        for (expected, change) in changes {
            let before = try latest(), run = try test.beginRun()
            try change(run)
            _ = try test.finish(run, kinds: [])
            #expect(try reported(before) == [expected])
        }
    }

    @Test func membersAddedToANewObjectAreReportedInEvents() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "m"), run: run)
        let before = try latest()
        _ = try test.members(Owner(.album, "m"), ["a"], run: run)
        #expect(try reported(before) == [])
        _ = try test.finish(run, kinds: [])
        #expect(try reported(before) == ["update album m"])
    }

    @Test func eventsReportThePartnerButNotItsUser() throws {
        let start = try latest()
        try test.put(.make(.user, "u"), .make(.partner, "p"), run: test.beginRun())
        #expect(try reported(start) == ["create partner p"])
    }

    @Test(arguments: ["restore", "verify"])
    func eventsLeaveOutObjectsCreatedOrRemovedByUpkeep(_ command: String) throws {
        try test.put(.make(.artwork, "a"), .make(.artwork, "c"), run: test.beginRun())
        let before = try latest()
        let upkeep = try store.beginRun(command)
        try test.put(.make(.artwork, "b"), run: upkeep)
        try remove(.artwork, "a", run: upkeep)
        try test.put(.make(.artwork, "c", name: "Other"), run: upkeep)
        #expect(try reported(before) == ["update artwork c"])
        let middle = try window(before).last
        #expect(try middle == latest())
        try remove(.artwork, "b", run: upkeep)
        #expect(try reported(middle) == [])
        #expect(try window(middle).last == latest(), "the next poll doesn't read these changes again")
    }

    @Test func eventsDistinguishIDsByTheirBytes() throws {
        let start = try latest()
        try test.put(.make(.artist, "é"), .make(.artist, "e\u{301}"), run: test.beginRun())
        #expect(
            try window(start).changes.map { Array($0.id.utf8) } == [Array("é".utf8), Array("e\u{301}".utf8)])
    }

    // MARK: - Pages

    @Test func aPageOfEventsEndsBeforeTheObjectBeyondItsLimit() throws {
        let run = try test.beginRun()
        var event = try latest()
        for (number, id) in ["a", "b", "a", "c", "b", "d"].enumerated() {
            try test.put(.make(.artwork, id, name: "\(number)"), run: run)
        }
        var pages: [[String]] = [], more: [Bool] = []
        for _ in 0..<4 {
            let window = try window(event, limit: 2)
            pages.append(window.changes.map(\.id))
            more.append(window.hasMore)
            event = window.last
        }
        #expect(pages == [["b", "a"], ["c", "b"], ["d"], []])
        #expect(more == [true, true, false, false])
        #expect(try event == latest())
    }

    @Test func aPageOfEventsReadsALimitedNumberOfRows() throws {
        let start = try latest(), run = try test.beginRun()
        for number in 0..<10 { try test.put(.make(.artwork, "a", name: "\(number)"), run: run) }
        let first = try window(start, rows: 9), second = try window(first.last, rows: 9)
        #expect(first.hasMore && first.last.seq == 9 && first.changes.map(\.action) == [.create])
        #expect(!second.hasMore && second.changes.map(\.action) == [.update])
        #expect(try !window(start, rows: 10).hasMore)
    }

    // MARK: - A show's feed

    @Test func aShowsFeedReportsTheShowAndItsArtworks() throws {
        let run = try test.beginRun()
        try test.put(
            .make(.show, "s"), .make(.show, "t"), .make(.artwork, "in"), .make(.artwork, "out"), run: run)
        _ = try test.members(Owner(.show, "s"), ["in"], run: run)
        _ = try test.members(Owner(.show, "t"), ["out"], run: run)
        _ = try test.finish(run, kinds: [])
        let before = try latest()
        try test.put(
            .make(.show, "t", name: "Other"), .make(.artwork, "out", name: "Other"), .make(.artist, "s"),
            .make(.album, "in"), run: test.beginRun())
        let unrelated = try window(before, of: .show("s"))
        #expect(try unrelated == EventWindow(last: latest()))
        try test.put(.make(.artwork, "in", name: "Other"), run: test.beginRun())
        _ = try store.apply([document(Owner(.show, "s"), "D"), document(Owner(.show, "t"), "D")], run: nil)
        #expect(try reported(before, of: .show("s")) == ["update artwork in", "update show s"])
        try remove(.artwork, "in")
        #expect(try reported(unrelated.last, of: .show("s")) == ["update show s", "delete artwork in"])
    }

    // MARK: - Unknown and expired events

    @Test func anEventOfAnotherLogIsUnknown() throws {
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let end = try latest(), other = try TestStore()
        #expect(try since(EventID(log: "0", seq: end.seq, stamp: end.stamp)) == .unknown)
        #expect(try since(EventID(log: end.log, seq: 2, stamp: end.stamp)) == .unknown)
        #expect(try since(EventID(log: end.log, seq: 1, stamp: end.stamp + 1)) == .unknown)
        let elsewhere = try #require(try other.store.latestEvent())
        #expect(try since(elsewhere) == .unknown)
        #expect(try since(EventID(log: end.log, seq: 0, stamp: 0)) != .unknown)
    }

    @Test func aChangeLogWithoutAnIDHasNoEvents() throws {
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let end = try latest()
        try store.write { try $0.execute(sql: "DELETE FROM meta WHERE key = 'log_id'") }
        #expect(try store.latestEvent() == nil)
        #expect(try since(end) == .unknown)
        try store.trimHistory(olderThan: test.pass())
        #expect(try test.scalar("SELECT count(*) FROM change") == 0)
    }

    @Test func anEventThatABackupDoesNotHaveIsUnknown() throws {
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let common = try latest()
        test.pass()
        try test.put(.make(.artwork, "b"), run: test.beginRun())
        let lost = try latest()
        try restoreBackup(to: common)
        #expect(try since(lost) == .unknown)
        #expect(try reported(common) == [])
        test.pass()
        try test.put(.make(.artwork, "c"), .make(.artwork, "d"), run: test.beginRun())
        #expect(try since(lost) == .unknown, "another row has this number now")
        #expect(try reported(common) == ["create artwork c", "create artwork d"])
    }

    /// Brings the log into the state of a backup that was made at an event.
    private func restoreBackup(to event: EventID) throws {
        try store.write { db in
            try db.execute(sql: "DELETE FROM change WHERE seq > ?", arguments: [event.seq])
            try db.execute(
                sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = 'change'", arguments: [event.seq])
        }
    }

    @Test func anEventBeforeTrimmedChangesIsExpired() throws {
        let start = try latest()
        var events: [EventID] = []
        for id in ["a", "b", "c", "d"] {
            try test.put(.make(.artwork, id), run: test.beginRun())
            events.append(try latest())
            test.pass()
        }
        try store.trimHistory(olderThan: "2027-01-15T08:00:02.000Z")
        #expect(try since(start) == .expired && since(events[0]) == .expired)
        #expect(
            try reported(events[1]) == ["create artwork c", "create artwork d"],
            "all later changes are in the log"
        )
        #expect(try reported(events[2]) == ["create artwork d"])
        #expect(try since(EventID(log: start.log, seq: 2, stamp: 7)) == .unknown)
        try store.trimHistory(olderThan: test.pass(1_000))
        #expect(try test.scalar("SELECT count(*) FROM change") == 0)
        #expect(try latest() == events[3], "although its row was removed")
        #expect(try reported(events[3]) == [])
        #expect(try since(events[2]) == .expired)
        try test.put(.make(.artwork, "e"), run: test.beginRun())
        #expect(try reported(events[3]) == ["create artwork e"])
        #expect(try since(events[2]) == .expired)
    }

    @Test func changesThatATrimKeepsDoNotMakeEarlierEventsValid() throws {
        let restore = try store.beginRun("restore")
        try test.put(.make(.artwork, "kept"), run: restore)
        let spared = try latest()
        try store.write { try $0.execute(sql: "UPDATE artwork SET kept = 1") }
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let end = try latest(), cut = test.pass()
        try store.trimHistory(olderThan: cut)
        #expect(try test.scalar("SELECT group_concat(seq) FROM change") == "1")
        #expect(try since(spared) == .expired)
        #expect(try reported(end) == [] && latest() == end)
        try store.write { try $0.execute(sql: "UPDATE artwork SET kept = 0") }
        try store.endRun(restore, outcome: "complete", summary: "{}", errors: [])
        try store.trimHistory(olderThan: cut)
        #expect(try test.scalar("SELECT count(*) FROM change") == 0)
        #expect(try latest() == end)
        #expect(try since(spared) == .expired)
        #expect(try reported(end).isEmpty)
    }

    @Test func cursorsAreExpiredIfTheChangeLogWasTrimmedWithoutRecordingIt() throws {
        let start = try latest()
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), run: test.beginRun())
        let end = try latest()
        try store.write { try $0.execute(sql: "DELETE FROM change") }
        #expect(try since(start) == .expired && since(end) == .expired)
        let bare = try latest()
        #expect(bare.seq == 2 && bare.stamp == 0)
        #expect(try reported(bare) == [])
        try test.put(.make(.artwork, "c"), run: test.beginRun())
        #expect(try reported(bare) == ["create artwork c"])
        #expect(try since(end) == .expired && since(start) == .expired)
    }

    @Test func theBeginningOfALogTrimmedByAnEarlierVersionIsExpired() throws {
        let start = try latest()
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        #expect(try reported(start) == ["create artwork a"])
        let now = test.pass()
        try store.write { try CatalogueStore.set(.changeLogStart, to: now, in: $0) }
        #expect(try since(start) == .expired)
    }

    @Test func anEventExpiresByTheAgeOfTheFirstChangeAfterTheEvent() throws {
        let start = try latest()
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let end = try latest(), later = test.pass()
        #expect(try since(start, notBefore: later) == .expired)
        #expect(
            try since(end, notBefore: later) == .window(EventWindow(last: end)), "there are no later changes")
        try test.put(.make(.artwork, "b"), run: test.beginRun())
        #expect(try since(end, notBefore: later) != .expired)
        #expect(try since(end, notBefore: test.pass()) == .expired)
    }

    @Test func onlyServedShowsHaveDates() throws {
        let columns = Kind.show.columns.map { column -> FieldValue in
            switch column.name {
            case "start_at": .text("2027-01-01")
            case "status": .text("running")
            default: .null
            }
        }
        try test.put(
            ObjectRecord(kind: .show, id: "s", values: columns, json: #"{"id":"s"}"#, etag: nil),
            run: test.beginRun())
        let dates = try #require(try store.showDates("s"))
        #expect(dates == ("2027-01-01", nil, "running"))
        #expect(try store.showDates("t") == nil)
        for mark in ["ghost", "kept", "linked"] {
            try store.write { try $0.execute(sql: "UPDATE show SET \(mark) = 1") }
            #expect(try store.showDates("s") == nil)
            try store.write { try $0.execute(sql: "UPDATE show SET \(mark) = 0") }
        }
    }
}
