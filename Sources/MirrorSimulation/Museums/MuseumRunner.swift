import Catalogue
import GRDB
import MirrorStore
import MirrorSync

/// Runs one history of a museum: its server with a described catalogue, and a mirror on a disk that can crash.
final class MuseumRunner: HistoryPlayer {
    let plan: HistoryPlan
    let traits: MuseumTraits
    let server: MuseumServer
    let mirror: MuseumMirror
    let transcript: Transcript
    let clock: SimulatedClock
    let liveInvariants: LiveInvariants
    private(set) var violations: [Violation] = []
    private(set) var counts = HistoryCounts()
    private var schema: SchemaCheck
    private var removals = RemovalCheck()
    /// When the own URL of an object was absent last, by the mirror's clock. What isn't stored is not requested again for a day.
    private var lastAbsent: [MuseumObject: Double] = [:]
    private let actions: [MuseumAction]

    init(
        _ plan: HistoryPlan, _ museum: MuseumPlan, in workspace: HistoryWorkspace, transcript: Transcript,
        injectedBug: InjectedBug? = nil
    ) throws {
        (self.plan, self.transcript, actions) = (plan, transcript, museum.actions)
        schema = SchemaCheck(schema: workspace.template.schema)
        var random = SplitMix(seed: plan.worldSeed)
        traits = MuseumTraits(museum.museum, &random)
        let offset = random.one(of: 0.0, 0, random.unit() * 7_200 - 3_600)
        let slot = try workspace.slot(for: plan, opensOwnFiles: random.chance(10))
        clock = slot.clock
        clock.reset(local: HistoryRunner.start - offset, offset: offset)
        transcript.leaveOut(workspace.template.folder)
        let liveInvariants = LiveInvariants()
        self.liveInvariants = liveInvariants
        server = MuseumServer(
            traits, Self.catalogue(random.next(), before: HistoryRunner.start), clock: clock,
            disk: CrashDisk(folder: slot.folder.path), transcript: transcript,
            beforeAnswer: { liveInvariants.check() })
        mirror = try MuseumMirror(
            slot, server: server, description: "\(workspace.template.folder)/\(plan.seed).yaml",
            transcript: transcript, liveInvariants: liveInvariants, injectedBug: injectedBug)
        liveInvariants.watch(mirror.files)
        count("museum \(museum.museum.rawValue)")
        transcript.note("seed \(plan.seed), clocks \(offset) s apart, \(traits.line)")
        if let sql = injectedBug?.sql {
            try mirror.files.access { store in try store.pool.write { try $0.execute(sql: sql) } }
        }
    }

    /// A museum's first catalogue. The times of change are in the month before the history.
    private static func catalogue(_ seed: UInt64, before start: Double) -> ImitatedCatalogue {
        var catalogue = ImitatedCatalogue(), first = MuseumEdit(catalogue, seed: seed)
        for (number, act) in first.first().enumerated() {
            catalogue.apply(act, at: Timestamp(seconds: Int(start) - 30 * 86_400 + number * 20_000))
        }
        return catalogue
    }

    var disk: CrashDisk { server.disk }
    var requests: Int { server.requests }
    var steps: Int { counts.crashes + server.changes + disk.commits + requests }

    func record(_ new: [Violation]) { violations += new }
    func count(_ hazard: String) { counts.hazards[hazard, default: 0] += 1 }
    func end() throws { try mirror.end() }

    // MARK: - Actions

    func play(steps limit: Int) async throws {
        for action in actions where violations.isEmpty && steps < limit {
            switch action {
            case .edit(let seed): server.change(seed)
            case .wait(let seconds): clock.advance(by: seconds)
            case .sync(let sync): try await run(sync)
            // A dry run writes nothing, so its requests don't count for the day.
            case .dryRun: if traits.perDay == nil { try await dryRun() }
            }
            counts.edits = server.changes
        }
    }

    /// Runs a sync with its disturbances, and checks the invariants.
    @discardableResult
    func run(_ action: MuseumSync, inOpenFiles: Bool = false) async throws -> SyncSummary {
        let before = try state(), failed = server.failed
        server.begin(action)
        if case .write(let crashPoint)? = action.crash?.moment { disk.scheduleCrash(crashPoint) }
        var summary = SyncSummary(partner: "p", outcome: .cancelled)
        do {
            summary = try await mirror.sync(inOpenFiles: inOpenFiles) { options in
                options.full = action.isFull
                if action.disablesDeleteGuard {
                    (options.maxDelete, options.maxDeleteIsChosen) = (.total(1_000), true)
                }
                if action.namesSource { options.source.name = mirror.description }
                options.source.selection = action.selection.options(of: self.traits.museum)
            }
        } catch  where disk.hasCrashed {
            transcript.note("local: the run is dead: \(error)")
        }
        counts.syncs += 1
        note(summary)
        disk.cancelScheduledCrash()
        server.end()
        for fault in action.faults { count(fault.rawValue) }
        counts.faults += server.failed - failed + action.faults.count
        counts.edits = server.changes
        if disk.hasCrashed { try restart(action.crash?.power) }
        try check(action, summary, since: before)
        return summary
    }

    private func note(_ summary: SyncSummary) {
        transcript.note("sync: \(summary.outcome.rawValue) \(summary.failure ?? "")")
        for problem in summary.problems {
            transcript.note("  \(problem.what) \(problem.id ?? ""): \(problem.message)")
        }
    }

    private func restart(_ power: UInt64?) throws {
        counts.crashes += 1
        try mirror.files.restart(power)
        schema.forgetVersion()
        record(try mirror.files.access { try $0.read(SchemaCheck.damage) })
    }

    // MARK: - Checks

    /// The state before a run.
    struct RunState {
        let lastChange: Int64
        let refetches: MuseumRefetchCheck
        let museum: ExpectedMuseum
        let hadFormerSelection: Bool
        let changes: Int
    }

    private func state() throws -> RunState {
        let museum = ExpectedMuseum(server.museum)
        return try mirror.files.access { store in
            let former = try store.source?.hasFormerSelection == true
            return try store.read { db in
                RunState(
                    lastChange: try SweepCheck.lastChange(db),
                    refetches: try MuseumRefetchCheck(db, museum.listedKinds), museum: museum,
                    hadFormerSelection: former, changes: server.changes)
            }
        }
    }

    /// Checks the invariants after a run, however it ended.
    private func check(_ action: MuseumSync, _ summary: SyncSummary, since before: RunState) throws {
        let log = server.log, after = ExpectedMuseum(server.museum), isComplete = summary.outcome == .complete
        let hides = !action.faults.isDisjoint(with: ImitationFault.hidingObjects)
        lastAbsent.merge(log.absent) { $1 }
        let source = try mirror.files.access { try $0.source }
        // A run that was killed early didn't remember its selection.
        let isWhole = source?.selection.isEmpty == true && !action.selection.isPart
        let run = RemovalCheck.Run(
            log: log, before: before.museum, after: after, isComplete: isComplete, isWhole: isWhole,
            mayHaveUnselected: before.hadFormerSelection || source?.hasFormerSelection == true,
            disablesDeleteGuard: action.disablesDeleteGuard, hidesObjects: hides)
        removals.note(run)
        let comparesAll = isWhole && action.faults.isEmpty && action.failures == nil
        record(
            try mirror.files.access { store in
                try store.read { db in
                    var found = try removals.violations(run, after: before.lastChange, db)
                    found += try ReaderCheck().violations(db) + schema.violations(db)
                    guard !action.isFull, isWhole else { return found }
                    found += try before.refetches.violations(
                        log, before: before.museum, after: after, comparesAll: comparesAll, db)
                    return found
                }
            })
        record(FolderCheck(folder: mirror.files.folder, hasMedia: traits.hasMedia).violations())
        record(liveInvariants.end())
        record(BudgetCheck(log: log, rate: traits.rate, perDay: traits.perDay).violations())
        guard isComplete, action.crash == nil else { return }
        try checkStore()
        let isHidden = lastAbsent.contains { clock.local - $0.value < 90_000 && after.has($0.key) }
        // A list that an earlier run has read in part may lack what changed since.
        guard isWhole, !hides, !isHidden, server.changes == before.changes, summary.continuedLists.isEmpty
        else {
            return
        }
        try checkContent(allowsMore: true)
    }

    /// Checks that the mirror has what the museum has.
    func checkContent(allowsMore: Bool) throws {
        let check = MuseumContentCheck(
            expected: ExpectedMuseum(server.museum), hasMedia: traits.hasMedia && !allowsMore,
            keepsWithdrawn: traits.withdrawn == .keep, allowsMore: allowsMore)
        let found = try mirror.files.access { try $0.read(check.differences) }
        record(found.map { Violation(.mirrorEqualsServer, $0) })
    }

    /// Checks the store after a run in which nothing went wrong.
    func checkStore(isAtRest: Bool = false) throws {
        let check = VerifyCheck(hasHooks: mirror.files.opensOwnFiles, isAtRest: isAtRest)
        record(try mirror.files.access(check.violations))
    }
}

extension ImitationFault {
    /// Faults by which objects that exist seem to be absent.
    static let hidingObjects: Set<ImitationFault> = [.missingObjects, .absentEveryOtherDay]
}

extension MuseumSync.Selection {
    /// Whether it is another one than the remembered one or the whole catalogue.
    fileprivate var isPart: Bool { if case .department = self { true } else { false } }

    /// The option of a sync; `nil` for the remembered selection.
    fileprivate func options(of museum: ImitatedMuseum.Name) -> [SourceOptions.Selection]? {
        switch self {
        case .remembered: nil
        case .whole: []
        case .department(let number):
            museum.selection(ofDepartment: MuseumEdit.departments[number])
                .map { [.init("department", $0)] }
        }
    }
}
