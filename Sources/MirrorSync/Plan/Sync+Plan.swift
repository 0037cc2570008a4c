import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

// A dry run: the same tree, the same engine and the same steps, walked for planning.
//
// Their requests go to a `PlanSender`, their writes to a `PlanApplier`; both note in a `PlanRecorder` what a sync would send and
// store, instead of doing so. The store is opened by `CatalogueStore.planning`, which keeps the lists that come to itself. What
// list and row can't tell is sampled (`PlanSampler`) and estimated (`Estimate`); `PlanFinisher` adds deletions, bytes, room and
// time (`PlanSizes`, `Forecast`) up to a `SyncPlan`.

extension Sync {
    /// Finds out what ``run(_:)`` would do, writing nothing: not to the mirror, and not to the server.
    ///
    /// No lock is taken and no hook is run, so it may go on beside a sync. No folder is made. Over `validators` at most
    /// 14 requests are sent, and 50 artworks are looked at where the sizes of pictures aren't known otherwise, and some of
    /// what changed where it may bring pictures or documents; without, at most 50 conditional requests a kind beside the lists,
    /// and as many for the lists under shows, albums and locations.
    ///
    /// - Parameter monitor: told of every planned action in the words of a sync.
    /// - Returns: a summary with ``SyncSummary/plan``; after a failure of the run itself without one.
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
        let origin = try settle(in: store)
        if origin.originChanged { try store.forgetPlannedLists() }
        let session = try makeSession(origin.base, nil)
        session.limitWaits(to: options.maxWait)
        let report = SyncReport(forecasts: false)
        let recorder = PlanRecorder(
            history: try store.sizeHistory(media: options.media), emptyETags: try store.emptyListETags(),
            monitor: monitor)
        let run = try store.nextRun()
        let sender = PlanSender(
            session: session, store: store, plan: recorder, originChanged: origin.originChanged,
            elapsed: { [now] in now().timeIntervalSinceReferenceDate })
        var environment = SyncEnvironment(
            partner: partner, store: store, files: folder.files, sender: sender,
            applier: PlanApplier(store: store, plan: recorder, run: run), report: report, options: options,
            run: run, hasLists: try store.hasLists(), originChanged: origin.originChanged,
            freeSpace: .unlimited, now: now)
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
        // The feed is requested once more, unless it was for the plan: with a snapshot that brings the files' owners it isn't.
        if isWalked, environment.extensions.contains("events"), snapshot == nil || options.media {
            let isAsked = try await isFeedAsked(environment, origin)
            // A part of the tree needs no place to follow the feed from.
            if !isAsked, environment.coverage.isWhole { recorder.note(requests: 1, confirmations: 1) }
        }
        let ending = RunFinisher(environment: environment, outcome: outcome, origin: origin)
        var summary = try await PlanFinisher(
            ending: ending, plan: recorder, folder: folder, failure: failure, snapshot: snapshot
        ).finish(monitor)
        summary.seconds = now().timeIntervalSince(began)
        for problem in summary.problems + report.current.problems.filter(\.isNotice) {
            monitor.problem(problem)
        }
        return summary
    }

    /// How often a sync asks the feed of events where it stands depends on what the feed says: a plan asks, too, where it is
    /// known from an earlier sync. What a plan sends itself counts as what the sync will send.
    private func isFeedAsked(_ environment: SyncEnvironment, _ origin: Origins.Settled) async throws -> Bool {
        guard !origin.isNew, let stored = try environment.store.storedSingle(.partner),
            let known = try environment.store.loop(LoopRecord.coreID)?.cursor
        else { return false }
        let feed = EventsFeed(session: environment.session, router: Router(partner: stored.id))
        do {
            _ = try await FeedStanding.ask(feed, stored: known, kinds: environment.kinds)
        } catch  where !(error is CancellationError) {
            environment.logger.debug("The feed of events gave no cursor: \(error)")
        }
        return true
    }
}
