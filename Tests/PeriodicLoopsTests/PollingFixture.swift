import MirrorTesting
import Synchronization

@testable import PeriodicLoops

/// An item whose settings and work a test chooses.
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

/// A centre in virtual time, and handlers that write down what happens.
final class PollingFixture: Sendable {
    let time = VirtualClock()
    let journal = Journal()
    let center: PollingCenter
    private let running = Mutex<[String: Int]>([:])
    private let overlaps = Mutex(0)

    init(random: @escaping @Sendable () -> Double = { 1 }) {
        center = PollingCenter(clock: time.loopClock, executor: time.executor, random: random)
    }

    /// How often an item ran beside itself.
    var selfOverlaps: Int { overlaps.withLock { $0 } }

    /// Adds an item that notes when it runs, does `work`, and notes how that ended.
    @discardableResult
    func add(
        _ id: String, every interval: Duration = .seconds(10), _ change: (inout TestItem) -> Void = { _ in },
        work: @escaping @Sendable () async throws -> Void = {}
    ) -> Bool {
        var item = TestItem(uid: id, interval: interval) { [weak self] in
            guard let self else { return }
            if began(id) { overlaps.withLock { $0 += 1 } }
            defer { ended(id) }
            journal.note("\(id) at \(time.elapsed / .seconds(1))")
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

    /// What was noted while that time passed, in order.
    func passing(_ duration: Duration) -> [String] {
        _ = journal.take()
        time.advance(by: duration)
        return journal.take()
    }

    /// When one item began while that time passed.
    func times(_ id: String = "a", in duration: Duration) -> [Double] {
        passing(duration).compactMap { line in
            line.hasPrefix("\(id) at ") ? Double(line.dropFirst(id.count + 4)) : nil
        }
    }
}
