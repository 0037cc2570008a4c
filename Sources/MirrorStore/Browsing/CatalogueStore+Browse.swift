import Catalogue
import GRDB

/// What a search on the pages finds.
package struct SearchResult: Sendable, Hashable {
    /// The words that were searched for. Their ``SearchWords/marks(in:)`` are marked.
    package let words: SearchWords
    /// Artists with all the words, the best first.
    package let artists: [NameItem]
    /// Artworks with all the words and filters, at most 200, the best first.
    package let artworks: [ArtworkItem]
    /// The number of artworks found, if it is at most 5,000.
    package let total: Int?
    /// Whether ``artworks`` are the best ones first. Otherwise there are too many to compare, and they are in no particular
    /// order.
    package let isRanked: Bool
    /// Shows, albums and locations with all the words in their name.
    package let others: [NameItem]
    /// The words that nothing contains, if nothing was found.
    package let unknown: [String]

    /// Whether nothing was found.
    package var isEmpty: Bool { artists.isEmpty && artworks.isEmpty && others.isEmpty }
}

extension CatalogueStore {
    /// The greatest number of artworks that a search returns.
    package static let mostResults = 200
    /// The greatest number of artists, and of shows, albums and locations of each kind.
    private static let mostNames = 20

    /// Finds objects by words. All words must occur; each may be the beginning of a longer one.
    ///
    /// Artists, shows, albums and locations are found only if the query has no filters.
    ///
    /// - Parameter query: the face and the filters of artworks. Its order is not used.
    package func search(_ words: SearchWords, _ query: ArtworkQuery) throws -> SearchResult {
        let today = today
        guard !words.words.isEmpty else {
            return SearchResult(
                words: words, artists: [], artworks: [], total: 0, isRanked: true, others: [], unknown: [])
        }
        return try snapshot { reader in
            let search = PageSearch(words: words, face: query.face, reader: reader)
            let filter = try WordFilter(query, today: today, in: reader.db)
            let found = try search.artworks(filter, limit: Self.mostResults)
            let artworks = try reader.items(found.ids, for: query.face)
            let names = try query.filters.isEmpty ? search.names(Self.namedKinds, limit: Self.mostNames) : []
            let isEmpty = artworks.isEmpty && names.isEmpty
            return SearchResult(
                words: words, artists: names.filter { $0.kind == .artist }, artworks: artworks,
                total: found.total, isRanked: found.total != nil,
                others: names.filter { $0.kind != .artist }, unknown: isEmpty ? try search.unknown() : [])
        }
    }

    /// The ids of the artworks that ``search(_:_:)`` finds, in its order, and their number, if it is at most 5,000.
    package func artworks(
        with words: SearchWords, _ query: ArtworkQuery
    ) throws -> (ids: [String], total: Int?) {
        let today = today
        guard !words.words.isEmpty else { return ([], 0) }
        return try snapshot { reader in
            try PageSearch(words: words, face: query.face, reader: reader).artworks(
                WordFilter(query, today: today, in: reader.db), limit: Self.mostResults)
        }
    }

    /// The facets by which a search's artworks can be filtered further, with the number of artworks found.
    ///
    /// Empty if the search finds more than 1,000 artworks without the filters.
    package func facets(of words: SearchWords, _ query: ArtworkQuery) throws -> [OfferedFacet] {
        let today = today
        guard !words.words.isEmpty else { return [] }
        return try snapshot { reader in
            var counter = FacetCounter(query: query, today: today, reader: reader, words: words)
            return try counter.facets()
        }
    }
}

/// Searches the full-text index for one page.
struct PageSearch {
    /// The greatest number of hits that are ranked. FTS5 reads all hits to rank them.
    static let mostRanked = 5_000

    let words: SearchWords
    let face: Face
    let reader: CatalogueReader

    private var db: Database { reader.db }

    /// The query for FTS5: people's words, and the words of filters in their own column.
    private func match(_ filter: String) -> String { "words : (\(filter)) AND \(words.match)" }

    /// The number of artworks found, at most `limit`.
    func count(_ filter: String, limit: Int) throws -> Int {
        try db.number(
            "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)",
            [match(filter), limit]) ?? 0
    }

    /// The ids of the objects found.
    private func ids(_ filter: String, isRanked: Bool, limit: Int) throws -> [String] {
        try rows(filter, isRanked: isRanked, limit: limit).map { $0[1] }
    }

    /// Kind and id of the objects found.
    private func rows(_ filter: String, isRanked: Bool, limit: Int) throws -> [Row] {
        let order = isRanked ? "bm25(search, 10, 5, 1, 0), search.rowid" : "search.rowid"
        return try db.rows(
            """
            SELECT e.kind, e.id FROM (SELECT rowid AS number FROM search WHERE search MATCH ? ORDER BY \(order) LIMIT ?) s
            CROSS JOIN search_entry e ON e.number = s.number
            """, [match(filter), limit])
    }

    /// The words of the artworks found, at most `limit` of them; `nil` if there are more.
    func tally(_ filter: String, limit: Int) throws -> (tally: FacetTally, artworks: Int)? {
        var tally = FacetTally(), count = 0
        try db.forEach(
            """
            SELECT e.words FROM (SELECT rowid AS number FROM search WHERE search MATCH ? LIMIT ?) s
            CROSS JOIN artwork_entry e ON e.number = s.number
            """, [match(filter), limit + 1]
        ) { row in
            count += 1
            if count <= limit { tally.add(row[0], isHidden: false) }
        }
        return count > limit ? nil : (tally, count)
    }

    /// The artworks with all the words under a filter, the best first, and their number; `nil` and in no order if there are too
    /// many to rank.
    func artworks(_ filter: WordFilter, limit: Int) throws -> (ids: [String], total: Int?) {
        guard !filter.isImpossible else { return ([], 0) }
        let count = try count(filter.match, limit: Self.mostRanked + 1), isRanked = count <= Self.mostRanked
        let ids = count == 0 ? [] : try ids(filter.match, isRanked: isRanked, limit: limit)
        return (ids, isRanked ? count : nil)
    }

    /// Objects of some kinds with all the words in their name or, for artists, in their fields, kind by kind.
    ///
    /// Each query gathers all texts with the words, so there are few: those of all kinds are searched for together, unless
    /// there are too many to rank.
    ///
    /// - Parameter limit: the greatest number of each kind.
    func names(_ kinds: [Kind], limit: Int) throws -> [NameItem] {
        func match(_ kinds: [Kind]) throws -> String? {
            let words = try kinds.compactMap { try word(.kind, $0.name) }.joined(separator: " OR ")
            guard !words.isEmpty, let visible = try word(.face, FacetSource.others) else { return nil }
            return face.seesAll ? words : "(\(words)) AND \(visible)"
        }
        guard let all = try match(kinds) else { return [] }
        let count = try count(all, limit: Self.mostRanked + 1)
        guard count > 0 else { return [] }
        var found: [String: [String]] = [:]
        if count <= Self.mostRanked {
            for row in try rows(all, isRanked: true, limit: count) {
                found[row[0], default: []].append(row[1])
            }
        } else {
            for kind in kinds {
                found[kind.name] = try match([kind]).map { try ids($0, isRanked: false, limit: limit) }
            }
        }
        return try kinds.flatMap { kind in
            let ids = Array((found[kind.name] ?? []).prefix(limit))
            return try ids.isEmpty ? [] : NamePage(kind: kind, face: face, reader: reader).items(ids)
        }
    }

    /// The words that no object contains that the face may see.
    func unknown() throws -> [String] {
        let visible = try [FacetSource.visitors, FacetSource.others].compactMap { try word(.face, $0) }
        guard !visible.isEmpty else { return words.words }
        return try words.words.filter { word in
            let match = SearchWords.match([word])
            return try !db.isTrue(
                "SELECT 1 FROM search WHERE search MATCH ? LIMIT 1",
                [face.seesAll ? match : "words : (\(visible.joined(separator: " OR "))) AND \(match)"])
        }
    }

    private func word(_ facet: Facet, _ value: String) throws -> String? {
        try db.text(
            "SELECT 'f' || number FROM facet_value WHERE facet = ? AND value = ?", [facet.name, value])
    }
}
