import Catalogue
import Foundation
import GRDB

/// What the store says of the mirror's state, for the strips above every page.
package struct MirrorFacts: Sendable {
    /// How much of a first copy is stored.
    package struct FirstCopy: Sendable, Hashable {
        package let artworks: Int
        /// Whether the number is exact; otherwise there are more.
        package let isExact: Bool
        /// The number of artworks in the server's list, without those that are known to be hidden from the face; `nil` while the
        /// list is being read.
        package let listed: Int?

        package init(artworks: Int, isExact: Bool = true, listed: Int?) {
            (self.artworks, self.isExact, self.listed) = (artworks, isExact, listed)
        }
    }

    /// When the last complete sync or import of the whole mirror ended, in the store's format; `nil` if none has.
    package var lastComplete: String?
    /// The run from which the state follows (``CatalogueStore/stateRun()``); `nil` if there is none.
    package var lastRun: CatalogueStore.RunRecord?
    /// Whether no update of the whole mirror has completed, or a later one was partial.
    package var isIncomplete = true
    /// Whether a snapshot is being loaded, or its load was interrupted.
    package var isLoading = false
    /// When the watch was paused; `nil` unless it is paused.
    package var pausedAt: String?
    package var loops: [LoopRecord] = []
    /// `nil` after the first complete update.
    package var firstCopy: FirstCopy?

    package init() {}

    package var age: MirrorAge { MirrorAge(lastGood: lastComplete, loops: loops, isIncomplete: isIncomplete) }

    /// When the mirror was last known to equal its source (``MirrorAge/lastCurrent(_:)``); `nil` if never.
    package func current(at now: Timestamp) -> String? {
        age.lastCurrent(MirrorAge.date(now.text) ?? .distantPast)
    }

    /// The interval of the watch's syncs in seconds; `nil` if there is no watch, or it follows events.
    package var interval: Int? {
        guard let poll = loops.first(where: { $0.id == LoopRecord.pollID }) else { return nil }
        if let last = MirrorAge.date(poll.lastAt), let next = MirrorAge.date(poll.nextAt), next > last {
            return Int(next.timeIntervalSince(last))
        }
        return poll.health.flatMap { try? JSONValue(parsing: $0).objectValue }?["interval"]?.numberValue?
            .intValue
    }
}

extension CatalogueStore {
    /// Reads what the strips above every page depend on: a few look-ups and, until the first update is complete, a count of
    /// artworks from indexes.
    ///
    /// - Parameter face: who sees the strips. For visitors, hidden artworks aren't counted.
    package func mirrorFacts(for face: Face) throws -> MirrorFacts {
        var facts = MirrorFacts()
        facts.lastComplete = try lastCompleteSyncEnd()
        facts.lastRun = try stateRun()
        facts.isIncomplete = try isIncomplete()
        facts.isLoading = try isLoading
        facts.pausedAt = try pausedAt
        facts.loops = try loops()
        if facts.lastComplete == nil { facts.firstCopy = try firstCopy(for: face) }
        return facts
    }

    /// The greatest number of artworks that is counted exactly.
    private static let mostCounted = 100_000

    private func firstCopy(for face: Face) throws -> MirrorFacts.FirstCopy {
        try read { db in
            let hidden = try face.seesAll ? 0 : db.number(Self.hiddenArtworks) ?? 0
            let ghosts = try db.number("SELECT count(*) FROM artwork WHERE ghost = 1") ?? 0
            let rows =
                try db.number("SELECT count(*) FROM (SELECT 1 FROM artwork LIMIT ?)", [Self.mostCounted + 1])
                ?? 0
            let isExact = rows <= Self.mostCounted
            // Rows are only added during a first copy, but for the few that the server deletes meanwhile.
            let stored =
                try isExact
                ? rows - ghosts - hidden
                : ((db.number("SELECT max(rowid) FROM artwork") ?? 0) - ghosts - hidden) / 1_000 * 1_000
            let listed = try db.number(
                """
                SELECT members FROM list WHERE owner_kind = 'partner' AND name = 'artworks' AND complete = 1
                ORDER BY number DESC LIMIT 1
                """)
            return MirrorFacts.FirstCopy(
                artworks: max(0, stored), isExact: isExact, listed: listed.map { max(0, $0 - hidden) })
        }
    }

    /// SQL: the number of artworks that visitors may not see, from the index `artwork_hidden`.
    static let hiddenArtworks =
        "SELECT count(*) FROM artwork o WHERE \(Face.isHidden(.artwork, "o")) AND o.ghost = 0"
}
