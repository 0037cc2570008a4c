import Foundation
import MirrorStore

/// Groups writes into transactions: up to 500 objects, or what came in a quarter of a second.
///
/// Writes are applied in the order in which they came, one group at a time. Whoever completes a group writes it, while
/// the others go on and fill the next; only when much waits do they wait too. The cache's own writes go first, so that
/// no row stands without the entry it was made from. A write that fails alone is reported and left out; a store that
/// can't be written ends the run.
package actor Applier {
    package typealias Observer = @Sendable (Write, WriteEffect) -> Void
    private let store: CatalogueStore
    private let run: Int64
    private let flushCache: @Sendable () -> Void
    private let now: @Sendable () -> Date
    private let observe: Observer
    private let report: SyncReport
    private var waiting: [Write] = []
    private var since: Date?
    private var isWriting = false
    private var blocked: [CheckedContinuation<Void, Never>] = []
    private var failure: SyncError?

    private static let groupSize = 500
    private static let longest: TimeInterval = 0.25
    /// Beyond this many waiting writes, those who bring more wait: memory stays flat on a slow disk.
    private static let most = 2_000

    package init(
        store: CatalogueStore, run: Int64, report: SyncReport, now: @escaping @Sendable () -> Date,
        flushCache: @escaping @Sendable () -> Void = {}, observe: @escaping Observer = { _, _ in }
    ) {
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
    package func submit(_ write: Write) async throws {
        while isWriting, waiting.count >= Self.most { await unblocked() }
        if let failure { throw failure }
        waiting.append(write)
        if since == nil { since = now() }
        if !isWriting, waiting.count >= Self.groupSize || isDue { try await writeGroup() }
    }

    /// Commits what waits for longer than it should; called from time to time while nothing comes in.
    package func flushIfDue() async throws {
        if isDue, !isWriting { try await writeGroup() }
    }

    /// Commits everything that was submitted so far.
    package func flush() async throws {
        while isWriting { await unblocked() }
        try await writeGroup()
    }

    private var isDue: Bool { since.map { now().timeIntervalSince($0) >= Self.longest } ?? false }

    private func unblocked() async {
        await withCheckedContinuation { blocked.append($0) }
    }

    private func writeGroup() async throws {
        if let failure { throw failure }
        guard !waiting.isEmpty else { return }
        let writes = waiting
        waiting = []
        waiting.reserveCapacity(Self.groupSize)
        since = nil
        isWriting = true
        let problem = await apply(writes)
        isWriting = false
        failure = problem
        let others = blocked
        blocked = []
        for other in others { other.resume() }
        if let problem { throw problem }
    }

    /// Off the actor, so that submitting goes on meanwhile.
    private nonisolated func apply(_ writes: [Write]) async -> SyncError? {
        flushCache()
        do {
            try applyAll(writes)
            return nil
        } catch let error as StoreError {
            return SyncError(error)
        } catch {
            return SyncError(.storage, "\(error)", cause: error)
        }
    }

    private nonisolated func applyAll(_ writes: [Write]) throws {
        do {
            let effects = try store.apply(writes, run: run)
            for (write, effect) in zip(writes, effects) { observe(write, effect) }
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
