import Foundation
import MirrorStore
import MirrorSync
import PartnerAPI

/// What one history takes place on: a server, a mirror, people at both, and the clocks.
final class Stage {
    let partner: SimulatedPartner
    let mirror: SimulatedMirror
    let people: LocalPeople
    let transcript: Transcript
    /// How long shows are kept after their end; `nil` for ever.
    let keepShows: Duration?
    private(set) var syncs = 0
    private var random: SplitMix
    private let clock: SimulatedClock

    /// 18 November 2026, 06:30 UTC.
    static let start = 1_794_983_400.0

    init(seed: UInt64, place: HistoryPlace, transcript: Transcript) throws {
        var random = SplitMix(seed: seed)
        let offset = random.one(
            of: 0.0, 86_400, -86_400, random.unit() * 20 - 10, random.unit() * 7_200 - 3_600)
        let traits = PartnerTraits(&random)
        clock = place.clock
        clock.begin(local: Self.start - offset, offset: offset)
        self.transcript = transcript
        partner = SimulatedPartner(
            traits: traits, random: random.branch(), clock: clock, transcript: transcript)
        let isWhole = seed % History.wholeEvery == 0
        mirror = SimulatedMirror(
            isWhole ? try place.template.mirror("\(seed)") : try place.template.folder("\(seed)"),
            isWhole ? nil : try (place.emptied(), place.emptiedCache()), partner: partner,
            random: random.branch()
        )
        people = LocalPeople(mirror, random: random.branch())
        keepShows = random.chance(40) ? .seconds(86_400 * 60) : nil
        self.random = random
        transcript.note(
            "seed \(seed), clocks \(offset) s apart, \(traits.line), shows kept \(keepShows as Any?)")
    }

    // MARK: - Playing

    func play() async throws {
        for _ in 0..<(2 + random.below(6)) { partner.change() }
        for _ in 0..<(1 + (random.chance(30) ? 1 : 0) + (random.chance(10) ? 1 : 0)) {
            try await sync { self.trouble(&$0) }
            for _ in 0..<random.below(4) { people.edit() }
            pass()
            for _ in 0..<random.below(4) {
                partner.change()
                clock.advance(by: Double(random.below(400)))
            }
            if random.chance(40) { people.edit() }
        }
    }

    private func pass() {
        let seconds = random.one(
            of: 1.0, 30, 400, 4_000, 90_000, 90_000, 700_000, random.chance(30) ? 7_000_000 : 60)
        clock.advance(by: seconds * (0.5 + random.unit()))
        guard random.chance(10) else { return }
        let set = random.one(of: 86_400.0, -86_400, 40, -40)
        clock.set(localBy: set)
        transcript.note("here: the clock is set by \(set) s")
    }

    /// What may go wrong, or happen meanwhile, in a sync in the middle of a history.
    private func trouble(_ options: inout SyncOptions) {
        switch random.below(10) {
        case 0: options.auditEvery = .zero
        case 1: options.full = true
        case 2: options.failFast = true
        case 3: options.maxWait = .seconds(120)
        default: break
        }
        if random.chance(80) { options.maxDelete = .total(1_000) }
        if random.chance(40) {
            var draw = random.branch()
            partner.with { $0.faults = Faults(lies: $0.traits.lies, &draw) }
        }
        let people = people, partner = partner
        for _ in 0..<random.below(3) {
            let isEdit = random.chance(60), number = 1 + random.below(40)
            partner.with { state in
                let place = state.requests + number
                state.meanwhile[place] = { if isEdit { people.edit() } else { partner.change() } }
            }
        }
    }

    @discardableResult
    private func sync(_ change: (inout SyncOptions) -> Void) async throws -> SyncSummary {
        var options = SyncOptions()
        options.keepShows = keepShows
        change(&options)
        let summary = try await mirror.sync(options)
        partner.with { state in
            state.faults = nil
            state.meanwhile = [:]
        }
        if people.ledger.edits.count > 0 { try people.learn() }
        syncs += 1
        let ways = summary.ways.map { "\($0.key.rawValue) \($0.value.text)" }.sorted()
        transcript.note(
            "sync: \(summary.outcome.rawValue) \(ways.joined(separator: ", ")) \(summary.failure ?? "")")
        for problem in summary.problems {
            transcript.note("  \(problem.what) \(problem.id ?? ""): \(problem.message)")
        }
        return summary
    }

    // MARK: - Coming to rest

    /// The server is well and changes no more: one sync, and all is as it is there.
    ///
    /// - Returns: what does not hold.
    func close(_ meddle: (CatalogueStore) throws -> Void) async throws -> [String] {
        // Whatever was tried and not found is tried again by now. It is the time of day at which no show ends.
        let day = 86_400.0, next = ((partner.clock.server / day).rounded(.down) + 3) * day + 23_400
        clock.advance(by: next - partner.clock.server)
        let isAudit = partner.with { $0.needsAudit }
        let first = try await sync { options in
            options.maxDelete = .total(1_000)
            if isAudit { options.full = true }
        }
        var check = HistoryCheck(stage: self)
        var violations = people.failures
        // What the server refuses for good is reported once; so is what is lost to it.
        let others = first.problems.filter { !["push", "conflict", "lost edit"].contains($0.what) }
        if first.outcome != .complete, first.outcome != .partial || !others.isEmpty {
            violations.append("the first sync at rest was \(first.outcome.rawValue): \(others)")
        }
        // Who loses a slug is asked for once more, in the next sync where its list came before that was settled; until then
        // it isn't pruned either.
        let isLate = keepShows == nil ? false : try !check.equality().isEmpty
        if try isLate || check.hasMore() { try await sync { $0.maxDelete = .total(1_000) } }
        check = HistoryCheck(stage: self)
        try mirror.access(meddle)
        violations += try check.equality() + check.soundness() + check.edits()
        // Whether a sync more finds nothing to do is asked of every third history: it takes a third of its time.
        return random.chance(33) ? try await violations + rest() : violations
    }

    /// A sync more finds nothing to do, by whichever way it looks.
    private func rest() async throws -> [String] {
        var violations: [String] = []
        let check = HistoryCheck(stage: self), before = try check.standing()
        try mirror.access { store in
            try store.pool.write { try $0.execute(sql: "UPDATE watch SET isOn = 1") }
        }
        let way = random.below(6)
        let last = try await sync { options in
            options.maxDelete = .total(1_000)
            if way < 2 { options.auditEvery = .zero }
            if way == 2 { options.full = true }
        }
        if last.outcome != .complete { violations.append("the last sync was \(last.outcome.rawValue)") }
        // Of a show that was pruned nothing but its ETag tells that it is the same.
        let isAskedAgain = !partner.traits.hasETags && keepShows != nil
        if last.hasChanges, !isAskedAgain {
            violations.append(
                "the last sync changed something: \(last.objects.filter { $0.value.created + $0.value.updated + $0.value.deleted > 0 }.map(\.key).sorted())"
            )
        }
        let touched = try check.touched()
        if !touched.isEmpty, !isAskedAgain { violations.append("the last sync wrote rows: \(touched)") }
        if try check.standing() != before {
            violations.append("the last sync pushed something, or noted a conflict again")
        }
        return violations
    }
}
