import Catalogue
import GRDB

/// The objects that a search finds.
struct SearchHits {
    /// The numbers of their entries, in order: all of them, or the first ``PageSearch/mostCompared``.
    let numbers: [Int]
    /// Whether these are all.
    let isComplete: Bool

    static let none = SearchHits([], most: 0)

    /// - Parameter found: one more than `most` if there are more than these.
    init(_ found: [Int], most: Int) {
        numbers = Array(found.prefix(most))
        isComplete = found.count <= most
    }

    /// How many there are; `nil` if there are too many to count.
    var total: Int? { isComplete ? numbers.count : nil }

    /// The numbers as a JSON array.
    func json(limit: Int) -> String {
        JSONValue.array(numbers.prefix(limit).map { .number(JSONNumber($0)) }).canonicalText
    }
}

/// Searches the full-text index for one page.
///
/// FTS5 reads the entries of a whole word one by one. Those of the beginning of a word it collects first, all of them, so such
/// queries are few, and are left out if whole words alone find more than can be compared.
struct PageSearch {
    let words: SearchWords
    let face: Face
    let reader: CatalogueReader
    /// The greatest number of hits that are put in order. FTS5 reads all hits to rank them.
    var mostCompared = 5_000

    private var db: Database { reader.db }

    // MARK: - Hits

    /// The query for FTS5: people's words, and the words of filters in their own column.
    private func match(_ filter: String, isWhole: Bool = false) -> String {
        "words : (\(filter)) AND \(SearchWords.match(words.words, isWhole: isWhole))"
    }

    /// The artworks with all the words under a filter.
    func hits(_ filter: WordFilter) throws -> SearchHits {
        filter.isImpossible ? .none : try hits(filter.match)
    }

    private func hits(_ filter: String) throws -> SearchHits {
        func numbers(isWhole: Bool) throws -> [Int] {
            try Int.fetchAll(
                db, sql: "SELECT rowid FROM search WHERE search MATCH ? LIMIT ?",
                arguments: [match(filter, isWhole: isWhole), mostCompared + 1])
        }
        let whole = SearchHits(try numbers(isWhole: true), most: mostCompared)
        return whole.isComplete ? SearchHits(try numbers(isWhole: false), most: mostCompared) : whole
    }

    /// The words of the artworks found.
    func tally(_ hits: SearchHits) throws -> FacetTally {
        var tally = FacetTally()
        try db.forEach(
            "SELECT e.words FROM json_each(?) j CROSS JOIN artwork_entry e ON e.number = j.value",
            [hits.json(limit: hits.numbers.count)]
        ) { tally.add($0[0], isHidden: false) }
        return tally
    }

    // MARK: - Artworks

    /// The ids of the artworks found, in an order, or in none if there are too many.
    ///
    /// - Parameter sort: the order; `nil` for the best match first.
    func ids(_ hits: SearchHits, _ filter: WordFilter, by sort: ArtworkSort?, limit: Int) throws -> [String] {
        guard !hits.numbers.isEmpty else { return [] }
        guard hits.isComplete else {
            return try db.texts(
                "SELECT e.id FROM json_each(?) j CROSS JOIN artwork_entry e ON e.number = j.value",
                [hits.json(limit: limit)])
        }
        guard let sort else { return try ranked(filter.match, limit: limit).map { $0[1] } }
        let keys = sort.keys.map { "e.\($0)" }.joined(separator: ", ")
        return try db.texts(
            """
            SELECT e.id FROM json_each(?) j CROSS JOIN artwork_entry e ON e.number = j.value
            ORDER BY \(keys) LIMIT ?
            """, [hits.json(limit: hits.numbers.count), limit])
    }

    /// Kind and id of the objects found, the best match first.
    private func ranked(_ filter: String, limit: Int) throws -> [Row] {
        try db.rows(
            """
            SELECT e.kind, e.id FROM (
              SELECT rowid AS number FROM search WHERE search MATCH ? ORDER BY bm25(search, 10, 5, 1, 0), rowid LIMIT ?) s
            CROSS JOIN search_entry e ON e.number = s.number
            """, [match(filter), limit])
    }

    // MARK: - Names

    /// Objects of some kinds with all the words in their name or, for artists, in their fields, kind by kind.
    ///
    /// They are the best ones, unless there are too many to rank.
    ///
    /// - Parameter limit: the greatest number of each kind.
    func names(_ kinds: [Kind], limit: Int) throws -> [NameItem] {
        let found = try ids(kinds)
        return try kinds.flatMap { kind in
            let ids = Array((found[kind.name] ?? []).prefix(limit))
            return try ids.isEmpty ? [] : NamePage(kind: kind, face: face, reader: reader).items(ids)
        }
    }

    /// The ids by the names of their kinds.
    private func ids(_ kinds: [Kind]) throws -> [String: [String]] {
        guard let filter = try filter(kinds) else { return [:] }
        let hits = try hits(filter)
        guard !hits.numbers.isEmpty else { return [:] }
        if hits.isComplete { return grouped(try ranked(filter, limit: hits.numbers.count)) }
        if kinds.count == 1 {
            return grouped(
                try db.rows(
                    "SELECT e.kind, e.id FROM json_each(?) j CROSS JOIN search_entry e ON e.number = j.value",
                    [hits.json(limit: hits.numbers.count)]))
        }
        // There are many artists, and few objects of the other kinds.
        let others = kinds.filter { $0 != .artist }
        let groups = others.count < kinds.count ? [[Kind.artist], others] : kinds.map { [$0] }
        return try groups.reduce(into: [:]) { found, group in
            found.merge(try ids(group)) { first, _ in first }
        }
    }

    private func grouped(_ rows: [Row]) -> [String: [String]] {
        rows.reduce(into: [:]) { $0[$1[0], default: []].append($1[1]) }
    }

    /// The words of objects of some kinds that the face may see, for FTS5; `nil` if there are none.
    private func filter(_ kinds: [Kind]) throws -> String? {
        let words = try kinds.compactMap { try word(.kind, $0.name) }.joined(separator: " OR ")
        guard !words.isEmpty, let visible = try word(.face, FacetSource.others) else { return nil }
        return face.seesAll ? words : "(\(words)) AND \(visible)"
    }

    // MARK: - Words

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
