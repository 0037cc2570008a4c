import Foundation
import MirrorStore
import PartnerAPI
import PeriodicLoops

/// The partner's own feed, through which everything comes.
final class PartnerLoop: CoreLoop {
    private let context: FeedContext
    private let work: PageWork
    private let link = CoreLoopDelegateLink()

    let loopID: LoopID = LoopRecord.coreID
    let refreshableKinds = RefreshOrder.knownKinds

    init(_ context: FeedContext) {
        self.context = context
        work = PageWork(context: context, loop: LoopRecord.coreID, kind: .core)
    }

    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }

    var latestEventID: String? {
        get async throws { try context.store.loop(loopID)?.cursor }
    }

    var storedHealth: LoopHealth { context.health(of: loopID) }

    func poll(after eventID: String) async throws -> FeedPage {
        FeedPage(asked: eventID, answer: try await context.feed().page(after: eventID))
    }

    func process(_ page: FeedPage, ticket: CommitTicket) async throws {
        try await work.apply(
            PageChanges(page.answer), asked: page.asked, cursor: page.answer.eventID, ticket: ticket)
    }

    /// One run of the sync's own engine over the lists of these kinds. Where the feed stands is asked before the first of
    /// them and stored when all came; pictures follow.
    func refresh(_ kinds: RefreshMask, answer: FeedPage?, ticket: CommitTicket) async throws {
        let summary = try await RefreshRun(context: context, kinds: RefreshOrder.kinds(of: kinds)).run(ticket)
        try ticket.check()
        if !summary.guarded.isEmpty { throw GuardObjection(intents: summary.guarded) }
        if summary.hasCursor { return }
        if summary.outcome == .cancelled { throw CancellationError() }
        throw summary.cause ?? summary.obstacle
            ?? SyncError(.badAnswer, "The refresh did not end well. It is tried again later.")
    }

    func onError(_ error: any Error) async -> LoopFailure {
        switch FeedFailure(error) {
        case .passing(let failure): return failure
        case .guarded(let message):
            context.tally.add(.failures)
            context.note(LoopRecord(id: loopID, kind: .core, state: LoopRecord.guarded, message: message))
            return .over(message)
        case .over(_, let message):
            context.signals.noEvents()
            return .over(message)
        case .final(let error):
            context.signals.ends(error)
            return .unreachable(SyncEnding.message(error))
        }
    }

    func healthChanged(to health: LoopHealth) async { context.note(health, of: loopID, .core) }
}

/// A run that looks at the lists of some kinds, because a feed no longer tells what changed of them.
struct RefreshRun: Sendable {
    let context: FeedContext
    let kinds: Set<ObjectKind>

    func run(_ ticket: CommitTicket) async throws -> SyncSummary {
        let setting = context.setting, began = setting.clock.now()
        var options = setting.options
        options.media = false
        options.full = false
        // The loop's own back-off waits for a server in trouble, and holds up nobody.
        options.failFast = true
        let context = context
        let monitor = SyncMonitor { event in
            guard case .item(let kind, let id, let action, _) = event else { return }
            if action != "deleted", let kind = ObjectKind(rawValue: kind) {
                context.files.add([Owner(kind, id)])
            }
            context.observer.handler(.item(kind: kind, id: id, action: action, bytes: nil))
        }
        var sync = setting.sync(options, lock: context.lock)
        sync.refresh = RefreshOrder(kinds: kinds, ticket: ticket)
        let summary = try await sync.run(monitor)
        context.tally.addStored(summary.requests)
        for problem in summary.problems { context.observer.handler(.problem(problem)) }
        guard summary.hasCursor else { return summary }
        let changed = summary.objects.filter { $0.value.created + $0.value.updated + $0.value.deleted > 0 }
        context.tally.add(.pages)
        context.observer.handler(
            .pageApplied(
                WatchedPage(
                    loop: LoopRecord.coreID, run: summary.run, events: 0, isRefresh: true, objects: changed,
                    problems: summary.problems, duration: setting.clock.now() - began)))
        context.signals.stored(Set(changed.keys.compactMap(ObjectKind.init(rawValue:))))
        return summary
    }
}

extension WatchSetting {
    /// A sync of the watched mirror.
    func sync(_ options: SyncOptions, lock: SharedRunLock, isFirst: Bool = false) -> Sync {
        // What a person said of the origin is settled with the first sync.
        var sync = Sync(
            partner: partner, folder: folder, base: isFirst ? base : nil, isNewOrigin: isFirst && isNewOrigin,
            options: options, keepAwake: keepAwake, freeSpace: freeSpace, logger: logger, now: now,
            makeSession: makeSession)
        sync.takeLock = { try lock.take($0) }
        return sync
    }
}
