import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Makes a mirror from a catalogue's files, or updates it from a newer catalogue.
///
/// The files replace the server: their objects and lists pass the same writes, the same Deleter and the same delete guard as
/// those of a sync. Idempotent: importing the same catalogue again changes nothing. It also keeps local edits of albums
/// (``ImportedAlbums``).
public struct CatalogueImport: Sendable {
    let source: CatalogueFiles
    let folder: MirrorFolder
    let maxDelete: DeleteGuard.Limit
    let now: @Sendable () -> Date

    /// An import of a catalogue into a mirror's folder.
    ///
    /// - Parameters:
    ///   - maxDelete: how much the import may delete.
    ///   - now: the clock of the log.
    public init(
        _ source: CatalogueFiles, into folder: MirrorFolder, maxDelete: DeleteGuard.Limit = .standard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.source = source
        self.folder = folder
        self.maxDelete = maxDelete
        self.now = now
    }

    /// Runs the import. If it fails or the task is cancelled, the objects written so far stay, and nothing is deleted.
    ///
    /// - Returns: the summary, also of an import that failed while writing.
    /// - Throws: ``SyncError`` or ``StoreError`` if the import could not begin.
    public func run() async throws -> SyncSummary {
        let partner = try source.partner(), user = try source.user()
        let context = HookContext(
            command: "import", partner: folder.name, folder: folder, now: now,
            admit: { try admit(partner, to: $0) })
        return try await SyncHooks.around(context) {
            do {
                return try importAll(partner, user: user, context)
            } catch {
                var summary = SyncSummary(partner: folder.name, failure: error)
                // An error of counting is ignored: the import's failure is reported.
                summary.unavailable = (try? context.store.unavailableFiles()) ?? summary.unavailable
                try? summary.count(context)
                return summary
            }
        }
    }

    /// Refuses a catalogue that doesn't belong to this mirror.
    private func admit(_ partner: JSONObject, to store: CatalogueStore) throws {
        guard try store.origin == nil else {
            throw SyncError(
                .otherOrigin,
                "\(folder.name) is a mirror of a server, and importing would mix the two. Use another --home."
            )
        }
        if let storedID = try store.storedSingle(.partner)?.id,
            ExactText(storedID) != ExactText(id(of: partner))
        {
            throw SyncError(
                .otherOrigin,
                "\(folder.name) is the catalogue of another partner, and importing would mix the two. Use another --as."
            )
        }
    }

    private func id(of partner: JSONObject) -> String { partner["id"]?.idText ?? folder.name }

    private func importAll(
        _ partner: JSONObject, user: JSONObject?, _ context: HookContext
    ) throws -> SyncSummary {
        let store = try context.store
        try store.setCatalogue(true)
        var writer = CatalogueWriter(
            source: source, store: store, files: folder.files, run: context.run, partner: id(of: partner),
            albums: try ImportedAlbums(stored: store.importedAlbums))
        let listed = try writer.writeAll(partner, user: user)
        var request = FinishRequest(run: context.run)
        request.kinds = Set(listed.keys).subtracting(writer.incomplete)
        request.limit = maxDelete
        let report = try store.finish(request)
        if listed[.album] != nil {
            let held = report.held.map(\.owner).filter { $0.kind == .album }.map(\.id)
            let isSwept = report.objections.isEmpty && !writer.incomplete.contains(.album)
            try store.setImportedAlbums(writer.albums.text(isSwept: isSwept, held: held))
        }
        let problems = writer.problems.problems
        var summary = SyncSummary(
            partner: folder.name,
            outcome: !report.objections.isEmpty ? .guarded : problems.isEmpty ? .complete : .partial)
        (summary.problems, summary.furtherProblems) = (problems, writer.problems.further)
        (summary.guarded, summary.guardedDeletions) = (report.objections, report.intended)
        summary.unavailable = try store.unavailableFiles()
        try summary.count(context, listed: listed)
        return summary
    }
}

extension SyncSummary {
    /// Sets the counts of a run without a server from the change log.
    mutating func count(_ context: HookContext, listed: [Kind: Int] = [:]) throws {
        let store = try context.store, changes = try store.changeCounts(run: context.run)
        for kind in store.kinds.all {
            var count = Count(listed: listed[kind] ?? 0)
            if let changes = changes[kind] {
                (count.created, count.updated, count.deleted) = changes
            }
            count.unchanged = max(0, count.listed - count.created - count.updated)
            objects[kind.name] = count
        }
    }
}
