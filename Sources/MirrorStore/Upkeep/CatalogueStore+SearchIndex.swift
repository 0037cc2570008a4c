import Catalogue
import GRDB

extension CatalogueStore {
    /// The version of the index's contents. Increase it to have the index built again when a mirror is next opened.
    static let searchFormat = 2

    /// Updates the index for searches, lists and filters for all changes since its last update, including those of killed runs.
    /// Idempotent.
    ///
    /// If an artist changed, the artist's artworks are indexed again, too; so are artworks that moved, and those of which the
    /// file of a picture was stored or removed.
    package func updateSearchIndex() throws {
        // What the pages show of the changes is brought up to date in the same place.
        try updateShownHistory()
        try write { db in
            let last = try lastChange(in: db)
            let done = try db.number("SELECT value FROM meta WHERE key = 'indexed_change'") ?? 0
            guard try last > done || db.isTrue("SELECT EXISTS (SELECT 1 FROM unindexed_artwork)") else {
                return
            }
            let index = artworkIndex(in: db)
            try index.queue(after: done)
            if try isIndexed(.artwork, in: db), try index.isOutgrown() {
                try rebuildSearchIndex(in: db)
            } else {
                try index.storeKnownValues()
                for text in SearchText.all { try self.index(text, after: done, in: db) }
                try index.emptyQueue()
            }
            try storeLastIndexed(last, in: db)
        }
    }

    /// Whether the index lacks changes. A run updates it at its end, so a run is in progress or was stopped before that. The
    /// index of an earlier version is built again when the mirror is next opened for writing.
    package func isIndexBehind() throws -> Bool {
        guard try metaValue(.loading) == nil, try metaValue(.searchFormat) == "\(Self.searchFormat)" else {
            return true
        }
        return try read { db in
            try db.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM change NOT INDEXED
                  WHERE (kind IN ('artwork', 'artist', 'show', 'location') OR evidence = ?) AND seq > coalesce(
                    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'indexed_change'), 0))
                """, [LoadEntry.evidence])
        }
    }

    /// Builds the index from the stored objects, also if an index exists or is damaged.
    package func rebuildSearchIndex() throws {
        try write { db in
            try rebuildSearchIndex(in: db)
            try storeLastIndexed(lastChange(in: db), in: db)
        }
    }

    /// Builds the index if it was made by an earlier version.
    ///
    /// Called when a store is opened, so that lists and searches are complete from the first request on. Programs that have the
    /// mirror open read the earlier index until the new one is committed.
    func rebuildOutdatedIndex() throws {
        let format = "\(Self.searchFormat)"
        let isOutdated = try read { db in
            try Self.metaValue(.searchFormat, in: db) != format && Self.metaValue(.loading, in: db) == nil
        }
        guard isOutdated else { return }
        try write { db in
            // Another program may have done it in the meantime.
            guard try Self.metaValue(.searchFormat, in: db) != format else { return }
            try rebuildSearchIndex(in: db)
            try storeLastIndexed(lastChange(in: db), in: db)
        }
    }

    func emptySearchIndex(in db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS search")
        try db.execute(sql: Schema.searchIndex)
        try db.execute(sql: "DELETE FROM search_entry")
        try artworkIndex(in: db).empty()
        // What is indexed from now on has the current format.
        try Self.set(.searchFormat, to: "\(Self.searchFormat)", in: db)
    }

    // MARK: - Indexing

    private func rebuildSearchIndex(in db: Database) throws {
        try emptySearchIndex(in: db)
        try artworkIndex(in: db).storeKnownValues()
        for text in SearchText.all { try index(text, after: nil, in: db) }
    }

    private func artworkIndex(in db: Database) -> ArtworkIndex {
        ArtworkIndex(db: db, today: String(timestamp().prefix(10)))
    }

    private func lastChange(in db: Database) throws -> Int {
        try db.number("SELECT max(seq) FROM change") ?? 0
    }

    private func storeLastIndexed(_ change: Int, in db: Database) throws {
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES ('indexed_change', ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [change])
    }

    private func isIndexed(_ kind: Kind, in db: Database) throws -> Bool {
        try db.isTrue("SELECT EXISTS (SELECT 1 FROM search_entry WHERE kind = ?)", [kind.name])
    }

    /// Indexes the objects of a kind that changed. If no object of the kind is in the index yet, all are indexed.
    ///
    /// - Parameter done: the last change that was indexed; `nil` for all objects.
    private func index(_ text: SearchText, after done: Int?, in db: Database) throws {
        let isAll = try done == nil || !isIndexed(text.kind, in: db)
        let objects = IndexedObjects(text, ids: isAll ? nil : text.changed, done ?? 0)
        guard try objects.exist(in: db) else { return }
        let artworks = text.kind == .artwork ? artworkIndex(in: db) : nil
        if isAll { for sql in SearchText.beginFilling() { try db.execute(sql: sql) } }
        if !isAll { try artworks?.removeQueued() }
        try storeEntries(objects, in: db)
        if isAll { try artworks?.fill() }
        if !isAll { try artworks?.addEntries() }
        try storeTexts(objects, in: db)
        if isAll { try db.execute(sql: SearchText.endFilling()) }
    }

    /// Indexes an album that was edited locally. Otherwise it would be in no list before the next sync.
    func indexAlbum(_ id: String, in db: Database) throws {
        try artworkIndex(in: db).storeKnownValues()
        let album = IndexedObjects(.album, ids: "SELECT ?1 AS id", id)
        try storeEntries(album, in: db)
        try storeTexts(album, in: db)
    }

    /// Removes the texts of objects, and updates their entries.
    private func storeEntries(_ objects: IndexedObjects, in db: Database) throws {
        // If all objects of the kind are indexed, it has no entries.
        if !objects.areAll {
            try db.run(
                """
                \(objects.with) DELETE FROM search WHERE rowid IN (
                  SELECT e.number FROM reindexed r CROSS JOIN search_entry e ON e.kind = ?2 AND e.id = r.id)
                """, objects.arguments)
            try db.run(
                """
                \(objects.with) DELETE FROM search_entry WHERE kind = ?2 AND id IN (SELECT id FROM reindexed)
                  AND NOT EXISTS (SELECT 1 FROM "\(objects.text.kind.name)" o WHERE o.id = search_entry.id AND o.ghost = 0)
                """, objects.arguments)
        }
        try db.run(
            """
            \(objects.with) INSERT INTO search_entry (kind, id, key, hidden)
            SELECT ?2, o.id, \(objects.text.key), \(Face.isHidden(objects.text.kind, "o"))
            FROM \(objects.rows) WHERE o.ghost = 0
            ON CONFLICT (kind, id) DO UPDATE SET key = excluded.key, hidden = excluded.hidden
            """, objects.arguments)
        try db.run(
            """
            UPDATE facet_value SET artworks = (SELECT count(*) FROM search_entry WHERE kind = ?1 AND key IS NOT NULL)
            WHERE facet = '\(Facet.kind.name)' AND value = ?1
            """, [objects.text.kind.name])
    }

    /// Stores the texts of objects whose entries exist.
    private func storeTexts(_ objects: IndexedObjects, in db: Database) throws {
        // `OR REPLACE`, because the index may still have the text of an entry whose row in `search_entry` was lost.
        try db.run(
            """
            \(objects.with) INSERT OR REPLACE INTO search (rowid, title, artist, text, words)
            SELECT e.number, \(objects.text.columns), \(objects.text.words) FROM \(objects.rows)
            CROSS JOIN search_entry e ON e.kind = ?2 AND e.id = o.id WHERE o.ghost = 0
            """, objects.arguments)
    }
}

/// The objects of a kind that are indexed: all of them, or those with some ids.
private struct IndexedObjects {
    let text: SearchText
    /// An SQL query of the objects' ids; `nil` for all objects.
    private let ids: String?
    /// The parameter `?1` of that query, and the kind as `?2`.
    let arguments: StatementArguments
    private let argument: any DatabaseValueConvertible

    init(_ text: SearchText, ids: String?, _ argument: any DatabaseValueConvertible) {
        (self.text, self.ids, self.argument, arguments) = (text, ids, argument, [argument, text.kind.name])
    }

    var areAll: Bool { ids == nil }

    /// Whether there are any, or there were: objects that were deleted have ids, too.
    func exist(in db: Database) throws -> Bool {
        let any = ids ?? "SELECT 1 FROM \"\(text.kind.name)\""
        return try db.isTrue("SELECT EXISTS (\(any))", ids == nil ? [] : [argument])
    }

    /// SQL before a statement: the ids as `reindexed`.
    ///
    /// Each statement runs the query of ids again: creating a temporary table would invalidate all prepared statements of the
    /// connection.
    var with: String { ids.map { "WITH reindexed (id) AS MATERIALIZED (\($0))" } ?? "" }

    /// SQL that follows `FROM`: the objects as `o`. `CROSS JOIN` makes SQLite start with the changed ids, not with all
    /// objects; all of them are read in their order in the file.
    var rows: String {
        let table = "\"\(text.kind.name)\""
        return ids == nil
            ? "\(table) AS o NOT INDEXED" : "reindexed r CROSS JOIN \(table) o ON o.id = r.id"
    }
}
