import Foundation
import MirrorStore

/// Groups writes into transactions: up to 500 objects, or what came in a quarter of a second.
///
/// Writes are applied in the order in which they came. The cache's own writes go first, so that no row stands without the
/// entry it was made from. A write that fails alone is reported and left out; a store that can't be written ends the run.
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
    private var failure: SyncError?

    private static let most = 500
    private static let longest: TimeInterval = 0.25

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
    package func submit(_ write: Write) throws {
        if let failure { throw failure }
        waiting.append(write)
        if waiting.count >= Self.most { return try flush() }
        if let since {
            if now().timeIntervalSince(since) >= Self.longest { try flush() }
        } else {
            since = now()
        }
    }

    /// Commits what waits for longer than it should; called from time to time while nothing comes in.
    package func flushIfDue() throws {
        if let since, now().timeIntervalSince(since) >= Self.longest { try flush() }
    }

    /// Commits everything that waits.
    package func flush() throws {
        if let failure { throw failure }
        guard !waiting.isEmpty else { return }
        let writes = waiting
        waiting.removeAll(keepingCapacity: true)
        since = nil
        flushCache()
        do {
            try apply(writes)
        } catch {
            let failure =
                (error as? StoreError).map(SyncError.init) ?? SyncError(.storage, "\(error)", cause: error)
            self.failure = failure
            throw failure
        }
    }

    private func apply(_ writes: [Write]) throws {
        do {
            let effects = try store.apply(writes, run: run)
            for (write, effect) in zip(writes, effects) { observe(write, effect) }
        } catch let error as StoreError where error.code == .unexpected {
            // One bad object never stops a sync: find it by applying each alone.
            guard writes.count > 1 else {
                report.refused(writes[0], error)
                return
            }
            for write in writes { try apply([write]) }
        }
    }
}
