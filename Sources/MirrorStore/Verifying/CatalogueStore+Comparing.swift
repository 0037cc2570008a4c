import Catalogue
import GRDB

extension CatalogueStore {
    /// What is stored of objects that a server names: the ETags that their rows were made from, by id.
    ///
    /// What is only referred to is left out, stored or not; a row that was made from an answer without an ETag has an empty one.
    package func storedETags(_ kind: Kind, ids: [String]) throws -> [ExactText: String] {
        try read { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, coalesce(etag, '') FROM "\(kind.table)"
                        WHERE ghost = 0 AND linked = 0 AND id IN (SELECT value FROM json_each(?))
                        """), arguments: [JSONValue.canonicalText(of: ids)])
            return Dictionary(rows.map { (ExactText($0[0]), $0[1]) }, uniquingKeysWith: { $1 })
        }
    }

    /// Ids of a kind in order, behind one: what a server that has the same must name.
    ///
    /// Ghosts, what was restored, what is only referred to, and albums that no server knows yet are left out.
    package func acknowledgedIDs(_ kind: Kind, after id: String, limit: Int) throws -> [String] {
        try read { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM "\(kind.table)" WHERE id > ? AND ghost = 0 AND kept = 0 AND linked = 0
                          \(kind == .album ? "AND acknowledged = 1" : "") ORDER BY id LIMIT ?
                        """), arguments: [id, limit])
        }
    }
}
