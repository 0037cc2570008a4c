import MirrorSync

/// All actions of a history, drawn from its seed before it begins.
package struct HistoryPlan: Sendable, Hashable {
    package let seed: UInt64
    package let profile: HistoryProfile
    /// The seed of the server, the clocks and everything else that is not an action.
    let worldSeed: UInt64
    var actions: [HistoryAction] = []
    /// The actions of a history of a museum, which has no others; `nil` for a partner.
    var museum: MuseumPlan?
    /// The number of actions.
    package var count: Int { actions.count + (museum?.actions.count ?? 0) }
    /// Whether the history must have a fault and a crash, even if the planned ones did not happen.
    var requiresFaults = true
    /// Whether the end of the history checks that another sync does nothing, and that a watch follows new changes.
    var checksIdempotence: Bool, checksFollowing: Bool

    /// Whether the end of the history compares a dry run with the first sync at rest.
    var checksDryRun: Bool { profile != .calm && worldSeed.isMultiple(of: 4) }

    package init(seed: UInt64, profile: HistoryProfile = .torture) {
        var random = SplitMix(seed: seed)
        self.seed = seed
        self.profile = profile
        worldSeed = random.next()
        checksIdempotence = random.chance(33)
        checksFollowing = random.chance(25)
        if profile == .museum {
            (checksIdempotence, checksFollowing) = (true, false)
            museum = MuseumPlan(&random)
            return
        }
        guard profile == .torture else {
            (checksFollowing, requiresFaults) = (false, false)
            drawCalmActions(&random)
            return
        }
        var worldRandom = SplitMix(seed: worldSeed)
        let traits = PartnerTraits(&worldRandom, profile)
        for _ in 0..<(2 + random.below(6)) { actions.append(.partnerEdit(random.next())) }
        for _ in 0..<(4 + random.below(4)) {
            let isWatch = traits.has("events") && random.chance(35)
            actions.append(isWatch ? .watch(Self.watch(&random)) : .sync(Self.sync(&random)))
            for _ in 0..<random.below(4) { actions.append(.localEdit(random.next())) }
            actions += Self.time(&random)
            for _ in 0..<random.below(4) {
                actions += [.partnerEdit(random.next()), .wait(Double(random.below(400)))]
            }
            if random.chance(40) { actions.append(.localEdit(random.next())) }
            // So that some changes are older than the overlap of two `since` requests.
            if random.chance(30) { actions.append(.wait(Double(400 + random.below(8_000)))) }
            if random.chance(8) { actions.append(Self.eventsLogChange(&random)) }
        }
        requireFaultAndCrash(&random)
        // Drawn last, from random numbers of their own, so that the other draws stay the same.
        var hazards = SplitMix(seed: worldSeed ^ 6)
        Hazard.add(to: &actions, &hazards)
        var pauses = SplitMix(seed: worldSeed ^ 7)
        actions.addPauses(&pauses)
    }

    private mutating func drawCalmActions(_ random: inout SplitMix) {
        for _ in 0..<(2 + random.below(6)) { actions.append(.partnerEdit(random.next())) }
        for _ in 0..<(1 + (random.chance(30) ? 1 : 0) + (random.chance(10) ? 1 : 0)) {
            var sync = Self.sync(&random)
            sync.disturbances.crash = nil
            actions.append(.sync(sync))
            for _ in 0..<random.below(4) { actions.append(.localEdit(random.next())) }
            actions += Self.time(&random).filter { if case .setServerClock = $0 { false } else { true } }
            for _ in 0..<random.below(4) {
                actions += [.partnerEdit(random.next()), .wait(Double(random.below(400)))]
            }
            if random.chance(40) { actions.append(.localEdit(random.next())) }
        }
    }

    /// Adds a fault and a crash to the first run, if it has none.
    private mutating func requireFaultAndCrash(_ random: inout SplitMix) {
        guard
            let index = actions.firstIndex(where: { action in
                switch action {
                case .sync, .watch: true
                default: false
                }
            })
        else { return }
        let faults = random.next(), crash = Self.crash(&random)
        switch actions[index] {
        case .sync(var sync):
            sync.disturbances.faults = sync.disturbances.faults ?? faults
            sync.disturbances.crash = sync.disturbances.crash ?? crash
            actions[index] = .sync(sync)
        case .watch(var watch):
            let last = watch.rounds.count - 1
            watch.start.faults = watch.start.faults ?? faults
            watch.rounds[last].disturbances.crash = watch.rounds[last].disturbances.crash ?? crash
            actions[index] = .watch(watch)
        default: break
        }
    }

    private static func time(_ random: inout SplitMix) -> [HistoryAction] {
        let seconds = random.one(
            of: 1.0, 30, 400, 4_000, 90_000, 90_000, 700_000, random.chance(30) ? 7_000_000 : 60)
        var actions = [HistoryAction.wait(seconds * (0.5 + random.unit()))]
        if random.chance(10) { actions.append(.setClock(random.one(of: 86_400.0, -86_400, 40, -40))) }
        if random.chance(4) { actions.append(.setServerClock(random.one(of: -30.0, -4_000, -90_000))) }
        return actions
    }

    private static func eventsLogChange(_ random: inout SplitMix) -> HistoryAction {
        guard random.chance(70) else { return .replaceEventsLog }
        return .discardEvents(
            random.chance(50) ? [0, 1, 2, 3, 4] : (0..<5).filter { _ in random.chance(40) })
    }

    // MARK: - Runs

    private static func sync(_ random: inout SplitMix) -> SyncAction {
        var action = SyncAction()
        action.mode = random.one(
            of: .usual, .usual, .usual, .usual, .usual, .usual, .audit, .full, .failFast, .impatient)
        action.disablesDeleteGuard = random.chance(80)
        action.disturbances = disturbances(&random)
        return action
    }

    private static func watch(_ random: inout SplitMix) -> WatchAction {
        var action = WatchAction()
        action.start = disturbances(&random)
        for _ in 0..<(1 + random.below(5)) {
            var round = WatchAction.Round()
            for _ in 0..<random.below(4) { round.before.append(.partnerEdit(random.next())) }
            if random.chance(30) { round.before.append(.localEdit(random.next())) }
            if random.chance(20) { round.before.append(eventsLogChange(&random)) }
            round.before.append(.wait(random.one(of: 30.0, 30, 400, 4_000, 90_000)))
            round.disturbances = disturbances(&random)
            round.isSync = random.chance(15)
            action.rounds.append(round)
        }
        return action
    }

    private static func disturbances(_ random: inout SplitMix) -> Disturbances {
        var disturbances = Disturbances()
        if random.chance(40) { disturbances.faults = random.next() }
        for _ in 0..<random.below(3) {
            let action =
                random.chance(60) ? HistoryAction.localEdit(random.next()) : .partnerEdit(random.next())
            disturbances.concurrentActions.append(
                Disturbances.ConcurrentAction(request: 1 + random.below(40), action: action))
        }
        if random.chance(20) { disturbances.crash = crash(&random) }
        return disturbances
    }

    static func crash(_ random: inout SplitMix) -> Disturbances.Crash {
        let moment: Disturbances.Crash.Moment =
            random.chance(85)
            ? .write(
                CrashDisk.CrashPoint(
                    write: 1 + random.below(random.one(of: 5, 30, 100)), sixteenths: random.below(17)))
            : .request(1 + random.below(40))
        return Disturbances.Crash(moment: moment, power: random.chance(60) ? random.next() : nil)
    }
}
