import Catalogue
import GRDB

/// Joins the artworks of shows, albums and locations to their owners.
extension Deleter {
    /// Joins the lists that still contain every stored artwork of their owner.
    ///
    /// - Returns: the other lists, which are still pending.
    func joinWithoutLosses(_ report: inout FinishReport) throws -> [ShrunkList] {
        try pendingMembers().filter { pending in
            let owner = pending.owner
            guard
                try db.isTrue("SELECT 1 FROM \"\(owner.kind.table)\" WHERE id = ? AND ghost = 0", [owner.id])
            else {
                // The owner could not be stored. Its list is requested again together with the owner.
                try db.run("DELETE FROM list WHERE number = ?", [pending.list.number])
                return false
            }
            if try losesMembers(pending) { return true }
            try join(pending, &report)
            return false
        }
    }

    /// All pending lists of artworks, with or without losses.
    func pendingMembers() throws -> [ShrunkList] {
        try pending("artworks").compactMap { list in
            Membership(list.name).map { ShrunkList(list: list, part: .artworks($0)) }
        }
    }

    /// Joins a list of artworks to its owner; does nothing to other lists.
    func join(_ pending: ShrunkList, _ report: inout FinishReport) throws {
        guard case .artworks(let membership) = pending.part else { return }
        let owner = pending.owner, list = pending.list
        let before = try membership.ids(in: db)
        let ids = try ListWriter(log: log).staged(list.number, version: list.version)
        if before.map(ExactText.init) != ids.map(ExactText.init) {
            try membership.replace(with: ids, in: db)
            let isUpdate = try log.note(
                list: list.name.name, of: owner, before: JSONValue.canonicalText(of: before),
                evidence: .other(list.name.url))
            if isUpdate, owner.kind == .location {
                report.relocated += 1
            } else if isUpdate {
                report.updatedByList[owner.kind, default: []].insert(owner.id)
            }
        }
        try settle(list.number)
    }

    // MARK: - Losses

    /// Whether the list no longer contains one of its owner's artworks.
    private func losesMembers(_ pending: ShrunkList) throws -> Bool {
        guard case .artworks(let membership) = pending.part else { return false }
        return try db.isTrue(
            """
            SELECT EXISTS (SELECT 1 FROM \(membership.table) t
              WHERE t.\(membership.column) = ? AND \(membership.canLose) AND t.artwork_id NOT IN (
                SELECT j.value FROM list_member m, json_each(\(Self.staged)) j WHERE m.list = ? AND m.version = ?))
            """, [pending.owner.id, pending.list.number, pending.list.version])
    }

    /// The number of artworks that each pending list loses, as the delete guard counts them.
    ///
    /// Not counted are:
    /// - memberships of a deleted artwork, and of a show, album or location that is deleted in this sweep;
    /// - artworks that moved to another location.
    ///
    /// - Parameter deletions: the ids of the objects that this sweep deletes.
    /// - Returns: the number of losses by the list's number.
    func membershipLosses(besides deletions: [Kind: [String]]) throws -> [Int64: Int] {
        var losses: [Int64: Int] = [:]
        let artworks = JSONValue.canonicalText(of: deletions[.artwork] ?? [])
        for kind in log.kinds.listed where kind.hasMembers {
            guard let membership = Membership(of: Owner(kind, "")) else { continue }
            let owners = JSONValue.canonicalText(of: deletions[kind] ?? [])
            let rows = try db.rows(Self.losses(membership), [request.run, kind.name, artworks, owners])
            for row in rows { losses[row[0]] = row[1] }
        }
        return losses
    }

    /// SQL: the ids in the row `m` of `list_member`, as a JSON array (``ListWriter/staged(_:version:)``).
    private static let staged = "iif(m.position < 0, m.id, json_array(m.id))"

    /// SQL: the losses of each pending list.
    ///
    /// A pair of list and artwork is compared as one text. With pairs, SQLite would scan all of them for each pair that is not
    /// found.
    private static func losses(_ membership: Membership) -> String {
        let table = membership.table, column = membership.column
        let hasMoved = """
            OR t.artwork_id IN (SELECT artwork FROM named)
            OR EXISTS (SELECT 1 FROM \(table) o
              WHERE o.artwork_id = t.artwork_id AND o.\(column) NOT IN (SELECT owner FROM waiting))
            """
        return """
            WITH waiting(number, version, owner) AS MATERIALIZED (
              SELECT number, version, owner_id FROM list
              WHERE pending = 1 AND complete = 1 AND run = ?1 AND name = 'artworks' AND owner_kind = ?2),
            named(list, artwork) AS MATERIALIZED (
              SELECT w.number, j.value FROM waiting w
              CROSS JOIN list_member m ON m.list = w.number AND m.version = w.version
              CROSS JOIN json_each(\(staged)) j)
            SELECT w.number, count(*) FROM waiting w CROSS JOIN \(table) t ON t.\(column) = w.owner
            WHERE \(membership.canLose)
              AND w.number || ' ' || t.artwork_id NOT IN (SELECT list || ' ' || artwork FROM named)
              AND w.owner NOT IN (SELECT value FROM json_each(?4))
              AND NOT (t.artwork_id IN (SELECT value FROM json_each(?3))
                OR EXISTS (SELECT 1 FROM artwork a WHERE a.id = t.artwork_id AND a.ghost = 1
                  AND EXISTS (SELECT 1 FROM change c
                    WHERE c.kind = 'artwork' AND c.id = a.id AND c.action = 'delete'))
                \(membership.owner.kind == .location ? hasMoved : ""))
            GROUP BY w.number
            """
    }
}
