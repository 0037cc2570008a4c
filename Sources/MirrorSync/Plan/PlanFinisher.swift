import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// Completes a dry run after the tree was walked: takes samples, finds deletions, and adds up the plan.
struct PlanFinisher: Sendable {
    let finisher: RunFinisher
    let plan: PlanRecorder
    let folder: MirrorFolder
    /// The error because of which the partner could not be identified.
    let failure: (any Error)?
    /// The announced size of the snapshot; `nil` if the sync will not load one.
    let snapshot: SnapshotLoad.Announcement?

    private var environment: SyncEnvironment { finisher.environment }
    private var options: SyncOptions { environment.options }

    func finish(_ monitor: SyncMonitor) async throws -> SyncSummary {
        var problems = finisher.failures()
        func summary(_ outcome: SyncSummary.Outcome, _ error: (any Error)? = nil) throws -> SyncSummary {
            try finisher.summary(outcome, problems: problems, failure: error)
        }
        if let failure {
            return try failure is CancellationError ? summary(.cancelled) : summary(.failed, failure)
        }
        switch finisher.outcome?.state {
        case nil, .cancelled: return try summary(.cancelled)
        case .failed(let error): return try summary(.failed, error)
        case .complete, .partial: break
        }
        let sampler = PlanSampler(environment: environment, plan: plan), sent: SessionStatistics
        var samples = FileSamples()
        do {
            problems += try await AbsenceCheck(environment: environment).run().problems
            // A sync would send the requests up to this point too; it would not send those of the samples.
            sent = environment.session.statistics
            problems += try await sampler.decide()
            try await environment.removeWithdrawnPictures()
            let targets = samplingTargets
            if targets.any { samples = try await sampler.files(targets) }
        } catch is CancellationError {
            return try summary(.cancelled)
        } catch let error as SyncError where error.code == .paused {
            return try summary(.failed, error)
        }
        var result = try summary(problems.isEmpty && finisher.isComplete ? .complete : .partial)
        try finish(&result, samples, sent, monitor)
        return result
    }

    private func finish(
        _ summary: inout SyncSummary, _ samples: FileSamples, _ sent: SessionStatistics,
        _ monitor: SyncMonitor
    ) throws {
        let store = environment.store, tally = plan.current, report = environment.report.current
        // This has to follow the sampling: members that the sampled lists lost count as deletions.
        let deletions = try store.planDeletions(finisher.request(), share: tally.listShare)
        let sinceKinds = try sinceKinds(), pruning = try pruning(beside: deletions, sinceKinds, tally)
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
            deletedArtworks: deleted[.artwork] ?? 0, sinceKinds: sinceKinds, snapshot: snapshot)
        var result = sizes.plan
        result.relocated = tally.changedLocations + deletions.relocated
        result.guarded = deletions.objections
        result.guardedDeletions = deletions.intended
        result.hasChanges =
            tally.hasChanges || deletions.ids.contains { !$0.ids.isEmpty } || pruning.hasChanges
            || deletions.relocated > 0
        result.isExact =
            try result.isExact && summary.outcome == .complete && !pruning.isOpen && !hasUncertainRequests()
            && !isDescribedOpen(tally)
        if options.media {
            result.lostFiles = try LostFiles(store, in: folder, now: environment.now()).count()
        }
        // Only the lists contain the URLs from which lost files are fetched again.
        if result.lostFiles > 0 { (result.hasChanges, result.isExact) = (true, false) }
        let limits = try rateLimits(tally)
        let work = Forecast.Work(
            requests: result.requests.value, bytes: result.bytes.value,
            files: result.files.values.reduce(0) { $0 + $1.value })
        // With a rate, the measured times contain the waits for it, which don't depend on the number of requests in flight.
        result.forecast = Forecast.of(
            work, past: try store.pastRuns(), roundTrips: limits?.spacing == nil ? tally.roundTrips : [],
            jobs: environment.session.expectedConcurrency,
            answers: tally.largeAnswers,
            files: limits?.spacing != nil
                ? nil
                : samples.pace.map {
                    ((result.files["image"]?.value ?? 0) + (result.files[ImageTile.kind]?.value ?? 0), $0)
                })
        if let limits {
            result.forecast = limits.applied(to: result.forecast, of: work)
            result.days = limits.days(for: work)
            if result.days > 1 { result.isExact = false }
        }
        result.disk = SyncPlan.Disk(free: freeSpace, needed: sizes.disk(result))
        try count(&summary, tally, result, deleted)
        summary.guarded = deletions.objections
        summary.requests = environment.session.statistics
        summary.plan = result
    }

    /// Predicts from the stored rows which ended shows a sync would prune.
    ///
    /// - Parameter deletions: the shows that the sweep would delete; they are not counted again.
    /// - Returns: the ids of shows to prune; whether anything would change; and whether requested shows may turn out to have
    ///   ended, so that the result is uncertain.
    private func pruning(
        beside deletions: PlannedDeletions, _ sinceKinds: Set<Kind>, _ tally: PlanTally
    ) throws -> (ids: [String], hasChanges: Bool, isOpen: Bool) {
        guard environment.coverage.kinds.contains(.show) else { return ([], false, false) }
        let limit = try Pruning(environment: environment).limit()
        // If shows are pulled, one that is marked for refetching is requested after the pruning, so it confirms nothing here.
        let confirmed = sinceKinds.contains(.show) ? [] : tally.confirmedShows
        let planned = try environment.store.planPruning(endedBefore: limit, confirmed: confirmed)
        let swept = Set(deletions.ids.first { $0.kind == .show }?.ids ?? [])
        // A sync with a new origin removes nothing.
        let ids = finisher.origin.isNew ? [] : planned.ids.filter { !swept.contains($0) }
        let shows = tally.changes[.show] ?? .init()
        // New and changed shows may turn out to have ended.
        let isOpen = planned.returning > 0 || limit != nil && shows.created + shows.updated > 0
        return (ids, !ids.isEmpty || planned.returning > 0, isOpen)
    }

    /// Whether a sync will send requests whose results a dry run can't predict:
    /// - pushes of local edits, which the server may refuse;
    /// - requests for linked objects, which no list contains;
    /// - the rest of a snapshot whose first part is stored: the sync that loads the rest also counts the first part's objects.
    private func hasUncertainRequests() throws -> Bool {
        let store = environment.store
        return try environment.described == nil && environment.tree.node(named: "album edits") != nil
            && (!store.pendingAlbums().isEmpty || !store.pendingAlbumDeletions().isEmpty)
            || store.ghostsToFetch(
                environment.walkedKinds, run: environment.run, limit: GhostFetch.maximumPerRound
            )
            .values.contains { $0.contains { $0.state == .linked } }
            || environment.coverage.coversMirror && store.loadPosition() != nil
    }

    /// Whether a described source was not read far enough: artworks whose artists and locations are unknown, or objects that
    /// lists lack and that were not requested.
    private func isDescribedOpen(_ tally: PlanTally) -> Bool {
        guard let described = environment.described else { return false }
        return tally.described.openAbsences > 0
            || !described.gathered.isEmpty && tally.described.hasUnknownNames
    }

    /// The limits of a described source for the requests of a sync; `nil` for other sources.
    private func rateLimits(_ tally: PlanTally) throws -> RateLimits? {
        guard let description = environment.catalogue?.description else { return nil }
        let base = environment.session.origin
        let pictures = tally.pictureSample.chosen.map { WebAddress($0.url)?.origin ?? base }
        let beside = pictures.filter { $0 == base }.count
        return RateLimits(
            description.rate, today: Int(environment.now().timeIntervalSince1970 / 86_400),
            counted: try environment.store.requestDay(of: base.text),
            ownFiles: pictures.isEmpty
                ? (description.hosts.isEmpty ? 1 : 0) : Double(beside) / Double(pictures.count))
    }

    /// The kinds whose changes since a date the sync will request.
    private func sinceKinds() throws -> Set<Kind> {
        let stored = try environment.store.sinceRecords()
        return Set(
            try environment.walkedKinds.filter { kind in
                try environment.wayChoice(of: kind, isNewOrigin: finisher.origin.isNew).way(stored[kind])
                    .isSince
            })
    }

    /// What to sample: the objects and files whose numbers or sizes can't be estimated from the lists and the mirror.
    private var samplingTargets: FileSamples.Targets {
        let tally = plan.current
        var targets = FileSamples.Targets()
        targets.isStated = options.wantsStatedMedia && environment.report.current.statedSize != nil
        let isKnown = (plan.history.json[.artwork]?.count ?? 0) >= 30
        if options.media, !targets.isStated,
            tally.newArtworks > 0 || tally.pictures.contains(where: { $0.key != ImageTile.kind })
        {
            targets.sizes = (plan.history.mostFrequentPictures?.count ?? 0) < 30
        }
        if options.media {
            targets.tileSizes = tally.tiles > 0 && (plan.history.pictures[ImageTile.kind]?.count ?? 0) < 30
        }
        // For a described source, the artists that new artworks name are unknown, too.
        targets.newArtworks =
            tally.newArtworks > 0
            && (targets.sizes || snapshot == nil && !isKnown || environment.described != nil)
        targets.changes =
            options.media
            && tally.changedArtworks + tally.unknownDocumentLists + tally.unknownPictureLists > 0
        return targets
    }

    /// The free bytes of the volume of the mirror; the mirror's folder may not exist yet. `nil` if they are unknown.
    private var freeSpace: Int64? {
        var path = folder.path
        while !FileManager.default.fileExists(atPath: path), path.count > 1 {
            path = (path as NSString).deletingLastPathComponent
        }
        return FreeSpace.system.free(path.isEmpty ? "." : path)
    }

    /// Fills in the summary's counts by kind, with the same meaning as in a sync's summary.
    private func count(
        _ summary: inout SyncSummary, _ tally: PlanTally, _ plan: SyncPlan, _ deleted: [Kind: Int]
    ) throws {
        let gathered = try (environment.described?.gathered ?? []).reduce(into: [:]) { counts, kind in
            counts[kind] = try environment.store.serverCount(kind)
        }
        for kind in environment.kinds.all {
            var count = summary.objects[kind.name] ?? SyncSummary.Count()
            count.created = tally.changes[kind]?.created ?? 0
            count.updated = tally.updated(kind).rounded
            count.deleted = deleted[kind] ?? 0
            // As in a sync, which counts the objects that are gathered in the end.
            if let held = gathered[kind] { count.listed = held + count.created - count.deleted }
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
