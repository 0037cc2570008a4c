import Catalogue
import Foundation
import GRDB

/// Up to when a kind is known to be as the server has it.
package struct SinceRecord: Sendable, Hashable {
    /// What to ask with, in the server's time (RFC 3339).
    package var since: String?
    /// When the whole list was last looked at, in local time.
    package var auditedAt: Date?
    /// The picture formats that were wanted, as ``FinishRequest/formats``; `nil` if no media were.
    package var formats: String?

    package init(since: String? = nil, auditedAt: Date? = nil, formats: String? = nil) {
        self.since = since
        self.auditedAt = auditedAt
        self.formats = formats
    }
}

extension CatalogueStore {
    package func sinceRecords() throws -> [Kind: SinceRecord] {
        try read { db in
            var records: [Kind: SinceRecord] = [:]
            for row in try db.rows("SELECT kind, since, audited_at, formats FROM since") {
                guard let kind = kinds[row[0]] else { continue }
                let audited: String? = row[2]
                records[kind] = SinceRecord(
                    since: row[1], auditedAt: audited.flatMap { try? Date($0, strategy: .iso8601) },
                    formats: row[3])
            }
            return records
        }
    }

    /// Forgets up to when some kinds are known to be as the server has them: the next run looks at their lists.
    package func forgetSince(_ kinds: [Kind]) throws {
        guard !kinds.isEmpty else { return }
        try write { try SinceWriter(db: $0).forget(kinds) }
    }

    /// Has the next run look at the whole lists of some kinds, member by member, however little the server says has changed.
    package func lookAtLists(of kinds: [Kind]) throws {
        try forgetSince(kinds)
        _ = try apply(kinds.map { .unclean(kind: $0) }, run: nil)
    }

    /// Objects that a server named, each beside what is stored of it.
    package func beside(
        _ kind: Kind, _ members: [(id: String, etag: String?, lists: String?)]
    ) throws -> [ListedMember] {
        try read { db in
            let find = try db.cachedStatement(
                sql: """
                    SELECT etag, refetch OR kept OR linked FROM "\(kind.table)" WHERE id = ? AND ghost = 0
                    """)
            return try members.enumerated().map { position, member in
                let stored = try Row.fetchOne(find, arguments: [member.id]).map {
                    ListedMember.Stored.row(etag: $0[0], refetch: $0[1])
                }
                return ListedMember(
                    position: Int64(position), id: member.id, listedETag: member.etag, lists: member.lists,
                    stored: stored ?? .nothing)
            }
        }
    }

    /// Those of some ids that are not here as the last whole list has them: of which there is no row, or one that only stands
    /// for what is referred to, was found through that alone, or was brought back by a person.
    package func unlisted(_ kind: Kind, among ids: [String]) throws -> Set<ExactText> {
        try read { db in
            try db.ids(
                """
                SELECT j.value FROM json_each(?) j WHERE NOT EXISTS (
                  SELECT 1 FROM "\(kind.table)" o
                  WHERE o.id = j.value AND o.ghost = 0 AND o.linked = 0 AND o.kept = 0)
                """, [JSONValue.canonicalText(of: ids)]
            )
        }
    }

    /// Those of these objects that stand for what the last whole list names: neither ghosts nor merely referred to, nor
    /// with edits of this mirror's own.
    package func listed(_ kind: Kind, among ids: [String]) throws -> Set<ExactText> {
        let edits = kind.isEdited ? "AND o.sync_state = 'in_sync' AND o.deleted = 0" : ""
        return try read { db in
            try db.ids(
                """
                SELECT o.id FROM json_each(?) j CROSS JOIN "\(kind.table)" o ON o.id = j.value
                WHERE o.ghost = 0 AND o.linked = 0 AND o.kept = 0 \(edits)
                """, [JSONValue.canonicalText(of: ids)]
            )
        }
    }

    /// How many objects of a kind the server is known to have.
    package func heldCount(_ kind: Kind) throws -> Int {
        try read { db in
            // What was pruned here is there.
            try Deleter.held(kind, in: db)
                + (db.number(
                    """
                    SELECT count(*) FROM pruned p LEFT JOIN "\(kind.table)" o ON o.id = p.id
                    WHERE p.kind = ? AND p.gone = 0 AND (o.id IS NULL OR o.ghost OR o.kept)
                    """, [kind.name]) ?? 0)
        }
    }
}

/// Stores up to when each kind is known, in the transaction that ends a run.
struct SinceWriter {
    let db: Database

    func write(_ dates: [FinishRequest.Since]) throws {
        for (kind, record) in dates {
            try db.run(
                """
                INSERT INTO since (kind, since, audited_at, formats) VALUES (?, ?, ?, ?)
                ON CONFLICT (kind) DO UPDATE SET since = excluded.since, audited_at = excluded.audited_at,
                  formats = excluded.formats
                """,
                [
                    kind.name, record.since, record.auditedAt.map { $0.formatted(.iso8601) },
                    record.formats,
                ])
        }
    }

    /// The next pull asks for what changed since then, if not since earlier.
    func bringBack(_ kind: Kind, to since: String) throws {
        try db.run(
            "UPDATE since SET since = ?2 WHERE kind = ?1 AND julianday(since) > julianday(?2)",
            [kind.name, since])
    }

    /// The next pull looks at the whole lists of these kinds.
    func forget(_ kinds: [Kind]) throws {
        for kind in kinds {
            try db.run("DELETE FROM since WHERE kind = ?", [kind.name])
        }
    }
}
