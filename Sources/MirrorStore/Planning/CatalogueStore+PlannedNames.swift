import Catalogue
import GRDB

/// What a plan knows about the artists and the location that artworks will name, for catalogues whose artists and locations are
/// gathered from artworks.
extension CatalogueStore {
    /// The effect that storing an object that was gathered from an artwork would have. Nothing is written.
    package func effect(ofGathered object: ObjectRecord) throws -> WriteEffect {
        try read { db in
            let writer = ObjectWriter(log: try ChangeLog(self, db, run: nil))
            guard let record = try writer.merged(object) else { return .unchanged }
            return ObjectWriter.effect(of: record, on: try StoredRow.find(object.kind, object.id, in: db))
        }
    }

    /// Stores which artists and which location an artwork will name, in a plan's temporary tables.
    ///
    /// So the plan finds the objects that no artwork will name any more (``planDeletions(_:share:)``). Only for a store for
    /// planning (``planning(_:kinds:now:)``): in any other, temporary tables would hide what is stored.
    package func stagePlannedNames(of artwork: ObjectRecord) throws {
        try write(isServed: false) { db in
            try Self.shadowNames(in: db)
            try db.run("DELETE FROM temp.artwork_artist WHERE artwork_id = ?", [artwork.id])
            for (position, artist) in artwork.parts.artists.enumerated() {
                try db.run(
                    "INSERT INTO temp.artwork_artist (artwork_id, artist_id, position) VALUES (?, ?, ?)",
                    [artwork.id, artist, position])
            }
            guard artwork.parts.place != .unknown else { return }
            try db.run("DELETE FROM temp.artwork_location WHERE artwork_id = ?", [artwork.id])
            guard case .location(let location) = artwork.parts.place else { return }
            try db.run(
                "INSERT INTO temp.artwork_location (artwork_id, location_id) VALUES (?, ?)",
                [artwork.id, location])
        }
    }

    /// Copies the two tables when the first artwork names others, because most plans need no copies.
    private static func shadowNames(in db: Database) throws {
        guard try !db.isTrue("SELECT EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'artwork_artist')")
        else { return }
        for (table, column) in [("artwork_artist", "artist_id"), ("artwork_location", "location_id")] {
            try db.execute(
                sql: """
                    CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table);
                    CREATE INDEX temp.planned_\(table) ON \(table)(\(column));
                    CREATE INDEX temp.planned_\(table)_of ON \(table)(artwork_id);
                    """)
        }
    }
}
