import Catalogue
import GRDB

extension CatalogueStore {
    /// Brings back what a run deleted, all in one transaction. Idempotent: what is here stays as it is.
    ///
    /// - Throws: ``StoreError/Code/unknownRun`` for a run that the log doesn't have.
    package func restore(_ request: RestoreRequest, forms: RecordForms, files: FileStore) throws
        -> RestoreReport
    {
        if let source = request.source { try checkRun(source) }
        return try write { db in
            var request = request
            if request.source == nil {
                guard let found = try Restorer.source(request, in: db) else { return RestoreReport() }
                request.source = found.run
            }
            return try Restorer(self, db, request: request, forms: forms, files: files).restore()
        }
    }

    /// Takes back what was restored and is still kept, all in one transaction.
    ///
    /// - Parameters:
    ///   - kind: only objects of that kind.
    ///   - source: only what was restored from that run.
    ///   - run: the run that undoes, for the log.
    package func undoRestore(
        kind: Kind? = nil, id: String? = nil, source: Int64? = nil, run: Int64, forms: RecordForms,
        files: FileStore
    ) throws -> RestoreReport {
        return try write { db in
            try RestoreUndo(self, db, run: run, forms: forms, files: files)
                .undo(kind: kind, id: id, source: source)
        }
    }

    /// - Throws: ``StoreError/Code/unknownRun`` if the log doesn't have, or no longer has, that run.
    package func checkRun(_ run: Int64) throws {
        guard let range = try runRange() else {
            throw StoreError(.unknownRun, "There is no run yet. Make one with mirror sync or mirror import.")
        }
        guard try loggedRun(run) == nil else { return }
        throw StoreError(
            .unknownRun,
            run > 0 && run < range.oldest
                ? "Run \(run) is older than the history, which is kept for 100 days; the oldest run in it is \(range.oldest)."
                : "There is no run \(run); the last one is \(range.newest). See mirror log --runs.")
    }

    /// How many restored objects are kept, by kind; none for kinds that have none.
    package func keptCounts() throws -> [Kind: Int] {
        try read { db in
            var counts: [Kind: Int] = [:]
            for kind in Kinds.standard.listed + [.document] {
                let count =
                    try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM \"\(kind.table)\" WHERE kept = 1") ?? 0
                if count > 0 { counts[kind] = count }
            }
            return counts
        }
    }
}
