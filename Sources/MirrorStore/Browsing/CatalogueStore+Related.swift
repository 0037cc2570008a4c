import Catalogue
import GRDB

/// What an object's page shows besides its artworks: its documents, and objects of other kinds.
extension CatalogueStore {
    /// The description of a document, with its file if it is stored.
    package struct DocumentItem: Sendable, Hashable {
        package let id: String
        package let title: String?
        package let filename: String?
        /// In bytes, as the catalogue says; `nil` if it doesn't.
        package let size: Int?
        package let file: StoredFile?
    }

    /// The documents of a show or artist, in the order of their ids.
    package func documents(of owner: Owner, limit: Int) throws -> [DocumentItem] {
        guard owner.kind.hasDocuments else { return [] }
        return try read { db in
            try db.rows(
                """
                SELECT h.hash, h.size, h.path, h.type, d.id, d.title, d.filename, d.size
                FROM document d LEFT JOIN file h ON h.hash = d.file
                WHERE d.\(owner.kind.idColumn) = ? AND d.ghost = 0 ORDER BY d.id LIMIT ?
                """, [owner.id, limit]
            ).map {
                DocumentItem(
                    id: $0[4], title: $0[5], filename: $0[6], size: $0[7], file: StoredFile(row: $0, from: 0))
            }
        }
    }

    /// The objects of a kind that are related to an owner, such as the artists of a show or the shows at a location.
    ///
    /// - Parameter limit: the maximum number.
    /// - Returns: summaries in the relation's order, and the number of all; ghosts are left out.
    package func related(_ kind: Kind, to owner: Owner, limit: Int) throws -> (
        items: [ObjectSummary], total: Int
    ) {
        guard let relation = Relation(kind, of: owner.kind) else { return ([], 0) }
        return try read { db in
            let members = "\(relation.table) m JOIN \"\(kind.table)\" o ON o.id = m.\(relation.member)"
            let condition = "m.\(relation.owner) = ? AND o.ghost = 0 AND o.json IS NOT NULL"
            let order = relation.order.map { "m.\($0)" } ?? "o.id"
            // A relation that is the table of the kind itself joins with itself by its id.
            let items = try db.rows(
                "SELECT \(ObjectSummary.columns(kind)) FROM \(members) WHERE \(condition) ORDER BY \(order) LIMIT ?",
                [owner.id, limit]
            ).map { ObjectSummary(kind, $0) }
            let total =
                items.count < limit
                ? items.count
                : try db.number("SELECT count(*) FROM \(members) WHERE \(condition)", [owner.id])
                    ?? items.count
            return (items, total)
        }
    }

    /// Whether the mirror has an object of a kind that a face may see.
    package func hasObjects(_ kind: Kind, shownTo face: Face) throws -> Bool {
        let isPresent = kind.isEdited ? " AND o.deleted = 0" : ""
        return try read {
            try $0.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM "\(kind.table)" o
                  WHERE o.ghost = 0 AND o.json IS NOT NULL AND \(face.isVisible(kind, "o"))\(isPresent))
                """)
        }
    }
}
