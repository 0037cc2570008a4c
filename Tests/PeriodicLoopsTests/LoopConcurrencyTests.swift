import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Concurrent calls from many threads, on the global executor.
@Suite struct LoopConcurrencyTests {
    /// A clock whose waits end at once and advance its time.
    private static func instantClock() -> LoopClock {
        let now = Shared(Duration.zero)
        return LoopClock(
            now: { now.value.withLock { $0 } },
            sleep: { duration in
                try Task.checkCancellation()
                now.value.withLock { $0 += duration }
                await Task.yield()
                try Task.checkCancellation()
            })
    }

    private final class Shared<Value: Sendable>: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }

    @Test func tenConcurrentEnablesOfOneLoopEnableItOnce() async {
        for round in 0..<50 {
            let made = Shared(0)
            let core = ScriptedLoop("core", EventLog())
            let scheduler = EventsPeriodicScheduler(
                core: core, configuration: EventsConfiguration(clock: VirtualClock().loopClock)
            ) { id in
                made.value.withLock { $0 += 1 }
                return ScriptedLoop(id, EventLog())
            }
            let answers = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 { group.addTask { scheduler.enableLoop("a") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 }.count == 1, "round \(round)")
            #expect(made.value.withLock { $0 } == 1)
            #expect(scheduler.enabledLoops == ["core", "a"])
        }
    }

    @Test func concurrentEnablesOfDifferentLoopsEnableThemAll() async {
        let core = ScriptedLoop("core", EventLog())
        let scheduler = EventsPeriodicScheduler(
            core: core, configuration: EventsConfiguration(clock: VirtualClock().loopClock)
        ) { ScriptedLoop($0, EventLog()) }
        await withTaskGroup { group in
            for number in 0..<10 { group.addTask { _ = scheduler.enableLoop("\(number)") } }
        }
        #expect(scheduler.enabledLoops.first == "core")
        #expect(Set(scheduler.enabledLoops) == Set(["core"] + (0..<10).map(String.init)))
    }

    /// A loop that counts how many operations of its scheduler run at the same time.
    private final class CountingLoop: CoreLoop {
        private struct State {
            var cursor = 0
            var isCommitting = false
        }

        let loopID: LoopID
        let refreshableKinds = RefreshMask.everything
        private let link = CoreLoopDelegateLink()
        private let running: Shared<(now: Int, most: Int)>
        private let commits = Shared(0)

        init(_ id: LoopID, _ running: Shared<(now: Int, most: Int)>) {
            loopID = id
            self.running = running
        }

        var delegate: (any CoreLoopDelegate)? {
            get { link.delegate }
            set { link.delegate = newValue }
        }
        var latestEventID: String? { "\(commits.value.withLock { $0 })" }

        func poll(after eventID: String) async throws -> ScriptedLoop.Page {
            running.value.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
            await Task.yield()
            running.value.withLock { $0.now -= 1 }
            return .init(eventID: eventID, hasMore: false)
        }
        func process(_ page: ScriptedLoop.Page, ticket: CommitTicket) async throws {
            await Task.yield()
            try ticket.check()
            commits.value.withLock { $0 += 1 }
        }
        func refresh(_ kinds: RefreshMask, answer: ScriptedLoop.Page?, ticket: CommitTicket) async throws {}
        func onError(_ error: any Error) async -> LoopFailure {
            LoopFailure(error) ?? .unprocessable("\(error)")
        }
    }

    @Test func concurrentCallsNeverMakeOperationsOverlap() async {
        let running = Shared((now: 0, most: 0))
        let core = CountingLoop("core", running)
        var configuration = EventsConfiguration(clock: Self.instantClock())
        configuration.pollLimit = .seconds(1e6)
        let scheduler = EventsPeriodicScheduler(core: core, configuration: configuration) {
            CountingLoop($0, running)
        }
        scheduler.start()
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<300 {
                        let id = "\((worker + step) % 5)"
                        switch (worker &* 7 &+ step &* 13) % 9 {
                        case 0, 1: scheduler.enableLoop(id)
                        case 2: scheduler.disableLoop(id)
                        case 3: scheduler.triggerAll()
                        case 4: scheduler.triggerLoop(id)
                        case 5: scheduler.suspend()
                        case 6: scheduler.resume()
                        case 7: _ = scheduler.status
                        default:
                            if step % 50 == 0 { scheduler.reset() }
                            scheduler.start()
                        }
                        if step % 10 == 0 { await Task.yield() }
                    }
                }
            }
        }
        scheduler.reset()
        await scheduler.settled()
        #expect(running.value.withLock { $0.most } == 1)
        #expect(running.value.withLock { $0.now } == 0)
        #expect(scheduler.status.loops.map(\.activity) == [.waiting])
        // The reset scheduler works like a new one.
        #expect(scheduler.start())
        await scheduler.settled()
        #expect(scheduler.status.loops.first?.successes ?? 0 >= 1)
        scheduler.reset()
        await scheduler.settled()
    }

    @Test func concurrentCallsNeverMakeAnItemOverlapItself() async {
        let running = Shared((now: [String: Int](), most: 0))
        let lane = Shared((now: 0, most: 0))
        let center = PollingCenter(clock: Self.instantClock())
        @Sendable func item(_ id: String) -> TestItem {
            var item = TestItem(uid: id, interval: .seconds(1)) {
                running.value.withLock { running in
                    running.now[id, default: 0] += 1
                    running.most = max(running.most, running.now[id, default: 0])
                }
                if id < "3" { lane.value.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
                await Task.yield()
                if id < "3" { lane.value.withLock { $0.now -= 1 } }
                running.value.withLock { $0.now[id, default: 0] -= 1 }
            }
            item.lane = id < "3" ? .serial : .own
            return item
        }
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<300 {
                        let id = "\((worker + step) % 6)"
                        switch (worker &* 5 &+ step &* 11) % 10 {
                        case 0, 1: center.add(item(id))
                        case 2, 3: center.enable(id)
                        case 4: center.disable(id)
                        case 5: await center.disableAndWait(id)
                        case 6: if step % 3 == 0 { center.remove(id) }
                        case 7, 8: center.trigger(id)
                        default: _ = center.statuses
                        }
                        if step % 10 == 0 { await Task.yield() }
                    }
                }
            }
        }
        await center.disableAllAndWait()
        for id in 0..<6 { center.remove("\(id)") }
        #expect(running.value.withLock { $0.most } == 1)
        #expect(lane.value.withLock { $0.most } == 1)
        #expect(running.value.withLock { $0.now.values.reduce(0, +) } == 0)
        #expect(center.statuses.isEmpty)
    }
}
