import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

@Suite("Ghosts and linked objects") struct GhostTests {
    let test: TestStore
    let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
    }

    private func due(
        _ kind: Kind, run: Int64? = nil, limit: Int = 100, asked: [String] = []
    ) throws -> [String] {
        try test.store.ghostsToFetch(
            [kind], run: run ?? self.run, limit: limit, asked: [kind: Set(asked.map(ExactText.init))]
        )[kind, default: []].map(\.id)
    }

    private func tried(_ kind: Kind, _ ids: String...) throws {
        _ = try test.store.apply(ids.map { .tried(kind: kind, id: $0) }, run: run)
    }

    private func show(_ id: String, _ artworks: [String]) throws {
        try test.put(.make(.show, id), run: run)
        _ = try test.members(Owner(.show, id), artworks, run: run)
    }

    /// An artwork that the list of all artworks doesn't contain, and that was fetched because a show refers to it.
    private func linked(_ id: String, etag: String? = nil) -> ObjectRecord {
        var record = ObjectRecord.make(.artwork, id, etag: etag)
        record.isLinked = true
        return record
    }

    // MARK: - Ghosts

    @Test func theOldestGhostsAreDueFirstUpToTheLimit() throws {
        try test.put(
            .make(.artwork, "a", artists: ["z", "m"]), .make(.artwork, "b", artists: ["a"]), run: run)
        #expect(try due(.artist) == ["z", "m", "a"])
        #expect(try due(.artist, limit: 2) == ["z", "m"])
        #expect(try due(.artist, limit: 2, asked: ["z"]) == ["m", "a"])
    }

    @Test func aGhostThatWasRequestedIsDueAgainAfterADay() throws {
        try test.put(.make(.artwork, "a", artists: ["x", "y"]), run: run)
        try tried(.artist, "x")
        #expect(try due(.artist) == ["y"])
        test.pass(86_399)
        #expect(try due(.artist) == ["y"])
        test.pass(1)
        #expect(try due(.artist) == ["x", "y"])
    }

    @Test func aGhostWhoseRequestTimeIsInTheFutureIsDueAtOnce() throws {
        try test.put(.make(.artwork, "a", artists: ["x"]), run: run)
        test.pass(86_400 * 365)
        try tried(.artist, "x")
        test.pass(-86_400 * 365)
        #expect(try due(.artist) == ["x"])
    }

    /// Times in the change log never decrease, but the time of a request is the clock's.
    @Test func aGhostsRequestTimeFollowsTheClockWhenItIsSetBack() throws {
        try test.put(.make(.artwork, "a", artists: ["x"]), run: run)
        test.pass(-86_400)
        try tried(.artist, "x")
        #expect(try due(.artist) == [])
        test.pass(86_401)
        #expect(try due(.artist) == ["x"])
    }

    @Test func aGhostThatAListOfThisRunContainsIsNotDue() throws {
        try test.put(.make(.artwork, "a", artists: ["x", "y"]), run: run)
        try test.list(.artist, ["x"], run: run)
        #expect(try due(.artist) == ["y"])
        #expect(try due(.artist, run: run + 1) == ["x", "y"])
    }

    @Test func deletingAnObjectCreatesNoGhostsOfItsReferences() throws {
        try test.put(.make(.artwork, "w", artists: ["x"]), run: run)
        try show("s", ["missing"])
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artwork, ghosts: true) == ["missing"])
        _ = try test.store.apply(
            [
                .tombstone(kind: .show, id: "s", evidence: "since"),
                .tombstone(kind: .artwork, id: "w", evidence: "since"),
                .tombstone(kind: .artwork, id: "never seen", evidence: "since"),
            ], run: run)
        #expect(try test.ids(.artwork, ghosts: true) == ["missing"], "it existed before")
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artwork, ghosts: true) == [])
        #expect(try test.ids(.artist, ghosts: true) == [])
    }

    @Test func aDeletedArtworkThatAShowStillListsBecomesAGhost() throws {
        try test.put(.make(.artwork, "w", artists: ["x"], images: ["i"]), run: run)
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        let effects = try test.store.apply(
            [.tombstone(kind: .artwork, id: "w", evidence: "since")], run: run)
        #expect(effects == [.deleted])
        #expect(try test.ids(.artwork, ghosts: true) == ["w"])
        #expect(try due(.artwork) == ["w"])
        #expect(try test.store.members(of: Owner(.show, "s")) == ["w"])
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artist, ghosts: true) == [], "only the deleted artwork referred to it")
    }

    @Test func aGhostOfAShowIsRemovedIfNothingRefersToIt() throws {
        try test.store.write { try Ghosts.ensure(.show, "s", in: $0) }
        #expect(try test.ids(.show, ghosts: true) == ["s"])
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.show, ghosts: true) == [])
    }

    @Test func unreferencedGhostsAreRemovedEvenIfTheDeleteGuardStopsDeletions() throws {
        try test.put(.make(.artwork, "a", artists: ["x"]), run: run)
        try tried(.artist, "x")
        try test.put(.make(.artwork, "a", name: "Another"), run: run)
        try test.list(.artwork, [], run: run)
        #expect(try test.finish(run, limit: .standard).objections.count == 1)
        #expect(try test.ids(.artist, ghosts: true) == [])
        #expect(try test.scalar("SELECT count(*) FROM ghost_try") == 0)
    }

    // MARK: - Absent objects

    private func absent(_ ids: String...) throws {
        _ = try test.store.apply(
            ids.map { .tried(kind: .artwork, id: $0, isAbsent: true) }, run: run)
    }

    @Test func `only objects that the server did not have are recently absent, for a day`() throws {
        try tried(.artwork, "requested")
        try absent("absent", "stored")
        try test.put(.make(.artwork, "stored"), run: run)
        #expect(try test.store.recentlyAbsent(.artwork) == [ExactText("absent")])
        try tried(.artwork, "absent")
        #expect(try test.store.recentlyAbsent(.artwork) == [], "the last answer counts")
        try absent("absent")
        test.pass(86_400)
        #expect(try test.store.recentlyAbsent(.artwork) == [])
    }

    @Test func `an object that was stored and removed is not absent any more`() throws {
        try absent("w")
        try test.put(.make(.artwork, "w"), run: run)
        _ = try test.store.apply([.tombstone(kind: .artwork, id: "w", evidence: "list")], run: run)
        #expect(try test.store.recentlyAbsent(.artwork) == [])
    }

    @Test func `another server may have what the former one did not have`() throws {
        try absent("w")
        try test.store.forgetValidators()
        #expect(try test.store.recentlyAbsent(.artwork) == [])
    }

    @Test func `a mirror of a described source keeps the times of stored and of absent objects`() throws {
        try test.store.setSource(RememberedSource(name: "met", base: "https://h.test", descriptionHash: ""))
        try test.put(.make(.artwork, "stored"), run: run)
        try tried(.artwork, "stored", "removed")
        try absent("absent")
        _ = try test.finish(run, kinds: [])
        #expect(
            Set(try test.store.triedTimes(.artwork).keys) == [ExactText("absent"), ExactText("stored")])
    }

    // MARK: - Linked objects

    @Test func aLinkedObjectReplacesItsGhostAndLogsItsEvidence() throws {
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        #expect(try test.put(linked("w"), run: run) == [.created])
        #expect(try test.ids(.artwork) == ["w"])
        #expect(try test.scalar("SELECT refetch FROM artwork") == 0)
        #expect(
            try test.scalar("SELECT evidence FROM change WHERE kind = 'artwork'") == Evidence.referredTo.text)
    }

    @Test func aLinkedObjectIsServedButNotListed() throws {
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        try test.put(linked("w"), run: run)
        var listed: [String] = []
        try test.store.served { try $0.eachListed(.artwork) { id, _ in listed.append(id) } }
        #expect(listed == [])
        #expect(try test.store.served(.artwork, "w") != nil)
        #expect(try test.store.counts()[.artwork] == 0)
        #expect(try test.store.acknowledgedIDs(.artwork, after: "", limit: 9) == [])
        #expect(try test.store.storedETags(.artwork, ids: ["w"]) == [:])
        #expect(try test.store.snapshot { try $0.ids(.artwork, withLinked: false) } == [])
        #expect(try test.store.snapshot { try $0.ids(.artwork) } == ["w"])
    }

    @Test func linkedObjectsAreNeitherSweptNorCountedByTheDeleteGuard() throws {
        for number in 0..<20 { try test.put(.make(.artwork, "o\(number)"), run: run) }
        try show("s", (0..<80).map { "l\($0)" })
        _ = try test.finish(run, kinds: [])
        for number in 0..<80 { try test.put(linked("l\(number)"), run: run) }
        try test.list(.artwork, (0..<9).map { "o\($0)" }, run: run)
        let report = try test.finish(run, kinds: [.artwork], limit: .standard)
        #expect(report.objections.map(\.stored) == [20])
        #expect(report.objections.map(\.deletions) == [11])
        #expect(try test.finish(run, kinds: [.artwork], limit: .total(11)).deleted == [.artwork: 11])
        #expect(try test.ids(.artwork).count == 89)
    }

    @Test func aLinkedObjectIsRequestedAgainWhenAListContainsIt() throws {
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        try test.put(linked("w", etag: "e"), run: run)
        try test.list(.artwork, ["w"], run: run, etag: "l")
        let members =
            try test.store.members(of: 1, version: 1, kind: .artwork, after: -1, limit: 9)
            + test.store.members(of: 2, version: 1, kind: .artwork, after: -1, limit: 9)
        #expect(members.map(\.stored) == [.row(etag: "e", refetch: true)])

        var request = FinishRequest(run: run)
        request.kinds = [.artwork]
        request.clean = [TestStore.listName(.artwork).url]
        _ = try test.store.finish(request)
        #expect(try test.scalar("SELECT count(*) FROM list WHERE clean_etag IS NOT NULL") == 0)

        #expect(try test.put(.make(.artwork, "w", etag: "e"), run: run) == [.updated])
        #expect(try test.scalar("SELECT linked FROM artwork") == 0)
        #expect(
            try test.scalar("SELECT evidence FROM change ORDER BY seq DESC LIMIT 1")
                == Evidence.listedNow.text
        )
        #expect(try test.put(.make(.artwork, "w", etag: "e"), run: run) == [.unchanged])
    }

    @Test func aLinkedObjectIsRemovedWithItsLastReferenceAndLogged() throws {
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        var work = ObjectRecord.make(.artwork, "w", artists: ["x"])
        work.isLinked = true
        var artist = ObjectRecord.make(.artist, "x")
        artist.isLinked = true
        try test.put(work, artist, run: run)
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artwork) == ["w"])
        _ = try test.store.apply([.tombstone(kind: .show, id: "s", evidence: "since")], run: run)
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artwork) == [])
        #expect(try test.ids(.artist) == [])
        let gone: [String] = try test.store.read {
            try String.fetchAll(
                $0, sql: "SELECT kind FROM change WHERE action = 'delete' AND evidence = ? ORDER BY seq",
                arguments: [Evidence.unreferenced.text])
        }
        #expect(gone == ["artwork", "artist"])
    }

    @Test(arguments: [
        "INSERT INTO note (kind, id, text, made_at) VALUES ('artwork', 'w', 'mine', '2026')",
        "UPDATE artwork SET kept = 1",
    ]) func aLinkedObjectThatHasNotesOrIsKeptStays(_ sql: String) throws {
        try test.put(linked("w"), run: run)
        try test.store.write { try $0.execute(sql: sql) }
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artwork) == ["w"])
    }

    @Test func aLinkedObjectThatAListContainsStaysUntilItIsFetched() throws {
        try test.put(linked("w"), run: run)
        try test.list(.artwork, ["w"], run: run)
        _ = try test.finish(run)
        #expect(try test.ids(.artwork) == ["w"])
    }

    @Test func linkedObjectsStayIfTheRunMayNotDelete() throws {
        try test.put(linked("w"), run: run)
        var request = FinishRequest(run: run)
        request.mayDelete = false
        _ = try test.store.finish(request)
        #expect(try test.ids(.artwork) == ["w"])
    }

    @Test func aLinkedObjectIsRequestedAgainDailyWithItsETag() throws {
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        try test.put(linked("w", etag: "e"), run: run)
        try tried(.artwork, "w")
        #expect(try due(.artwork) == [])
        test.pass(86_400)
        #expect(
            try test.store.ghostsToFetch([.artwork], run: run, limit: 9)[.artwork]
                == [Unlisted(id: "w", state: .linked, known: "e")])
    }

    @Test func rowsMarkedForRefetchAreDueWithoutTheirETag() throws {
        try test.put(.make(.artwork, "w", etag: "e"), .make(.artwork, "other"), run: run)
        try test.store.write { try $0.execute(sql: "UPDATE artwork SET refetch = 1 WHERE id = 'w'") }
        #expect(
            try test.store.ghostsToFetch([.artwork], run: run, limit: 9)[.artwork]
                == [Unlisted(id: "w", state: .marked, known: nil)])
    }

    @Test func aLinkedObjectThatIsDeletedBecomesAGhostThatIsNotLinked() throws {
        try show("s", ["w"])
        _ = try test.finish(run, kinds: [])
        try test.put(linked("w"), run: run)
        #expect(try StoredRowProbe.linked(test, .artwork, "w"))
        _ = try test.store.apply([.tombstone(kind: .artwork, id: "w", evidence: "404")], run: run)
        #expect(try !StoredRowProbe.linked(test, .artwork, "w"), "a ghost is not linked")
    }

    // MARK: - Reports for people

    @Test func ghostsAreReportedWithTheirReferrersAndLastRequest() throws {
        try test.put(
            .make(.artwork, "a", artists: ["x"]), .make(.artwork, "b", artists: ["x", "y"]),
            .make(.show, "s", artists: ["x"], location: "l"), run: run)
        try tried(.artist, "x")
        var found: [GhostSummary] = []
        try test.store.ghosts(.artist) { found.append($0) }
        #expect(found.map(\.id) == ["x", "y"])
        #expect(found.map(\.references) == [3, 1])
        #expect(found[0].referrers.map { "\($0.kind) \($0.id)" } == ["artwork a", "artwork b", "show s"])
        #expect(found.map { $0.triedAt != nil } == [true, false])
        found = []
        try test.store.ghosts(.location) { found.append($0) }
        #expect(found.flatMap(\.referrers).map(\.id) == ["s"])
        try test.store.ghosts(.album) { _ in Issue.record("Albums have no ghosts.") }
    }
}

/// Reads whether a row is linked.
private enum StoredRowProbe {
    static func linked(_ test: TestStore, _ kind: Kind, _ id: String) throws -> Bool {
        try test.store.read { try StoredRow.find(kind, id, in: $0)?.linked ?? false }
    }
}
