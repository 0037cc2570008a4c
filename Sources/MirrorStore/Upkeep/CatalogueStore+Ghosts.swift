import Catalogue
import Foundation
import GRDB

/// Something to ask for by its canonical URL, since no list of this run leads to it.
package struct Unlisted: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// It is only referred to: nothing is stored of it.
        case ghost
        /// It was found in that way before, and the server's version may have changed since.
        case linked
        /// An ordinary object whose row is marked for refetching.
        case marked
    }

    package let id: String
    package let state: State
    /// The ETag that a conditional request may name.
    package let known: String?
}

extension CatalogueStore {
    /// What has to be asked for by canonical URLs, the oldest rows first: ghosts and rows marked for refetching, and what
    /// is linked, each at most once in 24 hours. What a list of this run names is left to that list.
    ///
    /// - Parameters:
    ///   - run: the run whose lists count.
    ///   - walked: the kinds of which its list counts; `nil` for all.
    ///   - limit: so many of each kind at the most.
    ///   - asked: ids that were asked for already.
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

    private static func due(
        _ kind: Kind, in db: Database, run: Int64?, limit: Int, asked: Set<ExactText>, at time: Date
    ) throws -> [Unlisted] {
        // What is still to be pushed is asked for by that; what the server refused is not.
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
        // The long list is looked at only if anything is due. The indexes are named, as SQLite would rather go through all
        // rows in the order that is asked for.
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

/// Something that is referred to but not stored, for a person.
public struct GhostSummary: Sendable, Hashable {
    /// What refers to it.
    public struct Referrer: Sendable, Hashable {
        public let kind: Kind
        public let id: String
    }

    public let kind: Kind
    public let id: String
    /// When the server was last asked for it, RFC 3339; `nil` if it never was.
    public let triedAt: String?
    /// At most ``most`` of them, by kind and id.
    public let referrers: [Referrer]
    /// How many there are in all.
    public let references: Int

    public static let most = 20
}

extension CatalogueStore {
    /// The ghosts of a kind in order of their ids, with what refers to each.
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
                        ORDER BY kind, id LIMIT \(GhostSummary.most)
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
