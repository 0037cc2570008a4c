import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// What follows the tree of a plan: samples, deletions, and the sums.
struct PlanFinisher: Sendable {
    let ending: RunFinisher
    let plan: PlanRecorder
    let folder: MirrorFolder
    /// Why the partner could not be identified.
    let failure: (any Error)?
    /// What a snapshot says of itself, if the sync will be one.
    let snapshot: SnapshotLoad.Announcement?

    private var environment: SyncEnvironment { ending.environment }
    private var options: SyncOptions { environment.options }

    func finish(_ monitor: SyncMonitor) async throws -> SyncSummary {
        var problems = ending.failures()
        func summary(_ outcome: SyncSummary.Outcome, _ error: (any Error)? = nil) throws -> SyncSummary {
            try ending.summary(outcome, problems: problems, failure: error)
        }
        if let failure {
            return try failure is CancellationError ? summary(.cancelled) : summary(.failed, failure)
        }
        switch ending.outcome?.state {
        case nil, .cancelled: return try summary(.cancelled)
        case .failed(let error): return try summary(.failed, error)
        case .complete, .partial: break
        }
        // The samples' own requests come last: what was sent before them is what a sync would send as well.
        let sent = environment.session.statistics
        let sampler = PlanSampler(environment: environment, plan: plan)
        var samples = FileSamples()
        do {
            problems += try await sampler.decide()
            let wants = wants
            if wants.any { samples = try await sampler.files(wants) }
        } catch is CancellationError {
            return try summary(.cancelled)
        }
        var result = try summary(problems.isEmpty && ending.isWhole ? .complete : .partial)
        try finish(&result, samples, sent, monitor)
        return result
    }

    private func finish(
        _ summary: inout SyncSummary, _ samples: FileSamples, _ sent: SessionStatistics,
        _ monitor: SyncMonitor
    ) throws {
        let store = environment.store, tally = plan.current, report = environment.report.current
        // Only now: what lists under objects lose counts, as far as they were requested.
        let deletions = try store.planDeletions(ending.request(), share: tally.listShare)
        let pulled = try pulled(), pruning = try pruning(beside: deletions, pulled, tally)
        var deleted: [Kind: Int] = [:]
        if deletions.objections.isEmpty {
            for (kind, ids) in deletions.ids + [(.show, pruning.ids)] {
                deleted[kind, default: 0] += ids.count
                for id in ids { monitor.item(kind: kind.name, id: id, action: "deleted") }
            }
        }
        let sizes = PlanSizes(
            tally: tally, history: plan.history, kinds: environment.kinds, stated: report.statedSize,
            options: options, hasEstimate: environment.tree.node(named: "estimate") != nil, samples: samples,
            sent: sent, listedArtworks: report.listed[.artwork] ?? 0,
            deletedArtworks: deleted[.artwork] ?? 0, pulled: pulled, snapshot: snapshot)
        var result = sizes.plan
        result.relocated = tally.changedLocations
        result.guarded = deletions.objections
        result.guardedDeletions = deletions.intended
        result.hasChanges =
            tally.hasChanges || deletions.ids.contains { !$0.ids.isEmpty } || pruning.hasChanges
        result.isExact =
            try result.isExact && summary.outcome == .complete && !pruning.isOpen && !hasUncertainRequests()
        if options.media {
            result.lostFiles = try LostFiles(store, in: folder, now: environment.now()).count()
        }
        // Where they are fetched from, only the lists lead to.
        if result.lostFiles > 0 { (result.hasChanges, result.isExact) = (true, false) }
        result.forecast = Forecast.of(
            .init(
                requests: result.requests.value, bytes: result.bytes.value,
                files: result.files.values.reduce(0) { $0 + $1.value }),
            past: try store.pastRuns(), roundTrips: tally.roundTrips, jobs: options.jobs,
            answers: tally.largeAnswers,
            files: samples.pace.map {
                ((result.files["image"]?.value ?? 0) + (result.files[ImageTile.kind]?.value ?? 0), $0)
            })
        result.disk = SyncPlan.Disk(free: freeSpace, needed: sizes.disk(result))
        count(&summary, tally, result, deleted)
        summary.guarded = deletions.objections
        summary.requests = environment.session.statistics
        summary.plan = result
    }

    /// What a sync would do of shows that ended, as far as what is stored tells.
    ///
    /// - Parameter deletions: what would be swept goes by that.
    private func pruning(
        beside deletions: PlannedDeletions, _ pulled: Set<Kind>, _ tally: PlanTally
    ) throws -> (ids: [String], hasChanges: Bool, isOpen: Bool) {
        guard environment.coverage.kinds.contains(.show) else { return ([], false, false) }
        let limit = try Pruning(environment: environment).limit()
        // Where only what changed is requested, what is marked to be fetched again comes after it.
        let confirmed = pulled.contains(.show) ? [] : tally.confirmedShows
        let planned = try environment.store.planPruning(endedBefore: limit, confirmed: confirmed)
        let swept = Set(deletions.ids.first { $0.kind == .show }?.ids ?? [])
        // From a new origin nothing is removed.
        let ids = ending.origin.isNew ? [] : planned.ids.filter { !swept.contains($0) }
        let shows = tally.changes[.show] ?? .init()
        // Shows that are still to come may say that they ended.
        let isOpen = planned.returning > 0 || limit != nil && shows.created + shows.updated > 0
        return (ids, !ids.isEmpty || planned.returning > 0, isOpen)
    }

    /// Whether a sync will send requests of whose outcome a dry run knows nothing: pushes of edits, which the server decides on;
    /// requests for what is stored only because it is referred to; and the rest of a snapshot, as what the first part of it brought
    /// counts with the run that ends it.
    private func hasUncertainRequests() throws -> Bool {
        let store = environment.store
        return try environment.tree.node(named: "album edits") != nil
            && (!store.pendingAlbums().isEmpty || !store.pendingAlbumDeletions().isEmpty)
            || store.ghostsToFetch(environment.walkedKinds, run: environment.run, limit: GhostFetch.most)
                .values.contains { $0.contains { $0.state == .linked } }
            || environment.coverage.isWhole && store.loadPosition() != nil
    }

    /// Kinds of which the sync will ask what changed since a date.
    private func pulled() throws -> Set<Kind> {
        let stored = try environment.store.sinceRecords()
        return Set(
            try environment.walkedKinds.filter { kind in
                try environment.wayChoice(of: kind, isNewOrigin: ending.origin.isNew).way(stored[kind])
                    .isSince
            })
    }

    /// What only a request tells of the files that a sync will fetch.
    private var wants: FileSamples.Wants {
        let tally = plan.current
        var wants = FileSamples.Wants()
        wants.isStated = options.wantsStatedMedia && environment.report.current.statedSize != nil
        let isKnown = (plan.history.json[.artwork]?.count ?? 0) >= 30
        if options.media, !wants.isStated,
            tally.newArtworks > 0 || tally.pictures.contains(where: { $0.key != ImageTile.kind })
        {
            wants.sizes = (plan.history.mostPictures?.count ?? 0) < 30
        }
        if options.media {
            wants.tileSizes = tally.tiles > 0 && (plan.history.pictures[ImageTile.kind]?.count ?? 0) < 30
        }
        wants.news = tally.newArtworks > 0 && (wants.sizes || snapshot == nil && !isKnown)
        wants.changes =
            options.media
            && tally.changedArtworks + tally.unknownDocumentLists + tally.unknownPictureLists > 0
        return wants
    }

    /// Of the volume on which the mirror is, or will be.
    private var freeSpace: Int64? {
        var path = folder.path
        while !FileManager.default.fileExists(atPath: path), path.count > 1 {
            path = (path as NSString).deletingLastPathComponent
        }
        return FreeSpace.system.free(path.isEmpty ? "." : path)
    }

    /// Objects by kind, in the words of a sync.
    private func count(
        _ summary: inout SyncSummary, _ tally: PlanTally, _ plan: SyncPlan, _ deleted: [Kind: Int]
    ) {
        for kind in environment.kinds.all {
            var count = summary.objects[kind.name] ?? SyncSummary.Count()
            count.created = tally.changes[kind]?.created ?? 0
            count.updated = tally.updated(kind).rounded
            count.deleted = deleted[kind] ?? 0
            count.unchanged = max(0, count.listed - count.created - count.updated - count.failed)
            summary.objects[kind.name] = count
        }
        guard options.media else { return }
        for kind in ["image"] + (options.tiles ? [ImageTile.kind] : []) {
            var files = summary.objects[kind] ?? SyncSummary.Count()
            files.created = plan.files[kind]?.rounded ?? 0
            files.listed = max(files.listed, files.unchanged + files.created)
            summary.objects[kind] = files
        }
    }
}
