import Catalogue
import GRDB

/// Decides which of several objects of a kind keeps the slug that all of them claim.
///
/// ``RivalSettlement`` stores the decision.
struct Rivals {
    /// An object that claims the slug.
    struct Claimant: Sendable {
        let id: String
        var etag: String?
        /// The server's `updated_at`, in days; `nil` without one.
        var updated: Double?
        /// Whether it had the slug before the transaction.
        var held = false
        /// Whether it is kept. Objects that the server lists have priority.
        var kept = false
        /// Its position among the transaction's changes; -1 if it wasn't changed.
        var place = -1
        /// Its row number.
        var row: Int64 = 0
    }

    let winner: Claimant
    /// The others, in the order of their ids.
    let losers: [Claimant]
    /// A digest of the claimants and their ETags. While it stays the same, no loser is requested again.
    let settled: String

    /// Chooses the winner: the claimant with the latest `updated_at`; among equals the one that had the slug before, or else the
    /// one that was written first.
    ///
    /// - Returns: `nil` if there are no claimants.
    init?(_ claimants: [Claimant]) {
        guard let winner = claimants.min(by: Self.precedes) else { return nil }
        self.winner = winner
        let sorted = claimants.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        losers = sorted.filter { ExactText($0.id) != ExactText(winner.id) }
        settled = EntityTag.strong(
            of: JSONValue.canonicalText(of: sorted.flatMap { [$0.id, $0.etag ?? ""] }))
    }

    private static func precedes(_ one: Claimant, _ other: Claimant) -> Bool {
        if one.kept != other.kept { return other.kept }
        let (left, right) = (one.updated ?? -.infinity, other.updated ?? -.infinity)
        if left != right { return left > right }
        if one.held != other.held { return one.held }
        return (one.place, one.row) < (other.place, other.row)
    }
}

/// Collects a transaction's changes of slugs, in order, for its end.
final class SlugChanges {
    struct Change {
        let id: String
        /// The slug column before and after; `nil` for none.
        let before: String?
        let after: String?
        /// Whether the row was written or removed; `false` if only its ETag changed.
        let isWritten: Bool
    }

    var byKind: [Kind: [Change]] = [:]

    func note(_ kind: Kind, _ id: String, before: String?, after: String?, isWritten: Bool = true) {
        guard kind.hasRivals else { return }
        byKind[kind, default: []].append(Change(id: id, before: before, after: after, isWritten: isWritten))
    }
}

/// Settles the slugs that a transaction changed, at its end.
///
/// - A loser has `NULL` in the column `slug`, and a row in `rival`. Its JSON is unchanged, and so is the served object.
/// - A loser is requested again once, and later each time that the ETag of one of the rivals changes.
/// - When the winner is removed or gets another slug, the slug is settled among the remaining claimants.
struct RivalSettlement {
    let log: ChangeLog
    private var db: Database { log.db }

    /// Settles the slugs that the transaction changed.
    ///
    /// - Parameter unsettled: kinds to leave out, whose slugs ``settleAll(of:)`` settles later. Default: none.
    func settle(but unsettled: Set<Kind> = []) throws {
        defer { log.slugs.byKind = [:] }
        for (kind, changes) in log.slugs.byKind.sorted(by: { $0.key.name < $1.key.name })
        where !unsettled.contains(kind) { try settle(kind, changes) }
    }

    /// Settles every slug that several rows of these kinds have.
    ///
    /// No claimant counts as an earlier holder. Among equal `updated_at`, the one that was stored first keeps the slug.
    ///
    /// - Returns: whether there was such a slug.
    func settleAll(of kinds: Set<Kind>) throws -> Bool {
        var isContested = false
        for kind in kinds.sorted(by: { $0.name < $1.name }) {
            let contested = try db.texts(
                """
                SELECT slug FROM "\(kind.table)" WHERE slug > '' GROUP BY slug HAVING count(*) > 1 ORDER BY slug
                """)
            for slug in contested { try settle(kind, slug, [], [:]) }
            isContested = isContested || !contested.isEmpty
        }
        return isContested
    }

    /// Earlier losses of changed objects, by id.
    private typealias Earlier = [ExactText: (slug: String, settled: String?)]

    private func settle(_ kind: Kind, _ changes: [SlugChanges.Change]) throws {
        let earlier = try removeLosses(kind, changes)
        let slugs = changes.flatMap { [$0.before, $0.after] }.compactMap(\.self) + earlier.values.map(\.slug)
        let concerned = Set(slugs.map(ExactText.init)).map(\.text)
        // Slugs that several rows have, with one lookup in the index for each, and slugs with an earlier loser.
        let contested = try db.texts(
            """
            SELECT o.slug FROM json_each(?1) j CROSS JOIN "\(kind.table)" o ON o.slug = j.value
            GROUP BY o.slug HAVING count(*) > 1
            UNION
            SELECT slug FROM rival WHERE kind = ?2 AND slug IN (SELECT value FROM json_each(?1)) ORDER BY 1
            """, [JSONValue.canonicalText(of: concerned), kind.name])
        for slug in contested { try settle(kind, slug, changes, earlier) }
    }

    /// Removes the earlier losses of objects that were written or removed, whose claims are now only in their rows.
    ///
    /// - Returns: the earlier losses of all changed objects.
    private func removeLosses(_ kind: Kind, _ changes: [SlugChanges.Change]) throws -> Earlier {
        let rows = try db.rows(
            """
            SELECT id, slug, settled FROM rival WHERE kind = ? AND id IN (SELECT value FROM json_each(?))
            """, [kind.name, JSONValue.canonicalText(of: changes.map(\.id))])
        let written = changes.filter(\.isWritten).map(\.id)
        try db.run(
            "DELETE FROM rival WHERE kind = ? AND id IN (SELECT value FROM json_each(?))",
            [kind.name, JSONValue.canonicalText(of: written)])
        return Dictionary(rows.map { (ExactText($0[0]), ($0[1], $0[2])) }, uniquingKeysWith: { $1 })
    }

    // MARK: - One slug

    private func settle(
        _ kind: Kind, _ slug: String, _ changes: [SlugChanges.Change], _ earlier: Earlier
    ) throws {
        let (claimants, known) = try claimants(kind, slug, changes)
        guard let rivals = Rivals(claimants) else { return }
        try db.run(
            "UPDATE \"\(kind.table)\" SET slug = ?1 WHERE id = ?2 AND slug IS NOT ?1",
            [slug, rivals.winner.id])
        try db.run("DELETE FROM rival WHERE kind = ? AND id = ?", [kind.name, rivals.winner.id])
        for loser in rivals.losers {
            let before = known[ExactText(loser.id)] ?? earlier[ExactText(loser.id)]?.settled
            try db.run("UPDATE \"\(kind.table)\" SET slug = NULL WHERE id = ?", [loser.id])
            try db.run(
                """
                INSERT INTO rival (kind, id, slug, settled) VALUES (?, ?, ?, ?)
                ON CONFLICT (kind, id) DO UPDATE SET slug = excluded.slug, settled = excluded.settled
                """, [kind.name, loser.id, slug, rivals.settled])
            guard before != rivals.settled, !loser.kept else { continue }
            // Until the loser has been requested again, the kind's own list isn't clean.
            try db.run("UPDATE \"\(kind.table)\" SET refetch = 1 WHERE id = ?", [loser.id])
            try ListWriter.unclean(kind, in: db)
        }
    }

    /// The objects that claim the slug, and the stored `settled` values of earlier losers.
    private func claimants(
        _ kind: Kind, _ slug: String, _ changes: [SlugChanges.Change]
    ) throws -> ([Rivals.Claimant], known: [ExactText: String]) {
        let updated = kind.has(column: "updated_at") ? "julianday(o.updated_at)" : "NULL"
        let columns = "o.id, o.etag, \(updated), o.kept, o.rowid"
        let rows = try db.rows(
            """
            SELECT \(columns), 1, NULL FROM "\(kind.table)" o WHERE o.slug = ?1
            UNION ALL
            SELECT \(columns), 0, r.settled FROM rival r JOIN "\(kind.table)" o ON o.id = r.id
            WHERE r.kind = ?2 AND r.slug = ?1 AND o.slug IS NULL
            """, [slug, kind.name])
        var places: [ExactText: (place: Int, before: String?)] = [:]
        for (place, change) in changes.enumerated() where places[ExactText(change.id)] == nil {
            places[ExactText(change.id)] = (place, change.before)
        }
        var known: [ExactText: String] = [:]
        let claimants = rows.map { row in
            let id = ExactText(row[0]), change = places[id]
            known[id] = row[6]
            let has: Bool = row[5]
            return Rivals.Claimant(
                id: id.text, etag: row[1], updated: row[2],
                held: change.map { ExactText.same($0.before, slug) } ?? has, kept: row[3],
                place: change?.place ?? -1, row: row[4])
        }
        return (claimants, known)
    }
}
