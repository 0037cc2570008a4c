import Catalogue
import Foundation
import Testing

@testable import MirrorStore

@Suite("Server versions of locally edited albums") struct AlbumArrivalTests {
    let test: TestStore
    let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
        try test.put(
            .make(.artwork, "a"), .make(.artwork, "b"),
            album("Original", etag: "\"1\"", at: "2026-01-01T00:00:00Z"),
            run: run)
    }

    /// The store's clock shows 2027-01-15T08:00:00Z.
    private func album(_ name: String, etag: String?, at time: String?) -> ObjectRecord {
        let values = Kind.album.columns.map { column -> FieldValue in
            switch column.name {
            case "name": .text(name)
            case "updated_at": time.map(FieldValue.text) ?? .null
            default: .null
            }
        }
        let updated = time.map { ",\"updated_at\":\"\($0)\"" } ?? ""
        return ObjectRecord(
            kind: .album, id: "m", values: values, json: "{\"id\":\"m\",\"name\":\"\(name)\"\(updated)}",
            etag: etag)
    }

    private func edit(_ name: String) throws {
        #expect(
            try test.store.editAlbum("m", newKey: { "key" }) { _ in
                album(name, etag: nil, at: "2026-01-01T00:00:00Z")
            })
    }

    private var name: String? {
        get throws { try test.scalar("SELECT name FROM album WHERE id = 'm'") }
    }

    private var conflicts: [AlbumConflict.Outcome] {
        get throws { try test.store.conflicts(ChangeFilter()).map(\.resolution) }
    }

    /// Applies a version twice, and checks that the second time nothing is written or logged.
    private func applyTwice(_ record: ObjectRecord) throws -> WriteEffect {
        let effect = try test.put(record, run: run)[0]
        let generation = try conflicts.count, before = try name
        let again = try test.put(record, run: run)[0]
        #expect(again == .unchanged || again == .ignored)
        #expect(try conflicts.count == generation && name == before)
        return effect
    }

    @Test func aLaterLocalAlbumEditIsKeptAndItsConflictLoggedOnce() throws {
        try edit("Mine")
        let time = test.pass()
        #expect(
            try applyTwice(album("Theirs", etag: "\"2\"", at: "2027-01-15T07:59:00.123456789Z")) == .ignored)
        #expect(try name == "Mine" && conflicts == [.local])
        let conflict = try #require(try test.store.conflicts(ChangeFilter()).first)
        #expect(conflict.local?.contains("Mine") == true && conflict.server?.contains("Theirs") == true)
        #expect(conflict.run == run)
        #expect(
            try test.store.pendingAlbums().first?.baseETag == "\"2\"", "the edit is pushed over that version")
        #expect(try test.store.served(.album, "m")?.body.contains("Theirs") == true)
        let news = try #require(try test.store.changed(.album, since: time))
        #expect(news.map(\.id) == ["m"], "clients get the server's version")
    }

    @Test func aLaterServerVersionReplacesALocalAlbumEdit() throws {
        try edit("Mine")
        #expect(try applyTwice(album("Theirs", etag: "\"2\"", at: "2027-01-15T10:00:06+02:00")) == .updated)
        #expect(try name == "Theirs" && conflicts == [.server])
        #expect(try test.store.pendingAlbums().isEmpty)
        let logged: String? = try test.scalar(
            "SELECT before FROM change WHERE kind = 'album' ORDER BY seq DESC LIMIT 1")
        #expect(logged?.contains("Mine") == true, "the edit is in the log")
        #expect(try test.store.served(.album, "m")?.body.contains("Theirs") == true)
    }

    @Test(arguments: [nil, "now", "yesterday", "2460000.5", ""]) func theServersAlbumWinsIfItsTimeIsInvalid(
        _ time: String?
    ) throws {
        try edit("Mine")
        #expect(try applyTwice(album("Theirs", etag: "\"2\"", at: time)) == .updated)
        #expect(try name == "Theirs")
    }

    @Test func anUnchangedServerVersionKeepsALocalAlbumEditWithoutAConflict() throws {
        try edit("Mine")
        #expect(try applyTwice(album("Original", etag: "\"1\"", at: "2026-01-01T00:00:00Z")) == .ignored)
        #expect(try name == "Mine" && conflicts.isEmpty)
        try edit("Mine again")
        #expect(try test.store.pendingAlbums().first?.baseETag == "\"1\"")
    }

    @Test func equalAlbumEditsOnBothSidesAreNoConflict() throws {
        try edit("Same")
        #expect(try applyTwice(album("Same", etag: "\"2\"", at: "2027-01-15T09:00:00Z")) == .updated)
        #expect(try conflicts.isEmpty && test.store.pendingAlbums().isEmpty)
        #expect(try test.scalar("SELECT etag FROM album WHERE id = 'm'") == "\"2\"")
    }

    @Test func aLocalAlbumDeletionFollowsTheConflictRulesOfEdits() throws {
        #expect(try test.store.deleteAlbum("m"))
        #expect(try applyTwice(album("Theirs", etag: "\"2\"", at: "2027-01-15T07:00:00Z")) == .ignored)
        #expect(try test.store.pendingAlbumDeletions().map(\.baseETag) == ["\"2\""])
        #expect(try applyTwice(album("Later", etag: "\"3\"", at: "2027-01-15T09:00:00Z")) == .updated)
        #expect(try test.store.pendingAlbumDeletions().isEmpty && name == "Later")
        #expect(try conflicts == [.server, .local])
        #expect(try test.store.conflicts(ChangeFilter()).map(\.local) == [nil, nil])
    }

    @Test func aTombstoneDeletesAnEditedAlbumAndLogsTheLostEdit() throws {
        try edit("Mine")
        #expect(try test.store.editAlbum("m", artwork: "b", present: true, newKey: { "key" }))
        let tombstone = Write.tombstone(kind: .album, id: "m", evidence: "since")
        #expect(
            try test.store.apply([tombstone, tombstone], run: run) == [.deletedWithLocalEdit, .unchanged])
        let conflict = try #require(try test.store.conflicts(ChangeFilter()).first)
        #expect(try conflicts == [.deleted])
        #expect(conflict.server == nil)
        #expect(
            conflict.local
                == #"{"id":"m","name":"Mine","updated_at":"2026-01-01T00:00:00Z","artwork_ids":["b"]}"#)
    }

    @Test func anEditedAlbumThatTheListNoLongerNamesIsDeletedAndReported() throws {
        try edit("Mine")
        let next = try test.beginRun()
        try test.list(.album, [], run: next)
        let report = try test.finish(next, kinds: [.album])
        #expect(report.lostEdits == ["m"])
        #expect(try conflicts == [.deleted])
    }

    @Test func anAlbumDeletedOnBothSidesIsNoConflict() throws {
        #expect(try test.store.deleteAlbum("m"))
        #expect(
            try test.store.apply([.tombstone(kind: .album, id: "m", evidence: "since")], run: run) == [
                .deleted
            ])
        #expect(try conflicts.isEmpty)
    }

    @Test func aTombstoneDoesNotDeleteAnUnacknowledgedAlbum() throws {
        try test.store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        let tombstone = Write.tombstone(kind: .album, id: "local", evidence: "since")
        #expect(try test.store.apply([tombstone], run: run) == [.unchanged])
        #expect(try test.ids(.album) == ["local", "m"])
    }

    /// The local clock is a day ahead or behind; the server's clock counts.
    @Test(arguments: [86_400.0, -86_400, 0]) func albumEditsHaveTimestampsInTheServersTime(_ offset: Double)
        throws
    {
        let server = Date(timeIntervalSince1970: 1_800_000_000 + offset)
        try test.store.noteClockOffset(Double(offset))
        for (seconds, isKept) in [(-60.0, true), (4.9, true), (5.0, false), (60, false)] {
            try edit("Mine \(seconds)")
            let time = CatalogueStore.text(of: server.addingTimeInterval(seconds))
            let effect = try applyTwice(album("Theirs \(seconds)", etag: "\"\(seconds)\"", at: time))
            #expect(effect == (isKept ? .ignored : .updated), "\(seconds)")
        }
    }

    @Test func theKnownServerVersionDoesNotOverwriteALocalAlbumEdit() throws {
        let next = try test.beginRun()
        try test.put(album("Second", etag: "\"2\"", at: nil), run: next)
        try edit("Mine")
        #expect(try test.store.effect(of: album("Theirs", etag: "\"3\"", at: nil)) == .updated)
        #expect(try test.store.effect(of: album("Second", etag: "\"2\"", at: nil)) == .ignored)
    }
}
