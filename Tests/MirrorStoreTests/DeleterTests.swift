import Catalogue
import Testing

@testable import MirrorStore

@Suite("Sweeping at the end of a run")
struct DeleterTests {
    let test: TestStore
    let first: Int64

    init() throws {
        test = try TestStore()
        first = try test.beginRun()
        try test.list(.artwork, ["a", "b", "c"], run: first)
        try test.list(.artist, ["x"], run: first)
        try test.put(
            .make(.artist, "x"), .make(.artwork, "a", artists: ["x"]), .make(.artwork, "b"),
            .make(.artwork, "c"),
            run: first)
        _ = try test.finish(first)
    }

    @Test func anObjectThatACompleteListNoLongerContainsIsDeletedWithEvidence() throws {
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b"], run: run)
        let report = try test.finish(run)
        #expect(report.deleted == [.artwork: 1])
        #expect(try test.ids(.artwork) == ["a", "b"])
        #expect(
            try test.scalar("SELECT evidence FROM change WHERE action = 'delete'")
                == "not in /partner/p/artworks?ids=1&size=all")
    }

    /// A served catalogue may be edited during an import. The import's list can contain only albums that existed before.
    @Test func anAlbumCreatedInACatalogueDuringAnImportIsNotDeleted() throws {
        try test.store.setCatalogue(true)
        #expect(try test.store.acceptAlbum(.make(.album, "before")) == "before")
        let run = try test.beginRun()
        try test.list(.album, [], run: run)
        #expect(try test.store.acceptAlbum(.make(.album, "during")) == "during")
        let report = try test.finish(run, limit: .total(1))
        #expect(report.deleted == [.album: 1])
        #expect(try test.ids(.album) == ["during"])
        var found: [StoreDefect] = []
        try test.store.check(.lists) { found.append($0) }
        #expect(found == [])
    }

    /// The killed run's list contains an artwork that it hadn't fetched yet. The server deletes the artwork before the next run,
    /// which requests only changes.
    @Test func checksDoNotTrustTheListOfAKilledRun() throws {
        try test.list(.artwork, ["a", "b", "c", "gone"], run: test.beginRun())
        let next = try test.beginRun()
        try test.store.check(.lists) { Issue.record("\($0)") }
        #expect(
            try test.store.apply([.tombstone(kind: .artwork, id: "gone", evidence: "since")], run: next)
                == [.unchanged])
        try test.store.endRun(next, outcome: "complete", summary: "{}", errors: [])
        try test.store.check(.lists) { Issue.record("\($0)") }
    }

    /// The list was fetched before the artwork was stored, by a run that ended afterwards.
    @Test func checksDoNotTrustAnIncompleteRunsListAfterACompleteRun() throws {
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b"], run: run)
        // While the run continues, or if it was killed, the next sweep removes what its list doesn't contain.
        try test.store.check(.lists) { Issue.record("\($0)") }
        try test.store.endRun(run, outcome: "partial", summary: "{}", errors: [])
        var found: [StoreDefect] = []
        try test.store.check(.lists) { found.append($0) }
        #expect(found == [.unlisted(.artwork, "c")])
        try test.store.endRun(test.beginRun(), outcome: "complete", summary: "{}", errors: [])
        try test.store.check(.lists) { Issue.record("\($0)") }
    }

    /// The album is created locally and pushed, and then deleted on the server, all during one sync.
    @Test func anAlbumPushedDuringARunAndMissingInItsListIsDeleted() throws {
        let run = try test.beginRun()
        #expect(try test.store.acceptAlbum(.make(.album, "pushed")) == "pushed")
        try test.list(.album, [], run: run)
        #expect(try test.finish(run, limit: .total(1)).deleted == [.album: 1])
        #expect(try test.ids(.album) == [])
    }

    @Test func aListThatWasNotAnsweredInARunDeletesNothing() throws {
        let run = try test.beginRun()
        try test.list(.artist, ["x"], run: run)
        #expect(try test.finish(run).deleted.isEmpty)
        #expect(try test.ids(.artwork).count == 3)
    }

    @Test func anInterruptedListDeletesNothing() throws {
        let run = try test.beginRun()
        let draft = try test.store.begin(TestStore.listName(.artwork))
        try test.store.append([(id: "a", etag: nil, lists: nil)], to: draft, at: 0)
        #expect(try test.finish(run).deleted.isEmpty)
        #expect(try test.ids(.artwork).count == 3)
        #expect(try test.scalar("SELECT count(*) FROM list_member WHERE version > 1") == 0)
    }

    @Test func aListedObjectWithoutABodyCausesNoDeletion() throws {
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b", "c", "new"], run: run)
        #expect(try test.finish(run).deleted.isEmpty)
    }

    @Test func anEmptyListStopsTheSweepOfEveryKind() throws {
        let run = try test.beginRun()
        try test.list(.artwork, [], run: run)
        try test.list(.artist, ["y"], run: run)
        try test.put(.make(.artist, "y"), run: run)
        let report = try test.finish(run, limit: .standard)
        #expect(report.objections.map(\.kind) == [.artwork])
        #expect(report.deleted.isEmpty)
        #expect(try test.ids(.artist) == ["x", "y"])
    }

    @Test func aDeletedObjectThatAnotherListContainsBecomesAGhost() throws {
        let run = try test.beginRun()
        try test.put(.make(.show, "s"), run: run)
        _ = try test.members(Owner(.show, "s"), ["a", "b"], run: run)
        try test.list(.show, ["s"], run: run)
        try test.list(.artwork, ["b", "c"], run: run)
        _ = try test.finish(run)
        #expect(try test.ids(.artwork) == ["b", "c"])
        #expect(try test.ids(.artwork, ghosts: true) == ["a"])
        #expect(try test.store.members(of: Owner(.show, "s")) == ["a", "b"])
        let next = try test.beginRun()
        _ = try test.members(Owner(.show, "s"), ["b"], run: next)
        _ = try test.finish(next)
        #expect(try test.ids(.artwork, ghosts: true) == [])
    }

    @Test func membershipsAreJoinedAfterAllKindsWereStored() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "m"), run: run)
        _ = try test.members(Owner(.album, "m"), ["d", "a", "missing"], run: run)
        #expect(try test.ids(.artwork, ghosts: true) == [])
        try test.put(.make(.artwork, "d"), run: run)
        let report = try test.finish(run, kinds: [])
        #expect(try test.store.members(of: Owner(.album, "m")) == ["d", "a", "missing"])
        #expect(try test.ids(.artwork, ghosts: true) == ["missing"])
        #expect(report.updatedByList.isEmpty)
    }

    @Test func aChangedMembershipCountsAsAnUpdateOfItsOwner() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "m"), run: run)
        _ = try test.members(Owner(.album, "m"), ["a"], run: run)
        _ = try test.finish(run, kinds: [])
        let next = try test.beginRun()
        #expect(try test.members(Owner(.album, "m"), ["a"], run: next) == .unchanged)
        #expect(try test.members(Owner(.album, "m"), ["b", "a"], run: next) == .updated)
        #expect(try test.finish(next, kinds: []).updatedByList == [.album: ["m"]])
        #expect(
            try test.scalar("SELECT before FROM change WHERE run = ? AND list = 'artworks'", [next])
                == #"["a"]"#)
    }

    @Test func anOlderMembershipListIsIgnored() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "m"), run: run)
        _ = try test.members(Owner(.album, "m"), ["a", "b"], run: run, date: 1_000)
        _ = try test.finish(run, kinds: [])
        let next = try test.beginRun()
        #expect(try test.members(Owner(.album, "m"), ["a"], run: next, date: 999) == .outdated)
        _ = try test.finish(next, kinds: [])
        #expect(try test.store.members(of: Owner(.album, "m")) == ["a", "b"])
    }

    @Test func anUnacknowledgedAlbumIsNotSwept() throws {
        let run = try test.beginRun()
        try test.store.createAlbum(.make(.album, "local"), key: "k")
        try test.list(.album, [], run: run)
        let report = try test.finish(run, limit: .standard)
        #expect(report.objections.isEmpty)
        #expect(try test.ids(.album) == ["local"])
    }

    @Test func documentsThatTheirListNoLongerContainsAreDeleted() throws {
        let run = try test.beginRun()
        let owner = Owner(.artist, "x")
        func document(_ id: String) -> Write {
            .document(
                DocumentRecord(
                    owner: owner, id: id, values: [.text(id), .null, .null, .null],
                    json: "{\"id\":\"\(id)\"}", etag: nil, served: nil))
        }
        let list = ListName(
            url: "/partner/p/artist/x/documents?ids=1&size=all", owner: owner, name: "documents")
        _ = try test.store.apply(
            [
                document("1"), document("2"),
                .members(list: ListAnswer(list: list, etag: nil, date: nil), ids: ["1", "2"]),
            ],
            run: run)
        #expect(try test.finish(run, kinds: []).deleted.isEmpty)
        let next = try test.beginRun()
        _ = try test.store.apply(
            [.members(list: ListAnswer(list: list, etag: nil, date: nil), ids: ["2"])], run: next)
        #expect(try test.finish(next, kinds: []).deleted == [.document: 1])
        #expect(try test.store.documents(of: owner).map(\.id) == ["2"])
    }

    @Test func `an object that the list of the run contains is not removed as reported`() throws {
        let run = try test.beginRun()
        try test.list(.artwork, ["a"], run: run)
        var request = FinishRequest(run: run)
        request.signalled = [.artwork: [ExactText("a"), ExactText("b")]]
        #expect(try test.store.finish(request).deleted == [.artwork: 1])
        #expect(try test.ids(.artwork) == ["a", "c"])
    }
}
