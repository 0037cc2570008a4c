import Catalogue
import GRDB

/// Removes one object because the server said, of it alone, that it is deleted.
///
/// The delete guard is for lists, from which much can vanish by mistake, and has no say here. An album goes in whatever
/// state it is (``AlbumConflict``), but for one that no server has acknowledged.
struct Tombstone {
    let log: ChangeLog

    /// - Returns: `.deleted`, `.deletedWithLocalEdit` if a local edit went with it, `.unchanged` if there was nothing of that
    ///   id.
    func apply(_ kind: Kind, _ id: String, evidence: String) throws -> WriteEffect {
        // A show that was pruned is known in no version any more. That it was is forgotten with the next list: the last one
        // names it, and would have it be here.
        try log.db.cachedStatement(
            sql: "UPDATE pruned SET etag = NULL, gone = 1 WHERE kind = ? AND id = ? AND gone = 0"
        )
        .execute(arguments: [kind.name, id])
        guard let found = try StoredRow.find(kind, id, in: log.db), !found.ghost, !found.kept else {
            return .unchanged
        }
        if kind == .album {
            let isKnown = "SELECT acknowledged FROM album WHERE id = ?"
            guard try Bool.fetchOne(log.db, sql: isKnown, arguments: [id]) == true else { return .unchanged }
        }
        let hadLocalEdit = try ObjectRemover(log: log).remove(kind, id, evidence: evidence)
        return hadLocalEdit ? .deletedWithLocalEdit : .deleted
    }
}
