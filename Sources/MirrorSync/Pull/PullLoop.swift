import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// The state machine of one sync, between its hooks. ``PullTable`` defines its states and transitions.
///
/// Kinds for which the server reports changes since a date are pulled; the tree lists the other kinds. In both cases the tree
/// then fetches lists and files under the objects, and the Deleter removes what isn't marked.
struct PullLoop {
    /// The environment of the run; from the moment when the partner is identified, with the partner's id and extensions.
    var environment: SyncEnvironment
    let origin: Origins.Resolved
    let applier: Applier
    let monitor: SyncMonitor
    /// Set if the run is a refresh for a feed of events, which lists only some kinds.
    var refresh: RefreshOrder?

    /// Whether the server has answered for the partner.
    var isIdentified = false
    var stored: [Kind: SinceRecord] = [:]
    var ways: [Kind: PullWay] = [:]
    var pulled: [Kind: PulledChanges] = [:]
    /// For kinds whose audit uses the server's digest instead of the full list: the objects in which the digest differs.
    var digestDifferences: [Kind: Set<ExactText>] = [:]
    /// The result of loading a snapshot; `nil` if none was loaded.
    var loaded: SnapshotLoad.Loaded?
    /// Whether the snapshot was complete.
    var isSnapshotLoaded = false
    /// The position of the feed of events that was requested together with the partner, until the pull uses it.
    var earlyPosition: FeedPosition?
    /// The latest cursor of the feed of events before the first list.
    var cursor: String?
    var outcome: OperationTree.Outcome?
    var settlement = RunFinisher.Settlement()
    var failure: (any Error)?
    /// When requests may continue, if the failure is a pause by the source.
    var continuesAt: Date?
    private(set) lazy var wait = ServerWait(
        session: environment.session, router: Router(partner: environment.partner),
        limit: environment.options.maxWait, monitor: monitor)
    var failures = RepeatedFailures()
    /// The failed request because of which the run waits for the server.
    var failedRequest: FailedRequest?
    /// The errors to report for abandoned requests, by canonical URL.
    var abandoned: [String: SyncError] = [:]
    /// Whether the longest wait (`--max-wait`) is used up: a request that fails from now on is not tried again.
    var isWaitUsedUp = false
    /// Whether the server answers `status`, if its extensions aren't known; `nil` before the status was requested.
    var answersStatus: Bool?
    /// The answer of that request, until ``askStatus()`` uses it.
    var firstStatus: PullResult?

    mutating func run() async throws -> SyncSummary {
        var state = PullTable.first
        while !state.isEnd {
            let result = await result(of: state)
            guard let next = PullTable.next(after: state, result) else {
                preconditionFailure("Nothing follows \(state) when it is \(result).")
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
            let error = (error as? HTTPError).map(SyncError.init) ?? error
            continuesAt = (error as? SyncError)?.pause.map(environment.now().adding)
            failure = error
            return .failed
        }
    }

    private mutating func perform(_ state: PullState) async throws -> PullResult {
        switch state {
        case .discovering: return try await discover()
        case .loading: return try await load()
        case .pulling: return try await pull()
        case .persisting: try await persist()
        case .walking: return try await walk()
        case .finishing:
            // Answers that are older than the stored rows are detected while they are stored.
            try await environment.applier.flush()
            // The lists of pushed albums are complete by now.
            environment.report.note { $0.pushed = [] }
            try forgetUnproven()
            settlement = try await finisher.settle(
                since: nextDates(), cursor: cursor, refresh: refresh,
                snapshotPartner: loaded == nil ? nil : environment.partnerID)
            try countPulled()
        case .pruning: if isSwept { try Pruning(environment: environment).end() }
        case .fetchingGhosts: try await fetchGhosts()
        case .askingStatus: return try await askStatus()
        case .slowDelay: return try await delay(.slow)
        case .fastDelay: return try await delay(.fast)
        case .ended, .failed, .cancelled: break
        }
        return .done
    }

    /// Whether the sweep ran: the delete guard didn't object and the origin isn't new.
    private var isSwept: Bool { settlement.report.objections.isEmpty && !origin.isNew }

    private mutating func fetchGhosts() async throws {
        let report = try await GhostFetch(
            environment: environment, mayDelete: isSwept, keepsEmptied: refresh != nil,
            unapplied: settlement.report.unapplied
        ).run()
        if refresh == nil {
            settlement.report.objections += report.objections
            settlement.report.intended += report.intended
        } else if !report.objections.isEmpty {
            // The refreshed kinds are stored, so the feed's cursor is stored in spite of the guard.
            settlement.problems.add(GuardObjection(intents: report.objections).problem)
        }
        settlement.problems += report.problems
        settlement.report.updatedByList.merge(report.updatedByList) { $0.union($1) }
        // If a client has ever requested this mirror's digest, it is updated for the next request. A first sync doesn't create
        // one, because that would take 5 % of its time.
        if isSwept, environment.extensions.contains("digest") {
            try environment.store.updateDigest(from: OriginLeaves(environment.router))
        }
    }

    // MARK: - Loading

    /// Loads a first sync's snapshot with one request. If files are wanted, the lists are walked afterwards to find them.
    private mutating func load() async throws -> PullResult {
        guard refresh == nil, try SnapshotLoad.isDue(environment, environment.extensions)
        else {
            // An interrupted snapshot isn't resumed after this run, because this run's lists are newer.
            _ = try environment.store.settleSlugsAfterLoading(run: environment.run)
            if try environment.store.isLoading {
                try environment.store.endLoading(isComplete: false)
            }
            return .nothingToLoad
        }
        monitor.attach(environment)
        async let user: Void = environment.requestUserEarly()
        loaded = try await SnapshotLoad(
            environment: environment, observe: { [monitor] in monitor.applied($0, $1) }
        ).run()
        await user
        guard let all = loaded, all.inconsistency == nil else { return .nothingToLoad }
        isSnapshotLoaded = true
        guard !environment.options.media else { return .nothingToLoad }
        cursor = environment.extensions.contains("events") ? all.event : nil
        ways = Dictionary(uniqueKeysWithValues: environment.kinds.listed.map { ($0, .snapshot) })
        environment.report.note { state in
            for kind in environment.kinds.listed {
                state.listed[kind] = all.listed[kind]
                state.listDates[kind] = all.date
                state.changesEnd[kind] = all.end
                state.complete.insert(kind)
            }
        }
        return .done
    }

    // MARK: - The end

    private var finisher: RunFinisher {
        RunFinisher(environment: environment, outcome: outcome, origin: origin, abandoned: abandoned)
    }

    /// Why the server of a described source gave no usable answer to the first sync, or no answer at all to a later one; `nil`
    /// if it did.
    private var unansweredSource: (any Error)? {
        guard let catalogue = environment.catalogue, !environment.identification.isConfirmed,
            let error = self.outcome?.failures.first(where: { $0.kind == .list })?.error
        else { return nil }
        let ending = (error as? HTTPError).map(SyncError.init)
        if catalogue.remembered == nil { return ending ?? error }
        return ending?.code == .unreachable ? ending : nil
    }

    private func summary(_ state: PullState) async throws -> SyncSummary {
        let hasEnded = state == .ended
        var outcome = state == .cancelled ? SyncSummary.Outcome.cancelled : .failed, failure = failure
        if hasEnded, let error = unansweredSource {
            // The address may be mistyped: nothing was stored, and nothing is remembered.
            failure = error
        } else if hasEnded {
            outcome = finisher.judge(settlement)
        } else {
            do {
                try await applier.flush()
            } catch {
                // If storing fails as well, only the first failure is reported.
                failure = failure ?? error
                outcome = .failed
            }
            // What was fetched is stored, and a later run continues.
            if (failure as? SyncError)?.code == .paused { outcome = .partial }
        }
        // After a run of a part of the tree, the kinds that weren't listed still have the objects of the server before.
        if outcome == .complete, origin.isNew, environment.coverage.coversMirror {
            try environment.store.setNewOrigin(false)
        }
        var summary = try finisher.summary(
            outcome, problems: hasEnded ? settlement.problems.problems : finisher.failures(),
            guarded: settlement.report.objections, failure: failure)
        for (kind, count) in loaded?.created ?? [:] { summary.add(created: count, kind) }
        summary.continuesAt = continuesAt
        summary.updatedByList = settlement.report.updatedByList
        summary.relocated = settlement.report.relocated
        summary.guardedDeletions = settlement.report.intended
        summary.furtherProblems += settlement.problems.further
        summary.ways = ways
        summary.isAuditedByDigest = pulled.keys.contains { digestDifferences[$0] != nil }
        summary.hasCursor = hasEnded && settlement.hasCursor
        summary.obstacle = settlement.verdict?.obstacle
        summary.abandonedKinds = settlement.verdict?.abandonedKinds ?? []
        summary.failures = settlement.verdict?.failures ?? failures
        summary.extensions = environment.report.current.extensions
        return summary
    }
}

/// The run of the tree, over full lists or over pulled objects.
extension PullLoop {
    mutating func walk() async throws -> PullResult {
        let options = environment.options
        if !environment.hasLists { environment.hasLists = try environment.store.hasLists() }
        environment.downloads.forgetFailures()
        let run = environment.fetching(try itemsByKind(), isSnapshotLoaded: isSnapshotLoaded)
            .run(environment.tree, on: environment.partner)
        monitor.attach(environment, run)
        try armBreaker()
        let outcome = await applier.committing(isTimed: !options.synchronous) { await run.execute() }
        let stop = environment.breaker.disarm()
        self.outcome = outcome
        switch outcome.state {
        case .complete, .partial: return try await shouldStartOver(after: outcome) ? .serverInTrouble : .done
        case .cancelled: return .cancelled
        case .failed(let error as SyncError) where error.code == .serverFailure && stop.request != nil:
            return noteStop(stop)
        case .failed(let error): throw error
        }
    }

    /// The objects that the tree walks instead of requesting a kind's own list.
    ///
    /// - For a pulled kind: the changed objects, which are already stored and need no request, and objects with a file that
    ///   the server didn't have a day ago.
    /// - For a kind that isn't part of this run, or was loaded from a snapshot: none.
    private func itemsByKind() throws -> [Kind: [ObjectItem]] {
        var items = try pulled.mapValues { try self.items($0) }
        for kind in environment.kinds.listed where ways[kind] == nil || ways[kind] == .snapshot {
            items[kind] = items[kind] ?? []
        }
        return items
    }

    private func items(_ changes: PulledChanges) throws -> [ObjectItem] {
        let options = environment.options, store = environment.store
        let due =
            options.media
            ? try store.ownersOfDueFiles(changes.kind, formats: options.pictureFormats, tiles: options.tiles)
            : []
        let members = try store.beside(changes.kind, changes.members)
        return try members.map(ObjectItem.init)
            + due.subtracting(members.map(\.id)).sorted().map { ObjectItem(id: $0, isVouched: true) }
    }
}
