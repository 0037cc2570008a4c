import Foundation
import MirrorStore
import PeriodicLoops
import Synchronization

/// What runs a ``Watch``: the watch lock, the first sync until it succeeds, then a ``Follower`` until the end.
final class WatchEngine: Sendable {
    private struct State: Sendable {
        var phase = WatchStatus.Phase.notStarted
        var follower: Follower?
    }

    let setting: WatchSetting
    let observer: WatchObserver
    private let lock = SharedRunLock()
    private let tally = WatchTally()
    private let state = Mutex(State())

    init(_ setting: WatchSetting, _ observer: WatchObserver) {
        self.setting = setting
        self.observer = observer
    }

    func run() async throws {
        defer { state.withLock { $0 = State(phase: .stopped) } }
        let folder = setting.folder
        try folder.prepare()
        let watching = try RunLock(watching: folder)
        defer { withExtendedLifetime(watching) { cleanUp() } }
        guard let first = try await firstSync() else { return }
        tally.addStored(first.requests)
        let (ends, end) = AsyncStream.makeStream(of: (any Error).self)
        let follower = try Follower(
            setting, observer, lock: lock, tally: tally, first: first, ends: { end.yield($0) })
        state.withLock { $0 = State(phase: .following, follower: follower) }
        var failure: (any Error)?
        do {
            try follower.start()
            for await error in ends {
                failure = error
                break
            }
        } catch {
            failure = error
        }
        // Waiting for what runs must not be cut short because this task is cancelled.
        await Task { await follower.stop() }.value
        if let failure { throw failure }
    }

    /// - Returns: `nil` if the watch was stopped.
    private func firstSync() async throws -> SyncSummary? {
        let backOff = BackOff()
        var failures = 0
        while !Task.isCancelled {
            state.withLock { $0.phase = .syncing(.first) }
            let summary = await WatchedSync(setting, observer, lock: lock).run(.first)
            switch WatchVerdict(summary) {
            case .goesOn: return summary
            case .cancelled: return nil
            case .ends(let error): throw error
            case .retries: failures += 1
            }
            let wait = backOff.delay(afterFailures: failures, random: setting.random())
            state.withLock { $0.phase = .retrying(at: setting.now().addingTimeInterval(wait / .seconds(1))) }
            do {
                try await setting.clock.sleep(wait)
            } catch {
                return nil
            }
        }
        return nil
    }

    /// A watch that never got anything leaves no folder behind.
    private func cleanUp() {
        guard !setting.folder.exists else { return }
        try? FileManager.default.removeItem(atPath: setting.folder.watchLock)
        try? setting.folder.removeEmpty()
    }

    func pollNow() { state.withLock { $0.follower }?.pollNow() }

    var status: WatchStatus {
        let (phase, follower) = state.withLock { ($0.phase, $0.follower) }
        var status = WatchStatus()
        status.phase = phase
        follower?.add(to: &status)
        status.tally = tally.sums
        return status
    }
}
