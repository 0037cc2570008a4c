import Catalogue
import Foundation
import GRDB

/// An object to request by its canonical URL, because no list of this run contains it.
package struct Unlisted: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// A ghost: something refers to the object, but it isn't stored.
        case ghost
        /// A linked object, whose version on the server may have changed.
        case linked
        /// An ordinary object that is marked for refetching.
        case marked
    }

    package let id: String
    package let state: State
    /// The ETag for a conditional request; `nil` to request the object unconditionally.
    package let known: String?
}

extension CatalogueStore {
    /// The objects to request by canonical URLs, the oldest rows first: ghosts, linked objects, and rows marked for refetching.
    ///
    /// Each is due at most once in 24 hours. Objects that a list of this run contains are left out: that list leads to them.
    ///
    /// - Parameters:
    ///   - run: the run whose lists are considered.
    ///   - walked: the kinds whose list of this run is considered; `nil` for all.
    ///   - limit: the maximum number of objects of each kind.
    ///   - asked: ids that were already requested.
    package func ghostsToFetch(
        _ kinds: [Kind], run: Int64, walked: Set<Kind>? = nil, limit: Int,
        asked: [Kind: Set<ExactText>] = [:]
    ) throws -> [Kind: [Unlisted]] {
        let time = now()
        return try read { db in
            try kinds.reduce(into: [:]) { due, kind in
                due[kind] = try Self.due(
                    kind, in: db, run: walked?.contains(kind) == false ? nil : run, limit: limit,
                    asked: asked[kind] ?? [], at: time)
            }
        }
    }

    /// When the objects of a kind were last requested, in RFC 3339, as far as that is stored.
    package func triedTimes(_ kind: Kind) throws -> [ExactText: String] {
        try read { db in
            var times: [ExactText: String] = [:]
            try db.forEach("SELECT id, tried_at FROM ghost_try WHERE kind = ?", [kind.name]) {
                times[ExactText($0[0])] = $0[1]
            }
            return times
        }
    }

    private static func due(
        _ kind: Kind, in db: Database, run: Int64?, limit: Int, asked: Set<ExactText>, at time: Date
    ) throws -> [Unlisted] {
        // Albums with edits to push are left out, because pushing requests them. Albums with refused edits are included.
        let pushed =
            kind.isEdited
            ? "AND o.sync_state <> 'sync_needed' AND o.deleted = 0 AND o.acknowledged = 1" : ""
        let isDue = """
            o.kept = 0 \(pushed) AND o.id NOT IN (SELECT value FROM json_each(?1))
              AND CASE WHEN EXISTS (SELECT 1 FROM ghost_try t WHERE t.kind = ?2 AND t.id = o.id
                AND t.tried_at > ?3 AND t.tried_at <= ?4) THEN 0
              ELSE o.id NOT IN (
                SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                WHERE l.owner_kind = 'partner' AND l.name = ?5 AND l.complete = 1 AND l.run = ?6) END
            """
        // The members of the long list are read only if anything is due. Without `INDEXED BY`, SQLite would scan all rows in the
        // requested order.
        return try db.rows(
            """
            SELECT o.rowid, o.id, o.ghost, o.linked, NULL FROM "\(kind.table)" o INDEXED BY \(kind.table)_refetch
            WHERE o.refetch = 1 AND \(isDue)
            UNION ALL
            SELECT o.rowid, o.id, 0, 1, o.etag FROM "\(kind.table)" o INDEXED BY \(kind.table)_linked
            WHERE o.linked = 1 AND o.refetch = 0 AND o.ghost = 0 AND \(isDue)
            ORDER BY 1 LIMIT ?7
            """,
            [
                JSONValue.canonicalText(of: asked.map(\.text)), kind.name,
                text(of: time.addingTimeInterval(-86_400)), text(of: time), kind.plural, run, limit,
            ]
        ).map { row in
            let isGhost: Bool = row[2], isLinked: Bool = row[3]
            return Unlisted(id: row[1], state: isGhost ? .ghost : isLinked ? .linked : .marked, known: row[4])
        }
    }
}

/// An object that isn't stored, and the objects that refer to it.
public struct GhostSummary: Sendable, Hashable {
    /// An object that refers to the ghost.
    public struct Referrer: Sendable, Hashable {
        /// The kind of the referring object.
        public let kind: Kind
        /// The id of the referring object.
        public let id: String
    }

    /// The ghost's kind.
    public let kind: Kind
    /// The ghost's id.
    public let id: String
    /// When it was last requested from the server, in RFC 3339; `nil` if it never was.
    public let triedAt: String?
    /// The objects that refer to it, ordered by kind and id. At most ``maximumReferrers``.
    public let referrers: [Referrer]
    /// The number of all objects that refer to it.
    public let references: Int

    /// The maximum number of ``referrers``.
    public static let maximumReferrers = 20
}

extension CatalogueStore {
    /// Reads the ghosts of a kind one by one, ordered by id, with the objects that refer to each.
    ///
    /// - Throws: ``StoreError``, and the errors that `body` throws.
    public func ghosts(_ kind: Kind, _ body: (GhostSummary) throws -> Void) throws {
        guard kinds.withGhosts.contains(kind) else { return }
        let parts = kinds.references(to: kind).map { from, table, column in
            let id = table == from.table ? "id" : from.idColumn
            return "SELECT DISTINCT '\(from.name)' AS kind, \(id) AS id FROM \(table) WHERE \(column) = ?1"
        }
        try read { db in
            let ghosts = try Row.fetchCursor(
                db,
                sql: """
                    SELECT o.id, t.tried_at FROM "\(kind.table)" o
                    LEFT JOIN ghost_try t ON t.kind = ? AND t.id = o.id WHERE o.ghost = 1 ORDER BY o.id
                    """, arguments: [kind.name])
            while let row = try ghosts.next() {
                let id: String = row[0]
                let referrers =
                    parts.isEmpty
                    ? []
                    : try db.rows(
                        """
                        SELECT kind, id, count(*) OVER () FROM (\(parts.joined(separator: " UNION ALL ")))
                        ORDER BY kind, id LIMIT \(GhostSummary.maximumReferrers)
                        """, [id])
                try body(
                    GhostSummary(
                        kind: kind, id: id, triedAt: row[1],
                        referrers: referrers.compactMap { row in
                            kinds[row[0]].map { GhostSummary.Referrer(kind: $0, id: row[1]) }
                        }, references: referrers.first?[2] ?? 0))
            }
        }
    }
}
