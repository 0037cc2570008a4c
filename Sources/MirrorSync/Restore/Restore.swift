import Catalogue
import Foundation
import MirrorStore

/// Brings back what a run removed from a mirror, or takes such a restoring back.
///
/// It is a run like any other: under the lock, in the log, with its own changes, so that it can be shown and compared; the search index is brought up to date. Nothing is asked from a server.
public struct Restore: Sendable {
    /// The mirror's folder.
    public let folder: MirrorFolder
    /// The run whose work is taken back; `nil` for the last one that removed something.
    public var source: Int64?
    /// Only objects of this kind; `nil` for all.
    public var kind: Kind?
    /// Only the object of this id; `nil` for all.
    public var id: String?
    /// Whether what the run changed is put back as it was, too: until the next sync, whose list names it.
    public var includesChanged = false
    /// Whether the last restoring is taken back instead.
    public var isUndo = false
    let now: @Sendable () -> Date

    /// Files of what was deleted are kept, and so deletions can be taken back, for so long.
    public static let days = 30

    /// - Parameter now: the clock that tells what is too long ago.
    public init(_ folder: MirrorFolder, now: @escaping @Sendable () -> Date = { Date() }) {
        self.folder = folder
        self.now = now
    }

    /// What it did.
    public struct Outcome: Sendable {
        /// What changed, by kind, and what could not be brought back.
        public let summary: SyncSummary
        /// What was found there already or too late, and what could not be brought back.
        package let report: RestoreReport
        /// This run's number.
        public let run: Int64
    }

    /// Runs it; idempotent: what is here stays as it is.
    ///
    /// - Throws: ``StoreError``: `noSuchMirror`, `locked`, `unknownRun`, and what a database can meet with.
    public func run() async throws -> Outcome {
        try folder.checkDatabase()
        try checkSource()
        let context = HookContext(command: "restore", partner: folder.name, folder: folder, now: now)
        var report = RestoreReport()
        let summary = try await SyncHooks.around(context) { try work(context, &report) }
        return Outcome(summary: summary, report: report, run: context.run)
    }

    /// A run that isn't there is wrong usage, and no run.
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
