import MirrorSync

/// All that happens in a history, drawn from its seed before it begins.
package struct HistoryPlan: Sendable, Hashable {
    package let seed: UInt64
    package let profile: HistoryProfile
    /// What the server, the clocks and the rest are drawn from.
    let world: UInt64
    var moves: [Move] = []
    /// How many moves there are.
    package var count: Int { moves.count }
    /// Whether there has to be a crash, whatever became of those that were planned.
    var insists = true
    /// Whether it is asked in the end if a sync more has nothing to do, and if a watch finds what changes then.
    var standsStill: Bool, follows: Bool

    /// Whether a dry run says what the first sync at rest will do.
    var foretells: Bool { profile == .torture && world.isMultiple(of: 4) }

    package init(seed: UInt64, profile: HistoryProfile = .torture) {
        var random = SplitMix(seed: seed)
        self.seed = seed
        self.profile = profile
        world = random.next()
        standsStill = random.chance(33)
        follows = random.chance(25)
        guard profile == .torture else {
            (follows, insists) = (false, false)
            beCalm(&random)
            return
        }
        var other = SplitMix(seed: world)
        let traits = PartnerTraits(&other, profile)
        for _ in 0..<(2 + random.below(6)) { moves.append(.change(random.next())) }
        for _ in 0..<(4 + random.below(4)) {
            let isWatch = traits.has("events") && random.chance(35)
            moves.append(isWatch ? .watch(Self.watch(&random)) : .sync(Self.sync(&random)))
            for _ in 0..<random.below(4) { moves.append(.edit(random.next())) }
            moves += Self.time(&random)
            for _ in 0..<random.below(4) {
                moves += [.change(random.next()), .pass(Double(random.below(400)))]
            }
            if random.chance(40) { moves.append(.edit(random.next())) }
            // Changes may be so far back that no overlap of dates would tell of them again.
            if random.chance(30) { moves.append(.pass(Double(400 + random.below(8_000)))) }
            if random.chance(8) { moves.append(Self.eventsTrouble(&random)) }
        }
        insistOnTrouble(&random)
        // Behind all else, from a sequence of its own.
        var hazards = SplitMix(seed: world ^ 6)
        Hazard.add(to: &moves, &hazards)
        var pauses = SplitMix(seed: world ^ 7)
        moves.addPauses(&pauses)
    }

    private mutating func beCalm(_ random: inout SplitMix) {
        for _ in 0..<(2 + random.below(6)) { moves.append(.change(random.next())) }
        for _ in 0..<(1 + (random.chance(30) ? 1 : 0) + (random.chance(10) ? 1 : 0)) {
            var sync = Self.sync(&random)
            sync.trouble.crash = nil
            moves.append(.sync(sync))
            for _ in 0..<random.below(4) { moves.append(.edit(random.next())) }
            moves += Self.time(&random).filter { if case .setServerClock = $0 { false } else { true } }
            for _ in 0..<random.below(4) {
                moves += [.change(random.next()), .pass(Double(random.below(400)))]
            }
            if random.chance(40) { moves.append(.edit(random.next())) }
        }
    }

    /// Every history has a fault and a crash.
    private mutating func insistOnTrouble(_ random: inout SplitMix) {
        guard
            let place = moves.firstIndex(where: { move in
                switch move {
                case .sync, .watch: true
                default: false
                }
            })
        else { return }
        let faults = random.next(), crash = Self.crash(&random)
        switch moves[place] {
        case .sync(var sync):
            sync.trouble.faults = sync.trouble.faults ?? faults
            sync.trouble.crash = sync.trouble.crash ?? crash
            moves[place] = .sync(sync)
        case .watch(var watch):
            let last = watch.rounds.count - 1
            watch.start.faults = watch.start.faults ?? faults
            watch.rounds[last].trouble.crash = watch.rounds[last].trouble.crash ?? crash
            moves[place] = .watch(watch)
        default: break
        }
    }

    private static func time(_ random: inout SplitMix) -> [Move] {
        let seconds = random.one(
            of: 1.0, 30, 400, 4_000, 90_000, 90_000, 700_000, random.chance(30) ? 7_000_000 : 60)
        var moves = [Move.pass(seconds * (0.5 + random.unit()))]
        if random.chance(10) { moves.append(.setClock(random.one(of: 86_400.0, -86_400, 40, -40))) }
        if random.chance(4) { moves.append(.setServerClock(random.one(of: -30.0, -4_000, -90_000))) }
        return moves
    }

    private static func eventsTrouble(_ random: inout SplitMix) -> Move {
        guard random.chance(70) else { return .anotherLog }
        return .cutEvents(random.chance(50) ? [0, 1, 2, 3, 4] : (0..<5).filter { _ in random.chance(40) })
    }

    // MARK: - Runs

    private static func sync(_ random: inout SplitMix) -> SyncMove {
        var move = SyncMove()
        move.way = random.one(
            of: .usual, .usual, .usual, .usual, .usual, .usual, .audit, .full, .failFast, .impatient)
        move.mayDelete = random.chance(80)
        move.trouble = trouble(&random)
        return move
    }

    private static func watch(_ random: inout SplitMix) -> WatchMove {
        var move = WatchMove()
        move.start = trouble(&random)
        for _ in 0..<(1 + random.below(5)) {
            var round = WatchMove.Round()
            for _ in 0..<random.below(4) { round.before.append(.change(random.next())) }
            if random.chance(30) { round.before.append(.edit(random.next())) }
            if random.chance(20) { round.before.append(eventsTrouble(&random)) }
            round.before.append(.pass(random.one(of: 30.0, 30, 400, 4_000, 90_000)))
            round.trouble = trouble(&random)
            round.isSync = random.chance(15)
            move.rounds.append(round)
        }
        return move
    }

    private static func trouble(_ random: inout SplitMix) -> Trouble {
        var trouble = Trouble()
        if random.chance(40) { trouble.faults = random.next() }
        for _ in 0..<random.below(3) {
            let move = random.chance(60) ? Move.edit(random.next()) : .change(random.next())
            trouble.meanwhile.append(Trouble.Meanwhile(request: 1 + random.below(40), move: move))
        }
        if random.chance(20) { trouble.crash = crash(&random) }
        return trouble
    }

    private static func crash(_ random: inout SplitMix) -> Trouble.Crash {
        let moment: Trouble.Crash.Moment =
            random.chance(85)
            ? .write(
                CrashDisk.Death(
                    write: 1 + random.below(random.one(of: 5, 30, 100)), sixteenths: random.below(17)))
            : .request(1 + random.below(40))
        return Trouble.Crash(moment: moment, power: random.chance(60) ? random.next() : nil)
    }
}
