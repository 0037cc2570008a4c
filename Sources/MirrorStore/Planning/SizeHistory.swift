import Catalogue
import GRDB

/// How large the things are that a mirror holds: what a plan expects of those to come.
package struct SizeHistory: Sendable {
    /// The mean of a number of sizes, and how they scatter.
    package struct Sizes: Sendable, Hashable {
        package let count: Int
        package let mean: Double
        package let variance: Double

        package init(count: Int, mean: Double, variance: Double) {
            self.count = count
            self.mean = mean
            self.variance = variance
        }
    }

    /// Bytes of the stored JSON of an object.
    package var json: [Kind: Sizes] = [:]
    /// Bytes of a picture, by format; of tiles together, under ``ImageTile/kind``.
    package var pictures: [String: Sizes] = [:]
    /// Bytes of a document's file.
    package var documents: Sizes?
    /// Pictures that an artwork has.
    package var picturesPerArtwork: Double?
    /// Documents of a show or artist that has any.
    package var documentsPerOwner: Double?
    /// Bytes of all pictures and documents that are here.
    package var heldMedia: Int64 = 0

    package init() {}
}

extension CatalogueStore {
    /// Looks at up to 200 objects of each kind and 1,000 pictures, spread evenly: it costs some milliseconds however
    /// large the mirror is.
    ///
    /// - Parameter media: whether pictures and documents are looked at as well.
    package func sizeHistory(media: Bool) throws -> SizeHistory {
        try read { db in
            var history = SizeHistory()
            for kind in kinds.all {
                history.json[kind] = try sizes(
                    db, table: kind.table, sample: 200, "length(CAST(json AS BLOB))",
                    "\"\(kind.table)\" WHERE json IS NOT NULL AND rowid IN")[""]
            }
            guard media else { return history }
            history.pictures = try sizes(
                db, table: "image", key: "pk", sample: 1_000, "h.size",
                "image i JOIN image_file f ON f.image = i.pk JOIN file h ON h.hash = f.hash WHERE i.pk IN",
                group:
                    "CASE WHEN \(ImageTile.isTile("f.format")) THEN '\(ImageTile.kind)' ELSE f.format END"
            )
            history.documents = try sizes(
                db, table: "document", key: "pk", sample: 1_000, "h.size",
                "document d JOIN file h ON h.hash = d.file WHERE d.pk IN")[""]
            let row = try db.row(
                """
                SELECT (SELECT count(*) FROM image WHERE artwork_id IS NOT NULL),
                  (SELECT count(*) FROM artwork WHERE ghost = 0),
                  (SELECT count(*) FROM document),
                  (SELECT count(*) FROM (SELECT DISTINCT show_id, artist_id FROM document)),
                  (SELECT coalesce(sum(size), 0) FROM file WHERE released_at IS NULL)
                """)
            guard let row else { return history }
            history.picturesPerArtwork = ratio(row[0], row[1])
            history.documentsPerOwner = ratio(row[2], row[3])
            history.heldMedia = row[4]
            return history
        }
    }

    private func ratio(_ count: Int, _ of: Int) -> Double? { of > 0 ? Double(count) / Double(of) : nil }

    /// Mean and variance over rows at even distances, in groups.
    private func sizes(
        _ db: Database, table: String, key: String = "rowid", sample: Int, _ value: String, _ from: String,
        group: String = "''"
    ) throws -> [String: SizeHistory.Sizes] {
        let rows = try db.rows(
            """
            WITH RECURSIVE ends(low, high) AS (SELECT min(\(key)), max(\(key)) FROM "\(table)"),
              spread(n) AS (SELECT low FROM ends WHERE low IS NOT NULL UNION ALL
                SELECT n + max(1, (high - low) / ?1) FROM spread, ends
                WHERE n + max(1, (high - low) / ?1) <= high)
            SELECT \(group), count(*), avg(1.0 * \(value)), avg(1.0 * \(value) * \(value))
            FROM \(from) (SELECT n FROM spread) GROUP BY 1
            """, [sample])
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let count: Int = row[1], mean: Double = row[2] ?? 0, square: Double = row[3] ?? 0
                let variance =
                    count > 1 ? max(0, square - mean * mean) * Double(count) / Double(count - 1) : 0
                return (row[0], SizeHistory.Sizes(count: count, mean: mean, variance: variance))
            })
    }

    /// The summaries of the last complete runs of a command, newest first, as they were logged.
    package func pastSummaries(command: String, limit: Int) throws -> [String] {
        let sql = """
            SELECT summary FROM sync_log WHERE command = ? AND outcome = 'complete' AND summary IS NOT NULL
            ORDER BY run DESC LIMIT ?
            """
        return try read { try $0.texts(sql, [command, limit]) }
    }
}
