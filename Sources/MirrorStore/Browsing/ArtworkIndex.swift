import Catalogue
import GRDB

/// The index of artworks for lists and filters: entries with sort keys, words of facets, and places in each order.
///
/// It is filled and updated only with the search index, in the same transaction (``CatalogueStore/updateSearchIndex()``). Lists
/// are read from the full-text index of their order: the words of the filters and of the face select the artworks, and the row
/// ids are their places. So a page of any list, filtered or not, reads some 60 rows.
struct ArtworkIndex {
    let db: Database
    /// The day of indexing, such as `2026-11-27`.
    let today: String

    /// The SQL for the fields that are filters now.
    private func sql(_ scope: ArtworkIndexSQL.Scope) throws -> ArtworkIndexSQL {
        let fields = try db.texts("SELECT name FROM facet_field ORDER BY name")
        return ArtworkIndexSQL(scope: scope, sources: FacetSource.all(today: today, fields: fields))
    }

    // MARK: - Filling

    /// Empties the index.
    func empty() throws {
        for sort in ArtworkSort.allCases {
            try db.execute(sql: "DROP TABLE IF EXISTS \(sort.table)")
            try db.execute(sql: Schema.wordIndex(of: sort))
            try db.execute(sql: "DELETE FROM \(sort.places)")
        }
        for table in ["artwork_entry", "facet_value", "facet_field", "unindexed_artwork"] {
            try db.execute(sql: "DELETE FROM \(table)")
        }
    }

    /// Fills the index with all artworks, also if it isn't empty. Their rows in `search_entry` must exist.
    ///
    /// Known values keep their numbers, which other objects' words contain.
    func fill() throws {
        try db.run("DELETE FROM artwork_entry")
        for sort in ArtworkSort.allCases { try removeAll(from: sort) }
        try db.run(
            """
            UPDATE facet_value SET artworks = 0, hidden = 0
            WHERE facet <> '\(Facet.kind.name)' AND (artworks <> 0 OR hidden <> 0)
            """)
        try storeKnownValues()
        try db.run("DELETE FROM facet_field")
        try db.run(ArtworkIndexSQL.findFields, [JSONValue.canonicalText(of: Self.otherFields)])
        try storeEntries(.all)
        for sort in ArtworkSort.allCases {
            for statement in SearchText.beginFilling(sort.table) { try db.execute(sql: statement) }
            try place(in: sort)
            try db.execute(sql: SearchText.endFilling(sort.table))
        }
        try CatalogueStore.set(.filled, to: "\(try artworks())", in: db)
    }

    /// Stores the values that every index has, among them the words of the faces.
    func storeKnownValues() throws {
        for statement in ArtworkIndexSQL.knownValues { try db.run(statement) }
    }

    /// The number of indexed artworks.
    func artworks() throws -> Int {
        try db.number("SELECT artworks FROM facet_value WHERE facet = 'all' AND value = ''") ?? 0
    }

    /// The fields that can't be filters, in lower case: those with a column or with tables of their own.
    private static let otherFields =
        ["id", "artist", "artists", "images", "edition_sets", "location", "partner"]
        + Artwork.columns.map { String($0.path.prefix { $0 != "." }) }

    private func count(_ entries: String, _ amount: Int) throws {
        var tally = FacetTally()
        try tally.add(entries, amount, in: db)
        try tally.store(in: db)
    }

    /// Stores the values of artworks and their entries, and counts them. Fields with too many values are no filters any more.
    private func storeEntries(_ scope: ArtworkIndexSQL.Scope) throws {
        for statement in try sql(scope).newValues { try db.run(statement) }
        for statement in ArtworkIndexSQL.dropFields { try db.run(statement) }
        let sql = try sql(scope)
        try db.run(sql.newEntries)
        try count(sql.entries, 1)
        try db.run(ArtworkIndexSQL.removeValues)
    }

    private func removeAll(from sort: ArtworkSort) throws {
        try db.run("INSERT INTO \(sort.table) (\(sort.table)) VALUES ('delete-all')")
        try db.run("DELETE FROM \(sort.places)")
    }

    /// Gives all entries places in an order, which has none, and stores their words there.
    private func place(in sort: ArtworkSort) throws {
        for statement in ArtworkIndexSQL.placeAll(in: sort) { try db.run(statement) }
    }

    // MARK: - Updating

    /// Queues the artworks that changed after a change of the log, and those whose artist or place did.
    func queue(after change: Int) throws {
        for statement in ArtworkIndexSQL.queue { try db.run(statement, [change]) }
    }

    /// Whether the index has to be filled again rather than updated: over a tenth of the artworks changed, each of which takes
    /// several times as long as when all are filled in; or there are twice as many as when it was filled, so that other
    /// fields may now be filters.
    func isOutgrown() throws -> Bool {
        let count = try artworks(), queued = try db.number("SELECT count(*) FROM unindexed_artwork") ?? 0
        let filled = try CatalogueStore.metaValue(.filled, in: db).flatMap { Int($0) } ?? 0
        return queued > 1_000 && queued > count / 10 || count + queued >= 50 && count + queued > 2 * filled
    }

    /// Removes the queued artworks. ``addEntries()`` adds them again, after their rows in `search_entry` were updated.
    func removeQueued() throws {
        try count(sql(.queued).entries, -1)
        for sort in ArtworkSort.allCases { try removeQueued(from: sort) }
        try db.run(ArtworkIndexSQL.removeEntries)
    }

    /// Removes the words and places of the queued artworks from an order.
    private func removeQueued(from sort: ArtworkSort) throws {
        let order = ArtworkOrder(sort: sort, db: db)
        let entries = try db.rows(
            "SELECT e.number, e.words FROM unindexed_artwork q CROSS JOIN artwork_entry e ON e.id = q.id")
        var removed: [(place: Int, words: String)] = []
        for entry in entries {
            if let place = try order.place(of: entry[0]) { removed.append((place, entry[1])) }
        }
        // In order, because FTS5 writes what it has collected before it goes back.
        for (place, words) in removed.sorted(by: { $0.place < $1.place }) {
            try db.run(
                "INSERT INTO \(sort.table) (\(sort.table), rowid, words) VALUES ('delete', ?, ?)",
                [place, words])
            try db.run("DELETE FROM \(sort.places) WHERE place = ?", [place])
        }
    }

    /// Adds the queued artworks that are stored.
    func addEntries() throws {
        try storeKnownValues()
        try storeEntries(.queued)
        for sort in ArtworkSort.allCases {
            guard try !placeQueued(in: sort) else { continue }
            try removeAll(from: sort)
            try place(in: sort)
        }
    }

    func emptyQueue() throws { try db.run("DELETE FROM unindexed_artwork") }

    /// Gives the queued entries places between those of the others, and stores their words there.
    ///
    /// - Returns: `false` if there is no room between two neighbours. Then all entries need new places.
    private func placeQueued(in sort: ArtworkSort) throws -> Bool {
        let order = ArtworkOrder(sort: sort, db: db),
            keys = sort.keys.map { "e.\($0)" }.joined(separator: ", ")
        let entries = try db.rows(
            """
            SELECT e.number, e.words, \(keys) FROM unindexed_artwork q CROSS JOIN artwork_entry e ON e.id = q.id
            ORDER BY \(keys)
            """)
        var placed: [(place: Int, entry: Row)] = [], group: [Row] = [], next: Int?
        func placeGroup() throws -> Bool {
            guard !group.isEmpty else { return true }
            let gap = PlaceGap(after: try order.place(before: next), before: next)
            guard let places = gap.places(group.count) else { return false }
            placed += zip(places, group).map { (place: $0, entry: $1) }
            group = []
            return true
        }
        for entry in entries {
            let place = try order.firstPlace(after: sort.values(of: entry, from: 2))
            if place != next {
                guard try placeGroup() else { return false }
                next = place
            }
            group.append(entry)
        }
        guard try placeGroup() else { return false }
        for (place, entry) in placed {
            try db.run(
                "INSERT INTO \(sort.places) (place, number) VALUES (?, ?)", [place, entry[0] as Int])
            try db.run(
                "INSERT INTO \(sort.table) (rowid, words) VALUES (?, ?)", [place, entry[1] as String])
        }
        return true
    }
}

/// The free places between two neighbours in an order.
struct PlaceGap {
    /// The place before the gap; `nil` at the beginning of the order.
    let lower: Int?
    /// The place after the gap; `nil` at the end.
    let upper: Int?

    init(after lower: Int?, before upper: Int?) { (self.lower, self.upper) = (lower, upper) }

    /// Places for a number of new entries, in order and spread evenly; `nil` if there isn't enough room.
    func places(_ count: Int) -> [Int]? {
        let gap = ArtworkIndexSQL.gap
        switch (lower, upper) {
        case (nil, nil): return (1...count).map { ArtworkIndexSQL.firstPlace + $0 * gap }
        case (let lower?, nil):
            // Orders grow at their end by one place for each new artwork, which never reaches the greatest number.
            guard lower < Int.max / 2 else { return nil }
            return (1...count).map { lower + $0 * gap }
        case (nil, let upper?):
            guard upper > Int.min / 2 else { return nil }
            return (1...count).map { upper - (count + 1 - $0) * gap }
        case (let lower?, let upper?):
            let step = (upper - lower) / (count + 1)
            return step < 1 ? nil : (1...count).map { lower + $0 * step }
        }
    }
}
