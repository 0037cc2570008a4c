import Catalogue
import Foundation
import MirrorStore
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
        try await context.feed().page(after: eventID)
    }

    func process(_ page: FeedPage, ticket: CommitTicket) async throws {
        try await process(page, after: [], ticket: ticket)
    }

    /// - Parameter listed: kinds whose lists are newer than the page.
    private func process(_ page: FeedPage, after listed: Set<Kind>, ticket: CommitTicket) async throws {
        var changes = PageChanges(page.answer, madeAt: page.madeAt)
        for kind in listed {
            try changes.leaveOut(kind) {
                try context.store.unlisted(kind, among: $0)
            } listed: {
                try context.store.listed(kind, among: $0)
            }
        }
        try await work.apply(changes, asked: page.asked, cursor: page.answer.eventID, ticket: ticket)
    }

    /// One run of the sync's own engine over the lists of these kinds; pictures follow.
    ///
    /// Where the feed stands is asked before the first list and stored when all came. If only some kinds are looked at, the
    /// feed tells of the others as before: then its page is applied, too, and nothing of what follows it is passed over. The
    /// lists are newer than the page, and an album that it tells of may have been deleted from here in between.
    func refresh(_ kinds: RefreshMask, answer: FeedPage?, ticket: CommitTicket) async throws {
        let rest = kinds == .everything ? nil : answer
        let listed = RefreshOrder.kinds(of: kinds)
        let summary = try await RefreshRun(
            context: context, kinds: listed, cursor: rest?.asked,
            failures: context.failures.withLock { $0 }
        ).run(ticket)
        // What was abandoned holds up the next page's refresh no more than this one's, until a sync looks at it again.
        context.failures.withLock {
            $0 = summary.hasCursor ? summary.failures.keepingAbandoned() : summary.failures
        }
        try ticket.check()
        if !summary.guarded.isEmpty { throw GuardObjection(intents: summary.guarded) }
        if summary.hasCursor {
            let newer = listed.subtracting(summary.lacking)
            if let rest { try await process(rest, after: newer, ticket: ticket) }
            return
        }
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
            return .unreachable("\(error)")
        }
    }

    func healthChanged(to health: LoopHealth) async { context.note(health, of: loopID, .core) }
}
