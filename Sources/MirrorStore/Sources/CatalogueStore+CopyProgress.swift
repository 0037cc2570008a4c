import Catalogue
import GRDB

/// How much of the list of a kind is stored.
package struct CopyProgress: Sendable, Hashable {
    package let kind: Kind
    /// The number of members of the list, as far as it was read.
    package let listed: Int
    /// The number of its members that are stored.
    package let stored: Int
    /// The number of its members that the server didn't have when they were last requested.
    package let absent: Int
    /// Whether the list was read to its end.
    package let isListComplete: Bool

    package init(_ kind: Kind, listed: Int, stored: Int, absent: Int = 0, isListComplete: Bool = true) {
        (self.kind, self.listed, self.stored, self.absent) = (kind, listed, stored, absent)
        self.isListComplete = isListComplete
    }

    /// The number of members that are still to be fetched.
    package var left: Int { max(0, listed - stored - absent) }
}

/// The progress of a first copy, which may take days. It can be read while another process syncs.
extension CatalogueStore {
    /// The kinds whose own list was not stored completely: those whose list is still being read, and those with missing members.
    package func copyProgress() throws -> [CopyProgress] {
        try read { db in
            try kinds.listed.compactMap { kind in
                let lists = try db.rows(
                    """
                    SELECT number, version, complete, members FROM list
                    WHERE owner_kind = 'partner' AND name = ? ORDER BY complete DESC, number DESC
                    """, [kind.plural])
                guard let list = lists.first else { return nil }
                let number: Int64 = list[0], isComplete: Bool = list[2], members: Int? = list[3]
                if isComplete, let members, try Self.count(kind, in: db) >= members { return nil }
                // A list that was never complete is a draft, with a version of its own.
                let version: Int64? =
                    isComplete
                    ? list[1]
                    : try db.row("SELECT max(version) FROM list_member WHERE list = ?", [number])?[0]
                guard let version, let row = try Self.progress(kind, list: number, version: version, in: db)
                else { return nil }
                let progress = CopyProgress(
                    kind, listed: row[0], stored: row[1], absent: row[2], isListComplete: isComplete)
                return progress.listed == 0 || isComplete && progress.left == 0 ? nil : progress
            }
        }
    }

    private static func count(_ kind: Kind, in db: Database) throws -> Int {
        try db.row("SELECT count(*) FROM \"\(kind.table)\" WHERE ghost = 0")?[0] ?? 0
    }

    private static func progress(
        _ kind: Kind, list: Int64, version: Int64, in db: Database
    ) throws -> Row? {
        try db.row(
            """
            SELECT count(*), count(o.id),
              coalesce(sum(o.id IS NULL AND \(DefectSQL.isAbsentAtSource(kind))), 0) FROM list_member m
            LEFT JOIN "\(kind.table)" o ON o.id = m.id AND o.ghost = 0
            WHERE m.list = ? AND m.version = ?
            """, [list, version])
    }

    /// The number of stored objects of each kind that the last complete list lacked. Kinds without such objects are left out.
    package func missingCounts() throws -> [Kind: Int] {
        try read { db in
            var counts: [Kind: Int] = [:]
            for kind in kinds.listed {
                let count: Int =
                    try db.row(
                        """
                        SELECT count(*) FROM absence a JOIN "\(kind.table)" o ON o.id = a.id
                        WHERE a.kind = ? AND o.ghost = 0 AND o.kept = 0 \(kind.isEdited ? "AND o.deleted = 0" : "")
                        """, [kind.name])?[0] ?? 0
                if count > 0 { counts[kind] = count }
            }
            return counts
        }
    }

    /// The requests on one day (UTC), by host. The numbers are those that are stored: while a run sends requests, they are
    /// higher by at most 100.
    ///
    /// - Parameter day: counted from 1 January 1970.
    package func requests(onDay day: Int) throws -> [String: Int] {
        try read { db in
            let rows = try db.rows(
                "SELECT host, requests FROM request_day WHERE day = date('1970-01-01', ? || ' days')", [day])
            return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: max)
        }
    }
}
