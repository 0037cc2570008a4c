import MirrorSync

/// A pause in the middle of a sync.
struct RunPause: Sendable, Hashable {
    enum End: Sendable, Hashable {
        case resumed
        case cancelled
        /// The process is killed. With a seed, the power is cut, and the losses are drawn from the seed.
        case killed(power: UInt64?)

        var name: String {
            switch self {
            case .resumed: "resumed"
            case .cancelled: "cancelled"
            case .killed: "killed"
            }
        }
    }

    /// The number, from 1, of the request during which the sync is paused. A run that sends fewer requests is not paused.
    var request: Int
    /// Actions during the pause.
    var concurrentActions: [HistoryAction] = []
    var end = End.resumed

    /// The seed of a power cut's losses, if the pause ends with one.
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

    /// Simpler pauses, for shrinking.
    func simplified() -> [RunPause] {
        var found = concurrentActions.indices.map { index in
            var simpler = self
            simpler.concurrentActions.remove(at: index)
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
    /// Adds pauses to a history: of syncs while they run, and of watches.
    mutating func addPauses(_ random: inout SplitMix) {
        var resumes: [Int] = []
        for index in indices {
            switch self[index] {
            case .sync(var sync):
                guard random.chance(20) else { continue }
                sync.pause = RunPause(&random)
                self[index] = .sync(sync)
            case .watch(var watch):
                guard random.chance(35), !watch.hasLastingHazard else { continue }
                // Otherwise the pause lasts longer than the watch, and the next watch waits at its start.
                if !watch.addPause(&random) { resumes.append(index + 1 + random.below(8)) }
                self[index] = .watch(watch)
            default: continue
            }
        }
        for index in resumes.sorted(by: >) { insert(.resumeWatch, at: Swift.min(index, count)) }
        guard random.chance(15) else { return }
        let first = random.below(count + 1)
        insert(.pauseWatch, at: first)
        insert(.resumeWatch, at: first + 1 + random.below(count - first))
    }
}

extension WatchAction {
    /// Whether a list fails during the whole watch. Such a watch is expected to follow the feed, and so it is not paused.
    fileprivate var hasLastingHazard: Bool { if case .failingList? = start.hazard { true } else { false } }

    /// - Returns: whether the watch is resumed before it ends.
    fileprivate mutating func addPause(_ random: inout SplitMix) -> Bool {
        let first = random.below(rounds.count), request = 1 + random.below(12)
        if random.chance(30) {
            // In the middle of the round, which continues to its end.
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
