import MirrorTesting
import Synchronization

@testable import PeriodicLoops

/// A scheduler in virtual time, whose loops are scripted: the core loop, and special ones that are made when enabled.
final class SchedulerFixture: Sendable {
    let time = VirtualClock()
    let journal = Journal()
    let core: ScriptedLoop
    let scheduler: EventsPeriodicScheduler
    private let shelf: Shelf

    /// Where the scheduler finds its special loops.
    private final class Shelf: Sendable {
        let loops = Mutex<[LoopID: ScriptedLoop]>([:])
        let made = Mutex<[LoopID]>([])
    }

    init(
        cursor: String? = "0", storedHealth: LoopHealth = LoopHealth(), interval: Duration = .seconds(30),
        random: Double = 1, change: (inout EventsConfiguration) -> Void = { _ in }
    ) {
        core = ScriptedLoop("core", journal, cursor: cursor, storedHealth: storedHealth)
        var configuration = EventsConfiguration(
            interval: interval, clock: time.loopClock, executor: time.executor, random: { random })
        change(&configuration)
        let shelf = Shelf()
        self.shelf = shelf
        scheduler = EventsPeriodicScheduler(core: core, configuration: configuration) { [journal] id in
            shelf.made.withLock { $0.append(id) }
            if id.hasPrefix("no") { return nil }
            return shelf.loops.withLock { loops in
                if let loop = loops[id] { return loop }
                let loop = ScriptedLoop(id, journal)
                loops[id] = loop
                return loop
            }
        }
    }

    /// The special loop with this id; it may be scripted before it is enabled.
    subscript(id: LoopID) -> ScriptedLoop {
        shelf.loops.withLock { loops in
            if let loop = loops[id] { return loop }
            let loop = ScriptedLoop(id, journal)
            loops[id] = loop
            return loop
        }
    }

    func put(_ loop: ScriptedLoop) { shelf.loops.withLock { $0[loop.loopID] = loop } }

    /// Which loops were made, in order.
    var made: [LoopID] { shelf.made.withLock { $0 } }

    func enable(_ ids: LoopID...) {
        for id in ids { scheduler.enableLoop(id) }
    }

    func start() {
        scheduler.start()
        time.settle()
    }

    /// What happened while that time passed.
    func passing(_ duration: Duration) -> [String] {
        _ = journal.take()
        time.advance(by: duration)
        return journal.take()
    }

    func status(_ id: LoopID = "core") -> LoopStatus? { scheduler.status.loops.first { $0.id == id } }
}
