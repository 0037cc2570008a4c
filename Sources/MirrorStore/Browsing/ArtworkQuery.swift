import Catalogue
import GRDB

/// Which artworks a list contains, and in which order.
package struct ArtworkQuery: Sendable, Hashable {
    /// Who looks at the list.
    package var face: Face
    /// The value of each facet by which the list is filtered. Facets that the face doesn't offer are ignored.
    package var filters: [Facet: String]
    /// The order.
    package var sort: ArtworkSort

    /// Creates a query. Default: all artworks that visitors may see, by artist.
    package init(face: Face = .visitors, filters: [Facet: String] = [:], sort: ArtworkSort = .artist) {
        (self.face, self.sort) = (face, sort)
        self.filters = filters.filter { face.offers($0.key) }
    }

    /// The query without the filter by a facet. Without the century, there is no decade.
    package func without(_ facet: Facet) -> ArtworkQuery {
        var query = self
        query.filters[facet] = nil
        if facet == .century { query.filters[.decade] = nil }
        return query
    }
}

/// The words that select the artworks of a query in the full-text indexes.
struct WordFilter {
    /// Words of which an artwork has one.
    struct Group {
        let words: [Int]
        /// The number of artworks that have one of them, and how many of these are hidden.
        let count: (artworks: Int, hidden: Int)
    }

    /// An artwork must have a word of each group. Without filters, the only group has the word of all artworks.
    private let filters: [Group]
    /// The artworks that visitors may not see; `nil` if all may be seen.
    private let hidden: Group?
    /// The artworks that visitors may see; `nil` if all may be seen.
    private let visible: Group?
    /// Whether no artwork can match, because a value doesn't exist.
    let isImpossible: Bool

    /// Finds the words of a query.
    ///
    /// - Parameter today: the day from which periods count back, such as `2026-11-27`.
    init(_ query: ArtworkQuery, today: String, in db: Database) throws {
        guard let all = try Self.group(.all, "", in: db) else {
            (filters, hidden, visible, isImpossible) = ([], nil, nil, true)
            return
        }
        let isDivided = !query.face.seesAll && all.count.hidden > 0
        hidden = try isDivided ? Self.group(.face, FacetSource.hidden, in: db) : nil
        visible = try isDivided ? Self.group(.face, FacetSource.visitors, in: db) : nil
        let groups = try query.filters.sorted { $0.key.name < $1.key.name }.map { facet, value in
            try facet == .changed
                ? Self.days(value, today: today, in: db) : Self.group(facet, value, in: db)
        }
        isImpossible = groups.contains { $0 == nil } || isDivided && (hidden == nil || visible == nil)
        filters = groups.isEmpty ? [visible ?? all] : groups.compactMap(\.self)
    }

    private static func group(_ facet: Facet, _ value: String, in db: Database) throws -> Group? {
        try db.row(
            "SELECT number, artworks, hidden FROM facet_value WHERE facet = ? AND value = ?",
            [facet.name, value]
        ).map { Group(words: [$0[0]], count: ($0[1], $0[2])) }
    }

    /// The days within a number of days before today. Later ones, which a server's wrong dates give, are no changes of these
    /// days.
    private static func days(_ period: String, today: String, in db: Database) throws -> Group? {
        guard let days = Int(period), Facet.periods.contains(days) else { return nil }
        let rows = try db.rows(
            """
            SELECT number, artworks, hidden FROM facet_value
            WHERE facet = '\(Facet.day.name)' AND value >= date(?1, ?2) AND value <= ?1 ORDER BY value DESC
            """, [today, "-\(days) days"])
        guard !rows.isEmpty else { return nil }
        var count = (artworks: 0, hidden: 0)
        for row in rows {
            count.artworks += row[1] as Int
            count.hidden += row[2] as Int
        }
        return Group(words: rows.map { $0[0] }, count: count)
    }

    /// The query for FTS5. The rarest word is first, which makes it cheaper; so does excluding few artworks rather than
    /// requiring the word that most have.
    var match: String {
        guard let hidden, let visible else { return Self.match(filters) }
        guard !filters.contains(where: { $0.words == visible.words }) else { return Self.match(filters) }
        return hidden.count.artworks < visible.count.artworks
            ? "(\(Self.match(filters))) NOT \(Self.match([hidden]))" : Self.match(filters + [visible])
    }

    private static func match(_ groups: [Group]) -> String {
        groups.sorted { ($0.count.artworks, $0.words[0]) < ($1.count.artworks, $1.words[0]) }.map { group in
            let words = group.words.map { "f\($0)" }.joined(separator: " OR ")
            return group.words.count == 1 ? words : "(\(words))"
        }.joined(separator: " AND ")
    }

    // MARK: - Counting

    /// The number of artworks if it follows from stored numbers; `nil` if they have to be counted. An artwork changed on one day
    /// only, so the numbers of days are added.
    var storedCount: Int? {
        guard !isImpossible else { return 0 }
        guard filters.count == 1 else { return nil }
        let count = filters[0].count
        return hidden == nil ? count.artworks : count.artworks - count.hidden
    }

    /// Whether counting takes less than some 8 ms.
    ///
    /// SQLite looks up each artwork with the rarest word among those with the others, so a limit on the result wouldn't bound
    /// the time.
    var isCountable: Bool { rarest <= 15_000 }

    /// Whether counting takes less than a millisecond.
    var isFew: Bool { rarest <= 2_000 }

    private var rarest: Int { filters.map(\.count.artworks).min() ?? 0 }
}
