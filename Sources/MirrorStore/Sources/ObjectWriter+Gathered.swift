import Catalogue

/// Writes the objects that are gathered from artworks, because the catalogue has no list of them: artists and locations.
///
/// They are ordinary objects, not ghosts. If several artworks name an object differently, the one that was read last decides, because
/// only changed artworks are read again. A field that it lacks is kept: a field that is absent in an artwork erases nothing.
extension ObjectWriter {
    /// Writes the objects that were gathered from an artwork. Call it before the artwork is written.
    func writeGathered(_ objects: [ObjectRecord]) throws {
        for object in objects {
            if let record = try merged(object) { _ = try writeObject(record) }
        }
    }

    /// The record to write for an object that was gathered from an artwork; `nil` if the artwork adds nothing to the stored one.
    func merged(_ object: ObjectRecord) throws -> ObjectRecord? {
        guard let stored = try storedJSON(object) else { return object }
        guard stored != object.json, case .object(let old) = try JSONValue(parsing: stored),
            case .object(let new) = try JSONValue(parsing: object.json)
        else { return nil }
        let merged = old.adding(new)
        guard merged != old else { return nil }
        var warnings: [FieldWarning] = []
        let payload = try object.kind.type.init(merged, warnings: &warnings)
        return ObjectRecord(object.kind, payload, etag: object.etag)
    }

    /// The stored JSON of an object; `nil` if it isn't stored, or not as an ordinary object.
    private func storedJSON(_ object: ObjectRecord) throws -> String? {
        try log.db.texts(
            """
            SELECT json FROM "\(object.kind.table)"
            WHERE id = ? AND ghost = 0 AND kept = 0 AND linked = 0 AND refetch = 0
            """, [object.id]
        ).first
    }

    /// Stores at which location an artwork is, or at none. Call it after the artwork was written. Does nothing if that isn't known.
    ///
    /// The end of the run changes the lists of the locations (``Deleter/stageGatheredArtworks(besides:)``).
    func writePlace(_ place: ObjectRecord.Parts.Place, of artwork: String) throws {
        let location: String
        switch place {
        case .unknown: return
        case .none: return try log.db.run("DELETE FROM artwork_location WHERE artwork_id = ?", [artwork])
        case .location(let id): location = id
        }
        try log.db.run(
            """
            INSERT INTO artwork_location (artwork_id, location_id) VALUES (?, ?)
            ON CONFLICT (artwork_id) DO UPDATE SET location_id = excluded.location_id
            WHERE location_id IS NOT excluded.location_id
            """, [artwork, location])
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

extension JSONObject {
    /// These fields, replaced by those of another object where it has them.
    fileprivate func adding(_ other: JSONObject) -> JSONObject {
        var all = self
        for member in other.members { all[member.key] = member.value }
        return all
    }
}
