import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// What one sync does between its hooks: goes from state to state as ``PullTable`` says, until it has ended.
///
/// A kind of which the server says what changed is pulled; the others are listed by the tree. Either way the tree looks
/// at what is under the objects, and the Deleter ends it.
struct PullLoop {
    /// What the run works with; that of the partner once it is identified.
    var environment: SyncEnvironment
    let origin: Origins.Settled
    let applier: Applier
    let monitor: SyncMonitor
    /// Set where only some kinds are looked at, on behalf of a feed of events.
    var refresh: RefreshOrder?

    /// Whether the partner is known.
    var isIdentified = false
    var stored: [Kind: SinceRecord] = [:]
    var ways: [Kind: PullWay] = [:]
    var pulled: [Kind: PulledChanges] = [:]
    /// Kinds of which the server's digest is taken instead of the whole list, and in which objects it differs.
    var suspects: [Kind: Set<ExactText>] = [:]
    /// What came of a snapshot, if one was taken in.
    var loaded: SnapshotLoad.Loaded?
    /// Whether that was everything.
    var isJustLoaded = false
    /// Where the feed of events stood before the first list.
    var cursor: String?
    var outcome: OperationTree.Outcome?
    var settlement = RunFinisher.Settlement()
    var failure: (any Error)?
    private(set) lazy var wait = ServerWait(
        session: environment.session, router: Router(partner: environment.partner),
        limit: environment.options.maxWait, monitor: monitor)
    var failures = RepeatedFailures()
    /// What the server failed that it is waited for.
    var trouble: FailedRequest?
    /// What is reported of requests that the server is not waited for any more, by canonical URL.
    var abandoned: [String: SyncError] = [:]
    /// Whether all that may be waited was waited: what fails from now on has failed.
    var isImpatient = false
    /// Whether the server turned out to have a status, where nothing else tells; `nil` before it was asked.
    var statusFound: Bool?
    /// What it answered then, not used yet.
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
            failure = (error as? HTTPError).map(SyncError.init) ?? error
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
            // What is older than what is here is noticed when it is stored.
            try await environment.applier.flush()
            // The lists of what was pushed have come.
            environment.report.note { $0.pushed = [] }
            try forgetUnproven()
            settlement = try await ending.settle(
                since: nextDates(), cursor: cursor, refresh: refresh,
                loaded: loaded == nil ? nil : environment.partnerID)
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

    /// Whether what no list names was removed: neither the guard objected nor is the origin new.
    private var isSwept: Bool { settlement.report.objections.isEmpty && !origin.isNew }

    private mutating func fetchGhosts() async throws {
        let report = try await GhostFetch(
            environment: environment, mayDelete: isSwept, keepsEmptied: refresh != nil,
            held: settlement.report.held
        ).run()
        if refresh == nil {
            settlement.report.objections += report.objections
            settlement.report.intended += report.intended
        } else if !report.objections.isEmpty {
            // The kinds that the feed waited for are stored, and it is followed from here.
            settlement.problems.add(GuardObjection(intents: report.objections).problem)
        }
        settlement.problems += report.problems
        settlement.report.updatedByList.merge(report.updatedByList) { $0.union($1) }
        // Where a client once requested the digest, it is ready for the next time. A first sync doesn't make one: it would
        // take a twentieth of its time.
        if isSwept, environment.extensions.contains("digest") {
            try environment.store.updateDigest(from: OriginLeaves(environment.router))
        }
    }

    // MARK: - Loading

    /// A first sync as one request. Files are for the tree to find, which then looks at the lists.
    private mutating func load() async throws -> PullResult {
        guard refresh == nil, try SnapshotLoad.isDue(environment, environment.extensions)
        else {
            // One that broke off is not taken up again behind the lists of this run.
            _ = try environment.store.settleLoaded(run: environment.run)
            if try environment.store.isLoading {
                try environment.store.endLoading(isWhole: false)
            }
            return .nothingToLoad
        }
        monitor.attach(environment)
        loaded = try await SnapshotLoad(
            environment: environment, observe: { [monitor] in monitor.applied($0, $1) }
        ).run()
        guard let all = loaded, all.doubt == nil else { return .nothingToLoad }
        isJustLoaded = true
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

    private var ending: RunFinisher {
        RunFinisher(environment: environment, outcome: outcome, origin: origin, abandoned: abandoned)
    }

    private func summary(_ state: PullState) async throws -> SyncSummary {
        let hasEnded = state == .ended
        var outcome = state == .cancelled ? SyncSummary.Outcome.cancelled : .failed, failure = failure
        if hasEnded {
            outcome = ending.judge(settlement)
        } else {
            do {
                try await applier.flush()
            } catch {
                // What can't be stored either is no news: the first failure is reported.
                failure = failure ?? error
                outcome = .failed
            }
        }
        // What wasn't listed yet is still of the server before.
        if outcome == .complete, origin.isNew, environment.coverage.isWhole {
            try environment.store.setNewOrigin(false)
        }
        var summary = try ending.summary(
            outcome, problems: hasEnded ? settlement.problems.problems : ending.failures(),
            guarded: settlement.report.objections, failure: failure)
        for (kind, count) in loaded?.created ?? [:] { summary.add(created: count, kind) }
        summary.updatedByList = settlement.report.updatedByList
        summary.relocated = settlement.report.relocated
        summary.guardedDeletions = settlement.report.intended
        summary.furtherProblems += settlement.problems.further
        summary.ways = ways
        summary.isAuditedByDigest = pulled.keys.contains { suspects[$0] != nil }
        summary.hasCursor = hasEnded && settlement.hasCursor
        summary.obstacle = settlement.verdict?.obstacle
        summary.lacking = settlement.verdict?.lacking ?? []
        summary.failures = settlement.verdict?.failures ?? failures
        summary.extensions = environment.report.current.extensions
        return summary
    }
}

/// The run of the tree, over whole lists or over what was pulled.
extension PullLoop {
    mutating func walk() async throws -> PullResult {
        let options = environment.options
        if !environment.hasLists { environment.hasLists = try environment.store.hasLists() }
        environment.downloads.forgetFailures()
        let run = environment.feeding(try given(), isJustLoaded: isJustLoaded)
            .run(environment.tree, on: environment.partner)
        monitor.attach(environment, run)
        try watchObjects()
        let outcome = await applier.committing(isTimed: !options.synchronous) { await run.execute() }
        let stop = environment.breaker.disarm()
        self.outcome = outcome
        switch outcome.state {
        case .complete, .partial: return try await isInTrouble(outcome) ? .serverInTrouble : .done
        case .cancelled: return .cancelled
        case .failed(let error as SyncError) where error.code == .serverTrouble && stop.request != nil:
            return stopped(stop)
        case .failed(let error): throw error
        }
    }

    /// Of a kind that was pulled, the tree looks at what changed: what is stored is vouched for by itself. Objects of which
    /// the server didn't have a file a day ago are looked at with them. Of a kind that isn't to be looked at, at nothing.
    private func given() throws -> [Kind: [ObjectItem]] {
        var given = try pulled.mapValues { try items($0) }
        for kind in environment.kinds.listed where ways[kind] == nil || ways[kind] == .snapshot {
            given[kind] = given[kind] ?? []
        }
        return given
    }

    private func items(_ changes: PulledChanges) throws -> [ObjectItem] {
        let options = environment.options, store = environment.store
        let due =
            options.media
            ? try store.ownersOfDueFiles(changes.kind, formats: options.formats, tiles: options.tiles) : []
        let members = try store.beside(changes.kind, changes.members)
        return try members.map(ObjectItem.init)
            + due.subtracting(members.map(\.id)).sorted().map { ObjectItem(id: $0, isVouched: true) }
    }
}
