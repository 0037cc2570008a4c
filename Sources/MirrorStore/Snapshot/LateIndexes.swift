import Catalogue
import GRDB

/// The indexes of the names and slugs of those kinds that a catalogue has most of, and of the artworks of each artist.
///
/// A large first catalogue is taken in without them: names and artists come in no order, so that for each object other pages
/// of such an index would be read, changed and written again. Made of all at once, they cost next to nothing. They are dropped
/// when the load begins, and made when it ends or by the next sync that finds one missing; no other state is kept.
package enum LateIndexes {
    private static let all = [
        (name: "artwork_slug", place: "artwork(slug)"), (name: "artist_slug", place: "artist(slug)"),
        (name: "artwork_title", place: "artwork(title)"), (name: "artist_name", place: "artist(name)"),
        (name: "artwork_of_artist", place: "artwork_artist(artist_id)"),
    ]

    /// The kinds whose slugs can't be looked up without them.
    static let kinds: Set<Kind> = [.artwork, .artist]

    /// What makes each.
    package static let definitions = all.map { "CREATE INDEX \($0.name) ON \($0.place)" }

    static let names = Set(all.map(\.name))

    /// Drops them if nothing is in them. Until they are made, slugs of these kinds are not settled, lists in the order of names
    /// are sorted when they are read, and the artworks of an artist are found by a scan.
    static func drop(_ db: Database) throws {
        let isEmpty = "SELECT NOT EXISTS (SELECT 1 FROM artwork) AND NOT EXISTS (SELECT 1 FROM artist)"
        guard try db.isTrue(isEmpty) else { return }
        for index in all { try db.execute(sql: "DROP INDEX IF EXISTS \(index.name)") }
    }

    /// Whether any of them is missing.
    static func areMissing(_ db: Database) throws -> Bool {
        try !names.isSubset(of: db.textSet("SELECT name FROM sqlite_schema WHERE type = 'index'"))
    }

    /// Whether they may be missing: while a load is under way, or broken off.
    package static func mayBeMissing(_ db: Database) throws -> Bool {
        try CatalogueStore.fact(.loading, in: db) != nil
    }

    /// Sorts in little memory, and what doesn't fit into that in a temporary file.
    static func make(_ db: Database) throws {
        let memory = try Int.fetchOne(db, sql: "PRAGMA cache_size") ?? 0
        for pragma in ["PRAGMA cache_size = -2000", "PRAGMA shrink_memory"] { try db.execute(sql: pragma) }
        defer { try? db.execute(sql: "PRAGMA cache_size = \(memory)") }
        for index in all {
            try db.execute(sql: "CREATE INDEX IF NOT EXISTS \(index.name) ON \(index.place)")
        }
    }
}
