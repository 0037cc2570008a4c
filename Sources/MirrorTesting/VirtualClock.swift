import Foundation
import MirrorHTTP
import Synchronization

/// Time for tests: it passes only when told to, or, in the jumping mode, exactly when somebody waits.
public final class VirtualClock: Sendable {
    public enum Mode: Sendable {
        /// Sleepers wake when ``advance(by:)`` has passed their time.
        case byHand
        /// A sleep takes no time: the clock jumps to its end.
        case jumping
    }

    private struct State {
        var elapsed: Duration = .zero
        var waits: [Duration] = []
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var nextID = 0
    }

    private let mode: Mode
    private let start: Date
    private let state = Mutex(State())

    /// - Parameter start: What the wall clock says at first. Default: 14 November 2023, 22:13:20 UTC.
    public init(_ mode: Mode = .byHand, start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.mode = mode
        self.start = start
    }

    /// For a session's configuration.
    public var clock: SessionClock {
        SessionClock(
            now: { self.now }, elapsed: { self.elapsed }, sleep: { try await self.sleep($0) })
    }

    public var elapsed: Duration { state.withLock { $0.elapsed } }

    public var now: Date {
        let (seconds, attoseconds) = elapsed.components
        return start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// Every wait that was asked for, in order.
    public var waits: [Duration] { state.withLock { $0.waits } }

    /// Lets time pass, and wakes whose time has come.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.elapsed += duration
            let due = state.sleepers.filter { $0.value.until <= state.elapsed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }.map(
                \.value.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Returns as soon as that many sleep at the same time.
    public func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    public func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        if mode == .jumping {
            return state.withLock { state in
                state.waits.append(duration)
                state.elapsed += max(duration, .zero)
            }
        }
        let id = state.withLock { state in
            state.waits.append(duration)
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(id, for: duration, continuation)
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func fallAsleep(
        _ id: Int, for duration: Duration, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let (isCancelled, reached) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            if Task.isCancelled { return (true, []) }
            state.sleepers[id] = (state.elapsed + duration, continuation)
            let count = state.sleepers.count
            let reached = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return (false, reached)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        for watcher in reached { watcher.resume() }
    }
}
