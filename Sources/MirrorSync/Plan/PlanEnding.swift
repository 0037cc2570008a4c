import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// What follows the tree of a plan: deletions, samples, and the sums.
struct PlanEnding: Sendable {
    let ending: RunFinisher
    let plan: PlanRecorder
    let folder: MirrorFolder
    /// Why the partner could not be identified.
    var failure: (any Error)?
    /// What a snapshot says of itself, if the sync will be one.
    var snapshot: SnapshotLoad.Prospect?

    private var environment: SyncEnvironment { ending.environment }

    func finish(_ monitor: SyncMonitor) async throws -> SyncSummary {
        let problems = ending.failures()
        if let failure {
            let isCancelled = failure is CancellationError
            return try ending.summary(
                isCancelled ? .cancelled : .failed, problems: problems,
                failure: isCancelled ? nil : failure)
        }
        switch ending.outcome?.state {
        case nil, .cancelled: return try ending.summary(.cancelled, problems: problems)
        case .failed(let error): return try ending.summary(.failed, problems: problems, failure: error)
        case .complete, .partial: break
        }
        let outcome: SyncSummary.Outcome = problems.isEmpty && ending.isWhole ? .complete : .partial
        var summary = try ending.summary(outcome, problems: problems)
        // The sample's own requests come last: what was sent before them is what a sync would send as well.
        let sent = summary.requests
        var sample: PlanSampling.Result?
        do {
            try await self.sample()
            if wants.any {
                sample = try await PlanSampling(
                    environment: environment, plan: plan, wants: wants
                ).result()
            }
        } catch is CancellationError {
            summary.outcome = .cancelled
            return summary
        }
        let tally = plan.current
        // Only now: what lists under objects lose counts, as far as they were looked at.
        let deletions = try environment.store.planDeletions(ending.request(), share: tally.listShare)
        summary.guarded = deletions.objections
        var deleted: [Kind: Int] = [:]
        let pulled = try pulled()
        let pruning = try PlannedPruning(
            environment, beside: deletions,
            // Where only what changed is asked for, what is marked to be fetched again comes after it.
            confirmed: pulled.contains(.show) ? [] : tally.confirmedShows, isNewOrigin: ending.origin.isNew)
        if deletions.objections.isEmpty {
            for (kind, ids) in deletions.ids + [(.show, pruning.ids)] {
                deleted[kind, default: 0] += ids.count
                for id in ids { monitor.item(kind: kind.name, id: id, action: "deleted") }
            }
        }
        let sizes = PlanSizes(
            tally: tally, history: plan.history, stated: environment.report.current.statedSize,
            options: environment.options, sample: sample, sent: sent,
            listedArtworks: environment.report.current.listed[.artwork] ?? 0,
            deletedArtworks: deleted[.artwork] ?? 0, pulled: pulled, snapshot: snapshot)
        var result = sizes.plan
        result.relocated = tally.changedLocations
        result.guarded = deletions.objections
        result.guardedDeletions = deletions.intended
        result.hasChanges =
            tally.hasChanges || deletions.ids.contains { !$0.ids.isEmpty } || pruning.hasChanges
        result.isExact =
            try result.isExact && outcome == .complete && !hasEdits() && !pruning.isOpen(tally)
            && !asksForLinked()
            // What a snapshot that was broken off brought counts with the run that ends it.
            && environment.store.loadPosition() == nil
        if environment.options.media {
            result.lostFiles = try LostFiles(environment.store, in: folder, now: environment.now()).count()
        }
        // Where they are fetched from, only the lists lead to.
        if result.lostFiles > 0 { (result.hasChanges, result.isExact) = (true, false) }
        result.forecast = Forecast.of(
            .init(
                requests: result.requests.value, bytes: result.bytes.value,
                files: result.files.values.reduce(0) { $0 + $1.value }),
            past: try environment.store.pastRuns(),
            roundTrips: plan.roundTrips, jobs: environment.options.jobs, answers: plan.largeAnswers,
            files: sample?.pace.map { (result.files["image"]?.value ?? 0, $0) })
        result.disk = SyncPlan.Disk(free: free, needed: sizes.disk(result))
        count(&summary, tally, result, deleted)
        summary.requests = environment.session.statistics
        summary.plan = result
        return summary
    }

    /// Requests some of what no list tells.
    private func sample() async throws {
        let objects = PlanObjectSampling(environment: environment, plan: plan)
        try await objects.run()
        let tally = plan.current
        guard !tally.undecidedOwners.isEmpty || tally.doubted.seen > 0 else { return }
        try await PlanListSampling(environment: environment, plan: plan).run()
        // Over validators a plan sends few requests, whatever is doubted.
        if !environment.hasValidators { try await objects.runDocuments() }
    }

    /// Whether the sync will ask again for something that is here only because it is referred to: what becomes of it, only
    /// asking tells, which a dry run doesn't.
    private func asksForLinked() throws -> Bool {
        try environment.store.ghostsToFetch(
            environment.kinds.listed, run: environment.run, limit: GhostFetch.most
        )
        .values.contains { $0.contains { $0.state == .linked } }
    }

    /// Whether anything is to be pushed: what becomes of it, the server decides.
    private func hasEdits() throws -> Bool {
        let store = environment.store
        return try !store.pendingAlbums().isEmpty || !store.pendingAlbumDeletions().isEmpty
    }

    /// Kinds of which the sync will ask what changed since a date.
    private func pulled() throws -> Set<Kind> {
        let choice = PullWayChoice(
            isOffered: environment.report.current.extensions.contains("since"), options: environment.options,
            isNewOrigin: ending.origin.isNew, serverTime: try environment.serverTime(), now: environment.now()
        )
        let stored = try environment.store.sinceRecords()
        return Set(environment.kinds.listed.filter { choice.way(stored[$0]).isSince })
    }

    /// What only asking tells of what a sync will fetch.
    private var wants: PlanSampling.Wants {
        let tally = plan.current, options = environment.options
        var wants = PlanSampling.Wants()
        wants.isStated = options.formats == nil && environment.report.current.statedSize != nil
        let isKnown = (plan.history.json[.artwork]?.count ?? 0) >= 30
        if options.media, !wants.isStated, tally.newArtworks + tally.pictures.count > 0 {
            wants.sizes = (plan.history.pictures.values.map(\.count).max() ?? 0) < 30
        }
        wants.news = tally.newArtworks > 0 && (wants.sizes || snapshot == nil && !isKnown)
        wants.changes =
            options.media
            && tally.changedArtworks + tally.unknownDocumentLists + tally.unknownPictureLists > 0
        return wants
    }

    /// Of the volume on which the mirror is, or will be.
    private var free: Int64? {
        var path = folder.path
        while !FileManager.default.fileExists(atPath: path), path.count > 1 {
            path = (path as NSString).deletingLastPathComponent
        }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path.isEmpty ? "." : path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
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
        guard environment.options.media else { return }
        var pictures = summary.objects["image"] ?? SyncSummary.Count()
        pictures.created = plan.files["image"]?.rounded ?? 0
        pictures.listed = max(pictures.listed, pictures.unchanged + pictures.created)
        summary.objects["image"] = pictures
    }
}
