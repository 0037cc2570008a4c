import Catalogue
import GRDB

extension CatalogueStore {
    /// Writes all of `writes`, in order, in one transaction.
    ///
    /// The tree, the pull loop, the events loops, import and served writes all use this method, so ghosts, conflicts and the
    /// change log are handled in one place. Idempotent: the same writes again have the effect `unchanged`, and write no
    /// object's row.
    ///
    /// - Parameters:
    ///   - writes: the writes.
    ///   - run: the run that writes, for the change log; `nil` outside a run.
    ///   - check: called last in the transaction; if it throws, nothing is written.
    /// - Returns: one effect for each write.
    /// - Throws: ``StoreError``; then nothing is written.
    package func apply(_ writes: [Write], run: Int64?, check: () throws -> Void = {}) throws -> [WriteEffect]
    {
        // Flags are in no served list, digest or snapshot.
        let isServed = !writes.allSatisfy { if case .flag = $0 { true } else { false } }
        return try write(isServed: isServed) { db in
            let log = try ChangeLog(self, db, run: run)
            let effects = try writes.map { try apply($0, log: log) }
            try RivalSettlement(log: log).settle()
            try check()
            return effects
        }
    }

    func apply(_ write: Write, log: ChangeLog) throws -> WriteEffect {
        switch write {
        case .object(let record):
            return try ObjectWriter(log: log).write(record)
        case .document(let record):
            return try DocumentWriter(log: log).write(record)
        case .showImages(let show, let role, let images, let list):
            return try ImageWriter(log: log).write(show: show, role: role, images: images, list: list)
        case .file(let record):
            return try FileWriter(db: log.db, at: log.clock).write(record)
        case .members(let list, let ids):
            return try ListWriter(log: log).stage(list, ids: ids)
        case .confirmed(let list):
            return try ListWriter(log: log).confirm(list.url)
        case .flag(let key, let value):
            try log.db.run(
                """
                INSERT INTO partner_flag (key, value, set_at) VALUES (?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value, set_at = excluded.set_at
                """, [key, value, log.at])
            return .updated
        case .tombstone(let kind, let id, let evidence):
            return try removeByTombstone(kind, id, evidence: evidence, log: log)
        case .markListNotClean(let kind, let date):
            if let date { try AppliedDate.note(date, of: kind, now: log.now, in: log.db) }
            try ListWriter.markNotClean(kind, in: log.db)
            return .unchanged
        case .tried(let kind, let id, let isAbsent):
            try Ghosts.noteTried(kind, id, isAbsent: isAbsent, at: log.clock, in: log.db)
            return .unchanged
        case .refetch(let kind, let id):
            try log.db.run("UPDATE \"\(kind.table)\" SET refetch = 1 WHERE id = ? AND kept = 0", [id])
            // The members of a clean list that is unchanged would not be checked.
            try ListWriter.markNotClean(kind, in: log.db)
            return .unchanged
        case .mayLack(let kind, let since):
            try SinceWriter(db: log.db).bringBack(kind, to: since)
            return .unchanged
        case .fileRefused(let use):
            try DamagedRows(db: log.db, kinds: log.kinds).noteRefused(use)
            return .unchanged
        }
    }

    /// Removes one object that the server reported as deleted.
    ///
    /// The delete guard doesn't apply: it protects from incomplete lists, and a tombstone is about a single object. An album is
    /// removed even with local edits (``AlbumConflict``), unless the server hasn't acknowledged it.
    ///
    /// - Returns: `.deleted`, `.deletedWithLocalEdit` if a local edit was lost, or `.unchanged` if no such object is stored.
    private func removeByTombstone(
        _ kind: Kind, _ id: String, evidence: Evidence, log: ChangeLog
    ) throws -> WriteEffect {
        // The row of a pruned show stays until the next list, without an ETag. The stored list still contains the show, and
        // without that row the show would be missing.
        try log.db.run(
            "UPDATE pruned SET etag = NULL, gone = 1 WHERE kind = ? AND id = ? AND gone = 0", [kind.name, id])
        guard let found = try StoredRow.find(kind, id, in: log.db), !found.ghost, !found.kept else {
            return .unchanged
        }
        let isAcknowledged = "SELECT acknowledged FROM \"\(kind.table)\" WHERE id = ?"
        if kind.isEdited, try !log.db.isTrue(isAcknowledged, [id]) { return .unchanged }
        let hadLocalEdit = try ObjectRemover(log: log).remove(kind, id, evidence: evidence)
        return hadLocalEdit ? .deletedWithLocalEdit : .deleted
    }
}
