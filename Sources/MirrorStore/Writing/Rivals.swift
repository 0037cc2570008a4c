import Catalogue
import GRDB

/// Which of several objects of a kind keeps a slug that all of them claim.
///
/// A pure decision; ``RivalSettlement`` carries it out.
struct Rivals {
    /// An object that claims the slug.
    struct Claimant: Sendable {
        let id: String
        var etag: String?
        /// The server's `updated_at`, in days; `nil` without one.
        var updated: Double?
        /// Whether the slug was its own before the batch.
        var held = false
        /// Restored here and not listed by the server: whatever the server lists comes first.
        var kept = false
        /// Its place in the batch; -1 if it was there before.
        var place = -1
        /// Its place among what was there before.
        var row: Int64 = 0
    }

    let winner: Claimant
    /// The others, in the order of their ids.
    let losers: [Claimant]
    /// Stands for who claims the slug, in which versions: while it stays, nobody is asked for again.
    let settled: String

    /// The later `updated_at` keeps the slug; a tie keeps the one that held it, else the one that was merged first.
    ///
    /// - Returns: `nil` where nobody claims it.
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

/// What a transaction did to slugs, in order. Nothing is looked up before its end.
final class SlugChanges {
    struct Change {
        let id: String
        /// The slug column before and after; `nil` for none.
        let before: String?
        let after: String?
        /// Whether the row itself was written or removed, and not only its ETag.
        let isWritten: Bool
    }

    var byKind: [Kind: [Change]] = [:]

    func note(_ kind: Kind, _ id: String, before: String?, after: String?, isWritten: Bool = true) {
        guard kind.hasRivals else { return }
        byKind[kind, default: []].append(Change(id: id, before: before, after: after, isWritten: isWritten))
    }
}

/// Settles, at the end of a transaction, who keeps the slugs that it touched.
///
/// Who loses has an empty `slug` column and a row in `rival`; its JSON, and so what is served, keeps what the server
/// said. It is asked for once more, then only when one of the rivals has another ETag. When the winner goes or takes
/// another slug, the slug is settled among those that are left.
struct RivalSettlement {
    let log: ChangeLog
    private var db: Database { log.db }

    /// - Parameter unsettled: kinds whose slugs nobody looks up yet: they are settled by ``settleAll(of:)``.
    func settle(but unsettled: Set<Kind> = []) throws {
        defer { log.slugs.byKind = [:] }
        for (kind, changes) in log.slugs.byKind.sorted(by: { $0.key.name < $1.key.name })
        where !unsettled.contains(kind) { try settle(kind, changes) }
    }

    /// Settles every slug that more than one row of these kinds has. Nobody is taken to have held it before another: of those
    /// that are equally late, the one that was stored first keeps it.
    ///
    /// - Returns: whether there was one.
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

    /// What was known of objects that lost before this transaction.
    private typealias Earlier = [ExactText: (slug: String, settled: String?)]

    private func settle(_ kind: Kind, _ changes: [SlugChanges.Change]) throws {
        let earlier = try forget(kind, changes)
        let slugs = changes.flatMap { [$0.before, $0.after] }.compactMap(\.self) + earlier.values.map(\.slug)
        let concerned = Set(slugs.map(ExactText.init)).map(\.text)
        // Those that more than one row has, by one look into the index for each, and those that somebody lost.
        let contested = try db.texts(
            """
            SELECT o.slug FROM json_each(?1) j CROSS JOIN "\(kind.table)" o ON o.slug = j.value
            GROUP BY o.slug HAVING count(*) > 1
            UNION
            SELECT slug FROM rival WHERE kind = ?2 AND slug IN (SELECT value FROM json_each(?1)) ORDER BY 1
            """, [JSONValue.canonicalText(of: concerned), kind.name])
        for slug in contested { try settle(kind, slug, changes, earlier) }
    }

    /// What is written anew, or is gone, claims what its row says now, and nothing else.
    private func forget(_ kind: Kind, _ changes: [SlugChanges.Change]) throws -> Earlier {
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
            // Until it is requested again, a `304` on the list of its kind doesn't tell that all is here.
            try db.run("UPDATE \"\(kind.table)\" SET refetch = 1 WHERE id = ?", [loser.id])
            try ListWriter.unclean(kind, in: db)
        }
    }

    /// Everyone who claims the slug, and the settlements that are noted of those who lost it.
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
