import Synchronization

/// Whom an alarm wakes.
protocol AlarmOwner: AnyObject, Sendable {
    func wake()
}

/// Wakes its owner at a time, which may be moved forward. One task at most sleeps for it.
///
/// It may ring for a reason that is gone; the owner looks what is due, and sets it anew.
final class Alarm: Sendable {
    private struct State {
        var time: Duration?
        var sleeper: RunHandle?
        var isOver = false
    }

    private let clock: LoopClock
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    init(clock: LoopClock, executor: (any TaskExecutor)?) {
        self.clock = clock
        self.executor = executor
    }

    /// Sees to it that the owner is woken at `time` or before; nil asks for nothing.
    func ring(noLaterThan time: Duration?, _ owner: some AlarmOwner) {
        guard let time else { return }
        let sleepers = state.withLock { state -> (new: RunHandle, old: RunHandle?)? in
            if state.isOver { return nil }
            if let set = state.time, set <= time { return nil }
            let new = RunHandle()
            defer { (state.time, state.sleeper) = (time, new) }
            return (new, state.sleeper)
        }
        guard let sleepers else { return }
        sleepers.old?.cancel()
        // Neither the alarm nor its owner is kept by one who sleeps.
        sleepers.new.start(on: executor) { [weak self, weak owner, clock, new = sleepers.new] in
            // Of a clock whose waits only its owner ends, that the time has come is not decided by when this task begins.
            do { try await clock.sleep(max(.zero, time - clock.now())) } catch { return }
            if self?.hasRung(new) == true { owner?.wake() }
        }
    }

    private func hasRung(_ sleeper: RunHandle) -> Bool {
        state.withLock { state in
            guard state.sleeper === sleeper else { return false }
            (state.time, state.sleeper) = (nil, nil)
            return true
        }
    }

    /// Wakes nobody any more.
    func end() {
        let sleeper = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.sleeper
        }
        sleeper?.cancel()
    }
}
