import MirrorSync

/// A sync that somebody pauses on its way.
struct RunPause: Sendable, Hashable {
    enum End: Sendable, Hashable {
        case resumed
        case cancelled
        /// The process dies. With a seed the power is cut, and what is lost is drawn from it.
        case killed(power: UInt64?)

        var name: String {
            switch self {
            case .resumed: "resumed"
            case .cancelled: "cancelled"
            case .killed: "killed"
            }
        }
    }

    /// It is paused while the request of that number, from 1, is answered; a run that sends fewer is not paused.
    var request: Int
    /// What happens before it ends.
    var concurrentActions: [HistoryAction] = []
    var end = End.resumed

    /// From what a power cut's losses are drawn, if it ends with one.
    var power: UInt64? { if case .killed(let power) = end { power } else { nil } }

    init(_ random: inout SplitMix) {
        request = 1 + random.below(random.one(of: 4, 12, 40))
        for _ in 0..<random.below(4) {
            let seed = random.next(), seconds = random.one(of: 30.0, 400, 4_000, 40_000)
            concurrentActions.append(
                random.one(
                    of: .localEdit(seed), .localEdit(seed), .partnerEdit(seed), .partnerEdit(seed),
                    .wait(seconds)))
        }
        let power = random.chance(60) ? random.next() : nil
        end = random.one(of: .resumed, .resumed, .cancelled, .killed(power: power))
    }

    /// Pauses with less in them than this one.
    func simplified() -> [RunPause] {
        var found = concurrentActions.indices.map { place in
            var simpler = self
            simpler.concurrentActions.remove(at: place)
            return simpler
        }
        if end != .resumed {
            var simpler = self
            simpler.end = .resumed
            found.append(simpler)
        }
        return found
    }
}

extension [HistoryAction] {
    /// Puts pauses into a history: syncs that are paused on their way, and watches that somebody has wait.
    mutating func addPauses(_ random: inout SplitMix) {
        var resumes: [Int] = []
        for place in indices {
            switch self[place] {
            case .sync(var sync):
                guard random.chance(20) else { continue }
                sync.pause = RunPause(&random)
                self[place] = .sync(sync)
            case .watch(var watch):
                guard random.chance(35), !watch.hasLastingHazard else { continue }
                // Otherwise the pause outlasts the watch, and the next one waits from its start.
                if !watch.addPause(&random) { resumes.append(place + 1 + random.below(8)) }
                self[place] = .watch(watch)
            default: continue
            }
        }
        for place in resumes.sorted(by: >) { insert(.resumeWatch, at: Swift.min(place, count)) }
        guard random.chance(15) else { return }
        let first = random.below(count + 1)
        insert(.pauseWatch, at: first)
        insert(.resumeWatch, at: first + 1 + random.below(count - first))
    }
}

extension WatchAction {
    /// Whether a list fails from its start to its end: that the feed is followed all the same is checked then.
    fileprivate var hasLastingHazard: Bool { if case .failingList? = start.hazard { true } else { false } }

    /// - Returns: whether its end is in the watch, too.
    fileprivate mutating func addPause(_ random: inout SplitMix) -> Bool {
        let first = random.below(rounds.count), request = 1 + random.below(12)
        if random.chance(30) {
            // While something of the round is under way, which goes on.
            rounds[first].disturbances.concurrentActions.append(
                Disturbances.ConcurrentAction(request: request, action: .pauseWatch))
        } else {
            rounds[first].before.append(.pauseWatch)
        }
        guard random.chance(70) else { return false }
        let last = first + 1 + random.below(2)
        while rounds.count <= last { rounds.append(Round(before: [.wait(400)])) }
        rounds[last].before.append(.resumeWatch)
        return true
    }
}
