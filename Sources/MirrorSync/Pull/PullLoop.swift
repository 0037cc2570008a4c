import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// What one sync does between its hooks: goes from state to state as ``PullTable`` says, until it has ended.
///
/// A kind of which the server says what changed is pulled; the others are listed by the tree. Either way the tree looks
/// at what is under the objects, and the Deleter ends it.
struct PullLoop {
    let environment: SyncEnvironment
    let origin: Origins.Settled
    let applier: Applier
    let monitor: SyncMonitor
    /// Set where only some kinds are looked at, on behalf of a feed of events.
    var refresh: RefreshOrder?

    private var scope: PartnerScope?
    var stored: [ObjectKind: SinceRecord] = [:]
    var ways: [ObjectKind: PullWay] = [:]
    var pulled: [ObjectKind: PulledChanges] = [:]
    /// Kinds of which the server's digest is taken instead of the whole list, and in which objects it differs.
    var suspects: [ObjectKind: Set<ExactText>] = [:]
    /// What came of a snapshot, if one was taken in.
    private var loaded: SnapshotLoad.Loaded?
    /// Where the feed of events stood before the first list.
    private var cursor: String?
    private var outcome: OperationTree.Outcome?
    private var settlement = SyncEnding.Settlement()
    private var failure: (any Error)?
    private var wait: ServerWait?
    private var failures = RepeatedFailures()
    /// What the server failed that it is waited for.
    private var trouble: FailedRequest?

    init(environment: SyncEnvironment, origin: Origins.Settled, applier: Applier, monitor: SyncMonitor) {
        self.environment = environment
        self.origin = origin
        self.applier = applier
        self.monitor = monitor
    }

    mutating func run() async throws -> SyncSummary {
        var state = PullTable.first
        while !state.isEnd {
            let result = await result(of: state)
            guard let next = PullTable.next(after: state, result) else {
                preconditionFailure("Nothing follows \(state.rawValue) when it is \(result.rawValue).")
            }
            state = next
        }
        return try await summary(state)
    }

    private mutating func result(of state: PullState) async -> PullResult {
        do {
            return try await perform(state)
        } catch is CancellationError {
            return .cancelled
        } catch {
            failure = (error as? HTTPError).map(SyncError.init) ?? error
            return .failed
        }
    }

    private mutating func perform(_ state: PullState) async throws -> PullResult {
        switch state {
        case .discovering:
            scope = try await PartnerStep.identify(environment)
            wait = try ServerWait(
                session: environment.session, router: known().router, limit: environment.options.maxWait,
                monitor: monitor)
            return .done
        case .loading: return try await load(known())
        case .pulling: return try await pull(known())
        case .persisting:
            try pulled[.show]?.leaveOut(environment.store.prunedETags())
            try await PullPersisting(scope: known(), applier: applier).store(pulled)
            return .done
        case .walking: return try await walk()
        case .finishing:
            settlement = try await ending.settle(
                since: nextDates(known()), cursor: cursor, refresh: refresh,
                loaded: loaded == nil ? nil : known().id)
            try countPulled()
            return .done
        case .pruning:
            if isSwept { try pruning().end() }
            return .done
        case .fetchingGhosts:
            let report = try await GhostFetch(known(), mayDelete: isSwept).run()
            settlement.problems += report.problems
            settlement.furtherProblems = report.furtherProblems
            settlement.report.updatedByList.merge(report.updatedByList) { $0.union($1) }
            try prepareDigest()
            return .done
        case .askingStatus:
            switch try await waiting().askStatus() {
            case .healthy: return .healthy
            case .inTrouble: return .inTrouble
            case .other: return .unclear
            }
        case .slowDelay: return try await delay(.slow)
        case .fastDelay: return try await delay(.fast)
        case .ended, .failed, .cancelled: return .done
        }
    }

    /// Whether what no list names was removed: neither the guard objected nor is the origin new.
    private var isSwept: Bool { settlement.report.objections.isEmpty && !origin.isNew }

    private func pruning() throws -> Pruning {
        Pruning(
            environment.store, keep: environment.options.keepShows, run: environment.run,
            at: try environment.serverTime())
    }

    private func known() throws -> PartnerScope {
        guard let scope else { throw SyncError(.badAnswer, "The partner was not asked for yet.") }
        return scope
    }

    /// Where somebody once asked for the digest, it is ready for the next time. A first sync doesn't make one: it would
    /// take a twentieth of its time.
    private func prepareDigest() throws {
        let scope = try known()
        guard isSwept, scope.extensions.contains("digest") else { return }
        try environment.store.updateDigest(from: OriginLeaves(DigestNames(scope.router)))
    }

    // MARK: - A server in trouble

    private func waiting() throws -> ServerWait {
        guard let wait else { throw SyncError(.badAnswer, "The partner was not asked for yet.") }
        return wait
    }

    private mutating func delay(_ kind: RetryDelay.Kind) async throws -> PullResult {
        let wait = try waiting()
        switch try await wait.wait(kind) {
        case .waited: return .waited
        case .budgetSpent:
            failure = trouble.map { wait.failure(.budgetSpent, of: $0) }
            return .tooLong
        }
    }

    /// Whether a failed list is waited for.
    ///
    /// - Throws: what ends the run, where waiting would be of no use.
    private mutating func isTrouble(_ error: any Error, url: String, _ subject: RetryWorthiness.Subject)
        throws -> Bool
    {
        let worthiness = try RetryWorthiness(
            hasStatus: known().extensions.contains("status"), failsFast: environment.options.failFast)
        switch worthiness.verdict(on: error, of: subject) {
        case .fails: return false
        case .ends(let error):
            // A list that doesn't come while others do makes the run partial.
            if subject == .list, (error.cause as? HTTPError)?.status == nil { return false }
            throw error
        case .waits(let status):
            let request = FailedRequest(url: url, status: status)
            trouble = request
            guard failures.note(request) == .startsOver else {
                throw try waiting().failure(.repeated, of: request)
            }
            return true
        }
    }

    /// Whether a list of the tree failed so that the server is waited for. A list under an object may fail by itself,
    /// as when the object has just gone, so that for these only what is plainly the server's trouble counts.
    private mutating func isInTrouble(_ outcome: OperationTree.Outcome) throws -> Bool {
        for failure in outcome.failures where failure.kind == .list {
            let isOwn = ObjectKind(rawValue: failure.node) != nil
            let status = (failure.error as? HTTPError)?.status ?? 0
            guard isOwn || status >= 500 || status == 429 else { continue }
            if try isTrouble(failure.error, url: failure.list, .list) { return true }
        }
        return false
    }

    // MARK: - Loading

    /// A first sync as one request. Files are for the tree to find, which then looks at the lists.
    private mutating func load(_ scope: PartnerScope) async throws -> PullResult {
        guard refresh == nil, try SnapshotLoad.isDue(environment, scope.extensions) else {
            return .nothingToLoad
        }
        monitor.attach(
            session: environment.session, report: environment.report, hasMedia: environment.options.media)
        switch try await SnapshotLoad(scope: scope, observe: { [monitor] in monitor.applied($0, $1) }).run() {
        case .doubtful(let some, _):
            loaded = some
            return .nothingToLoad
        case .whole(let all):
            loaded = all
            guard !environment.options.media else { return .nothingToLoad }
            cursor = scope.extensions.contains("events") ? all.event : nil
            ways = Dictionary(uniqueKeysWithValues: PersistingOrder.kinds.map { ($0, .snapshot) })
            environment.report.note { state in
                for kind in PersistingOrder.kinds {
                    state.listed[kind] = all.listed[kind]
                    state.listDates[kind] = all.date
                    state.changesEnd[kind] = all.end
                    state.complete.insert(kind)
                }
            }
            return .done
        }
    }

    // MARK: - Pulling

    private mutating func pull(_ scope: PartnerScope) async throws -> PullResult {
        environment.report.startOver()
        outcome = nil
        try pruning().begin()
        let standing = try await feedStanding(scope)
        cursor = standing.cursor
        try chooseWays(scope, forgotten: standing.forgotten)
        try await audit(scope, forgotten: standing.forgotten)
        let feeds = PersistingOrder.kinds.compactMap { kind in
            if case .since(let date)? = ways[kind] {
                SinceFeed(scope: scope, kind: kind, since: date)
            } else {
                nil
            }
        }
        guard !feeds.isEmpty else { return .nothingToPull }
        for (feed, answer) in await answers(of: feeds) {
            switch answer {
            case .success(.changes(let changes)):
                if let suspects = suspects[feed.kind], !DigestAudit.explains(changes, suspects) {
                    ways[feed.kind] = .lists(.audit)
                    // An unchanged list would not be walked otherwise.
                    _ = try environment.store.apply([.unclean(kind: feed.kind)], run: environment.run)
                } else {
                    pulled[feed.kind] = changes
                }
            case .success(.lists(let reason)): ways[feed.kind] = .lists(reason)
            case .failure(let error as HTTPError):
                let url = feed.operation.route.path
                if try isTrouble(error, url: url, .since) { return .serverInTrouble }
                ways[feed.kind] = .lists(.refused)
            case .failure(let error): throw error
            }
        }
        return pulled.isEmpty ? .nothingToPull : .done
    }

    private typealias Answers = [(SinceFeed, Result<SinceFeed.Answer, any Error>)]

    /// All at once, or one after the other in a synchronous run.
    private func answers(of feeds: [SinceFeed]) async -> Answers {
        guard !environment.options.synchronous else {
            var answers: Answers = []
            for feed in feeds { answers.append((feed, await feed.result())) }
            return answers
        }
        return await withTaskGroup(of: Answers.Element.self) { group in
            for feed in feeds { group.addTask { (feed, await feed.result()) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: - The tree

    private mutating func walk() async throws -> PullResult {
        let options = environment.options
        environment.discovered(try known().listing(listings()))
        // The scope has the environment, which otherwise would keep itself, and its files open, for ever.
        defer { environment.discovered(nil) }
        let run = Run(
            SyncTree.tree, input: environment, mode: options.synchronous ? .synchronous : .concurrent,
            configuration: RunConfiguration(
                lanes: [.requests: options.requestLane, .media: options.mediaLane], timeLimit: .seconds(1_800)
            ))
        monitor.attach(
            run, session: environment.session, report: environment.report, hasMedia: options.media)
        let outcome = await applier.committing(isTimed: !options.synchronous) { await run.execute() }
        self.outcome = outcome
        switch outcome.state {
        case .complete, .partial: return try isInTrouble(outcome) ? .serverInTrouble : .done
        case .cancelled: return .cancelled
        case .failed(let error): throw error
        }
    }

    /// Of a kind that was pulled, the tree looks at what changed: what is stored is vouched for by itself. Of a kind that
    /// isn't to be looked at, at nothing.
    private func listings() throws -> [ObjectKind: Listing] {
        let left = PersistingOrder.kinds.filter { ways[$0] == nil || ways[$0] == .snapshot }.map {
            ($0, Listing.given([]))
        }
        return try Dictionary(uniqueKeysWithValues: left).merging(given()) { $1 }
    }

    private func given() throws -> [ObjectKind: Listing] {
        try pulled.mapValues { changes in
            let members = try environment.store.beside(changes.kind, changes.members)
            return .given(
                try members.map { member in
                    GivenItem(
                        id: member.id, known: member.known, listedETag: member.listedETag,
                        lists: try member.lists.map(MemberTriage.read), isVouched: member.isCurrent)
                })
        }
    }

    // MARK: - The end

    private var ending: SyncEnding {
        SyncEnding(environment: environment, outcome: outcome, origin: origin)
    }

    /// What the next pull asks with, of every kind of which everything came.
    private func nextDates(_ scope: PartnerScope) -> [FinishRequest.Since] {
        guard scope.extensions.contains("since") else { return [] }
        let state = environment.report.current
        return PersistingOrder.kinds.compactMap { kind in
            guard state.whole.contains(kind), state.refused[kind.rawValue] == nil else { return nil }
            return NextDate(
                kind: kind, stored: stored[kind], media: environment.options.mediaKey, now: environment.now()
            ).after(
                pulled[kind], list: state.complete.contains(kind) ? state.listDates[kind] : nil,
                end: state.changesEnd[kind], isAudited: suspects[kind] != nil)
        }
    }

    /// Of a kind that was pulled, what is here is what a list would have named.
    private func countPulled() throws {
        for kind in pulled.keys {
            let held = try environment.store.heldCount(kind)
            environment.report.note { $0.listed[kind] = held }
        }
    }

    private func summary(_ state: PullState) async throws -> SyncSummary {
        var outcome = SyncSummary.Outcome.failed, failure = failure
        switch state {
        case .cancelled: outcome = .cancelled
        case .ended: outcome = ending.judge(settlement)
        default: break
        }
        if state != .ended {
            do {
                try await applier.flush()
            } catch {
                // What can't be stored either is no news: the first failure is reported.
                failure = failure ?? error
                outcome = .failed
            }
        }
        if outcome == .complete, origin.isNew { try environment.store.set(.newOrigin, to: nil) }
        var summary = try ending.summary(
            outcome, problems: state == .ended ? settlement.problems : ending.failures(),
            guarded: settlement.report.objections, failure: failure.map(SyncEnding.message), cause: failure)
        for (kind, count) in loaded?.created ?? [:] { summary.add(created: count, kind) }
        summary.updatedByList = settlement.report.updatedByList
        summary.guardedDeletions = settlement.report.intended
        summary.furtherProblems += settlement.furtherProblems
        summary.ways = ways
        summary.isAuditedByDigest = pulled.keys.contains { suspects[$0] != nil }
        summary.hasCursor = state == .ended && settlement.hasCursor
        summary.obstacle = settlement.obstacle
        summary.extensions = environment.report.current.extensions
        return summary
    }
}
