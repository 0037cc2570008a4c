import Catalogue
import GRDB

/// The sizes of a mirror's objects and files, from which a plan estimates those of future downloads. Sizes are in bytes.
package struct SizeHistory: Sendable {
    /// The mean and variance of a sample of sizes.
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

    /// The sizes of the stored JSON of objects.
    package var json: [Kind: Sizes] = [:]
    /// The sizes of pictures' files by format. All tiles are together, under ``ImageTile/kind``.
    package var pictures: [String: Sizes] = [:]
    /// The sizes of documents' files.
    package var documents: Sizes?
    /// The mean number of pictures of an artwork.
    package var picturesPerArtwork: Double?
    /// The mean number of documents of a show or artist that has any.
    package var documentsPerOwner: Double?
    /// The total size of all stored pictures and documents.
    package var storedMediaSize: Int64 = 0

    package init() {}
}

extension CatalogueStore {
    /// Samples up to 200 objects of each kind and 1,000 pictures and documents, spread evenly over their tables.
    ///
    /// It takes some milliseconds, for a mirror of any size.
    ///
    /// - Parameter media: whether to sample pictures and documents, too.
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
            history.storedMediaSize = row[4]
            return history
        }
    }

    private func ratio(_ count: Int, _ total: Int) -> Double? {
        total > 0 ? Double(count) / Double(total) : nil
    }

    /// The mean and variance of a value in evenly spaced rows, by group.
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

    /// The logged summaries of a command's last complete runs, newest first.
    package func pastSummaries(command: String, limit: Int) throws -> [String] {
        let sql = """
            SELECT summary FROM sync_log WHERE command = ? AND outcome = 'complete' AND summary IS NOT NULL
            ORDER BY run DESC LIMIT ?
            """
        return try read { try $0.texts(sql, [command, limit]) }
    }
}
