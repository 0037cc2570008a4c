import Testing

@testable import MirrorStore

@Suite("Albums edited here")
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

    @Test func aNewAlbumTakesTheIdThatTheServerGives() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        #expect(try test.store.editAlbum("local", artwork: "a", present: true))
        let pending = try #require(try test.store.pendingAlbums().first)
        #expect(pending.id == "local" && !pending.acknowledged && pending.idempotencyKey == "key")
        #expect(pending.added == ["a"])
        try test.store.acknowledgeAlbum(
            "local", with: .make(.album, "server", name: "Mine", etag: "\"9\""), edit: pending.edit, run: run)
        try test.store.acknowledgeAlbumArtwork("a", in: "server", present: true)
        #expect(try test.ids(.album) == ["m", "server"])
        #expect(try test.store.members(of: Owner(.album, "server")) == ["a"])
        #expect(try test.store.pendingAlbums().isEmpty)
    }

    @Test func anAnswerIsNotAppliedOverANewerEdit() throws {
        #expect(try test.store.editAlbum(.make(.album, "m", name: "Mine")))
        let pending = try #require(try test.store.pendingAlbums().first)
        #expect(pending.baseETag == "\"1\"")
        #expect(try test.store.editAlbum(.make(.album, "m", name: "Newer")))
        try test.store.acknowledgeAlbum(
            "m", with: .make(.album, "m", name: "Mine", etag: "\"2\""), edit: pending.edit, run: run)
        #expect(try test.scalar("SELECT name FROM album WHERE id = 'm'") == "Newer")
        #expect(try test.store.pendingAlbums().map(\.id) == ["m"])
    }

    @Test func whatTheServerSaysWaitsForALocalEditToBePushed() throws {
        #expect(try test.store.editAlbum(.make(.album, "m", name: "Mine")))
        #expect(try test.put(.make(.album, "m", name: "Theirs", etag: "\"3\""), run: run) == [.ignored])
        #expect(try test.scalar("SELECT name FROM album WHERE id = 'm'") == "Mine")
    }

    @Test func aLocalAdditionOutlivesAnAnswerOfTheServer() throws {
        #expect(try test.store.editAlbum("m", artwork: "b", present: true))
        let next = try test.beginRun()
        _ = try test.members(Owner(.album, "m"), ["a", "c"], run: next)
        _ = try test.finish(next, kinds: [])
        #expect(try test.store.members(of: Owner(.album, "m")) == ["a", "c"])
        #expect(try test.store.pendingAlbums().first?.added == ["b"])
    }

    @Test func aRequestWithTheSameKeyMakesNoSecondAlbum() throws {
        #expect(try test.store.acceptAlbum(.make(.album, "one"), key: "k") == "one")
        #expect(try test.store.acceptAlbum(.make(.album, "two"), key: "k") == "one")
        #expect(try test.ids(.album) == ["m", "one"])
    }

    @Test func anAlbumThatTheServerNeverKnewGoesAtOnce() throws {
        try test.store.createAlbum(.make(.album, "local"), key: "k")
        #expect(try test.store.deleteAlbum("local"))
        #expect(try test.store.deleteAlbum("m"))
        #expect(try test.ids(.album) == ["m"])
        #expect(try test.store.pendingAlbumDeletions() == ["m"])
    }

    @Test func whatTheServerRefusesForGoodIsNotTriedForEver() throws {
        #expect(try test.store.editAlbum(.make(.album, "m", name: "Mine")))
        try test.store.failAlbum("m", reason: "name too long")
        #expect(try test.store.pendingAlbums().isEmpty)
        #expect(try test.scalar("SELECT sync_failure FROM album WHERE id = 'm'") == "name too long")
    }
}
