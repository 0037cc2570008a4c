import Catalogue
import GRDB

/// Selects the deletions, and optionally the changes, that are undone.
package struct RestoreRequest: Sendable {
    /// The run whose deletions are undone; `nil` for the last run that deleted a selected object.
    package var source: Int64?
    /// Only objects of this kind; `nil` for all kinds.
    package var kind: Kind?
    /// Only objects with this id; `nil` for all.
    package var id: String?
    /// Whether objects that the run changed are restored to their state before it. Default: `false`.
    package var includesChanged = false
    /// Earlier changes can't be undone, because their files may be gone. In the store's format of times.
    let notBefore: String
    /// The number of the run that restores, for the log.
    let run: Int64

    package init(notBefore: String, run: Int64) {
        self.notBefore = notBefore
        self.run = run
    }
}

/// The result of restoring, or of undoing it. The restored objects are in the log, under the run.
package struct RestoreReport: Sendable {
    /// The run whose changes were undone; `nil` if none was found, and for an undo.
    package var source: Int64?
    /// The number of objects that already are in the state to restore.
    package var present = 0
    /// The number of objects whose deletion or change is too long ago.
    package var tooOld = 0
    package var problems: [Problem] = []

    package struct Problem: Sendable, Hashable {
        /// `file` for a file that no longer exists, `object` for an object that could not be restored.
        package let what: String
        package let object: ChangedObject
        package let message: String
    }

    package init() {}

    mutating func fail(_ object: ChangedObject, _ message: String) {
        problems.append(Problem(what: "object", object: object, message: message))
    }

    /// Reports files that no longer exist.
    ///
    /// - Parameter next: the sentence's second half: what happens to them.
    mutating func reportMissing(_ files: [LostFile], of object: ChangedObject, _ next: String) {
        for file in files {
            let message = "Its file \(file.id) is no longer stored; \(next)."
            problems.append(Problem(what: "file", object: object, message: message))
        }
    }
}

extension CatalogueStore {
    /// Restores the objects that a run deleted, all in one transaction. Idempotent: objects that exist stay as they are.
    ///
    /// - Throws: ``StoreError/Code/unknownRun`` for a run that the log doesn't have.
    package func restore(_ request: RestoreRequest, files: FileStore) throws -> RestoreReport {
        if let source = request.source { try checkRun(source) }
        return try write { db in
            var request = request
            if request.source == nil {
                guard let found = try Restorer.source(request, in: db) else { return RestoreReport() }
                request.source = found.run
            }
            let log = try ChangeLog(self, db, run: request.run, evidence: .restored(fromRun: request.source))
            let earlier = EarlierState(log: log, files: files)
            return try Restorer(log: log, request: request, earlier: earlier).restore()
        }
    }

    /// Undoes the restoring of objects that are still kept, all in one transaction.
    ///
    /// - Parameters:
    ///   - kind: only objects of this kind; `nil` for all kinds.
    ///   - id: only objects with this id; `nil` for all.
    ///   - source: only objects that were restored from this run; `nil` for all.
    ///   - run: the number of the run that undoes, for the log.
    package func undoRestore(
        kind: Kind? = nil, id: String? = nil, source: Int64? = nil, run: Int64, files: FileStore
    ) throws -> RestoreReport {
        try write { db in
            let log = try ChangeLog(self, db, run: run, evidence: .restoreUndone)
            let earlier = EarlierState(log: log, files: files)
            return try RestoreUndo(log: log, earlier: earlier).undo(kind: kind, id: id, source: source)
        }
    }

    /// Checks that a run is in the log.
    ///
    /// - Throws: ``StoreError/Code/unknownRun`` if it isn't, or no longer is.
    package func checkRun(_ run: Int64) throws {
        guard let range = try runRange() else {
            throw StoreError(.unknownRun, "There is no run yet. Start one with mirror sync or mirror import.")
        }
        guard try loggedRun(run) == nil else { return }
        throw StoreError(
            .unknownRun,
            run > 0 && run < range.oldest
                ? "Run \(run) is no longer in the history, which covers 100 days; the oldest run in it is \(range.oldest)."
                : "There is no run \(run); the last one is \(range.newest). See mirror log --runs.")
    }
}
