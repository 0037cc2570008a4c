/// Plans that have less in them than this one.
extension HistoryPlan {
    /// What may be left out, the largest parts first. Each is a history of its own; none has anything that this one has not.
    func shorter() -> [HistoryPlan] {
        var found: [HistoryPlan] = []
        if insists { found.append(changed { $0.insists = false }) }
        if standsStill { found.append(changed { $0.standsStill = false }) }
        if follows { found.append(changed { $0.follows = false }) }
        var size = moves.count / 2
        while size >= 1 {
            for start in stride(from: 0, to: moves.count, by: size) {
                found.append(changed { $0.moves.removeSubrange(start..<min(start + size, $0.moves.count)) })
            }
            size /= 2
        }
        for (place, move) in moves.enumerated() {
            found += move.shorter().map { simpler in changed { $0.moves[place] = simpler } }
        }
        return found
    }

    private func changed(_ change: (inout HistoryPlan) -> Void) -> HistoryPlan {
        var plan = self
        change(&plan)
        return plan
    }
}

extension Move {
    fileprivate func shorter() -> [Move] {
        switch self {
        case .sync(let sync):
            var found = sync.trouble.shorter().map { trouble in
                var simpler = sync
                simpler.trouble = trouble
                return Move.sync(simpler)
            }
            if sync.way != .usual {
                var simpler = sync
                simpler.way = .usual
                found.append(.sync(simpler))
            }
            if let pause = sync.pause {
                found += ([nil] + pause.shorter()).map { pause in
                    var simpler = sync
                    simpler.pause = pause
                    return .sync(simpler)
                }
            }
            return found
        case .watch(let watch): return watch.shorter().map { .watch($0) }
        default: return []
        }
    }
}

extension WatchMove {
    fileprivate func shorter() -> [WatchMove] {
        func changed(_ change: (inout WatchMove) -> Void) -> WatchMove {
            var watch = self
            change(&watch)
            return watch
        }
        var found = rounds.indices.map { place in changed { $0.rounds.remove(at: place) } }
        found += start.shorter().map { trouble in changed { $0.start = trouble } }
        for (place, round) in rounds.enumerated() {
            found += round.before.indices.map { item in changed { $0.rounds[place].before.remove(at: item) } }
            found += round.trouble.shorter().map { trouble in changed { $0.rounds[place].trouble = trouble } }
            if round.isSync { found.append(changed { $0.rounds[place].isSync = false }) }
        }
        return found
    }
}

extension Trouble {
    fileprivate func shorter() -> [Trouble] {
        func changed(_ change: (inout Trouble) -> Void) -> Trouble {
            var trouble = self
            change(&trouble)
            return trouble
        }
        var found: [Trouble] = []
        if faults != nil { found.append(changed { $0.faults = nil }) }
        if crash != nil { found.append(changed { $0.crash = nil }) }
        if hazard != nil { found.append(changed { $0.hazard = nil }) }
        if crash?.power != nil { found.append(changed { $0.crash?.power = nil }) }
        found += meanwhile.indices.map { place in changed { $0.meanwhile.remove(at: place) } }
        return found
    }
}
