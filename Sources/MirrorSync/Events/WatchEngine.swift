import Foundation
import MirrorStore
import PeriodicLoops
import Synchronization

/// What runs a ``Watch``: the watch lock, the first sync until it succeeds, then a ``Follower`` until the end.
final class WatchEngine: Sendable {
    private struct State: Sendable {
        var phase = WatchStatus.Phase.notStarted
        var follower: Follower?
        var waiting: Task<Void, any Error>?
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
        var failures = 0, hasFollowed = false
        while let first = try await firstSync(&failures, hasFollowed: hasFollowed) {
            tally.addStored(first.requests)
            let began = setting.clock.now()
            // A login that was refused to a mirror that had it may be given again, by the server or by a person.
            guard try await isLoginRefused(following: first) else { return }
            // One that only the feed refuses, sync after sync, must not become a sync every few seconds.
            if setting.clock.now() - began > Self.longEnough { failures = 0 }
            failures += 1
            hasFollowed = true
            guard await waited(afterFailures: failures) else { return }
        }
    }

    /// Who could follow for so long begins anew with short waits.
    private static let longEnough: Duration = .seconds(3_600)

    /// Follows until the task is cancelled, or only a person can mend what went wrong.
    ///
    /// - Returns: whether that is the login.
    private func isLoginRefused(following first: SyncSummary) async throws -> Bool {
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
        state.withLock { $0.follower = nil }
        guard let failure else { return false }
        guard Self.isRefusedLogin(failure) else { throw failure }
        return true
    }

    private static func isRefusedLogin(_ error: any Error) -> Bool {
        (error as? SyncError)?.code == .notAuthorised
    }

    /// - Parameters:
    ///   - failures: how many tries in a row have failed.
    ///   - hasFollowed: whether the server took the login before: then that it is refused may pass.
    /// - Returns: `nil` if the watch was stopped.
    private func firstSync(_ failures: inout Int, hasFollowed: Bool) async throws -> SyncSummary? {
        let isKnown = setting.folder.exists
        while !Task.isCancelled {
            state.withLock { $0.phase = .syncing(.first) }
            let summary = await WatchedSync(setting, observer, lock: lock).run(.first)
            switch WatchVerdict(summary, isKnown: isKnown) {
            case .goesOn: return summary
            case .cancelled: return nil
            case .ends(let error) where !hasFollowed || !Self.isRefusedLogin(error): throw error
            case .retries, .ends: failures += 1
            }
            guard await waited(afterFailures: failures) else { return nil }
        }
        return nil
    }

    /// - Returns: whether the watch goes on: it was not stopped meanwhile.
    private func waited(afterFailures failures: Int) async -> Bool {
        let wait = BackOff().delay(afterFailures: failures, random: setting.random())
        let clock = setting.clock
        let waiting = Task(executorPreference: setting.executor) { try await clock.sleep(wait) }
        state.withLock { state in
            state.phase = .retrying(at: setting.now().addingTimeInterval(wait / .seconds(1)))
            state.waiting = waiting
        }
        // It is cancelled by a person who wants it tried now, too.
        await withTaskCancellationHandler {
            _ = await waiting.result
        } onCancel: {
            waiting.cancel()
        }
        state.withLock { $0.waiting = nil }
        return !Task.isCancelled
    }

    /// A watch that never got anything leaves no folder behind.
    private func cleanUp() {
        guard !setting.folder.exists else { return }
        try? FileManager.default.removeItem(atPath: setting.folder.watchLock)
        try? setting.folder.removeEmpty()
    }

    func pollNow() {
        let (follower, waiting) = state.withLock { ($0.follower, $0.waiting) }
        waiting?.cancel()
        follower?.pollNow()
    }

    var status: WatchStatus {
        let (phase, follower) = state.withLock { ($0.phase, $0.follower) }
        var status = WatchStatus()
        status.phase = phase
        follower?.add(to: &status)
        status.tally = tally.sums
        return status
    }
}
