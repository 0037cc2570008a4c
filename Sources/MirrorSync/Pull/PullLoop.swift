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

    private var scope: PartnerScope?
    private var stored: [ObjectKind: SinceRecord] = [:]
    private var ways: [ObjectKind: PullWay] = [:]
    private var pulled: [ObjectKind: PulledChanges] = [:]
    private var outcome: OperationTree.Outcome?
    private var settlement = SyncEnding.Settlement()
    private var failure: (any Error)?

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
            environment.discovered(scope)
            return .done
        case .pulling: return try await pull(known())
        case .persisting:
            try await PullPersisting(scope: known(), applier: applier).store(pulled)
            return .done
        case .walking: return try await walk()
        case .finishing:
            settlement = try await ending.settle(since: nextDates(known()))
            return .done
        case .pruning, .fetchingGhosts: return .done
        case .askingStatus, .slowDelay, .fastDelay: return .cancelled
        case .ended, .failed, .cancelled: return .done
        }
    }

    private func known() throws -> PartnerScope {
        guard let scope else { throw SyncError(.badAnswer, "The partner was not asked for yet.") }
        return scope
    }

    // MARK: - Pulling

    private mutating func pull(_ scope: PartnerScope) async throws -> PullResult {
        try chooseWays(scope)
        let feeds = ways.compactMap { kind, way in
            if case .since(let date) = way { SinceFeed(scope: scope, kind: kind, since: date) } else { nil }
        }
        guard !feeds.isEmpty else { return .nothingToPull }
        for (kind, answer) in try await answers(of: feeds) {
            switch answer {
            case .changes(let changes): pulled[kind] = changes
            case .lists(let reason): ways[kind] = .lists(reason)
            }
        }
        return pulled.isEmpty ? .nothingToPull : .done
    }

    private mutating func chooseWays(_ scope: PartnerScope) throws {
        pulled = [:]
        stored = try environment.store.sinceRecords()
        let choice = PullWayChoice(
            isOffered: scope.extensions.contains("since"), options: environment.options,
            isNewOrigin: origin.isNew, serverTime: try environment.serverTime(), now: environment.now())
        for kind in PersistingOrder.kinds { ways[kind] = choice.way(stored[kind]) }
    }

    /// All at once, or one after the other in a synchronous run.
    private func answers(of feeds: [SinceFeed]) async throws -> [(ObjectKind, SinceFeed.Answer)] {
        if environment.options.synchronous {
            var answers: [(ObjectKind, SinceFeed.Answer)] = []
            let inOrder = PersistingOrder.kinds.compactMap { kind in feeds.first { $0.kind == kind } }
            for feed in inOrder { answers.append((feed.kind, try await feed.ask())) }
            return answers
        }
        return try await withThrowingTaskGroup(of: (ObjectKind, SinceFeed.Answer).self) { group in
            for feed in feeds { group.addTask { (feed.kind, try await feed.ask()) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: - The tree

    private mutating func walk() async throws -> PullResult {
        let options = environment.options
        let run = Run(
            SyncTree.make(), input: environment, mode: options.synchronous ? .synchronous : .concurrent,
            configuration: RunConfiguration(
                lanes: [.requests: options.requestLane, .media: options.mediaLane], timeLimit: .seconds(1_800)
            ))
        monitor.attach(
            run, session: environment.session, report: environment.report, hasMedia: options.media)
        let outcome = await applier.committing(isTimed: !options.synchronous) { await run.execute() }
        self.outcome = outcome
        switch outcome.state {
        case .complete, .partial: return .done
        case .cancelled: return .cancelled
        case .failed(let error): throw error
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
            ).after(pulled[kind], list: state.complete.contains(kind) ? state.listDates[kind] : nil)
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
        summary.updatedByList = settlement.report.updatedByList
        summary.guardedDeletions = settlement.report.intended
        summary.ways = ways
        return summary
    }
}
