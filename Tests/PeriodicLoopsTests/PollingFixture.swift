import MirrorTesting
import Synchronization

@testable import PeriodicLoops

/// An item with the settings and the handler that a test chooses.
struct TestItem: Pollable {
    let uid: String
    let interval: Duration
    var startsAtOnce = false
    var lane = PollingLane.own
    var backOff = BackOff()
    var timeLimit: Duration?
    let work: @Sendable () async throws -> Void

    init(uid: String, interval: Duration, work: @escaping @Sendable () async throws -> Void) {
        self.uid = uid
        self.interval = interval
        self.work = work
    }

    func poll() async throws { try await work() }
}

/// A polling centre in virtual time. Its handlers record when they run.
final class PollingFixture: Sendable {
    let time = VirtualClock()
    let log = EventLog()
    let center: PollingCenter
    private let running = Mutex<[String: Int]>([:])
    private let overlaps = Mutex(0)

    init(random: @escaping @Sendable () -> Double = { 1 }) {
        center = PollingCenter(clock: time.loopClock, executor: time.executor, random: random)
    }

    /// The number of times that a run of an item overlapped another run of it.
    var selfOverlaps: Int { overlaps.withLock { $0 } }

    /// Adds an item whose handler records the time, then does `work`.
    @discardableResult
    func add(
        _ id: String, every interval: Duration = .seconds(10), _ change: (inout TestItem) -> Void = { _ in },
        work: @escaping @Sendable () async throws -> Void = {}
    ) -> Bool {
        var item = TestItem(uid: id, interval: interval) { [weak self] in
            guard let self else { return }
            if began(id) { overlaps.withLock { $0 += 1 } }
            defer { ended(id) }
            log.record("\(id) at \(time.elapsed / .seconds(1))")
            try await work()
        }
        change(&item)
        return center.add(item)
    }

    private func began(_ id: String) -> Bool {
        running.withLock { running in
            running[id, default: 0] += 1
            return running[id, default: 0] > 1
        }
    }

    private func ended(_ id: String) { running.withLock { $0[id, default: 0] -= 1 } }

    func enable(_ ids: String...) {
        for id in ids { center.enable(id) }
        time.settle()
    }

    func status(_ id: String = "a") -> PollingStatus? { center.status(of: id) }

    /// Advances the time, and returns what was recorded meanwhile, in order.
    func passing(_ duration: Duration) -> [String] {
        _ = log.take()
        time.advance(by: duration)
        return log.take()
    }

    /// Advances the time, and returns when the runs of one item began, in seconds.
    func times(_ id: String = "a", in duration: Duration) -> [Double] {
        passing(duration).compactMap { line in
            line.hasPrefix("\(id) at ") ? Double(line.dropFirst(id.count + 4)) : nil
        }
    }
}
