import Catalogue
import GRDB

extension CatalogueStore {
    /// Whether any list is stored.
    package func hasLists() throws -> Bool {
        try read { try $0.isTrue("SELECT EXISTS (SELECT 1 FROM list)") }
    }

    package func listState(_ url: String) throws -> ListState? {
        try read { try ListState.find(url, in: $0) }
    }

    /// Begins a draft of one of the partner's own lists. A draft of an earlier, interrupted attempt is removed.
    ///
    /// - Parameter members: the members of the first page; most lists have only one.
    package func begin(
        _ list: ListName, with members: [(id: String, etag: String?, lists: String?)] = []
    ) throws -> ListDraft {
        let draft = try write { db in
            try db.run(
                """
                INSERT INTO list (url, owner_kind, owner_id, name) VALUES (?, ?, ?, ?)
                ON CONFLICT (url) DO UPDATE SET owner_id = excluded.owner_id
                """, [list.url, list.owner.kind.name, list.owner.id, list.name])
            try Self.setCrawl(nil, of: list, in: db)
            let row = try db.row("SELECT number, version FROM list WHERE url = ?", [list.url])
            let number: Int64 = row?[0] ?? 0, version: Int64 = row?[1] ?? 0
            try db.run("DELETE FROM list_member WHERE list = ? AND version <> ?", [number, version])
            return ListDraft(list: list, number: number, version: version + 1)
        }
        try append(members, to: draft, at: 0)
        return draft
    }

    /// Adds members to the end of a draft.
    ///
    /// - Parameters:
    ///   - position: the number of members that the draft has already.
    ///   - crawl: how far the reading of the list is, so that a later run can continue it; `nil`, the default, if it can't.
    package func append(
        _ members: [(id: String, etag: String?, lists: String?)], to draft: ListDraft, at position: Int,
        crawl: String? = nil
    ) throws {
        guard !members.isEmpty || crawl != nil else { return }
        try write { db in
            if let crawl { try Self.setCrawl(crawl, of: draft.list, in: db) }
            var insert = try FastStatement(
                db,
                "INSERT INTO list_member (list, version, position, id, etag, lists) VALUES (?, ?, ?, ?, ?, ?)"
            )
            for (offset, member) in members.enumerated() {
                try insert.run(
                    draft.number, draft.version, position + offset, member.id, member.etag, member.lists)
            }
        }
    }

    /// Replaces the list with the draft, which this run received completely.
    package func commit(_ draft: ListDraft, answer: ListAnswer, count: Int, run: Int64) throws {
        try write { db in
            try db.run(
                """
                UPDATE list SET etag = ?, date = coalesce(?, date), complete = 1, members = ?, run = ?, version = ?,
                  clean_etag = NULL WHERE number = ?
                """, [answer.etag, answer.date, count, run, draft.version, draft.number])
            try Self.setCrawl(nil, of: draft.list, in: db)
            try db.run(
                "DELETE FROM list_member WHERE list = ? AND version < ?", [draft.number, draft.version])
        }
    }

    /// Members of a list or of a draft in their order, each with the state of its stored row.
    ///
    /// - Parameter after: the position of the last member before the first result; -1 for the beginning.
    package func members(
        of list: Int64, version: Int64, kind: Kind, after: Int64, limit: Int
    ) throws -> [ListedMember] {
        try read { db in
            try db.rows(
                """
                SELECT m.position, m.id, m.etag, m.lists, o.id IS NULL OR o.ghost, o.etag,
                  o.refetch OR o.kept OR o.linked, \(Pruned.isOut(kind)), \(Pruned.etag(kind)), o.kept OR o.linked
                FROM list_member m LEFT JOIN "\(kind.table)" o ON o.id = m.id
                WHERE m.list = ? AND m.version = ? AND m.position > ? ORDER BY m.position LIMIT ?
                """, [list, version, after, limit]
            ).map { row in
                ListedMember(
                    position: row[0], id: row[1], listedETag: row[2], lists: row[3],
                    stored: row[4] ? .nothing : .row(etag: row[5], refetch: row[6]),
                    pruned: row[7] ? .some(row[8]) : nil, becomesListed: row[9] ?? false)
            }
        }
    }

    /// The states of the lists under some objects, by owner and name.
    package func listsUnder(_ kind: Kind, ids: [String]) throws -> [String: [String: ListState]] {
        try read { db in
            var found: [String: [String: ListState]] = [:]
            let rows = try db.rows(
                """
                SELECT \(ListState.columns), owner_id, name FROM list
                WHERE owner_kind = ? AND owner_id IN (SELECT value FROM json_each(?))
                """, [kind.name, JSONValue.canonicalText(of: ids)])
            for row in rows { found[row[10], default: [:]][row[11]] = ListState(row: row) }
            return found
        }
    }

    /// SQL condition: the picture `i` has an address, or one for each format.
    static let hasAddress = "coalesce(i.image_url, i.image_urls) IS NOT NULL"

    /// The objects among `ids` that have a picture or document whose file is wanted but not stored.
    ///
    /// - Parameters:
    ///   - formats: the wanted picture formats.
    ///   - tiles: whether tiles are wanted.
    ///   - storedTiles: whether tiles that were stored before are wanted, even without `tiles`.
    package func ownersMissingFiles(
        _ kind: Kind, ids: [String], formats: PictureFormats, tiles: Bool = false, storedTiles: Bool = false
    ) throws -> Set<String> {
        let recently = lastDay
        return try read { db in
            let list = JSONValue.canonicalText(of: ids)
            var missing = Set<String>()
            let column = kind.idColumn
            if kind.hasPictures {
                for wanted in formats.wanted {
                    try missing.formUnion(
                        db.textSet(
                            """
                            SELECT i.\(column) FROM image i
                            WHERE i.\(column) IN (SELECT value FROM json_each(?1)) AND \(Self.hasAddress)
                              AND NOT EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.entry = i.entry
                                AND f.format = \(wanted.format)
                                AND (f.hash IS NOT NULL AND f.unavailable_at IS NULL
                                  OR f.unavailable_at > ?2 AND f.unavailable_at <= ?3))
                              AND \(wanted.condition)
                            """, [list] + recently))
                }
                if tiles || storedTiles {
                    try missing.formUnion(ownersMissingTiles(kind, ids: list, stored: !tiles, in: db))
                }
            }
            if kind.hasDocuments {
                try missing.formUnion(
                    db.textSet(
                        """
                        SELECT \(column) FROM document WHERE \(column) IN (SELECT value FROM json_each(?1))
                          AND uri IS NOT NULL AND (file_entry IS NULL OR file_unavailable_at IS NOT NULL
                            AND NOT (file_unavailable_at > ?2 AND file_unavailable_at <= ?3))
                        """, [list] + recently))
            }
            return missing
        }
    }
}

extension CatalogueStore {
    /// The ids among `ids` that a partner's list contains, as it was last applied.
    package func named(_ ids: Set<ExactText>, in url: String) throws -> Set<ExactText> {
        try read { db in
            try db.ids(
                """
                SELECT m.id FROM list l JOIN list_member m ON m.list = l.number AND m.version = l.version
                WHERE l.url = ? AND m.id IN (SELECT value FROM json_each(?))
                """, [url, JSONValue.canonicalText(of: ids.map(\.text))])
        }
    }

    /// Stored objects that a partner's list doesn't contain, as it was last applied. The end of a run would remove them.
    package func unlisted(_ kind: Kind, in url: String) throws -> Set<ExactText> {
        try read { db in
            try db.ids(
                """
                SELECT o.id FROM "\(kind.table)" o WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0
                  AND o.id NOT IN (SELECT m.id FROM list l JOIN list_member m ON m.list = l.number
                    AND m.version = l.version WHERE l.url = ?)
                """, [url])
        }
    }

    /// Members of a partner's list, as it was last applied, that aren't stored as listed objects, in the list's order.
    ///
    /// These members have no row, or their row is a ghost, linked or kept. Pruned objects are not returned.
    ///
    /// - Parameters:
    ///   - others: members that are returned in any case.
    ///   - after: the position of the last member before the first result; -1 for the beginning.
    ///   - limit: the maximum number.
    package func absent(
        _ kind: Kind, in url: String, or others: Set<ExactText> = [], after: Int64 = -1, limit: Int
    ) throws -> [ListedMember] {
        try read { db in
            let rows = try db.rows(
                """
                SELECT m.position, m.id, m.etag, m.lists FROM list l
                JOIN list_member m ON m.list = l.number AND m.version = l.version
                LEFT JOIN "\(kind.table)" o ON o.id = m.id
                WHERE l.url = ? AND m.position > ? AND (o.id IS NULL OR o.ghost OR o.kept OR o.linked
                    OR m.id IN (SELECT value FROM json_each(?)))
                  AND NOT \(Pruned.isLeftOut(kind)) AND NOT (m.etag IS NULL AND \(Pruned.isOut(kind)))
                ORDER BY m.position LIMIT ?
                """, [url, after, JSONValue.canonicalText(of: others.map(\.text)), limit])
            return rows.map {
                ListedMember(position: $0[0], id: $0[1], listedETag: $0[2], lists: $0[3], stored: .nothing)
            }
        }
    }

    /// Removes every ETag and date, because the mirror has another server from now on.
    package func forgetValidators() throws {
        try write { db in
            // Invalidates the whole digest at once, which is cheaper than marking each row.
            try DigestKeeper.forgetOrigin(db)
            for kind in kinds.all {
                try db.run("UPDATE \"\(kind.table)\" SET etag = NULL")
            }
            try db.run("UPDATE album SET base_etag = NULL")
            try db.run(
                "UPDATE list SET etag = NULL, date = NULL, complete = 0, clean_etag = NULL, clean_formats = NULL"
            )
            try AppliedDate.forget(in: db)
            try db.run("DELETE FROM since")
            try db.run("UPDATE pruned SET etag = NULL")
            try db.run("DELETE FROM absence")
            try db.run("DELETE FROM ghost_try WHERE absent = 1")
            try db.run("UPDATE image_file SET etag = NULL, last_modified = NULL")
            try db.run("UPDATE document SET file_etag = NULL, file_last_modified = NULL")
        }
    }
}
