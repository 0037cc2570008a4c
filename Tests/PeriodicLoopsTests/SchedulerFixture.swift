import MirrorTesting
import Synchronization

@testable import PeriodicLoops

/// A scheduler in virtual time with scripted loops. Special loops are created when they are enabled.
final class SchedulerFixture: Sendable {
    let time = VirtualClock()
    let log = EventLog()
    let core: ScriptedLoop
    let scheduler: EventsPeriodicScheduler
    private let specialLoops: SpecialLoops

    /// The special loops of the scheduler.
    private final class SpecialLoops: Sendable {
        let loops = Mutex<[LoopID: ScriptedLoop]>([:])
        let made = Mutex<[LoopID]>([])
    }

    init(
        cursor: String? = "0", storedHealth: LoopHealth = LoopHealth(), interval: Duration = .seconds(30),
        random: Double = 1, change: (inout EventsConfiguration) -> Void = { _ in }
    ) {
        core = ScriptedLoop("core", log, cursor: cursor, storedHealth: storedHealth)
        var configuration = EventsConfiguration(
            interval: interval, clock: time.loopClock, executor: time.executor, random: { random })
        change(&configuration)
        let specialLoops = SpecialLoops()
        self.specialLoops = specialLoops
        scheduler = EventsPeriodicScheduler(core: core, configuration: configuration) { [log] id in
            specialLoops.made.withLock { $0.append(id) }
            if id.hasPrefix("no") { return nil }
            return specialLoops.loops.withLock { loops in
                if let loop = loops[id] { return loop }
                let loop = ScriptedLoop(id, log)
                loops[id] = loop
                return loop
            }
        }
    }

    /// The special loop with this id. It can be scripted before it is enabled.
    subscript(id: LoopID) -> ScriptedLoop {
        specialLoops.loops.withLock { loops in
            if let loop = loops[id] { return loop }
            let loop = ScriptedLoop(id, log)
            loops[id] = loop
            return loop
        }
    }

    func put(_ loop: ScriptedLoop) { specialLoops.loops.withLock { $0[loop.loopID] = loop } }

    /// The ids of the loops that were created, in order.
    var created: [LoopID] { specialLoops.made.withLock { $0 } }

    func enable(_ ids: LoopID...) {
        for id in ids { scheduler.enableLoop(id) }
    }

    func start() {
        scheduler.start()
        time.settle()
    }

    /// Advances the time, and returns what was recorded meanwhile.
    func passing(_ duration: Duration) -> [String] {
        _ = log.take()
        time.advance(by: duration)
        return log.take()
    }

    func status(_ id: LoopID = "core") -> LoopStatus? { scheduler.status.loops.first { $0.id == id } }
}
