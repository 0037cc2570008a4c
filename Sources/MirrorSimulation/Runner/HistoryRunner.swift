import Catalogue
import Foundation
import GRDB
import MirrorStore
import MirrorSync
import Synchronization

/// Runs one history: a server, a mirror on a disk that can crash, people who edit both, and the clocks.
final class HistoryRunner: HistoryPlayer {
    let plan: HistoryPlan
    let partner: SimulatedPartner
    let mirror: SimulatedMirror
    let editors: SimulatedEditors
    let transcript: Transcript
    let clock: SimulatedClock
    private var schema: SchemaCheck
    /// How long shows are kept after their end; `nil` for ever.
    let keepShows: Duration?
    let injectedBug: InjectedBug?
    /// All violations; the first one ends the history.
    private(set) var violations: [Violation] = []
    private(set) var counts = HistoryCounts()
    let liveInvariants: LiveInvariants
    /// Ids of objects that failed since the last complete sync.
    private var failed: Set<String> = []
    /// Ids of objects that ever failed. A power cut may undo every later success.
    private var everFailed: Set<String> = []
    /// The sequence number of the last change before the run.
    private var lastChange: Int64 = 0
    /// The number of requests that the hazard of the last run affected.
    var hazardHits = 0
    /// `nil` if a power cut may have undone what was stored before the run.
    private var memberships: MembershipCheck?

    /// 18 November 2026, 06:30 UTC.
    static let start = 1_794_983_400.0

    init(
        _ plan: HistoryPlan, in workspace: HistoryWorkspace, transcript: Transcript,
        injectedBug: InjectedBug? = nil
    ) throws {
        self.plan = plan
        self.transcript = transcript
        self.injectedBug = injectedBug
        schema = SchemaCheck(schema: workspace.template.schema)
        var random = SplitMix(seed: plan.worldSeed)
        let traits = PartnerTraits(&random, plan.profile)
        let offset = random.one(
            of: 0.0, 86_400, -86_400, random.unit() * 20 - 10, random.unit() * 7_200 - 3_600)
        keepShows = random.chance(40) ? .seconds(86_400 * 60) : nil
        let slot = try workspace.slot(
            for: plan,
            opensOwnFiles: plan.profile == .calm
                ? plan.seed.isMultiple(of: HistoryProfile.ownFilesInterval) : random.chance(10))
        clock = slot.clock
        clock.reset(local: Self.start - offset, offset: offset)
        transcript.leaveOut(workspace.template.folder)
        let liveInvariants = LiveInvariants()
        self.liveInvariants = liveInvariants
        partner = SimulatedPartner(
            traits: traits, random: random.branch(), clock: clock, transcript: transcript,
            disk: CrashDisk(folder: slot.folder.path, isInstalled: plan.profile == .torture),
            beforeAnswer: { liveInvariants.check() })
        mirror = SimulatedMirror(
            slot, partner: partner, keepShows: keepShows, random: random.branch(), injectedBug: injectedBug,
            liveInvariants: plan.profile == .torture ? liveInvariants : nil)
        editors = SimulatedEditors(mirror)
        if plan.profile == .torture {
            liveInvariants.watch(mirror.files, partner: partner, prunes: keepShows != nil)
        }
        transcript.note(
            "seed \(plan.seed), clocks \(offset) s apart, \(traits.line), shows kept \(keepShows as Any?)")
        if let sql = injectedBug?.sql {
            try mirror.access { store in try store.pool.write { try $0.execute(sql: sql) } }
        }
    }

    var disk: CrashDisk { partner.disk }
    var traits: PartnerTraits { partner.traits }

    func record(_ new: [Violation]) { violations += new }

    func end() throws { try mirror.end() }

    /// The number of answered requests, committed transactions, edits at both ends, and crashes.
    var steps: Int {
        counts.edits + counts.crashes + disk.commits + requests
    }

    // MARK: - Actions

    func play(steps limit: Int) async throws {
        for action in plan.actions where violations.isEmpty && steps < limit { try await play(action) }
    }

    func play(_ action: HistoryAction) async throws {
        switch action {
        case .sync(let sync): try await run(sync)
        case .watch(let watch): try await run(watch)
        default: perform(action)
        }
    }

    /// Performs an action that is not a run.
    func perform(_ action: HistoryAction) {
        switch action {
        case .partnerEdit(let seed):
            counts.edits += 1
            partner.change(seed)
        case .localEdit(let seed):
            counts.edits += 1
            editors.edit(seed)
        case .wait(let seconds):
            if seconds > 1_000_000 { editors.noteConflicts() }
            clock.advance(by: seconds)
        case .setClock(let seconds):
            clock.set(localBy: seconds)
            transcript.note("local: the clock is set by \(seconds) s")
        case .setServerClock(let seconds):
            clock.set(serverBy: seconds)
            partner.with { $0.needsAudit = true }
            transcript.note("server: the clock is set by \(seconds) s")
        case .discardEvents(let indices):
            let kinds = indices.map { Kinds.standard.listed[$0 % Kinds.standard.listed.count] }
            partner.with { $0.catalogue.log.discard(kinds) }
            transcript.note("server: events of \(kinds.map(\.name)) are dropped")
        case .fill(let seed): partner.fill(seed)
        case .pauseWatch: editors.setWatch(isPaused: true)
        case .resumeWatch: editors.setWatch(isPaused: false)
        case .replaceEventsLog:
            partner.with { $0.catalogue.log.changeIdentity() }
            transcript.note("server: the events are now those of another database")
        case .sync, .watch: break
        }
    }

    // MARK: - Before and after a run

    /// Prepares the disturbances of the next run.
    func applyDisturbances(_ disturbances: Disturbances) {
        let traits = traits
        partner.with { state in
            state.serverTranscript = ServerTranscript(
                isDetailed: plan.profile == .torture, after: state.serverTranscript)
            state.faults = disturbances.faults.map { seed in
                Faults(
                    seed: seed, traits,
                    guaranteeing: plan.profile == .torture ? disturbances.failsFirstRequest ? 1 : 3 : nil)
            }
            state.concurrentActions = [:]
            for other in disturbances.concurrentActions {
                // Safe: requests come one after the other, and so the runner is never used by two tasks at a time.
                nonisolated(unsafe) let runner = self
                state.concurrentActions[state.requests + other.request, default: []].append {
                    runner.perform(other.action)
                }
            }
            state.fatalRequest = nil
            if case .request(let number)? = disturbances.crash?.moment {
                state.fatalRequest = state.requests + number
            }
        }
        begin(disturbances.hazard)
        if case .write(let crashPoint)? = disturbances.crash?.moment { disk.scheduleCrash(crashPoint) }
    }

    /// Ends the disturbances after a run. After a crash, restarts the disk and opens the files again.
    ///
    /// - Parameter power: the seed of a power cut's losses, if not that of the disturbances.
    func clearDisturbances(_ disturbances: Disturbances, power: UInt64? = nil) throws {
        disk.cancelScheduledCrash()
        end(disturbances.hazard)
        partner.with { state in
            counts.faults += state.faults?.count ?? 0
            state.faults = nil
            state.concurrentActions = [:]
            state.fatalRequest = nil
        }
        if disk.hasCrashed { try restart(power ?? disturbances.crash?.power) }
    }

    private func restart(_ power: UInt64?) throws {
        counts.crashes += 1
        try mirror.files.restart(power)
        schema.forgetVersion()
        if power != nil {
            failed = everFailed
            memberships = nil
        }
        try injectedBug?.afterCrash?(mirror.folder)
        record(try mirror.access { try $0.read(SchemaCheck.damage) })
        guard violations.isEmpty else { return }
        // A page that was stored just before the crash is in the log, although nothing reported it any more.
        noteFailed(try mirror.access { try $0.read(Self.loggedFailures) })
    }

    private static func loggedFailures(_ db: Database) throws -> Set<String> {
        try String.fetchSet(
            db.cachedStatement(
                sql: """
                    SELECT id FROM sync_error WHERE id IS NOT NULL AND run = (SELECT max(run) FROM sync_log)
                    """))
    }

    /// Records the state before a run, for the checks after it.
    ///
    /// - Returns: `nil` if no run is checked.
    func prepareChecks() throws -> RefetchCheck? {
        guard plan.profile == .torture else { return nil }
        return try mirror.access { store in
            try store.read { db in
                lastChange = try SweepCheck.lastChange(db)
                memberships = try MembershipCheck(db)
                liveInvariants.begin(
                    lastChange: lastChange, cursor: try CursorCheck.cursor(db), failed: failed)
                return try RefetchCheck(db)
            }
        }
    }

    /// Checks the invariants that hold after each run, however it ended.
    ///
    /// - Parameters:
    ///   - isGuarded: whether it was a sync that the delete guard stopped.
    ///   - isReload: whether the run requested everything unconditionally.
    func runChecks(
        _ refetches: RefetchCheck?, _ texts: [String] = [], isGuarded: Bool = false, isReload: Bool = false
    ) throws {
        if !editors.ledger.edits.isEmpty { try editors.recordServerIDs() }
        guard let refetches else { return record(editors.failures.map { Violation(.localEditsSurvive, $0) }) }
        let serverTranscript = partner.with { $0.serverTranscript }
        let cursors = CursorCheck(
            catalogue: partner.catalogue, traits: traits, prunes: keepShows != nil, failed: failed)
        let feedIsReliable = partner.isTruthful
        record(
            try mirror.access { store in
                try store.read { db in
                    var found = try SweepCheck(serverTranscript: serverTranscript, isGuarded: isGuarded)
                        .violations(db, after: lastChange)
                    found += try memberships?.violations(serverTranscript, isGuarded: isGuarded, db) ?? []
                    if feedIsReliable { found += try cursors.violations(db) }
                    found += try ReaderCheck().violations(db)
                    found += try schema.violations(db)
                    return found
                }
            })
        // An old answer from an intermediary may be stored for a moment, or may lack objects that are stored.
        if traits.hasETags, !traits.servesStaleAnswers, !isReload {
            record(
                refetches.violations(
                    serverTranscript, partner.catalogue, ignoresAlbums: !editors.ledger.edits.isEmpty))
        }
        // A power cut or a false answer may undo the fact that another picture was at the same address.
        if feedIsReliable, memberships != nil {
            record(try mirror.access { try $0.read { try refetches.pictures(serverTranscript, $0) } })
        }
        record(FolderCheck(folder: mirror.folder, hasMedia: traits.hasMedia).violations())
        record(liveInvariants.end())
        record(editors.failures.map { Violation(.localEditsSurvive, $0) })
        if let secret = traits.access.secret {
            record(
                SecrecyCheck(secret: secret, folder: mirror.folder).violations(
                    texts + mirror.log.takeLines()))
        }
    }

    /// Checks the store after a run in which nothing went wrong.
    func checkStore(atRest: Bool = false, isIndexed: Bool = false) throws {
        let check = VerifyCheck(hasHooks: mirror.opensOwnFiles, isIndexed: isIndexed, isAtRest: atRest)
        record(try mirror.access(check.violations))
    }

    /// Records which objects failed in a run.
    func noteFailures(_ problems: [Problem], isComplete: Bool = false) {
        if isComplete { failed = [] }
        noteFailed(Set(problems.compactMap(\.id)))
    }

    private func noteFailed(_ ids: Set<String>) {
        failed.formUnion(ids)
        everFailed.formUnion(ids)
    }

    func countSync() { counts.syncs += 1 }
    func countRound() { counts.rounds += 1 }
    func count(_ hazard: String) { counts.hazards[hazard, default: 0] += 1 }
}
