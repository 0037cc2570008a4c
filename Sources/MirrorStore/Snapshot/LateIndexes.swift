import Catalogue
import GRDB

/// Indexes that are created after a first snapshot has been loaded: of names and slugs, and of artworks by artist.
///
/// Names, slugs and artists arrive in no order, so each object would change other pages of these indexes. Creating the indexes
/// from all rows at once costs very little. They are dropped when the load begins. They are created when it ends, or by the
/// next sync that finds one missing, so no other state is needed.
package enum LateIndexes {
    private static let all = [
        (name: "artwork_slug", place: "artwork(slug)"), (name: "artist_slug", place: "artist(slug)"),
        (name: "artwork_title", place: "artwork(title)"), (name: "artist_name", place: "artist(name)"),
        (name: "artwork_of_artist", place: "artwork_artist(artist_id)"),
    ]

    /// The kinds whose index of slugs is one of these indexes.
    static let kinds: Set<Kind> = [.artwork, .artist]

    /// The `CREATE INDEX` statements.
    package static let definitions = all.map { "CREATE INDEX \($0.name) ON \($0.place)" }

    static let names = Set(all.map(\.name))

    /// Drops the indexes if they are empty.
    ///
    /// Until they are created again, rivals of these kinds are not settled, lists by name are sorted when they are read, and an
    /// artist's artworks are found by a scan.
    static func drop(_ db: Database) throws {
        let isEmpty = "SELECT NOT EXISTS (SELECT 1 FROM artwork) AND NOT EXISTS (SELECT 1 FROM artist)"
        guard try db.isTrue(isEmpty) else { return }
        for index in all { try db.execute(sql: "DROP INDEX IF EXISTS \(index.name)") }
    }

    /// Whether any of the indexes is missing.
    static func areMissing(_ db: Database) throws -> Bool {
        try !names.isSubset(of: db.textSet("SELECT name FROM sqlite_schema WHERE type = 'index'"))
    }

    /// Whether indexes may be missing, because a load is in progress or was interrupted.
    package static func mayBeMissing(_ db: Database) throws -> Bool {
        try CatalogueStore.fact(.loading, in: db) != nil
    }

    /// Creates the missing indexes. The cache is limited to 2 MB, so that SQLite sorts in a temporary file.
    static func make(_ db: Database) throws {
        let memory = try Int.fetchOne(db, sql: "PRAGMA cache_size") ?? 0
        for pragma in ["PRAGMA cache_size = -2000", "PRAGMA shrink_memory"] { try db.execute(sql: pragma) }
        defer { try? db.execute(sql: "PRAGMA cache_size = \(memory)") }
        for index in all {
            try db.execute(sql: "CREATE INDEX IF NOT EXISTS \(index.name) ON \(index.place)")
        }
    }
}
