import Catalogue
import GRDB

/// What is to be brought back.
package struct RestoreRequest: Sendable {
    /// The run whose deletions are taken back; `nil` for the last one that deleted any such object.
    package var source: Int64?
    package var kind: Kind?
    package var id: String?
    /// Whether what the run changed is put back as it was before, too.
    package var includesChanged = false
    /// The earliest deletion that can be taken back, as the store writes times: after that files may be gone.
    let notBefore: String
    /// The run that restores, for the log.
    let run: Int64

    package init(notBefore: String, run: Int64) {
        self.notBefore = notBefore
        self.run = run
    }
}

/// What restoring, or undoing it, did. The objects themselves are in the log, under the run.
package struct RestoreReport: Sendable {
    /// The run whose work was taken back; `nil` if none was found, and for an undo.
    package var source: Int64?
    /// Objects that were here already, or are as they were.
    package var present = 0
    /// Objects whose deletion or change is too long ago.
    package var tooOld = 0
    package var problems: [Problem] = []

    package struct Problem: Sendable, Hashable {
        /// `file` for a file that is gone, `object` for what could not be restored.
        package let what: String
        package let object: ChangedObject
        package let message: String
    }

    package init() {}

    mutating func fail(_ object: ChangedObject, _ message: String) {
        problems.append(Problem(what: "object", object: object, message: message))
    }

    mutating func miss(_ gone: [LostFile], of object: ChangedObject, _ next: String) {
        for file in gone {
            let message = "A file of it (\(file.id)) is no longer here; \(next)."
            problems.append(Problem(what: "file", object: object, message: message))
        }
    }
}

/// The evidence by which the log says that something was restored.
enum RestoreEvidence {
    static func restored(from run: Int64?) -> String { run.map { "restored from run \($0)" } ?? "restored" }
    static let undone = "restore undone"
}

extension CatalogueStore {
    /// Brings back what a run deleted, all in one transaction. Idempotent: what is here stays as it is.
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
            let log = try ChangeLog(
                self, db, run: request.run, evidence: RestoreEvidence.restored(from: request.source))
            let earlier = EarlierState(log: log, files: files)
            return try Restorer(log: log, request: request, earlier: earlier).restore()
        }
    }

    /// Takes back what was restored and is still kept, all in one transaction.
    ///
    /// - Parameters:
    ///   - kind: only objects of that kind.
    ///   - source: only what was restored from that run.
    ///   - run: the run that undoes, for the log.
    package func undoRestore(
        kind: Kind? = nil, id: String? = nil, source: Int64? = nil, run: Int64, files: FileStore
    ) throws -> RestoreReport {
        try write { db in
            let log = try ChangeLog(self, db, run: run, evidence: RestoreEvidence.undone)
            let earlier = EarlierState(log: log, files: files)
            return try RestoreUndo(log: log, earlier: earlier).undo(kind: kind, id: id, source: source)
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
}
