import Catalogue

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
        losers = claimants.filter { ExactText($0.id) != ExactText(winner.id) }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        settled = Self.digest(claimants)
    }

    private static func precedes(_ one: Claimant, _ other: Claimant) -> Bool {
        if one.kept != other.kept { return other.kept }
        let (left, right) = (one.updated ?? -.infinity, other.updated ?? -.infinity)
        if left != right { return left > right }
        if one.held != other.held { return one.held }
        return (one.place, one.row) < (other.place, other.row)
    }

    private static func digest(_ claimants: [Claimant]) -> String {
        let sorted = claimants.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return EntityTag.strong(of: JSONValue.canonicalText(of: sorted.flatMap { [$0.id, $0.etag ?? ""] }))
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

    private(set) var byKind: [Kind: [Change]] = [:]

    func note(_ kind: Kind, _ id: String, before: String?, after: String?, isWritten: Bool = true) {
        guard kind.hasRivals else { return }
        byKind[kind, default: []].append(
            Change(id: id, before: before, after: after, isWritten: isWritten))
    }

    func removeAll() { byKind = [:] }
}
