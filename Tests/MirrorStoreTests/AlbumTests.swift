import Catalogue
import Testing

@testable import MirrorStore

@Suite("Local edits of albums")
struct AlbumTests {
    let test: TestStore
    let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), .make(.album, "m", etag: "\"1\""), run: run)
        _ = try test.members(Owner(.album, "m"), ["a"], run: run)
        _ = try test.finish(run, kinds: [])
    }

    @Test func aNewAlbumGetsItsIDFromTheServer() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        #expect(try test.store.editAlbum("local", artwork: "a", present: true, newKey: { "key" }))
        let pending = try #require(try test.store.pendingAlbums().first)
        #expect(pending.id == "local" && !pending.acknowledged && pending.idempotencyKey == "key")
        #expect(pending.added == ["a"])
        try test.store.acknowledgeAlbum(
            "local", with: .make(.album, "server", name: "Mine", etag: "\"9\""), edit: pending.editNumber,
            run: run)
        try test.store.acknowledgeAlbumArtwork("a", in: "server", present: true)
        #expect(try test.ids(.album) == ["m", "server"])
        #expect(try test.store.members(of: Owner(.album, "server")) == ["a"])
        #expect(try test.store.pendingAlbums().isEmpty)
    }

    @Test func anAcknowledgementDoesNotOverwriteANewerAlbumEdit() throws {
        #expect(try test.store.editAlbum("m", newKey: { "key" }) { _ in .make(.album, "m", name: "Mine") })
        let pending = try #require(try test.store.pendingAlbums().first)
        #expect(pending.baseETag == "\"1\"")
        #expect(try test.store.editAlbum("m", newKey: { "key" }) { _ in .make(.album, "m", name: "Newer") })
        try test.store.acknowledgeAlbum(
            "m", with: .make(.album, "m", name: "Mine", etag: "\"2\""), edit: pending.editNumber, run: run)
        #expect(try test.scalar("SELECT name FROM album WHERE id = 'm'") == "Newer")
        #expect(try test.store.pendingAlbums().map(\.id) == ["m"])
    }

    @Test func anEditedAlbumIsServedInTheServersVersionUntilItIsPushed() throws {
        let before = try #require(try test.store.served(.album, "m"))
        #expect(try test.store.editAlbum("m", newKey: { "key" }) { _ in .make(.album, "m", name: "Mine") })
        #expect(try test.scalar("SELECT name FROM album WHERE id = 'm'") == "Mine")
        let after = try #require(try test.store.served(.album, "m"))
        #expect(after.body == before.body && after.etag == before.etag)
        try test.store.acknowledgeAlbum(
            "m", with: .make(.album, "m", name: "Mine", etag: "\"2\""), edit: 1, run: run)
        let pushed = try #require(try test.store.served(.album, "m"))
        #expect(pushed.body.contains("Mine") && pushed.etag != before.etag)
    }

    @Test func clientsAreInformedOfEveryServedVersionOfAnAlbum() throws {
        func isReported(_ id: String, _ change: () throws -> Void) throws -> Bool {
            let time = test.pass()
            try change()
            return try #require(try test.store.changed(.album, since: time)).map(\.id) == [id]
        }
        func edit(_ id: String) throws -> Int {
            try #require(try test.store.pendingAlbums().first { $0.id == id }).editNumber
        }
        #expect(try test.store.editAlbum("m", newKey: { "key" }) { _ in .make(.album, "m", name: "Mine") })
        #expect(
            try isReported("m") {
                try test.store.acknowledgeAlbum(
                    "m", with: .make(.album, "m", name: "Mine", etag: "\"3\""), edit: edit("m"), run: run)
            }, "the local album stays the same")
        #expect(try test.store.editAlbum("m", artwork: "b", present: true, newKey: { "key" }))
        #expect(try isReported("m") { try test.store.acknowledgeAlbumArtwork("b", in: "m", present: true) })
        #expect(try test.store.editAlbum("m", artwork: "a", present: false, newKey: { "key" }))
        #expect(try isReported("m") { try test.store.acknowledgeAlbumArtwork("a", in: "m", present: false) })
        try test.store.createAlbum(.make(.album, "local", name: "New"), key: "key")
        let first = try edit("local")
        #expect(
            try test.store.editAlbum("local", newKey: { "key" }) { _ in .make(.album, "local", name: "Newer")
            })
        #expect(
            try isReported("server") {
                try test.store.acknowledgeAlbum(
                    "local", with: .make(.album, "server", name: "New"), edit: first, run: run)
            }, "the album exists on the server from now on")
        var logged: [LoggedChange] = []
        try test.store.history(ChangeFilter(kind: .album, id: "m")) { logged.append($0) }
        #expect(logged.filter { $0.list != nil }.isEmpty, "the log shows none of these changes")
    }

    @Test func anAlbumArtworkToggledDuringItsPushIsPushedAgain() throws {
        #expect(try test.store.editAlbum("m", artwork: "b", present: true, newKey: { "key" }))
        #expect(try test.store.editAlbum("m", artwork: "b", present: false, newKey: { "key" }))
        try test.store.acknowledgeAlbumArtwork("b", in: "m", present: true)
        #expect(try test.store.pendingAlbums().first?.removed == ["b"])
        #expect(try test.store.editAlbum("m", artwork: "a", present: false, newKey: { "key" }))
        #expect(try test.store.editAlbum("m", artwork: "a", present: true, newKey: { "key" }))
        try test.store.acknowledgeAlbumArtwork("a", in: "m", present: false)
        #expect(try test.store.pendingAlbums().first?.added == ["a"])
    }

    @Test func aRefusedAlbumEditIsPushedAgainOnlyWhenItIsRepeated() throws {
        #expect(try test.store.editAlbum("m", artwork: "b", present: true, newKey: { "key" }))
        try test.store.failAlbumArtwork("b", in: "m", present: true, reason: "no")
        #expect(try test.store.pendingAlbums().isEmpty)
        #expect(try test.store.pendingEdits() == (0, 1))
        #expect(try test.store.refusedEdits().map(\.artwork) == ["b"])
        let next = try test.beginRun()
        _ = try test.members(Owner(.album, "m"), ["a", "c"], run: next)
        _ = try test.finish(next, kinds: [])
        #expect(
            try test.store.refusedEdits().map(\.reason) == ["no"],
            "a new list doesn't change the refused edit")
        #expect(try test.store.editAlbum("m", artwork: "b", present: true, newKey: { "key" }))
        #expect(try test.store.pendingAlbums().first?.added == ["b"])
    }

    @Test func aLocallyDeletedAlbumIsHiddenButStillServed() throws {
        #expect(try test.store.deleteAlbum("m"))
        #expect(try test.store.find(.album, "m") == nil)
        #expect(try test.store.counts()[.album] == 0)
        #expect(try test.store.albums().isEmpty)
        #expect(
            try test.store.served(.album, "m") != nil, "it is served until the server has deleted it"
        )
    }

    /// The answer to the album's creation was lost, and a pull stored the new album under its server id.
    @Test func aLocalAlbumMergedWithItsPulledCopyKeepsTheServersArtworks() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        #expect(try test.store.editAlbum("local", artwork: "b", present: true, newKey: { "key" }))
        #expect(try test.store.editAlbum("m", artwork: "a", present: false, newKey: { "key" }))
        #expect(try test.store.editAlbum("m", artwork: "c", present: true, newKey: { "key" }) == false)
        let next = try test.beginRun()
        try test.put(.make(.artwork, "c"), run: next)
        #expect(try test.store.editAlbum("m", artwork: "c", present: true, newKey: { "key" }))
        try test.store.acknowledgeAlbumArtwork("c", in: "m", present: true)
        try test.store.acknowledgeAlbum("local", with: .make(.album, "m", name: "Mine"), edit: 1, run: next)
        #expect(try test.store.members(of: Owner(.album, "m")) == ["a", "c"])
        let pending = try #require(try test.store.pendingAlbums().first)
        #expect(pending.id == "m" && pending.added == ["b"] && pending.removed == ["a"])
        #expect(try test.ids(.album) == ["m"])
    }

    /// The pulled row is deleted locally after the creation was sent, so the deletion is later, even if the clock disagrees.
    @Test(arguments: [false, true]) func aDeletionOfThePulledCopyAppliesUnlessTheLocalAlbumWasEditedLater(
        hasArtworks: Bool
    )
        throws
    {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        let sent = try #require(try test.store.recordAlbumCreation("local"))
        try test.store.write { db in
            try db.execute(sql: "UPDATE album SET edited_at = '2999-01-01T00:00:00.000Z' WHERE id = 'local'")
        }
        #expect(try test.store.deleteAlbum("m"))
        if hasArtworks {
            #expect(try test.store.editAlbum("local", artwork: "b", present: true, newKey: { "key" }))
        }
        try test.store.acknowledgeAlbum(
            "local", with: .make(.album, "m", name: "Mine"), edit: sent.editNumber, run: run)
        #expect(try test.ids(.album) == ["m"])
        #expect(try test.store.pendingAlbumDeletions().map(\.id) == (hasArtworks ? [] : ["m"]))
        #expect(try test.store.pendingAlbums().map(\.added) == (hasArtworks ? [["b"]] : []))
        let conflicts = try test.store.conflicts(ChangeFilter())
        #expect(conflicts.map(\.resolution) == (hasArtworks ? [.server] : []))
        #expect(conflicts.allSatisfy { $0.local == nil && $0.server != nil })
    }

    /// The pulled row and the local row are both edited; the clock is set back between the edits.
    @Test(arguments: [false, true]) func theLaterEditWinsWhenALocalAlbumIsMergedWithItsPulledCopy(
        isLocalEditLater: Bool
    )
        throws
    {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        let sent = try #require(try test.store.recordAlbumCreation("local"))
        for id in isLocalEditLater ? ["m", "local"] : ["local", "m"] {
            #expect(
                try test.store.editAlbum(id, newKey: { "key" }) { _ in .make(.album, id, name: "Of \(id)") })
            test.pass(-86_400)
        }
        try test.store.acknowledgeAlbum(
            "local", with: .make(.album, "m", name: "Mine"), edit: sent.editNumber, run: run)
        let name = isLocalEditLater ? "Of local" : "Of m"
        #expect(try test.store.find(.album, "m")?.json == #"{"id":"m","name":"\#(name)"}"#)
        #expect(try test.store.pendingAlbums().map(\.id) == ["m"])
        #expect(try test.ids(.album) == ["m"])
    }

    @Test func anAlbumEditedDuringItsCreationHasTheServersIDInItsJSON() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        let sent = try #require(try test.store.recordAlbumCreation("local"))
        #expect(
            try test.store.editAlbum("local", newKey: { "key" }) { _ in .make(.album, "local", name: "Newer")
            })
        try test.store.acknowledgeAlbum(
            "local", with: .make(.album, "server", name: "Mine"), edit: sent.editNumber, run: run)
        #expect(try test.store.find(.album, "server")?.json == #"{"id":"server","name":"Newer"}"#)
    }

    @Test func aPendingArtworkListIsJoinedAfterItsAlbumWasMergedWithALocalOne() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        let next = try test.beginRun()
        _ = try test.members(Owner(.album, "m"), ["b", "a"], run: next)
        try test.store.acknowledgeAlbum("local", with: .make(.album, "m", name: "Mine"), edit: 1, run: next)
        _ = try test.finish(next, kinds: [])
        #expect(try test.store.members(of: Owner(.album, "m")) == ["b", "a"])
    }

    @Test func anAlbumIsFoundByItsIDItsEarlierIDOrItsName() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        try test.store.createAlbum(.make(.album, "other", name: "Mine"), key: "key2")
        #expect(try test.store.albums(called: "Mine").map(\.id) == ["local", "other"])
        try test.store.acknowledgeAlbum(
            "local", with: .make(.album, "server", name: "Mine"), edit: 1, run: run)
        #expect(try test.store.albums(called: "local").map(\.id) == ["server"])
        #expect(try test.store.albums(called: "m").map(\.id) == ["m"])
        #expect(try test.store.albums(called: "none").isEmpty)
    }

    @Test func aLocalAdditionToAnAlbumSurvivesTheServersList() throws {
        #expect(try test.store.editAlbum("m", artwork: "b", present: true, newKey: { "key" }))
        let next = try test.beginRun()
        _ = try test.members(Owner(.album, "m"), ["a", "c"], run: next)
        _ = try test.finish(next, kinds: [])
        #expect(try test.store.members(of: Owner(.album, "m")) == ["a", "c"])
        #expect(try test.store.pendingAlbums().first?.added == ["b"])
    }

    @Test func aRepeatedIdempotencyKeyCreatesNoSecondAlbum() throws {
        #expect(try test.store.acceptAlbum(.make(.album, "one"), key: "k") == "one")
        #expect(try test.store.acceptAlbum(.make(.album, "two"), key: "k") == "one")
        #expect(try test.ids(.album) == ["m", "one"])
    }

    /// Two stores repeatedly add a letter to an album's name.
    @Test(arguments: [false, true]) func concurrentAlbumEditsByTwoStoresAreNotLost(isCatalogue: Bool)
        async throws
    {
        try test.put(.make(.album, "n", name: "x", etag: "\"1\""), run: run)
        let other = try CatalogueStore.open(at: test.folder.database)
        defer { try? other.close() }
        @Sendable func longer(_ json: String) -> ObjectRecord {
            .make(.album, "n", name: String(repeating: "x", count: json.count { $0 == "x" } + 1))
        }
        try await withThrowingTaskGroup { group in
            for store in [test.store, other] {
                group.addTask {
                    for _ in 0..<20 {
                        let exists =
                            isCatalogue
                            ? try store.changeAlbum("n") { longer($0.json) }
                            : try store.editAlbum("n", newKey: { "key" }, longer)
                        #expect(exists)
                    }
                }
            }
            try await group.waitForAll()
        }
        let name = try test.scalar("SELECT name FROM album WHERE id = 'n'") as String?
        #expect(name == String(repeating: "x", count: 41))
    }

    @Test func anErrorInAnAlbumChangeLeavesTheAlbumUnchanged() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { _ = try test.store.changeAlbum("m") { _ in throw Refusal() } }
        #expect(throws: Refusal.self) {
            _ = try test.store.removeAlbum("m") { album in
                #expect(try album.etag == test.store.served(.album, "m")?.etag)
                throw Refusal()
            }
        }
        #expect(try test.ids(.album) == ["m"])
        #expect(try !test.store.changeAlbum("none") { _ in throw Refusal() })
        #expect(try test.store.removeAlbum("m"))
        #expect(try !test.store.removeAlbum("m"))
    }

    @Test func deletingAnUnacknowledgedAlbumRemovesItAtOnce() throws {
        try test.store.createAlbum(.make(.album, "local"), key: "k")
        #expect(try test.store.deleteAlbum("local"))
        #expect(try test.store.deleteAlbum("m"))
        #expect(try test.ids(.album) == ["m"])
        #expect(try test.store.pendingAlbumDeletions().map(\.id) == ["m"])
    }

    /// If they counted, a watch would start syncs repeatedly.
    @Test func additionsToARefusedNewAlbumDoNotCountAsPending() throws {
        try test.store.createAlbum(.make(.album, "local"), key: "k")
        #expect(try test.store.editAlbum("local", artwork: "b", present: true, newKey: { "key" }))
        #expect(try test.store.pendingEdits() == (1, 0))
        try test.store.failAlbum("local", reason: "no")
        #expect(try test.store.pendingEdits() == (0, 1))
        #expect(
            try test.store.editAlbum("local", newKey: { "key" }) { _ in .make(.album, "local", name: "Other")
            })
        #expect(try test.store.pendingEdits() == (1, 0))
    }

    @Test func aRefusedAlbumEditIsNotPushedAgainUntilItChanges() throws {
        #expect(try test.store.editAlbum("m", newKey: { "key" }) { _ in .make(.album, "m", name: "Mine") })
        try test.store.failAlbum("m", reason: "name too long")
        #expect(try test.store.pendingAlbums().isEmpty)
        #expect(try test.scalar("SELECT sync_failure FROM album WHERE id = 'm'") == "name too long")
        #expect(try test.store.pendingEdits() == (0, 1))
        #expect(try test.store.editAlbum("m", newKey: { "key" }) { _ in .make(.album, "m", name: "Shorter") })
        #expect(try test.store.pendingAlbums().map(\.id) == ["m"])
    }
}
