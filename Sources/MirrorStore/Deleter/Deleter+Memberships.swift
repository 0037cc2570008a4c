import Catalogue
import GRDB

/// Which artworks shows, albums and locations have: lists that wait to be joined to their owners.
extension Deleter {
    /// Joins the lists that name all that their owners have.
    ///
    /// - Returns: the others, which still wait.
    func joinGains(_ report: inout FinishReport) throws -> [LosingList] {
        try waitingMembers().filter { losing in
            let owner = losing.owner
            guard
                try db.isTrue("SELECT 1 FROM \"\(owner.kind.table)\" WHERE id = ? AND ghost = 0", [owner.id])
            else {
                // Its owner could not be stored: when it can, the list is asked for again.
                try db.run("DELETE FROM list WHERE number = ?", [losing.list.number])
                return false
            }
            if try lacksMembers(losing) { return true }
            try join(losing, &report)
            return false
        }
    }

    /// All lists that wait, whether they lack something or not.
    func waitingMembers() throws -> [LosingList] {
        try pending("artworks").compactMap { list in
            Membership(list.name).map { LosingList(list: list, part: .artworks($0)) }
        }
    }

    /// Joins a list of artworks to its owner; does nothing to other lists.
    func join(_ losing: LosingList, _ report: inout FinishReport) throws {
        guard case .artworks(let membership) = losing.part else { return }
        let owner = losing.owner, list = losing.list
        let before = try membership.ids(in: db)
        let ids = try ListWriter(log: log).staged(list.number, version: list.version)
        if before.map(ExactText.init) != ids.map(ExactText.init) {
            try membership.replace(with: ids, in: db)
            let isNews = try log.note(
                list: list.name.name, of: owner, before: JSONValue.canonicalText(of: before),
                evidence: list.name.url)
            if isNews, owner.kind == .location {
                report.relocated += 1
            } else if isNews {
                report.updatedByList[owner.kind, default: []].insert(owner.id)
            }
        }
        try settle(list.number)
    }

    // MARK: - What lists lack

    /// Whether a list lacks an artwork that its owner has.
    private func lacksMembers(_ losing: LosingList) throws -> Bool {
        guard case .artworks(let membership) = losing.part else { return false }
        return try db.isTrue(
            """
            SELECT EXISTS (SELECT 1 FROM \(membership.table) t
              WHERE t.\(membership.column) = ? AND \(membership.canLose) AND t.artwork_id NOT IN (
                SELECT j.value FROM list_member m, json_each(\(Self.staged)) j WHERE m.list = ? AND m.version = ?))
            """, [losing.owner.id, losing.list.number, losing.list.version])
    }

    /// How many artworks each list that waits lacks, as the guard counts them.
    ///
    /// An artwork that goes, or went before, takes its memberships with it, and so does a show, album or location; an artwork
    /// that another location now lists has moved.
    ///
    /// - Parameter going: what goes with this sweep.
    /// - Returns: by the list's number.
    func membershipLosses(_ going: [Kind: [String]]) throws -> [Int64: Int] {
        var losses: [Int64: Int] = [:]
        let artworks = JSONValue.canonicalText(of: going[.artwork] ?? [])
        for kind in log.kinds.listed where kind.hasMembers {
            guard let membership = Membership(of: Owner(kind, "")) else { continue }
            let owners = JSONValue.canonicalText(of: going[kind] ?? [])
            let rows = try db.rows(Self.losses(membership), [request.run, kind.name, artworks, owners])
            for row in rows { losses[row[0]] = row[1] }
        }
        return losses
    }

    /// The ids in the row of `list_member` that SQL calls `m`, as a JSON array (``ListWriter/staged(_:version:)``).
    private static let staged = "iif(m.position < 0, m.id, json_array(m.id))"

    /// A list and an artwork are compared as one text: of pairs, SQLite would look through all for each that is not among them.
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
