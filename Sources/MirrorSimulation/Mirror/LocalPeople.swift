import Catalogue
import GRDB
import MirrorStore
import MirrorSync
import Synchronization

/// People who edit albums and write notes in a mirror, at any time, beside a sync too.
final class LocalPeople: Sendable {
    private struct State {
        var ledger = EditLedger()
        /// Conflicts that were logged: the log is kept for a time only.
        var conflicts: [LoggedConflict] = []
        /// What could not be done though it should have been.
        var failures: [String] = []
        /// Whether somebody has the mirror's watch paused.
        var hasPausedWatch = false
    }

    let mirror: SimulatedMirror
    private let state = Mutex(State())

    init(_ mirror: SimulatedMirror) { self.mirror = mirror }

    var ledger: EditLedger { state.withLock { $0.ledger } }
    var failures: [String] { state.withLock { $0.failures } }

    /// One random edit. Whoever makes it is a process of its own: it doesn't die, and ends with all of it on the disk.
    func edit(_ seed: UInt64) {
        guard !mirror.disk.isDead else { return }
        // Of two edits one is the later.
        mirror.partner.clock.advance(by: 0.001)
        let artworks = CatalogueEdit.artworks(mirror.partner.traits.isHostile)
        var random = SplitMix(seed: seed)
        state.withLock { state in
            do {
                let line = try mirror.access { store in
                    let editor = try AlbumEditor(store) { self.mirror.digits($0) }
                    return try mirror.disk.sparing {
                        try Self.edit(editor, store, &state.ledger, &random, artworks)
                    }
                }
                mirror.partner.transcript.note("here: \(line)")
            } catch {
                state.failures.append("an edit could not be made: \(error)")
            }
        }
    }

    private static func edit(
        _ editor: AlbumEditor, _ store: CatalogueStore, _ ledger: inout EditLedger, _ random: inout SplitMix,
        _ artworks: [String]
    ) throws -> String {
        // Random numbers are drawn before anything is looked up.
        let what = random.below(12), place = random.below(1_000)
        let artwork = random.element(of: artworks) ?? "a"
        let isForbidden = random.chance(4), describes = random.chance(40), isPresent = random.chance(65)
        let albums = try rows(store)
        if what < 2 {
            let name = ledger.nextName() + (isForbidden ? AlbumDesk.forbidden : "")
            let id = try editor.create(AlbumChange(name: name, description: describes ? "said" : nil))
            ledger.note(id, .named(name))
            return "create \(id) \(name)"
        }
        if what == 2 {
            let text = ledger.nextName()
            if try store.addNote(text, to: .artwork, artwork) != nil { ledger.notes.append(text) }
            return "note about artwork \(artwork)"
        }
        guard !albums.isEmpty else { return "nothing" }
        let album = albums[place % albums.count]
        switch what {
        case 3...6:
            let name = ledger.nextName() + (isForbidden ? AlbumDesk.forbidden : "")
            if try editor.change(album.id, by: AlbumChange(name: name)) {
                ledger.note(album.key, .named(name))
            }
            return "rename \(album.id) \(name)"
        case 7:
            if try editor.delete(album.id) { ledger.note(album.key, .deleted) }
            return "delete \(album.id)"
        default:
            let isDone = try editor.set(artwork, in: album.id, present: isPresent)
            if isDone {
                let waits = try waits(artwork, in: album.id, store)
                ledger.note(album.key, .artwork(artwork, isPresent: isPresent), isToBePushed: waits)
            }
            return "\(isPresent ? "add" : "take") \(artwork) \(album.id)"
        }
    }

    /// The albums that may be edited, with the ids under which their edits are kept in the ledger.
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

    /// `mirror pause` and `mirror resume`: processes of their own, too.
    func setWatch(isPaused: Bool) {
        guard !mirror.disk.isDead else { return }
        state.withLock { state in
            do {
                let isNews = try mirror.access { store in
                    try mirror.disk.sparing { try isPaused ? store.pauseWatch() : store.resumeWatch() }
                }
                state.hasPausedWatch = isPaused
                mirror.partner.transcript.note(
                    "here: mirror \(isPaused ? "pause" : "resume")\(isNews ? "" : ", which changes nothing")")
            } catch {
                state.failures.append("the watch could not be paused or resumed: \(error)")
            }
        }
    }

    var conflicts: [LoggedConflict] { state.withLock { $0.conflicts } }

    /// Takes down what the log of conflicts has, before so much time passes that it is forgotten there.
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

    /// Takes down which ids the server gave to what was made here.
    func learn() throws {
        let known = try mirror.access { store in
            try store.read { db in
                try Row.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT local_id, id FROM album WHERE local_id IS NOT NULL AND local_id <> id")
                ).map { (local: $0[0] as String, id: $0[1] as String) }
            }
        }
        state.withLock { state in
            for (local, id) in known { state.ledger.learn(local, is: id) }
        }
    }
}
