import Catalogue

/// The SQL by which the index of artworks is filled and updated (``ArtworkIndex``).
///
/// Everything is done in SQL: a statement of a few for all artworks, not some for each.
struct ArtworkIndexSQL {
    /// The artworks that are indexed.
    enum Scope {
        /// All artworks. The index is empty.
        case all
        /// Those in `unindexed_artwork`.
        case queued

        /// SQL that follows `FROM`: what the index needs of the stored artworks, as `o`. It is the first table of a join.
        ///
        /// `LIMIT` keeps SQLite from merging the subquery into the query around it, which would compute each key as often as
        /// it is used there.
        ///
        /// - Parameter withKeys: whether the rows have `artist_key` and `title_key`, which may be `NULL`.
        func rows(withKeys: Bool) -> String {
            let artworks =
                switch self {
                case .all: "artwork o"
                case .queued: "unindexed_artwork q CROSS JOIN artwork o ON o.id = q.id"
                }
            let keys =
                withKeys ? "\(FacetSource.artistKey) AS artist_key, sort_key(o.title) AS title_key, " : ""
            return """
                (SELECT o.id, o.title, o.date, o.category, o.medium, o.availability, o.published, o.json,
                  \(keys)\(FacetSource.change) AS changed FROM \(artworks) WHERE o.ghost = 0 LIMIT -1) o
                """
        }

        /// SQL that follows `FROM`: the ids of those that are stored, as `o.id`. Artworks aren't read.
        var ids: String {
            switch self {
            case .all: "(SELECT id FROM search_entry WHERE kind = 'artwork') o"
            case .queued:
                "unindexed_artwork q CROSS JOIN search_entry o ON o.kind = 'artwork' AND o.id = q.id"
            }
        }
    }

    let scope: Scope
    /// The facets of the artworks.
    let sources: [FacetSource]

    // MARK: - Facets

    /// The greatest number of values of a field that can be a filter, and of bytes in one.
    static let mostValues = 100
    private static let longestValue = 100
    /// The greatest number of fields that can be filters.
    private static let mostFields = 20
    /// The number of artworks in which such fields are looked for.
    private static let sampleSize = 1_000

    /// Finds the fields without a column that can be filters, in a sample of artworks. `?1` is a JSON array of fields to ignore.
    ///
    /// Their names are only letters, digits and `_`. Those of ids, addresses and times are ignored.
    static let findFields = """
        INSERT INTO facet_field (name)
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(sampleSize - 1)),
          chosen(number) AS (SELECT DISTINCT 1 + i * max(1, (SELECT max(rowid) FROM artwork) / \(sampleSize)) FROM n)
        SELECT j.key FROM chosen s CROSS JOIN artwork o ON o.rowid = s.number CROSS JOIN json_each(o.json) j
        WHERE o.ghost = 0 AND json_valid(o.json) AND j.type = 'text' AND trim(j.value) <> ''
          AND length(j.key) BETWEEN 1 AND 40 AND j.key NOT GLOB '*[^A-Za-z0-9_]*'
          AND lower(j.key) NOT IN (SELECT value FROM json_each(?1))
          AND NOT (j.key GLOB '*_id' OR j.key GLOB '*_at' OR j.key GLOB '*_ur[il]' OR j.key GLOB '*_hash')
        GROUP BY j.key
        HAVING max(length(j.value)) <= \(longestValue) AND count(DISTINCT j.value) <= \(mostValues)
          AND sum(j.value GLOB 'http*://*') = 0
        ORDER BY count(*) DESC, j.key LIMIT \(mostFields)
        """

    /// Removes the fields that turned out to have too many values.
    static let dropFields = [
        """
        DELETE FROM facet_field WHERE (
          SELECT count(*) FROM facet_value v WHERE v.facet = '.' || facet_field.name) > \(mostValues)
        """,
        """
        DELETE FROM facet_value WHERE facet >= '.' AND facet < '/'
          AND substr(facet, 2) NOT IN (SELECT name FROM facet_field)
        """,
    ]

    /// Stores the values that every index has.
    static var knownValues: [String] {
        FacetSource.all(today: "", fields: []).flatMap { source in
            source.known.map {
                "INSERT OR IGNORE INTO facet_value (facet, value) VALUES ('\(source.facet.name)', '\($0)')"
            }
        }
    }

    /// Stores the values of the artworks.
    var newValues: [String] {
        FacetSource.values(sources, of: scope).map {
            "INSERT OR IGNORE INTO facet_value (facet, value) \($0)"
        }
    }

    /// Removes the values that no artwork has any more. A number is never used again.
    static var removeValues: String {
        let known = FacetSource.all(today: "", fields: []).filter { !$0.known.isEmpty }.map { source in
            let values = source.known.map { "'\($0)'" }.joined(separator: ", ")
            return "facet = '\(source.facet.name)' AND value IN (\(values))"
        }
        return """
            DELETE FROM facet_value WHERE artworks <= 0 AND NOT (\(known.joined(separator: " OR ")))
            """
    }

    // MARK: - Entries

    /// Stores the entries, without places.
    var newEntries: String {
        let words = sources.map(\.words).joined(separator: "\n    || ")
        let joins = sources.map(\.join).filter { !$0.isEmpty }.joined(separator: "\n")
        return """
            INSERT INTO artwork_entry (number, id, hidden, artist, title, year, recency, words)
            SELECT e.number, o.id, \(Face.isHidden(.artwork, "o")),
              coalesce(o.artist_key, '\(ArtworkSort.untitled)'), coalesce(o.title_key, '\(ArtworkSort.untitled)'),
              coalesce(date_year(o.date), \(ArtworkSort.undated)),
              coalesce(-CAST(round((o.changed - 2440587.5) * 86400000) AS INTEGER), 0), substr(\(words), 2)
            FROM \(scope.rows(withKeys: true)) CROSS JOIN search_entry e ON e.kind = 'artwork' AND e.id = o.id
            \(joins)
            """
    }

    /// The entries that are indexed, for ``FacetTally``: words and whether it is hidden.
    var entries: String {
        switch scope {
        case .all: "SELECT words, hidden FROM artwork_entry"
        case .queued:
            "SELECT e.words, e.hidden FROM unindexed_artwork q CROSS JOIN artwork_entry e ON e.id = q.id"
        }
    }

    /// Removes the queued entries. Their words and places must be removed before.
    static let removeEntries = "DELETE FROM artwork_entry WHERE id IN (SELECT id FROM unindexed_artwork)"

    // MARK: - Places

    /// The distance of two neighbours' places when all are placed, so that others fit in between.
    static let gap = 1 << 30
    /// The first place, far from both ends of the numbers.
    static let firstPlace = 1 << 52

    /// Gives all entries places in an order, and stores their words there.
    ///
    /// Both tables are filled by a sort of their own: entries looked up in the order of the places would be read from all over
    /// the file.
    static func placeAll(in sort: ArtworkSort) -> [String] {
        let place =
            "\(firstPlace) + row_number() OVER (ORDER BY \(sort.keys.joined(separator: ", "))) * \(gap)"
        return [
            "INSERT INTO \(sort.places) (place, number) SELECT \(place), number FROM artwork_entry",
            "INSERT INTO \(sort.table) (rowid, words) SELECT \(place), words FROM artwork_entry",
        ]
    }

    // MARK: - Queue

    /// Queues the artworks that changed after the change `?1`, and those whose artist or place did.
    ///
    /// Changes are read by their numbers: with the index of kinds and ids, SQLite would read the whole log.
    static let queue = [
        """
        INSERT OR IGNORE INTO unindexed_artwork (id)
        SELECT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artwork'
        """,
        // The index has an artist's names and sort key with each artwork, but none of the other fields.
        """
        WITH changed(id) AS MATERIALIZED (
          SELECT DISTINCT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'artist'),
        renamed(id) AS MATERIALIZED (
          SELECT c.id FROM changed c WHERE NOT EXISTS (
            SELECT 1 FROM artist o CROSS JOIN search_entry e ON e.kind = 'artist' AND e.id = o.id
            CROSS JOIN search s ON s.rowid = e.number
            WHERE o.id = c.id AND o.ghost = 0 AND e.key IS \(SearchText.artist.key)
              AND (s.title, s.artist, s.text) IS (\(SearchText.artist.columns))))
        INSERT OR IGNORE INTO unindexed_artwork (id)
        SELECT a.artwork_id FROM renamed r CROSS JOIN artwork_artist a ON a.artist_id = r.id
        """,
        // Artworks that the index and the store have at different places.
        """
        WITH changed(id) AS MATERIALIZED (
          SELECT DISTINCT id FROM change NOT INDEXED WHERE seq > ?1 AND kind = 'location'),
        indexed(location, artwork) AS MATERIALIZED (
          SELECT c.id, e.id FROM changed c CROSS JOIN facet_value v ON v.facet = 'place' AND v.value = c.id
          CROSS JOIN \(ArtworkSort.title.table) w ON \(ArtworkSort.title.table) MATCH 'f' || v.number
          CROSS JOIN \(ArtworkSort.title.places) p ON p.place = w.rowid
          CROSS JOIN artwork_entry e ON e.number = p.number),
        stored(location, artwork) AS MATERIALIZED (
          SELECT l.id, m.artwork_id FROM changed c CROSS JOIN location l ON l.id = c.id AND l.ghost = 0
            CROSS JOIN location_artwork m ON m.location_id = l.id
          UNION SELECT l.id, m.artwork_id FROM changed c CROSS JOIN location l ON l.id = c.id AND l.ghost = 0
            CROSS JOIN artwork_location m ON m.location_id = l.id)
        INSERT OR IGNORE INTO unindexed_artwork (id)
        SELECT artwork FROM (SELECT * FROM indexed EXCEPT SELECT * FROM stored)
        UNION SELECT artwork FROM (SELECT * FROM stored EXCEPT SELECT * FROM indexed)
        """,
    ]
}
