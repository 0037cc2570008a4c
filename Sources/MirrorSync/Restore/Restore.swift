import Catalogue
import Foundation
import MirrorStore

/// Restores objects that a run deleted from a mirror, or undoes such a restore.
///
/// A restore is a run: it takes the lock, has a number and its own changes in the log, and updates the search index. It sends
/// no requests.
public struct Restore: Sendable {
    /// The mirror's folder.
    public let folder: MirrorFolder
    /// The run whose deletions are undone; `nil`, the default, for the last run that deleted something.
    public var source: Int64?
    /// Restores only objects of this kind; `nil`, the default, for all kinds.
    public var kind: Kind?
    /// Restores only the object with this id; `nil`, the default, for all objects.
    public var id: String?
    /// Whether objects that the run changed are set back to their former state too. The next sync that lists them updates them
    /// again. Default `false`.
    public var includesChanged = false
    /// Whether to undo the last restore instead. Default `false`.
    public var isUndo = false
    let now: @Sendable () -> Date

    /// The number of days for which deletions can be restored: the files of deleted objects are kept for this time.
    public static let days = 30

    /// A restore of the last run that deleted something.
    ///
    /// - Parameter now: the clock by which ``days`` are counted.
    public init(_ folder: MirrorFolder, now: @escaping @Sendable () -> Date = { Date() }) {
        self.folder = folder
        self.now = now
    }

    /// The result of a restore.
    public struct Outcome: Sendable {
        /// The changes by kind, and the objects that could not be restored.
        public let summary: SyncSummary
        /// The objects that already existed, were deleted too long ago, or could not be restored.
        package let report: RestoreReport
        /// The number of the restore's own run.
        public let run: Int64
    }

    /// Runs the restore. Idempotent: objects that exist are not changed.
    ///
    /// - Throws: ``StoreError``: `noSuchMirror`, `locked`, `unknownRun`, and the errors of reading and writing the database.
    public func run() async throws -> Outcome {
        try folder.checkDatabase()
        try checkSource()
        let context = HookContext(command: "restore", partner: folder.name, folder: folder, now: now)
        var report = RestoreReport()
        let summary = try await SyncHooks.around(context) { try work(context, &report) }
        return Outcome(summary: summary, report: report, run: context.run)
    }

    /// Checks that ``source`` exists before a run begins: an unknown run is a usage error and must not be logged as a run.
    private func checkSource() throws {
        guard let source else { return }
        let store = try folder.store()
        defer { try? store.close() }
        try store.checkRun(source)
    }

    private func work(_ context: HookContext, _ report: inout RestoreReport) throws -> SyncSummary {
        let store = try context.store
        if isUndo {
            report = try store.undoRestore(
                kind: kind, id: id, source: source, run: context.run, files: folder.files)
        } else {
            let limit = now().addingTimeInterval(-Double(Self.days) * 86_400)
            var request = RestoreRequest(notBefore: CatalogueStore.text(of: limit), run: context.run)
            (request.source, request.kind, request.id) = (source, kind, id)
            request.includesChanged = includesChanged
            report = try store.restore(request, files: folder.files)
        }
        var summary = SyncSummary(
            partner: folder.name, outcome: report.problems.isEmpty ? .complete : .partial)
        summary.problems = report.problems.map {
            Problem(what: $0.what, kind: $0.object.kind.name, id: $0.object.id, message: $0.message)
        }
        try summary.count(context)
        return summary
    }
}
