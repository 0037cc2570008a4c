import Foundation
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A sync's progress as a sequence", .fewAtATime)
struct SyncProgressTests {
    private let partner = FakePartner { state in
        state.artist("x")
        state.artwork("a", artist: "x")
        state.artwork("b", artist: "x")
    }

    private func steps(_ progress: SyncProgressSequence) async -> [SyncProgress] {
        var steps: [SyncProgress] = []
        for await step in progress { steps.append(step) }
        return steps
    }

    private static func items(_ events: [SyncMonitor.Event]) -> [String] {
        events.compactMap { event in
            guard case .item(let kind, let id, let action, _) = event else { return nil }
            return "\(kind) \(id) \(action)"
        }
    }

    /// A sleep that returns at once.
    private static let noWait: @Sendable (Duration) async throws -> Void = { _ in
        try Task.checkCancellation()
        await Task.yield()
    }

    @Test func progressHasAStepAfterEachIntervalAndOneAtTheEnd() async throws {
        let mirror = try TestMirror(partner), monitor = SyncMonitor(), clock = VirtualClock()
        let progress = monitor.progress(every: .seconds(2)) { try await clock.sleep($0) }
        async let all = steps(progress)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await clock.waitForSleepers(1)
        let summary = try await mirror.sync(monitor: monitor)
        let steps = await all
        #expect(steps.map { $0.snapshot == nil } == [true, false])
        #expect(Self.items(steps[0].events) == [])
        let last = try #require(steps.last)
        #expect(Set(Self.items(last.events)).isSuperset(of: ["artwork a created", "artwork b created"]))
        #expect(last.snapshot?.counts["artwork"]?.done == 2)
        #expect(last.waiting == nil && last.furtherEvents == 0)
        #expect(clock.waits == [.seconds(2), .seconds(2)])
        #expect(summary.outcome == .complete)
    }

    @Test func eachProgressEventIsInExactlyOneStep() async throws {
        partner.change { $0.overrides["/artwork/b"] = .text("<html>") }
        let reported = Mutex<[String]>([])
        let monitor = SyncMonitor { event in reported.withLock { $0.append("\(event)") } }
        let mirror = try TestMirror(partner), progress = monitor.progress(every: .zero, sleep: Self.noWait)
        async let summary = mirror.sync(monitor: monitor)
        var events: [String] = []
        for await step in progress { events += step.events.map { "\($0)" } }
        #expect(try await summary.requests.sent > 0)
        #expect(events == reported.withLock { $0 })
        #expect(events.contains { $0.hasPrefix("item") } && events.contains { $0.hasPrefix("problem") })
    }

    @Test func progressKeepsALimitedNumberOfUnreadEvents() async {
        let monitor = SyncMonitor(), progress = monitor.progress(every: .seconds(1))
        for number in 1...1_500 { monitor.item(kind: "artwork", id: "\(number)", action: "created") }
        monitor.end()
        let steps = await steps(progress)
        #expect(steps.map(\.events.count) == [SyncProgress.mostEvents])
        #expect(steps.map(\.furtherEvents) == [1_500 - SyncProgress.mostEvents])
        #expect(Self.items(steps[0].events).first == "artwork 1 created")
    }

    @Test func aProgressLoopThatStartsAfterTheSyncHasOneStep() async throws {
        let mirror = try TestMirror(partner), monitor = SyncMonitor()
        try await mirror.sync(monitor: monitor)
        let steps = await steps(monitor.progress(every: .seconds(86_400)))
        #expect(steps.map(\.snapshot?.counts["artwork"]?.done) == [2])
    }

    @Test func aSyncThatCannotStartEndsItsProgressLoop() async throws {
        let mirror = try TestMirror(partner), monitor = SyncMonitor()
        let progress = monitor.progress(every: .seconds(86_400))
        await #expect(throws: SyncError.self) { try await mirror.sync(base: nil, monitor: monitor) }
        let steps = await steps(progress)
        #expect(steps.count == 1 && steps[0].snapshot == nil)
    }

    @Test func aSyncContinuesWhenItsProgressLoopIsLeft() async throws {
        let mirror = try TestMirror(partner), monitor = SyncMonitor()
        let progress = monitor.progress(every: .zero, sleep: Self.noWait)
        monitor.pause()
        async let summary = mirror.sync(monitor: monitor)
        for await step in progress where step.snapshot != nil { break }
        monitor.resume()
        #expect(try await summary.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func returningFromAProgressLoopCancelsTheSyncAndWaitsForIt() async throws {
        let mirror = try TestMirror(partner), monitor = SyncMonitor()
        try await mirror.sync()
        let progress = monitor.progress(every: .zero, sleep: Self.noWait)
        monitor.pause()
        func showOneStep() async throws -> SyncSummary? {
            async let summary = mirror.sync(monitor: monitor)
            for await step in progress where step.snapshot != nil { return nil }
            return try await summary
        }
        #expect(try await showOneStep() == nil)
        // The lock is free again, and the run is in the log.
        _ = try RunLock(mirror.mirror)
        #expect(try mirror.read { try $0.runs(limit: 1).first?.outcome } == "cancelled")
    }

    @Test func aCancelledProgressLoopEndsWithoutAStep() async {
        let monitor = SyncMonitor(), clock = VirtualClock()
        let progress = monitor.progress(every: .seconds(1)) { try await clock.sleep($0) }
        let loop = Task { await steps(progress).count }
        await clock.waitForSleepers(1)
        loop.cancel()
        #expect(await loop.value == 0)
    }
}
