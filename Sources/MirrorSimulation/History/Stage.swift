import Catalogue
import Foundation
import GRDB
import MirrorStore
import MirrorSync
import Synchronization

/// What one history takes place on: a server, a mirror on a disk that can die, people at both, and the clocks.
final class Stage {
    let plan: HistoryPlan
    let partner: SimulatedPartner
    let mirror: SimulatedMirror
    let people: LocalPeople
    let transcript: Transcript
    let clock: SimulatedClock
    private var schema: SchemaCheck
    /// How long shows are kept after their end; `nil` for ever.
    let keepShows: Duration?
    let sabotage: Sabotage?
    /// What was found not to hold; the first ends the history.
    private(set) var violations: [Violation] = []
    private(set) var counts = HistoryCounts()
    let lookout: Lookout
    /// Ids of objects that failed since the last sync that was complete.
    private var failed: Set<String> = []
    /// Of those that ever failed: what a power cut takes back may be all that came since.
    private var everFailed: Set<String> = []
    /// The last change that was looked at.
    private var lastChange: Int64 = 0
    /// How many requests met the hazard of the last run.
    var hazardMet = 0
    /// `nil` where what was there before the run may have been taken back.
    private var memberships: MembershipCheck?

    /// 18 November 2026, 06:30 UTC.
    static let start = 1_794_983_400.0

    init(
        _ plan: HistoryPlan, at place: HistoryPlace, transcript: Transcript, sabotage: Sabotage? = nil
    ) throws {
        self.plan = plan
        self.transcript = transcript
        self.sabotage = sabotage
        schema = SchemaCheck(schema: place.template.schema)
        var random = SplitMix(seed: plan.world)
        let traits = PartnerTraits(&random, plan.profile)
        let offset = random.one(
            of: 0.0, 86_400, -86_400, random.unit() * 20 - 10, random.unit() * 7_200 - 3_600)
        keepShows = random.chance(40) ? .seconds(86_400 * 60) : nil
        let room = try place.room(
            for: plan,
            isWhole: plan.profile == .calm
                ? plan.seed.isMultiple(of: HistoryProfile.wholeEvery) : random.chance(10))
        clock = room.clock
        clock.begin(local: Self.start - offset, offset: offset)
        transcript.leaveOut(place.template.folder)
        let lookout = Lookout()
        self.lookout = lookout
        partner = SimulatedPartner(
            traits: traits, random: random.branch(), clock: clock, transcript: transcript,
            disk: CrashDisk(folder: room.folder.path, isThere: plan.profile == .torture),
            look: { lookout.look() })
        mirror = SimulatedMirror(
            room, partner: partner, keepShows: keepShows, random: random.branch(), sabotage: sabotage,
            lookout: plan.profile == .torture ? lookout : nil)
        people = LocalPeople(mirror)
        if plan.profile == .torture { lookout.watch(mirror) }
        transcript.note(
            "seed \(plan.seed), clocks \(offset) s apart, \(traits.line), shows kept \(keepShows as Any?)")
        if let sql = sabotage?.sql {
            try mirror.access { store in try store.pool.write { try $0.execute(sql: sql) } }
        }
    }

    var disk: CrashDisk { partner.disk }
    var traits: PartnerTraits { partner.traits }

    func found(_ new: [Violation]) { violations += new }

    /// Requests that were answered, transactions, edits at both ends, crashes.
    var steps: Int {
        counts.edits + counts.crashes + disk.commits + partner.with { $0.requests }
    }

    // MARK: - Playing

    func play(steps limit: Int) async throws {
        for move in plan.moves where violations.isEmpty && steps < limit { try await play(move) }
    }

    func play(_ move: Move) async throws {
        switch move {
        case .sync(let sync): try await run(sync)
        case .watch(let watch): try await run(watch)
        default: pass(move)
        }
    }

    /// What is no run.
    func pass(_ move: Move) {
        switch move {
        case .change(let seed):
            counts.edits += 1
            partner.change(seed)
        case .edit(let seed):
            counts.edits += 1
            people.edit(seed)
        case .pass(let seconds):
            if seconds > 1_000_000 { people.noteConflicts() }
            clock.advance(by: seconds)
        case .setClock(let seconds):
            clock.set(localBy: seconds)
            transcript.note("here: the clock is set by \(seconds) s")
        case .setServerClock(let seconds):
            clock.set(serverBy: seconds)
            partner.with { $0.needsAudit = true }
            transcript.note("there: the clock is set by \(seconds) s")
        case .cutEvents(let places):
            let kinds = places.map { Kinds.standard.listed[$0 % Kinds.standard.listed.count] }
            partner.with { $0.catalogue.log.cutOff(kinds) }
            transcript.note("there: events of \(kinds.map(\.name)) are thrown away")
        case .fill(let seed): partner.fill(seed)
        case .pauseWatch: people.setWatch(isPaused: true)
        case .resumeWatch: people.setWatch(isPaused: false)
        case .anotherLog:
            partner.with { $0.catalogue.log.becomeAnother() }
            transcript.note("there: the events are another database's")
        case .sync, .watch: break
        }
    }

    // MARK: - Around a run

    /// What may go wrong in the run that comes.
    func arm(_ trouble: Trouble) {
        let traits = traits
        partner.with { state in
            state.said = Said(isDetailed: plan.profile == .torture, after: state.said)
            state.faults = trouble.faults.map { seed in
                Faults(seed: seed, traits, surely: plan.profile == .torture ? trouble.isEager ? 1 : 3 : nil)
            }
            state.meanwhile = [:]
            for other in trouble.meanwhile {
                // Never from within two tasks: requests come one after the other.
                nonisolated(unsafe) let stage = self
                state.meanwhile[state.requests + other.request, default: []].append { stage.pass(other.move) }
            }
            state.deadly = nil
            if case .request(let number)? = trouble.crash?.moment { state.deadly = state.requests + number }
        }
        begin(trouble.hazard)
        if case .write(let death)? = trouble.crash?.moment { disk.die(death) }
    }

    /// The run is over, or dead: then what is left is opened again.
    ///
    /// - Parameter power: what a power cut's losses are drawn from, where it is not the trouble's.
    func disarm(_ trouble: Trouble, power: UInt64? = nil) throws {
        disk.disarm()
        end(trouble.hazard)
        partner.with { state in
            counts.faults += state.faults?.count ?? 0
            state.faults = nil
            state.meanwhile = [:]
            state.deadly = nil
        }
        if disk.isDead { try restart(power ?? trouble.crash?.power) }
    }

    private func restart(_ power: UInt64?) throws {
        counts.crashes += 1
        mirror.close()
        transcript.note("here: a crash, \(power == nil ? "killed" : "the power was cut")")
        try disk.restart(power.map { .power($0) } ?? .none)
        schema.forget()
        if let power {
            try PartialFiles(folder: mirror.folder).lose(power)
            failed = everFailed
            memberships = nil
        }
        try sabotage?.afterCrash?(mirror.folder)
        found(try mirror.access { try $0.read(SchemaCheck.damage) })
        guard violations.isEmpty else { return }
        // A page that had come to the disk before the run died is in the log, though nobody was told any more.
        noteFailed(try mirror.access { try $0.read(Self.loggedFailures) })
    }

    private static func loggedFailures(_ db: Database) throws -> Set<String> {
        try String.fetchSet(
            db.cachedStatement(
                sql: """
                    SELECT id FROM sync_error WHERE id IS NOT NULL AND run = (SELECT max(run) FROM sync_log)
                    """))
    }

    /// What is there before a run, for the checks behind it.
    ///
    /// - Returns: `nil` where nothing is checked behind it.
    func before() throws -> RefetchCheck? {
        guard plan.profile == .torture else { return nil }
        return try mirror.access { store in
            try store.read { db in
                lastChange = try SweepCheck.lastChange(db)
                memberships = try MembershipCheck(db)
                lookout.begin(lastChange: lastChange, cursor: try CursorCheck.cursor(db), failed: failed)
                return try RefetchCheck(db)
            }
        }
    }

    /// What must hold after each run, however it ended.
    ///
    /// - Parameters:
    ///   - isGuarded: whether it was a sync that the delete guard stopped.
    ///   - isReload: whether the run requested everything unconditionally.
    func after(
        _ refetches: RefetchCheck?, _ texts: [String] = [], isGuarded: Bool = false, isReload: Bool = false
    ) throws {
        if !people.ledger.edits.isEmpty { try people.learn() }
        guard let refetches else { return found(people.failures.map { Violation(.editsAreKept, $0) }) }
        let said = partner.with { $0.said }
        let cursors = CursorCheck(
            catalogue: partner.catalogue, traits: traits, prunes: keepShows != nil, failed: failed)
        let isTold = partner.tellsTheTruth
        found(
            try mirror.access { store in
                try store.read { db in
                    var found = try SweepCheck(said: said, isGuarded: isGuarded)
                        .violations(db, after: lastChange)
                    found += try memberships?.violations(said, isGuarded: isGuarded, db) ?? []
                    if isTold { found += try cursors.violations(db) }
                    found += try ReaderCheck().violations(db)
                    found += try schema.violations(db)
                    return found
                }
            })
        // What an intermediary said of the past may be here for a moment, or leave out what is here.
        if traits.hasETags, !traits.isStale, !isReload {
            found(refetches.violations(said, partner.catalogue, weighsAlbums: !people.ledger.edits.isEmpty))
        }
        // What had another picture at its address may be taken back, and with it that there was another.
        if isTold, memberships != nil {
            found(try mirror.access { try $0.read { try refetches.pictures(said, $0) } })
        }
        found(FolderCheck(folder: mirror.folder, hasMedia: traits.hasMedia).violations())
        found(lookout.end())
        found(people.failures.map { Violation(.editsAreKept, $0) })
        if let secret = traits.access.secret {
            found(
                SecrecyCheck(secret: secret, folder: mirror.folder).violations(
                    texts + mirror.log.takeLines()))
        }
    }

    /// What must hold where nothing went wrong.
    func lookWhole(atRest: Bool = false, isIndexed: Bool = false) throws {
        let check = WholenessCheck(hasHooks: mirror.isWhole, isIndexed: isIndexed, isAtRest: atRest)
        found(try mirror.access(check.violations))
    }

    /// What became of a run.
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

/// How much happened in a history.
package struct HistoryCounts: Sendable, Hashable, Codable {
    package var syncs = 0
    /// Pages of events, or rounds that found none.
    package var rounds = 0
    package var edits = 0
    package var faults = 0
    package var crashes = 0
    /// Runs in which something was wrong from their beginning to their end, by what it was and what came of it.
    package var hazards: [String: Int] = [:]

    mutating func add(_ other: HistoryCounts) {
        syncs += other.syncs
        rounds += other.rounds
        edits += other.edits
        faults += other.faults
        crashes += other.crashes
        hazards.merge(other.hazards, uniquingKeysWith: +)
    }
}
