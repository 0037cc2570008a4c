import Catalogue

/// Writes the objects that are gathered from artworks, because the catalogue has no list of them: artists and locations.
///
/// They are ordinary objects, not ghosts. If several artworks name an object differently, the one with the smallest id decides,
/// so the result doesn't depend on the order in which the artworks are read.
extension ObjectWriter {
    /// Writes the objects that were gathered from an artwork. Call it before the artwork is written.
    func writeGathered(_ objects: [ObjectRecord], from artwork: String) throws {
        for object in objects where try decides(artwork, about: object) { _ = try writeObject(object) }
    }

    /// Stores at which location an artwork is, or at none. Call it after the artwork was written.
    ///
    /// The end of the run changes the lists of the locations (``Deleter/stageGatheredArtworks(besides:)``).
    func writeLocation(_ location: String?, of artwork: String) throws {
        guard let location else {
            return try log.db.run("DELETE FROM artwork_location WHERE artwork_id = ?", [artwork])
        }
        try log.db.run(
            """
            INSERT INTO artwork_location (artwork_id, location_id) VALUES (?, ?)
            ON CONFLICT (artwork_id) DO UPDATE SET location_id = excluded.location_id
            WHERE location_id IS NOT excluded.location_id
            """, [artwork, location])
    }

    /// Whether the object isn't stored yet, or no artwork with a smaller id names it. Kept artworks are not considered,
    /// because the server doesn't have them.
    private func decides(_ artwork: String, about object: ObjectRecord) throws -> Bool {
        guard let table = object.kind.gatheredTable else { return false }
        return try log.db.isTrue(
            """
            SELECT NOT EXISTS (SELECT 1 FROM "\(object.kind.table)" WHERE id = ?1 AND ghost = 0)
              OR NOT EXISTS (SELECT 1 FROM \(table) t JOIN artwork a ON a.id = t.artwork_id AND a.kept = 0
                WHERE t.\(object.kind.idColumn) = ?1 AND t.artwork_id < ?2)
            """, [object.id, artwork])
    }
}

extension Kind {
    /// The table of the artworks from which objects of this kind are gathered; `nil` for other kinds.
    var gatheredTable: String? {
        switch self {
        case .artist: Kind.artwork.artistsTable
        case .location: "artwork_location"
        default: nil
        }
    }
}
