import Catalogue
import GRDB

/// The objects that a search finds, by the numbers of their entries.
struct SearchHits {
    /// The numbers in the order of the index, as a JSON array that other statements read. If not all were counted, the first.
    let numbers: String
    /// The number of objects; `nil` if there are too many to count.
    let total: Int?

    static let none = SearchHits(numbers: "[]", total: 0)
}

/// Searches the full-text index for one page.
///
/// FTS5 reads the entries of a whole word one by one. Those of the beginning of a word it collects first, all of them, so artworks
/// are searched for whole words first, and only for these if they find more than can be compared.
struct PageSearch {
    let words: SearchWords
    let face: Face
    let reader: CatalogueReader
    /// The greatest number of hits that are put in order.
    var mostCompared = PageSearch.mostCompared
    static let mostCompared = 5_000
    /// The greatest number of names that are put in order.
    var mostNamesCompared = 1_000

    private var db: Database { reader.db }

    // MARK: - Hits

    /// The query for FTS5: people's words, and the words of filters in their own column.
    private func match(
        _ filter: String, in columns: String = SearchWords.all, isWhole: Bool = false
    ) -> String {
        "words : (\(filter)) AND \(SearchWords.match(words.words, in: columns, isWhole: isWhole))"
    }

    /// The artworks with all the words under a filter.
    func hits(_ filter: WordFilter) throws -> SearchHits {
        guard !filter.isImpossible else { return .none }
        let whole = try hits(matching: match(filter.match, isWhole: true), upTo: mostCompared)
        return whole.total == nil ? whole : try hits(matching: match(filter.match), upTo: mostCompared)
    }

    /// - Parameter most: the greatest number that is counted.
    private func hits(matching match: String, upTo most: Int) throws -> SearchHits {
        let row = try db.row(
            """
            SELECT json_group_array(rowid), count(*) FROM (SELECT rowid FROM search WHERE search MATCH ? LIMIT ?)
            """, [match, most + 1])
        let count: Int = row?[1] ?? 0
        let hits = SearchHits(numbers: row?[0] ?? "[]", total: count > most ? nil : count)
        guard count > 0, try reader.hiddenSinceIndex(for: face) > 0 else { return hits }
        return try withoutHidden(hits)
    }

    /// Leaves out artworks that were hidden since the index was made.
    private func withoutHidden(_ hits: SearchHits) throws -> SearchHits {
        let row = try db.row(
            """
            SELECT json_group_array(j.value), count(*) FROM json_each(?) j WHERE NOT EXISTS (
              SELECT 1 FROM artwork_entry e CROSS JOIN artwork o ON o.id = e.id
              WHERE e.number = j.value AND \(Face.isHidden(.artwork, "o")))
            """, [hits.numbers])
        return SearchHits(numbers: row?[0] ?? "[]", total: hits.total == nil ? nil : row?[1])
    }

    // MARK: - Artworks

    /// The ids of the artworks found, in an order, or in none if there are too many.
    ///
    /// - Parameter sort: the order; `nil` for the best match first.
    func ids(_ hits: SearchHits, _ filter: WordFilter, by sort: ArtworkSort?, limit: Int) throws -> [String] {
        guard hits.total != 0 else { return [] }
        if let total = hits.total, sort == nil {
            return try ranked(hits, filter.match, isFew: total <= Self.few, limit: limit)
        }
        // Without an order, the numbers are read one by one until there are enough.
        let order = hits.total == nil ? nil : sort?.keys.map { "e.\($0)" }.joined(separator: ", ")
        return try db.texts(
            """
            SELECT e.id FROM json_each(?) j CROSS JOIN artwork_entry e ON e.number = j.value
            \(order.map { "ORDER BY \($0)" } ?? "") LIMIT ?
            """, [hits.numbers, limit])
    }

    /// The ids of the artworks found, the best match first: those with the words as their title, then those with all words in
    /// their title, each as a whole word; equal ones by artist.
    ///
    /// FTS5's own rank, bm25, reads everything that has one of the words, also what the other words or a filter leave out: 40 ms
    /// for the beginning of a word that most of 500,000 artworks have.
    ///
    /// - Parameter isFew: whether there are so few that their entries can be read to compare them. Others with equal matches
    ///   are in the order of the index.
    private func ranked(_ hits: SearchHits, _ filter: String, isFew: Bool, limit: Int) throws -> [String] {
        let titled =
            "WITH titled(number) AS MATERIALIZED (SELECT rowid FROM search WHERE search MATCH ?2 LIMIT ?4)"
        let rank = "j.value NOT IN (SELECT number FROM titled)"
        let arguments: StatementArguments = [
            hits.numbers, match(filter, in: SearchWords.names, isWhole: true), limit, mostCompared,
        ]
        guard isFew else {
            return try db.texts(
                """
                \(titled) SELECT e.id FROM (SELECT j.value AS number FROM json_each(?1) j ORDER BY \(rank), 1 LIMIT ?3) s
                CROSS JOIN artwork_entry e ON e.number = s.number
                """, arguments)
        }
        return try db.texts(
            """
            \(titled) SELECT e.id FROM json_each(?1) j CROSS JOIN artwork_entry e ON e.number = j.value
            ORDER BY e.title IS NOT ?5, \(rank), \(ArtworkSort.artist.keys.map { "e.\($0)" }.joined(separator: ", ")) LIMIT ?3
            """, arguments + [SortKey.folded(words.words.joined(separator: " "))])
    }

    /// The greatest number of artworks whose entries are read to compare them.
    private static let few = 1_000

    // MARK: - Names

    /// Objects of some kinds with all the words in their name or, for artists, in their fields; kind by kind, and each by name
    /// unless there are too many to compare.
    /// Artists with the words in their name come first.
    ///
    /// They aren't ranked: FTS5 reads everything that has a word to rank a few names.
    ///
    /// - Parameter limit: the greatest number of each kind.
    func names(_ kinds: [Kind], limit: Int) throws -> [NameItem] {
        var found = try ids(kinds, inNames: true, limit: limit)
        if kinds.contains(.artist) {
            let named = found[Kind.artist.name] ?? [], known = Set(named.map(ExactText.init))
            let others =
                named.count < limit
                ? try ids([.artist], inNames: false, limit: limit)[Kind.artist.name] ?? [] : []
            found[Kind.artist.name] = named + others.filter { !known.contains(ExactText($0)) }
        }
        return try kinds.flatMap { kind in
            let ids = Array((found[kind.name] ?? []).prefix(limit))
            return try ids.isEmpty ? [] : NamePage(kind: kind, face: face, reader: reader).items(ids)
        }
    }

    /// The ids by the names of their kinds, at most `limit` of each.
    private func ids(_ kinds: [Kind], inNames: Bool, limit: Int) throws -> [String: [String]] {
        guard let filter = try filter(kinds) else { return [:] }
        let match = match(filter, in: inNames ? SearchWords.names : SearchWords.all)
        let hits = try hits(matching: match, upTo: mostNamesCompared)
        guard hits.total != 0 else { return [:] }
        let entries = "FROM json_each(?) j CROSS JOIN search_entry e ON e.number = j.value"
        let sql =
            hits.total == nil
            ? "SELECT e.kind, e.id \(entries) LIMIT ?"
            : """
            SELECT kind, id FROM (
              SELECT e.kind, e.id, row_number() OVER (PARTITION BY e.kind ORDER BY e.key, e.id) AS place \(entries))
            WHERE place <= ? ORDER BY place
            """
        let first = try db.rows(sql, [hits.numbers, limit]).reduce(into: [String: [String]]()) {
            $0[$1[0], default: []].append($1[1])
        }
        if hits.total != nil || kinds.count == 1 { return first }
        // Only of kinds with enough objects nothing was left out: of artists, which are many and the first in the index.
        let found = first.filter { $0.value.count >= limit }
        let others = kinds.filter { found[$0.name] == nil }
        let groups = found.isEmpty ? others.map { [$0] } : others.isEmpty ? [] : [others]
        return try groups.reduce(into: found) { found, group in
            found.merge(try ids(group, inNames: inNames, limit: limit)) { first, _ in first }
        }
    }

    /// The words of objects of some kinds that the face may see, for FTS5; `nil` if there are none.
    private func filter(_ kinds: [Kind]) throws -> String? {
        let visible = try word(.face, FacetSource.others)
        let words = try kinds.compactMap { kind -> String? in
            guard let word = try word(.kind, kind.name) else { return nil }
            // The word of all that is visible is long to read, so it is left out where nothing can be hidden.
            guard !face.seesAll, Face.hidesSome(of: kind) else { return word }
            return visible.map { "(\(word) AND \($0))" }
        }
        return words.isEmpty ? nil : words.joined(separator: " OR ")
    }

    // MARK: - Words

    /// The words that no object contains that the face may see.
    func unknown() throws -> [String] {
        let visible = try [FacetSource.visitors, FacetSource.others].compactMap { try word(.face, $0) }
        guard !visible.isEmpty else { return words.words }
        // A word that only an artwork has that was hidden since the index was made would not be among them.
        guard try reader.hiddenSinceIndex(for: face) == 0 else { return [] }
        return try words.words.filter { word in
            let match = SearchWords.match([word])
            return try !db.isTrue(
                "SELECT 1 FROM search WHERE search MATCH ? LIMIT 1",
                [face.seesAll ? match : "words : (\(visible.joined(separator: " OR "))) AND \(match)"])
        }
    }

    /// The first of several words that find artworks alone, with their number.
    ///
    /// - Parameter unknown: words that nothing contains.
    func alone(besides unknown: [String], _ filter: WordFilter) throws -> [SearchResult.WordCount] {
        guard words.words.count > 1 else { return [] }
        return try words.words.filter { !unknown.contains($0) }.prefix(Self.mostAlone).compactMap { word in
            let search = PageSearch(words: SearchWords(word), face: face, reader: reader)
            let total = try search.hits(filter).total
            return total == 0 ? nil : SearchResult.WordCount(word: word, total: total)
        }
    }

    private static let mostAlone = 4

    private func word(_ facet: Facet, _ value: String) throws -> String? {
        try db.text(
            "SELECT 'f' || number FROM facet_value WHERE facet = ? AND value = ?", [facet.name, value])
    }
}
