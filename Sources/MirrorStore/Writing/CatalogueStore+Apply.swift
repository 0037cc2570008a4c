import Catalogue
import GRDB

extension CatalogueStore {
    /// Writes all of `writes`, in order, in one transaction.
    ///
    /// The tree, the pull loop, the events loops, import and served writes all end here, so that ghosts, conflicts and the
    /// change log exist once. Idempotent: a second time, every effect is `unchanged`, and no object's row is written.
    ///
    /// - Parameters:
    ///   - run: the run on whose behalf this is, for the change log; `nil` outside runs.
    ///   - check: called last in the transaction; where it throws, nothing was written.
    /// - Returns: one effect for each write.
    /// - Throws: ``StoreError``; then nothing of it was written.
    package func apply(_ writes: [Write], run: Int64?, check: () throws -> Void = {}) throws -> [WriteEffect]
    {
        // Of what is served no list, digest or snapshot has flags in it.
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
            return try bury(kind, id, evidence: evidence, log: log)
        case .unclean(let kind, let date):
            if let date { try AppliedDate.note(date, of: kind, now: log.now, in: log.db) }
            try ListWriter.unclean(kind, in: log.db)
            return .unchanged
        case .tried(let kind, let id):
            try Ghosts.noteTried(kind, id, at: log.clock, in: log.db)
            return .unchanged
        case .refetch(let kind, let id):
            try log.db.run("UPDATE \"\(kind.table)\" SET refetch = 1 WHERE id = ? AND kept = 0", [id])
            // Of a clean list that is unchanged no member would be looked at.
            try ListWriter.unclean(kind, in: log.db)
            return .unchanged
        case .mayLack(let kind, let since):
            try SinceWriter(db: log.db).bringBack(kind, to: since)
            return .unchanged
        case .fileRefused(let use):
            try DamagedRows(db: log.db, kinds: log.kinds).noteRefused(use)
            return .unchanged
        }
    }

    /// Removes one object because the server said, of it alone, that it is deleted.
    ///
    /// The delete guard is for lists, from which much can vanish by mistake, and has no say here. An album goes in whatever
    /// state it is (``AlbumConflict``), but for one that no server has acknowledged.
    ///
    /// - Returns: `.deleted`, `.deletedWithLocalEdit` if a local edit went with it, `.unchanged` if there was nothing of that
    ///   id.
    private func bury(_ kind: Kind, _ id: String, evidence: String, log: ChangeLog) throws -> WriteEffect {
        // A show that was pruned is known in no version any more. That it was is forgotten with the next list: the last one
        // names it, and would have it be here.
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
