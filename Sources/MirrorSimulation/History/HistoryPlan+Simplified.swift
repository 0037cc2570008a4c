/// Simpler plans, for shrinking.
extension HistoryPlan {
    /// Plans from which something is left out, the largest parts first. None contains anything that this plan does not.
    func simplified() -> [HistoryPlan] {
        var found: [HistoryPlan] = []
        if requiresFaults { found.append(changed { $0.requiresFaults = false }) }
        if checksIdempotence { found.append(changed { $0.checksIdempotence = false }) }
        if checksFollowing { found.append(changed { $0.checksFollowing = false }) }
        if let museum { found += museum.simplified().map { simpler in changed { $0.museum = simpler } } }
        var size = actions.count / 2
        while size >= 1 {
            for start in stride(from: 0, to: actions.count, by: size) {
                found.append(
                    changed { $0.actions.removeSubrange(start..<min(start + size, $0.actions.count)) })
            }
            size /= 2
        }
        for (index, action) in actions.enumerated() {
            found += action.simplified().map { simpler in changed { $0.actions[index] = simpler } }
        }
        return found
    }

    private func changed(_ change: (inout HistoryPlan) -> Void) -> HistoryPlan {
        var plan = self
        change(&plan)
        return plan
    }
}

extension HistoryAction {
    fileprivate func simplified() -> [HistoryAction] {
        switch self {
        case .sync(let sync):
            var found = sync.disturbances.simplified().map { disturbances in
                var simpler = sync
                simpler.disturbances = disturbances
                return HistoryAction.sync(simpler)
            }
            if sync.mode != .usual {
                var simpler = sync
                simpler.mode = .usual
                found.append(.sync(simpler))
            }
            if let pause = sync.pause {
                found += ([nil] + pause.simplified()).map { pause in
                    var simpler = sync
                    simpler.pause = pause
                    return .sync(simpler)
                }
            }
            return found
        case .watch(let watch): return watch.simplified().map { .watch($0) }
        default: return []
        }
    }
}

extension WatchAction {
    fileprivate func simplified() -> [WatchAction] {
        func changed(_ change: (inout WatchAction) -> Void) -> WatchAction {
            var watch = self
            change(&watch)
            return watch
        }
        var found = rounds.indices.map { index in changed { $0.rounds.remove(at: index) } }
        found += start.simplified().map { disturbances in changed { $0.start = disturbances } }
        for (index, round) in rounds.enumerated() {
            found += round.before.indices.map { item in changed { $0.rounds[index].before.remove(at: item) } }
            found += round.disturbances.simplified().map { disturbances in
                changed { $0.rounds[index].disturbances = disturbances }
            }
            if round.isSync { found.append(changed { $0.rounds[index].isSync = false }) }
        }
        return found
    }
}

extension Disturbances {
    fileprivate func simplified() -> [Disturbances] {
        func changed(_ change: (inout Disturbances) -> Void) -> Disturbances {
            var disturbances = self
            change(&disturbances)
            return disturbances
        }
        var found: [Disturbances] = []
        if faults != nil { found.append(changed { $0.faults = nil }) }
        if crash != nil { found.append(changed { $0.crash = nil }) }
        if hazard != nil { found.append(changed { $0.hazard = nil }) }
        if crash?.power != nil { found.append(changed { $0.crash?.power = nil }) }
        found += concurrentActions.indices.map { index in changed { $0.concurrentActions.remove(at: index) } }
        return found
    }
}
