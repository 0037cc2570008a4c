import Foundation
import MirrorStore
import Synchronization

/// Groups writes into transactions: up to 500 objects with the lists under them, 4 MiB of them, or what came in a quarter
/// of a second.
///
/// Writes are applied in the order in which they came, one group at a time. Whoever completes a group writes it, while
/// the others go on and fill the next; only when much waits do they wait too. The cache's own writes go first, so that
/// no row stands without the entry it was made from, and the names of downloaded files, so that no row stands without its
/// file: a group waits for the disk once, however many pictures it has. A write that fails alone is reported and left out; a store that
/// can't be written ends the run.
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
        /// How many of them are objects.
        var objects = 0
        /// Bytes of their JSON.
        var bytes = 0
        var since: Date?
        var isWriting = false
        var blocked: [CheckedContinuation<Void, Never>] = []
        var failure: SyncError?

        /// Takes all that waits, to be written now.
        mutating func take() -> Duty {
            let writes = waiting
            self = State(isWriting: true, blocked: blocked)
            waiting.reserveCapacity(Applier.groupSize)
            return .write(writes)
        }

        /// Takes the group, if one is to be written now.
        mutating func takeIfDue(_ time: Date) -> Duty {
            guard !isWriting, let since,
                objects >= Applier.groupSize || waiting.count >= Applier.most || bytes >= Applier.groupBytes
                    || time.timeIntervalSince(since) >= Applier.longest
            else { return .nothing }
            return take()
        }
    }

    /// What the caller has to do.
    private enum Duty {
        case nothing
        case write([Write])
        case wait
    }

    private let state = Mutex(State())

    private static let groupSize = 500
    private static let longest: TimeInterval = 0.25
    private static let groupBytes = 4 << 20
    /// Beyond this many waiting writes, or bytes, those who bring more wait: memory stays flat on a slow disk, and however
    /// large objects are.
    private static let most = 2_000
    private static let mostBytes = 16 << 20

    /// - Parameters:
    ///   - files: where downloaded files are; `nil` where there are none.
    ///   - check: called last in each transaction; where it throws, nothing was written, and the run fails.
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

    /// Takes in a write; it is committed with those around it.
    ///
    /// - Throws: ``SyncError`` once the store could not be written.
    func submit(_ write: Write) async throws {
        let time = now(), bytes = write.bytes
        try await carryOut { state in
            if state.isWriting, state.waiting.count >= Self.most || state.bytes >= Self.mostBytes {
                return .wait
            }
            state.waiting.append(write)
            state.bytes += bytes
            if write.isObject { state.objects += 1 }
            state.since = state.since ?? time
            return state.takeIfDue(time)
        }
    }

    /// Commits what waits for longer than it should; called from time to time while nothing comes in.
    func flushIfDue() async throws {
        let time = now()
        try await carryOut { $0.takeIfDue(time) }
    }

    /// Commits everything that was submitted so far.
    func flush() async throws {
        try await carryOut { state in
            if state.isWriting { return .wait }
            return state.waiting.isEmpty ? .nothing : state.take()
        }
    }

    /// Commits these writes in one transaction, after everything that was submitted so far.
    ///
    /// - Throws: ``SyncError`` if the store could not be written.
    func submitTogether(_ writes: [Write]) async throws {
        try await flush()
        try await carryOut { state in
            if state.isWriting { return .wait }
            state.isWriting = true
            return .write(writes)
        }
    }

    /// Does some work while what waits to be written is committed at least every quarter of a second.
    ///
    /// - Parameter isTimed: `false` in a synchronous run, in which no timer may tick.
    func committing<Result: Sendable>(
        isTimed: Bool, _ work: @escaping @Sendable () async -> Result
    ) async -> Result {
        guard isTimed else { return await work() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // What can't be written makes the next submission, and so the run, fail.
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

    /// Does what the state asks for; after a wait it is asked again.
    private func carryOut(_ decide: (inout State) -> Duty) async throws {
        while true {
            let duty = try state.withLock { state in
                if let failure = state.failure { throw failure }
                return decide(&state)
            }
            switch duty {
            case .nothing: return
            case .write(let writes): return try perform(writes)
            case .wait: await untilWritten()
            }
        }
    }

    private func untilWritten() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isWriting { state.blocked.append(continuation) }
                return !state.isWriting
            }
            if isOver { continuation.resume() }
        }
    }

    /// Blocks its thread for the time of a transaction, while others submit.
    private func perform(_ writes: [Write]) throws {
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
            // One bad object never stops a sync: find it by applying each alone.
            guard writes.count > 1 else {
                report.refused(writes[0], error)
                return
            }
            for write in writes { try applyAll([write]) }
        }
    }
}
