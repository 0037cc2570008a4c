import Catalogue
import GRDB

/// Where an artwork is, and what it is in.
extension CatalogueStore {
    /// The location of an artwork: the one whose list contains it or, in a mirror of a described source, the one that it names.
    package func place(ofArtwork id: String) throws -> ObjectSummary? {
        try read { db in
            let sql = """
                SELECT \(ObjectSummary.columns(.location)) FROM location o WHERE ghost = 0 AND id = coalesce(
                  (SELECT location_id FROM location_artwork WHERE artwork_id = ?1 ORDER BY location_id LIMIT 1),
                  (SELECT location_id FROM artwork_location WHERE artwork_id = ?1))
                """
            return try db.row(sql, [id]).map { ObjectSummary(.location, $0) }
        }
    }

    /// The shows and then the albums that contain an artwork and that a face may see, each in the order of their ids.
    ///
    /// - Parameter limit: the maximum number of each.
    package func owners(ofArtwork id: String, for face: Face, limit: Int) throws -> [Owner] {
        try read { db in
            try kinds.objects.filter { $0.hasMembers && $0 != .location }.sorted {
                $0 == .show && $1 != .show
            }
            .flatMap { kind in
                let removed = kind.isEdited ? " AND pending IS NOT 'remove'" : ""
                let owner = kind.idColumn
                return try db.texts(
                    """
                    SELECT DISTINCT \(owner) FROM \(kind.membersTable) m WHERE artwork_id = ?\(removed) AND EXISTS (
                      SELECT 1 FROM "\(kind.table)" o
                      WHERE o.id = m.\(owner) AND o.ghost = 0 AND \(face.isVisible(kind, "o")))
                    ORDER BY \(owner) LIMIT ?
                    """, [id, limit]
                ).map { Owner(kind, $0) }
            }
        }
    }
}
