import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Changes since a time")
struct ChangedSinceTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private func changed(_ kind: Kind, since time: String) throws -> [String]? {
        try test.store.changed(kind, since: time)?.map(\.id)
    }

    private func remove(_ kind: Kind, _ id: String) throws {
        _ = try test.store.apply([.tombstone(kind: kind, id: id, evidence: "said so")], run: nil)
    }

    @Test func changesSinceATimeNameEachObjectOnceInTheOrderOfItsLastChange() throws {
        let start = test.store.timestamp()
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), .make(.artwork, "c"), run: run)
        test.pass()
        try test.put(.make(.artwork, "a", name: "Other"), .make(.artist, "x"), run: run)
        let last = test.pass()
        try remove(.artwork, "b")
        #expect(try changed(.artwork, since: start) == ["c", "a", "b"])
        #expect(try changed(.artist, since: start) == ["x"])
        #expect(try changed(.show, since: start) == [])
        #expect(try test.store.changed(.artwork, since: last) == [ChangedSince(id: "b", at: last)])
        #expect(try changed(.artwork, since: test.pass(0.001)) == [])
    }

    @Test func anUnchangedObjectIsNotAmongTheChangesSinceATime() throws {
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        let later = test.pass()
        try test.put(.make(.artwork, "a", etag: "\"new\""), run: test.beginRun())
        #expect(try changed(.artwork, since: later) == [])
    }

    @Test func aChangedListOrDocumentCountsAsAChangeOfItsOwner() throws {
        let run = try test.beginRun()
        try test.put(
            .make(.show, "s"), .make(.album, "m"), .make(.location, "l"), .make(.artist, "x"),
            .make(.artist, "\u{301}/y"), run: run)
        _ = try test.finish(run, kinds: [])
        func document(_ owner: Owner, _ title: String) -> Write {
            .document(
                DocumentRecord(
                    owner: owner, id: "d", values: [.null, .null, .null, .null],
                    json: #"{"id":"d","title":"\#(title)"}"#, etag: nil, served: nil))
        }
        let images = ListName(url: "/images", owner: Owner(.show, "s"), name: "images?default=0")
        let changes: [(Kind, String, (Int64) throws -> Void)] = [
            (.show, "s", { _ = try test.members(Owner(.show, "s"), ["a"], run: $0) }),
            (.album, "m", { _ = try test.members(Owner(.album, "m"), ["a"], run: $0) }),
            (.location, "l", { _ = try test.members(Owner(.location, "l"), ["a"], run: $0) }),
            (.show, "s", { _ = try test.store.apply([document(Owner(.show, "s"), "D")], run: $0) }),
            (.artist, "x", { _ = try test.store.apply([document(Owner(.artist, "x"), "D")], run: $0) }),
            (.artist, "x", { _ = try test.store.apply([document(Owner(.artist, "x"), "E")], run: $0) }),
            (
                .artist, "\u{301}/y",
                { _ = try test.store.apply([document(Owner(.artist, "\u{301}/y"), "D")], run: $0) }
            ),
            (
                .show, "s",
                {
                    _ = try test.store.apply(
                        [
                            .showImages(
                                show: "s", role: .installation, images: [.make("i")],
                                list: ListAnswer(list: images, etag: nil, date: nil))
                        ], run: $0)
                }
            ),
        ]
        for (kind, id, change) in changes {
            let time = test.pass(), run = try test.beginRun()
            try change(run)
            _ = try test.finish(run, kinds: [])
            for other in Kinds.standard.listed {
                #expect(try changed(other, since: time) == (other == kind ? [id] : []), "\(kind) \(id)")
            }
        }
    }

    @Test func membersAddedToANewObjectAreServedAsAChangeButNotShownInTheLog() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "m"), run: run)
        _ = try test.members(Owner(.album, "m"), ["a"], run: run)
        let read = test.pass()
        #expect(try changed(.album, since: read) == [])
        let report = try test.finish(run, kinds: [])
        #expect(report.updatedByList.isEmpty)
        #expect(try changed(.album, since: read) == ["m"], "a client that read it before has no members")
        var logged: [LoggedChange.Action] = []
        try test.store.history(ChangeFilter(kind: .album)) { logged.append($0.action) }
        #expect(logged == [.create])
        let counts = try #require(try test.store.changeCounts(run: run)[.album])
        #expect(counts.created == 1 && counts.updated == 0)
        var updated: [String] = []
        try test.store.changes(run: run, action: "update") { updated.append($1) }
        #expect(updated.isEmpty)
    }

    @Test func timesInTheChangeLogNeverDecrease() throws {
        let early = test.store.timestamp()
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        test.pass(-3_600)
        try test.put(.make(.artwork, "b"), run: test.beginRun())
        try remove(.artwork, "a")
        #expect(try changed(.artwork, since: early) == ["b", "a"])
        #expect(
            try test.scalar("SELECT group_concat(at > '\(early)') FROM change") == "0,1,1",
            "each time is later than the one before")
        let late = test.pass(3_601)
        try test.put(.make(.artwork, "c"), run: test.beginRun())
        #expect(try changed(.artwork, since: late) == ["c"])
    }

    @Test func requestingChangesFromTheirEndMissesNoLaterChange() throws {
        #expect(try test.store.changesEnd() == nil)
        let first = test.store.timestamp()
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        #expect(try test.store.changesEnd() == first, "another change may follow at the same time")
        test.pass(0.5)
        let end = try #require(try test.store.changesEnd())
        #expect(end > first)
        #expect(try changed(.artwork, since: end) == [])
        test.pass(-3_600)
        try test.put(.make(.artwork, "b"), run: test.beginRun())
        #expect(try changed(.artwork, since: end) == ["b"], "although the clock was set back")
    }

    @Test(arguments: [
        ("2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.001Z"),
        ("2026-01-31T12:00:00.998Z", "2026-01-31T12:00:00.999Z"),
        ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"),
    ])
    func theNextTimeInTheLogIsOneMillisecondLater(time: String, later: String) {
        #expect(ChangeLog.moment(after: time) == later)
    }

    @Test func changesBeforeTheFirstLoggedOneAreUnknown() throws {
        #expect(try changed(.artwork, since: test.store.timestamp()) == nil, "nothing was ever logged")
        let before = test.store.timestamp(), first = test.pass()
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        #expect(try changed(.artwork, since: before) == nil)
        #expect(try changed(.artwork, since: first) == ["a"])
    }

    @Test func aTrimmedChangeLogReachesBackToTheTrim() throws {
        let first = test.store.timestamp()
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        try test.store.trimHistory(olderThan: first)
        #expect(try test.store.fact(.changeLogStart) == nil, "nothing was removed")
        #expect(try changed(.artwork, since: first) == ["a"])
        let cut = test.pass()
        try test.store.trimHistory(olderThan: cut)
        #expect(try changed(.artwork, since: first) == nil)
        #expect(try changed(.artwork, since: cut) == [], "also with an empty log")
        try test.store.trimHistory(olderThan: first)
        #expect(try test.store.fact(.changeLogStart) == cut, "a later trim doesn't move the start back")
        test.pass()
        try test.put(.make(.artwork, "b"), run: test.beginRun())
        #expect(try changed(.artwork, since: cut) == ["b"])
    }

    @Test func aChangeLogEmptiedByAnEarlierVersionBeginsAtTheNextTrim() throws {
        try test.put(.make(.artwork, "a"), run: test.beginRun())
        try test.store.write { try $0.execute(sql: "DELETE FROM change") }
        let cut = test.pass()
        #expect(try changed(.artwork, since: cut) == nil)
        try test.store.trimHistory(olderThan: cut)
        #expect(try changed(.artwork, since: cut) == [])
    }

    @Test func aLinkedObjectIsNotAMemberOfTheServedList() throws {
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), run: test.beginRun())
        try test.store.write { try $0.execute(sql: "UPDATE artwork SET linked = 1 WHERE id = 'a'") }
        var listed: [String] = []
        try test.store.served { try $0.eachListed(.artwork) { id, _ in listed.append(id) } }
        #expect(listed == ["b"])
        #expect(try test.store.served(.artwork, "a") != nil)
        try test.store.served { (reader: ServedReader) throws -> Void in
            #expect(try reader.listed(.artwork, "a") == nil)
            #expect(try reader.listed(.artwork, "b") != nil)
        }
    }
}
