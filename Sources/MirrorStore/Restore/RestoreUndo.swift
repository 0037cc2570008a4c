import Catalogue
import GRDB

/// Undoes the restoring of objects that are still kept.
///
/// An object that the server had deleted is removed again. An object that the server had changed gets the server's last
/// state again.
struct RestoreUndo {
    let log: ChangeLog
    let earlier: EarlierState
    private var db: Database { log.db }

    /// - Parameters:
    ///   - kind: only objects of this kind; `nil` for all kinds.
    ///   - id: only objects with this id; `nil` for all.
    ///   - source: only objects that were restored from this run; `nil` for all.
    func undo(kind: Kind?, id: String?, source: Int64?) throws -> RestoreReport {
        var report = RestoreReport()
        // Documents before their owners, and owners before the objects that they refer to.
        for table in log.kinds.all.reversed() where table.mayBeKept && (kind == nil || kind == table) {
            for object in try kept(table) where id == nil || id == object.id {
                try undo(object, source, &report)
            }
        }
        try RivalSettlement(log: log).settle()
        try Ghosts(db: db, kinds: log.kinds).prune()
        return report
    }

    private func kept(_ kind: Kind) throws -> [ChangedObject] {
        let owner =
            kind.isPart
            ? "CASE WHEN show_id IS NULL THEN 'artist/' || artist_id ELSE 'show/' || show_id END" : "NULL"
        return try db.rows(
            "SELECT id, \(owner) FROM \"\(kind.table)\" WHERE kept = 1 ORDER BY id"
        ).compactMap { ChangedObject(kind: kind.name, id: $0[0], owner: $0[1], among: log.kinds) }
    }

    /// A logged change by a restoring run.
    private struct RestoringChange {
        let action: ObjectChange.Action
        let list: String?, before: String?
        let files: [LostFile]
        let evidence: Evidence?
    }

    /// The changes by which restoring runs made an ordinary object into the kept one, latest first.
    private func restoringChanges(_ object: ChangedObject) throws -> [RestoringChange] {
        let rows = try db.rows(
            """
            SELECT c.action, c.list, c.before, c.files, c.evidence, l.command = 'restore' FROM change c
            LEFT JOIN sync_log l ON l.run = c.run
            WHERE c.kind = ? AND c.id = ? AND c.owner IS ? AND c.run IS NOT NULL ORDER BY c.seq DESC
            """, [object.kind.name, object.id, object.loggedOwner])
        var changes: [RestoringChange] = []
        for row in rows {
            let evidence = (row[4] as String?).map(Evidence.init)
            guard row[5] ?? false, evidence != .restoreUndone,
                let action = ObjectChange.Action(rawValue: row[0])
            else { break }
            changes.append(
                RestoringChange(
                    action: action, list: row[1], before: row[2], files: try LostFile.list(row[3]),
                    evidence: evidence))
            if action == .create { break }
        }
        return changes
    }

    private func undo(_ object: ChangedObject, _ source: Int64?, _ report: inout RestoreReport) throws {
        let changes = try restoringChanges(object)
        if let source, !changes.contains(where: { $0.evidence == .restored(fromRun: source) }) {
            return
        }
        guard !changes.isEmpty else {
            return report.fail(object, "Its state before it was restored is no longer in the log.")
        }
        for change in changes {
            if change.action == .create {
                let remover = ObjectRemover(log: log), evidence = Evidence.restoreUndone
                if let owner = object.owner {
                    try remover.removeDocument(owner, object.id, evidence: evidence)
                } else {
                    try remover.remove(object.kind, object.id, evidence: evidence)
                }
                return
            }
            guard let before = change.before else { continue }
            let (_, missing) = try earlier.revert(
                object, list: change.list, to: before, files: change.files)
            report.reportMissing(missing, of: object, "the next sync fetches it")
        }
        // Restoring removed the ETag of the server's state, so the object is requested once.
        try earlier.mark(object, kept: false, refetch: true)
        try earlier.forgetValidators(object)
    }
}
