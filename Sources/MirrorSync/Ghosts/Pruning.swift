import Foundation
import MirrorStore

/// Removes shows that ended long ago, and lets them come back when they are to be kept after all.
package struct Pruning: Sendable {
    let store: CatalogueStore
    /// How long a show is kept after its end; `nil` for ever.
    let keep: Duration?
    let run: Int64
    /// The server's time.
    let at: Date

    package init(_ store: CatalogueStore, keep: Duration?, run: Int64, at: Date) {
        self.store = store
        self.keep = keep
        self.run = run
        self.at = at
    }

    init(_ environment: SyncEnvironment) throws {
        self.init(
            environment.store, keep: environment.options.keepShows, run: environment.run,
            at: try environment.serverTime())
    }

    /// Shows that ended before that are not kept.
    var limit: Date? { keep.map { at.addingTimeInterval(-Double($0.components.seconds)) } }

    /// Before the lists: what was pruned and is to be kept from now on will be fetched again.
    ///
    /// - Returns: whether there is such a show, so that the list of shows has to be looked at as a whole in this run.
    @discardableResult
    package func begin() throws -> Bool { try store.forgetPruned(endedSince: limit) }

    /// After the sweep and the ghosts, in a run that was not broken off and to which the guard didn't object.
    ///
    /// - Returns: how many shows went.
    @discardableResult
    package func end() throws -> Int {
        let days = keep.map { $0.components.seconds / 86_400 } ?? 0
        return try store.pruneShows(
            endedBefore: limit, evidence: "shows are kept for \(days) days after their end", run: run)
    }
}
