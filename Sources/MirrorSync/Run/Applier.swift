import Foundation
import MirrorStore
import Synchronization

/// Groups writes into transactions.
///
/// A group ends:
/// - at its number of objects, with the lists under them: 1 for the first group of a run, and twice that of the group before for
///   each other, up to 500. So a run that is killed early, or often, has stored half of what it received.
/// - with an object, if nothing was written in the last quarter of a second: objects that arrive slowly are stored at once
/// - at 4 MiB
/// - after a quarter of a second
///
/// Groups are written one after the other, and writes keep the order in which they were submitted. The task that completes a
/// group writes it, while the other tasks fill the next one. If too much is waiting, they wait too.
///
/// Before each transaction two other things are written, so that no row exists without them:
/// - the cache's entries, from which rows are made
/// - the names of downloaded files; a group synchronises with the disk once, for any number of pictures
///
/// A write that fails by itself is reported and skipped. If the store can't be written, the run ends.
final class Applier: Sendable {
    private let store: CatalogueStore
    private let run: Int64
    private let flushCache: @Sendable () -> Void
    private let files: FileStore?
    private let now: @Sendable () -> Date
    private let observe: @Sendable (Write, WriteEffect) -> Void
    private let check: @Sendable () throws -> Void
    private let report: SyncReport

    private struct State {
        var waiting: [Write] = []
        /// The number of objects in ``waiting``.
        var objects = 0
        /// Bytes of JSON in ``waiting``.
        var bytes = 0
        /// When the first waiting write was submitted.
        var since: Date?
        /// The number of objects at which the group ends.
        var limit = 1
        /// When the last group ended; `nil` before the first.
        var lastGroupAt: Date?
        var isWriting = false
        var blocked: [CheckedContinuation<Void, Never>] = []
        var failure: SyncError?

        /// Takes all waiting writes, to be written now.
        mutating func take(_ time: Date) -> Action {
            let writes = waiting, next = min(limit * 2, Applier.maximumGroupObjects)
            self = State(
                limit: objects > 0 ? next : limit, lastGroupAt: time, isWriting: true, blocked: blocked)
            waiting.reserveCapacity(Applier.maximumGroupObjects)
            return .write(writes)
        }

        /// Takes the waiting writes if they have reached a limit of a group.
        mutating func takeIfDue(_ time: Date) -> Action {
            guard !isWriting, let since,
                objects >= limit || waiting.count >= Applier.maximumWaitingWrites
                    || bytes >= Applier.maximumGroupBytes || isOver(since, time)
                    || objects > 0 && isOver(lastGroupAt, time)
            else { return .nothing }
            return take(time)
        }

        /// Whether the maximum delay has passed since a time, or there is none.
        private func isOver(_ start: Date?, _ time: Date) -> Bool {
            start.map { time.timeIntervalSince($0) >= Applier.maximumDelay } ?? true
        }
    }

    /// What the caller does next.
    private enum Action {
        case nothing
        case write([Write])
        case wait
    }

    private let state = Mutex(State())

    private static let maximumGroupObjects = 500
    private static let maximumDelay: TimeInterval = 0.25
    private static let maximumGroupBytes = 4 << 20
    /// Above one of these limits ``submit(_:)`` waits for the transaction under way. Memory stays bounded on a slow disk, and
    /// with large objects.
    private static let maximumWaitingWrites = 2_000
    private static let maximumWaitingBytes = 16 << 20

    /// - Parameters:
    ///   - files: the downloaded files; `nil` if none are downloaded.
    ///   - check: called at the end of each transaction. If it throws, the transaction is rolled back and the run fails.
    ///   - observe: called with each write after its transaction.
    init(
        store: CatalogueStore, run: Int64, report: SyncReport, now: @escaping @Sendable () -> Date,
        files: FileStore? = nil,
        flushCache: @escaping @Sendable () -> Void = {}, check: @escaping @Sendable () throws -> Void = {},
        observe: @escaping @Sendable (Write, WriteEffect) -> Void = { _, _ in }
    ) {
        self.check = check
        self.files = files
        self.store = store
        self.run = run
        self.report = report
        self.now = now
        self.flushCache = flushCache
        self.observe = observe
    }

    /// Adds a write to the current group.
    ///
    /// - Throws: ``SyncError`` if this or an earlier group could not be written.
    func submit(_ write: Write) async throws { try await submit(together: [write]) }

    /// Adds writes that belong together, such as an object and its members, to the current group. One transaction has all of them:
    /// the version of an object would otherwise vouch for members that a killed run didn't store.
    ///
    /// - Throws: ``SyncError`` if this or an earlier group could not be written.
    func submit(together writes: [Write]) async throws {
        let time = now(), bytes = writes.reduce(0) { $0 + $1.bytes }
        try await carryOut { state in
            if state.isWriting,
                state.waiting.count >= Self.maximumWaitingWrites || state.bytes >= Self.maximumWaitingBytes
            {
                return .wait
            }
            state.waiting += writes
            state.bytes += bytes
            state.objects += writes.count { $0.isObject }
            state.since = state.since ?? time
            return state.takeIfDue(time)
        }
    }

    /// Commits the current group if it has waited too long; called regularly, also while nothing is submitted.
    func flushIfDue() async throws {
        let time = now()
        try await carryOut { $0.takeIfDue(time) }
    }

    /// Commits everything submitted so far.
    func flush() async throws {
        let time = now()
        try await carryOut { state in
            if state.isWriting { return .wait }
            return state.waiting.isEmpty ? .nothing : state.take(time)
        }
    }

    /// Commits these writes in one transaction, after everything submitted so far.
    ///
    /// - Throws: ``SyncError`` if the store could not be written.
    func submitAsOneTransaction(_ writes: [Write]) async throws {
        try await flush()
        try await carryOut { state in
            if state.isWriting { return .wait }
            state.isWriting = true
            return .write(writes)
        }
    }

    /// Performs `work`, and commits waiting writes at least every quarter of a second meanwhile.
    ///
    /// - Parameter isTimed: `false` in a synchronous run, which uses no timers.
    func committing<Result: Sendable>(
        isTimed: Bool, _ work: @escaping @Sendable () async -> Result
    ) async -> Result {
        guard isTimed else { return await work() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // An error is stored in the state: the next submission throws it.
                while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                    do { try await self.flushIfDue() } catch { break }
                }
            }
            let result = await work()
            group.cancelAll()
            return result
        }
    }

    // MARK: - Groups

    /// Performs the action that `decide` returns; after a wait, `decide` is called again.
    private func carryOut(_ decide: (inout State) -> Action) async throws {
        while true {
            let action = try state.withLock { state in
                if let failure = state.failure { throw failure }
                return decide(&state)
            }
            switch action {
            case .nothing: return
            case .write(let writes): return try write(writes)
            case .wait: await waitForTransaction()
            }
        }
    }

    private func waitForTransaction() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.isWriting { state.blocked.append(continuation) }
                return !state.isWriting
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Writes a group. It blocks the calling thread for the time of the transaction; other tasks can submit meanwhile.
    private func write(_ writes: [Write]) throws {
        flushCache()
        var failure: SyncError?
        do {
            try files?.syncNames(of: writes.compactMap(\.file))
            try applyAll(writes)
        } catch {
            failure = SyncError(.storage, "\(error)", cause: error)
        }
        let blocked = state.withLock { [failure] state in
            state.isWriting = false
            state.failure = failure
            defer { state.blocked = [] }
            return state.blocked
        }
        for other in blocked { other.resume() }
        if let failure { throw failure }
    }

    private func applyAll(_ writes: [Write]) throws {
        do {
            let effects = try store.apply(writes, run: run, check: check)
            for (write, effect) in zip(writes, effects) {
                if effect == .outdated { report.outdated(write) }
                observe(write, effect)
            }
        } catch let error as StoreError where error.code == .unexpected {
            // One invalid object must not stop a sync: apply each write in its own transaction to find it.
            guard writes.count > 1 else {
                report.refused(writes[0], error)
                return
            }
            for write in writes { try applyAll([write]) }
        }
    }
}
