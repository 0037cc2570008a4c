import Catalogue
import GRDB
import MirrorStore
import MirrorSync
import Synchronization

/// Simulates people who edit albums and write notes in a mirror, at any time, even during a sync.
final class SimulatedEditors: Sendable {
    private struct State {
        var ledger = EditLedger()
        /// Conflicts that were logged. Copied, as the log keeps them only for a time.
        var conflicts: [LoggedConflict] = []
        /// Edits that failed although they should have succeeded.
        var failures: [String] = []
        /// Whether the mirror's watch is paused.
        var hasPausedWatch = false
    }

    let mirror: SimulatedMirror
    private let state = Mutex(State())

    init(_ mirror: SimulatedMirror) { self.mirror = mirror }

    var ledger: EditLedger { state.withLock { $0.ledger } }
    var failures: [String] { state.withLock { $0.failures } }

    /// Makes one random edit. The editor is a process of its own: it doesn't crash, and its writes are synced when it
    /// ends.
    func edit(_ seed: UInt64) {
        guard !mirror.disk.hasCrashed else { return }
        // So that no two edits have the same time.
        mirror.partner.clock.advance(by: 0.001)
        let artworks = CatalogueEdit.artworks(mirror.partner.traits.hasHostileNames)
        var random = SplitMix(seed: seed)
        state.withLock { state in
            do {
                let line = try mirror.access { store in
                    let editor = try AlbumEditor(store) { self.mirror.digits($0) }
                    return try mirror.disk.exemptingFromCrashes {
                        try Self.edit(editor, store, &state.ledger, &random, artworks)
                    }
                }
                mirror.partner.transcript.note("local: \(line)")
            } catch {
                state.failures.append("an edit could not be made: \(error)")
            }
        }
    }

    private static func edit(
        _ editor: AlbumEditor, _ store: CatalogueStore, _ ledger: inout EditLedger, _ random: inout SplitMix,
        _ artworks: [String]
    ) throws -> String {
        // All random numbers are drawn first, so that their order doesn't depend on the database.
        let what = random.below(12), index = random.below(1_000)
        let artwork = random.element(of: artworks) ?? "a"
        let isForbidden = random.chance(4), describes = random.chance(40), isPresent = random.chance(65)
        let albums = try rows(store)
        if what < 2 {
            let name = ledger.nextName() + (isForbidden ? AlbumEndpoint.forbidden : "")
            let id = try editor.create(AlbumChange(name: name, description: describes ? "said" : nil))
            ledger.append(id, .named(name))
            return "create \(id) \(name)"
        }
        if what == 2 {
            let text = ledger.nextName()
            if try store.addNote(text, to: .artwork, artwork) != nil { ledger.notes.append(text) }
            return "note about artwork \(artwork)"
        }
        guard !albums.isEmpty else { return "nothing" }
        let album = albums[index % albums.count]
        switch what {
        case 3...6:
            let name = ledger.nextName() + (isForbidden ? AlbumEndpoint.forbidden : "")
            if try editor.change(album.id, by: AlbumChange(name: name)) {
                ledger.append(album.key, .named(name))
            }
            return "rename \(album.id) \(name)"
        case 7:
            if try editor.delete(album.id) { ledger.append(album.key, .deleted) }
            return "delete \(album.id)"
        default:
            let isDone = try editor.set(artwork, in: album.id, present: isPresent)
            if isDone {
                let waits = try waits(artwork, in: album.id, store)
                ledger.append(album.key, .artwork(artwork, isPresent: isPresent), isToBePushed: waits)
            }
            return "\(isPresent ? "add" : "take") \(artwork) \(album.id)"
        }
    }

    /// The albums that can be edited, each with the key of its edits in the ledger.
    private static func rows(_ store: CatalogueStore) throws -> [(id: String, key: String)] {
        try store.read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, coalesce(local_id, id) FROM album WHERE ghost = 0 AND deleted = 0 ORDER BY 2
                        """)
            ).map { ($0[0], $0[1]) }
        }
    }

    private static func waits(_ artwork: String, in album: String, _ store: CatalogueStore) throws -> Bool {
        try store.read { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT pending IS NOT NULL FROM album_artwork WHERE album_id = ? AND artwork_id = ?
                        """), arguments: [album, artwork]) ?? false
        }
    }

    var hasPausedWatch: Bool { state.withLock { $0.hasPausedWatch } }

    /// Runs `mirror pause` or `mirror resume`, which are processes of their own, too.
    func setWatch(isPaused: Bool) {
        guard !mirror.disk.hasCrashed else { return }
        state.withLock { state in
            do {
                let isChange = try mirror.access { store in
                    try mirror.disk.exemptingFromCrashes {
                        try isPaused ? store.pauseWatch() : store.resumeWatch()
                    }
                }
                state.hasPausedWatch = isPaused
                mirror.partner.transcript.note(
                    "local: mirror \(isPaused ? "pause" : "resume")\(isChange ? "" : ", which changes nothing")"
                )
            } catch {
                state.failures.append("the watch could not be paused or resumed: \(error)")
            }
        }
    }

    var conflicts: [LoggedConflict] { state.withLock { $0.conflicts } }

    /// Copies the log of conflicts, before the entries are deleted because of their age.
    func noteConflicts() {
        state.withLock { state in
            guard !state.ledger.edits.isEmpty else { return }
            do {
                state.conflicts += try mirror.access { try $0.conflicts(ChangeFilter()) }
            } catch {
                state.failures.append("the log of conflicts could not be read: \(error)")
            }
        }
    }

    /// Records the server's ids of the albums that were created locally.
    func recordServerIDs() throws {
        let known = try mirror.access { store in
            try store.read { db in
                try Row.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT local_id, id FROM album WHERE local_id IS NOT NULL AND local_id <> id")
                ).map { (local: $0[0] as String, id: $0[1] as String) }
            }
        }
        state.withLock { state in
            for (local, id) in known { state.ledger.record(local, serverID: id) }
        }
    }
}
