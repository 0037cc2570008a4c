import Catalogue
import GRDB

/// Takes back what was restored and is still kept: what had been deleted goes again, what had been changed is again what
/// the server last said.
struct RestoreUndo {
    let log: ChangeLog
    let earlier: EarlierState
    private var db: Database { log.db }

    /// - Parameters:
    ///   - source: only what was restored from that run; `nil` for all.
    func undo(kind: Kind?, id: String?, source: Int64?) throws -> RestoreReport {
        var report = RestoreReport()
        // Documents before their owners, owners before what they refer to.
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

    private struct Step {
        let action: ObjectChange.Action
        let list: String?, before: String?
        let files: [LostFile]
        let evidence: String?
    }

    /// What restoring did to the object since it was last an ordinary one, the last first.
    private func steps(_ object: ChangedObject) throws -> [Step] {
        let rows = try db.rows(
            """
            SELECT c.action, c.list, c.before, c.files, c.evidence, l.command = 'restore' FROM change c
            LEFT JOIN sync_log l ON l.run = c.run
            WHERE c.kind = ? AND c.id = ? AND c.owner IS ? AND c.run IS NOT NULL ORDER BY c.seq DESC
            """, [object.kind.name, object.id, object.loggedOwner])
        var steps: [Step] = []
        for row in rows {
            let evidence: String? = row[4]
            guard row[5] ?? false, evidence != RestoreEvidence.undone,
                let action = ObjectChange.Action(rawValue: row[0])
            else { break }
            steps.append(
                Step(
                    action: action, list: row[1], before: row[2], files: try LostFile.list(row[3]),
                    evidence: evidence))
            if action == .create { break }
        }
        return steps
    }

    private func undo(_ object: ChangedObject, _ source: Int64?, _ report: inout RestoreReport) throws {
        let steps = try steps(object)
        if let source, !steps.contains(where: { $0.evidence == RestoreEvidence.restored(from: source) }) {
            return
        }
        guard !steps.isEmpty else {
            return report.fail(object, "The log no longer says what it was before.")
        }
        for step in steps {
            if step.action == .create {
                let remover = ObjectRemover(log: log), evidence = RestoreEvidence.undone
                if let owner = object.owner {
                    try remover.removeDocument(owner, object.id, evidence: evidence)
                } else {
                    try remover.remove(object.kind, object.id, evidence: evidence)
                }
                return
            }
            guard let before = step.before else { continue }
            let (_, gone) = try earlier.putBack(object, list: step.list, before: before, files: step.files)
            report.miss(gone, of: object, "the next sync fetches it")
        }
        // Its ETag was forgotten when it was put back: it is requested once.
        try earlier.mark(object, kept: false, refetch: true)
        try earlier.forgetValidators(object)
    }
}
