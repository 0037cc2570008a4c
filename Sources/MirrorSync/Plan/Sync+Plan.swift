import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

// A dry run walks the same tree as a sync, with the same engine and the same steps.
//
// The steps' requests go to a `PlanSender`, their writes to a `PlanApplier`. Both record what a sync would send and store in a
// `PlanRecorder`, instead of doing it. `CatalogueStore.planning` opens the store so that received lists go to temporary tables.
// What the lists and rows don't contain is sampled (`PlanSampler`) and estimated (`Estimate`). `PlanFinisher` makes the
// `SyncPlan`, with deletions, bytes and disk space (`PlanSizes`), and the duration (`Forecast`).

extension Sync {
    /// Predicts what ``run(_:)`` would do. It writes nothing, neither to the mirror nor to the server.
    ///
    /// It takes no lock, runs no hooks and creates no folder, so it can run at the same time as a sync. The number of its
    /// requests is limited:
    /// - With `validators`: at most 14 requests; in addition up to 50 artworks if the sizes of pictures aren't known otherwise,
    ///   and a sample of the changed objects that may have new pictures or documents.
    /// - Without `validators`: the lists, at most 50 conditional requests for each kind, and as many for the lists under shows,
    ///   albums and locations.
    ///
    /// - Parameter monitor: receives every planned action, in the same form as those of a sync.
    /// - Returns: a summary with ``SyncSummary/plan``; without a plan if the run itself failed.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin.
    public func plan(_ monitor: SyncMonitor = SyncMonitor()) async throws -> SyncSummary {
        defer { monitor.end() }
        let file = PlanningFile(folder)
        let store = try CatalogueStore.planning(folder, now: now)
        let result: Result<SyncSummary, any Error>
        do { result = .success(try await plan(store, monitor)) } catch { result = .failure(error) }
        try store.close()
        try file.restore()
        return try result.get()
    }

    private func plan(_ store: CatalogueStore, _ monitor: SyncMonitor) async throws -> SyncSummary {
        let began = now()
        let catalogue = try described(store)
        let origin = try resolveOrigin(in: store, catalogue)
        if origin.originChanged { try store.forgetPlannedLists() }
        let session = try session(origin.base, nil, catalogue, RequestDays(planning: store))
        session.limitWaits(to: options.maxWait)
        let report = SyncReport(forecasts: false)
        let recorder = PlanRecorder(
            history: try store.sizeHistory(media: options.media), emptyETags: try store.emptyListETags(),
            monitor: monitor)
        let run = try store.nextRun()
        let sender = PlanSender(
            session: session, store: store, plan: recorder, originChanged: origin.originChanged,
            elapsed: { [now] in now().timeIntervalSinceReferenceDate }, isDescribed: catalogue != nil)
        var environment = SyncEnvironment(
            partner: partner, store: store, files: folder.files, sender: sender,
            applier: PlanApplier(store: store, plan: recorder, run: run), report: report,
            options: try options.remembering(store), run: run, hasLists: try store.hasLists(),
            originChanged: origin.originChanged,
            freeSpace: .unlimited, now: now)
        environment.catalogue = catalogue
        environment.tree = SyncTree.foreseeable(SyncTree.tree(walking: options, own: tree))
        environment.pausing = monitor.pausing
        var outcome: OperationTree.Outcome?, failure: (any Error)?
        do {
            environment = try await PartnerStep.identify(environment)
            let walk = environment.run(environment.tree, on: partner)
            monitor.attach(environment, walk)
            outcome = await walk.execute()
        } catch {
            failure = error
        }
        let isWalked = outcome.map { !$0.isCancelled } ?? false
        let snapshot = isWalked ? try await SnapshotLoad.announcement(environment) : nil
        // A sync requests the position of the feed at its end, except after a snapshot without files. The request counts once:
        // either the plan sends it now, or it is recorded.
        if isWalked, environment.extensions.contains("events"), snapshot == nil || options.media {
            let isRequested = try await requestFeedPosition(environment, origin)
            // A sync of a part of the tree doesn't store a position.
            if !isRequested, environment.coverage.coversMirror {
                recorder.note(requests: 1, confirmations: 1)
            }
        }
        let finisher = RunFinisher(environment: environment, outcome: outcome, origin: origin)
        var summary = try await PlanFinisher(
            finisher: finisher, plan: recorder, folder: folder, failure: failure, snapshot: snapshot
        ).finish(monitor)
        summary.seconds = now().timeIntervalSince(began)
        for problem in summary.problems + report.current.problems.filter(\.isNotice) {
            monitor.problem(problem)
        }
        return summary
    }

    /// Requests the position of the feed of events if an earlier sync stored one.
    ///
    /// The number of requests that a sync sends for it depends on the feed's answers, so the plan sends the same ones.
    ///
    /// - Returns: whether it was requested.
    private func requestFeedPosition(
        _ environment: SyncEnvironment, _ origin: Origins.Resolved
    ) async throws -> Bool {
        guard !origin.isNew, let stored = try environment.store.storedSingle(.partner),
            let known = try environment.store.loop(LoopRecord.coreID)?.cursor
        else { return false }
        let feed = EventsFeed(session: environment.session, router: Router(partner: stored.id))
        do {
            _ = try await FeedPosition.fetch(feed, stored: known, kinds: environment.kinds)
        } catch  where !(error is CancellationError) {
            environment.logger.debug("The feed of events gave no cursor: \(error)")
        }
        return true
    }
}
