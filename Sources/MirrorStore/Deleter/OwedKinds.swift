import Catalogue
import GRDB

/// Kinds whose list did not come when the feed's cursor was stored.
///
/// The feed tells of them from there on, and nothing tells what happened to them before: no date may be asked with, and the
/// next whole sync lists them. Kept in the transaction that stores the cursor.
package struct OwedKinds {
    let db: Database

    package init(db: Database) { self.db = db }

    package var all: Set<Kind> {
        get throws {
            let text = try String.fetchOne(
                db.cachedStatement(sql: "SELECT value FROM meta WHERE key = ?"),
                arguments: [CatalogueStore.Fact.owedKinds.rawValue])
            return Set((text ?? "").split(separator: ",").compactMap { Kinds.standard[String($0)] })
        }
    }

    /// At the end of a run that swept.
    func settle(_ request: FinishRequest) throws {
        let before = try all
        let new = request.cursor == nil ? [] : request.owed
        try SinceWriter(db: db).forget(Array(new))
        let owed = before.subtracting(request.settled).union(new)
        guard owed != before else { return }
        let names = owed.map(\.name).sorted().joined(separator: ",")
        try CatalogueStore.set(.owedKinds, to: owed.isEmpty ? nil : names, in: db)
    }
}
