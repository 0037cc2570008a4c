import Catalogue
import Foundation
import GRDB

/// The since date of a kind: the mirror has all changes before it.
package struct SinceRecord: Sendable, Hashable {
    /// The date since which the next pull requests changes, in the server's time (RFC 3339).
    package var since: String?
    /// When the full list was last compared, in local time.
    package var auditedAt: Date?
    /// The wanted media, as in ``FinishRequest/formats``; `nil` if no media were wanted.
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

    /// Stores the first since date of a kind, and marks all stored objects of the kind for refetching, in one transaction: they may
    /// have changed before that date.
    package func beginSince(_ kind: Kind, at since: String) throws {
        try write(isServed: false) { db in
            try db.run(
                "UPDATE \"\(kind.table)\" SET refetch = 1 WHERE ghost = 0 AND refetch = 0 AND kept = 0")
            try db.run(
                "INSERT INTO since (kind, since) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET since = excluded.since",
                [kind.name, since])
        }
    }

    /// Stores the since date of a kind: before its objects are requested for the first time, and when all objects that changed since the
    /// stored date are marked for refetching.
    package func setSince(_ kind: Kind, to since: String) throws {
        try write(isServed: false) {
            try $0.run(
                "INSERT INTO since (kind, since) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET since = excluded.since",
                [kind.name, since])
        }
    }

    /// Deletes the since dates of some kinds, so that the next run compares their full lists.
    package func forgetSince(_ kinds: [Kind]) throws {
        guard !kinds.isEmpty else { return }
        try write { try SinceWriter(db: $0).forget(kinds) }
    }

    /// Makes the next run compare the full lists of some kinds, member by member, even if the server confirms the lists.
    package func compareFullLists(of kinds: [Kind]) throws {
        try forgetSince(kinds)
        _ = try apply(kinds.map { .markListNotClean(kind: $0) }, run: nil)
    }

    /// Looks up the stored versions of objects that a server listed.
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

    /// The ids among `ids` for which the store has no object from the kind's own list: missing, ghost, linked or kept objects.
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

    /// The ids among `ids` whose stored object is from the kind's own list and has no local edits.
    ///
    /// Ghosts, linked and kept objects are left out.
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

    /// The number of objects of a kind that the server has, as far as the store shows.
    package func serverCount(_ kind: Kind) throws -> Int {
        try read { db in
            // The server still has the shows that were pruned locally.
            try Deleter.storedCount(kind, in: db)
                + (db.number(
                    """
                    SELECT count(*) FROM pruned p LEFT JOIN "\(kind.table)" o ON o.id = p.id
                    WHERE p.kind = ? AND p.gone = 0 AND (o.id IS NULL OR o.ghost OR o.kept)
                    """, [kind.name]) ?? 0)
        }
    }
}

/// Stores the since dates of kinds, in the transaction that ends a run.
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

    /// Moves the since date of a kind back, so that the next pull requests changes since then. An earlier date is kept.
    func bringBack(_ kind: Kind, to since: String) throws {
        try db.run(
            "UPDATE since SET since = ?2 WHERE kind = ?1 AND julianday(since) > julianday(?2)",
            [kind.name, since])
    }

    /// Deletes the since dates of kinds, so that the next pull compares their full lists.
    func forget(_ kinds: [Kind]) throws {
        for kind in kinds {
            try db.run("DELETE FROM since WHERE kind = ?", [kind.name])
        }
    }
}
