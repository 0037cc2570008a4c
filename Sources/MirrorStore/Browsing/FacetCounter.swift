import Catalogue
import GRDB

extension CatalogueStore {
    /// The greatest number of values of a facet that is offered.
    package static let mostValues = 100
}

/// Counts the values of facets under the filters of a list.
struct FacetCounter {
    let query: ArtworkQuery
    let today: String
    private let reader: CatalogueReader
    /// A search that the artworks must be found by, too; `nil` for a list.
    let search: PageSearch?
    /// What the search finds under some filters, by their queries.
    private let hits: [String: SearchHits]
    /// The greatest number of artworks whose words are counted for a page.
    private static let mostTallied = 500
    /// The number of artworks whose words may still be counted.
    private var allowance = mostTallied
    /// The number of artworks of which the words are read if all are too many.
    private let sampleSize: Int
    /// The words of the artworks under the filters without one facet, which `nil` stands for if none is left out.
    private var tallies: [Facet?: FacetSample] = [:]
    /// The most common values in the tallies, by the names of their facets.
    private var counted: [Facet?: [String: [Value]]] = [:]
    /// The greatest number of values that are looked up for a tally: one artwork may have ten thousand artists.
    private static let mostLookedUp = 1_500
    /// The number of artworks of each filter that was counted.
    private var totals: [String: Int?] = [:]

    var db: Database { reader.db }

    init(
        query: ArtworkQuery, today: String, reader: CatalogueReader, search: PageSearch? = nil,
        hits: [String: SearchHits] = [:], sampleSize: Int = FacetSample.usualSize
    ) {
        (self.query, self.today, self.reader, self.search, self.hits) = (query, today, reader, search, hits)
        self.sampleSize = sampleSize
    }

    private struct Value {
        let number: Int
        let text: String
        let count: Int?
    }

    /// The facets by which the list can be filtered further.
    ///
    /// A facet with fewer than two values is left out, unless the list is filtered by it. Values are counted as if the list
    /// weren't filtered by their own facet, so that another value can be chosen. Numbers are exact, or `nil`:
    /// - without another filter, they are stored;
    /// - if few artworks remain, their words are counted, at most 500 for a page;
    /// - otherwise they are unknown, and the values are offered that some of the artworks have, spread over all of them
    ///   (``FacetSample``). So no value leads to nothing, but rare ones are left out.
    ///
    /// Decades are offered only with a century.
    mutating func facets() throws -> [OfferedFacet] {
        // An artwork that was hidden since the index was made must not be counted.
        guard try reader.hiddenSinceIndex(for: query.face) == 0 else { return [] }
        // A field that only hidden artworks have is none.
        let fields = try db.texts(
            """
            SELECT name FROM facet_field WHERE EXISTS (
              SELECT 1 FROM facet_value v
              WHERE v.facet = '.' || facet_field.name AND v.artworks > \(query.face.seesAll ? "0" : "v.hidden"))
            ORDER BY name
            """
        ).map(Facet.field)
        return try (Facet.standard + fields).compactMap { facet in
            guard query.face.offers(facet), facet != .decade || query.filters[.century] != nil else {
                return nil
            }
            return facet == .changed ? try periods() : try offered(facet)
        }
    }

    /// The values of a facet under all filters, for facets with few values: letters and centuries. Empty if finding the rare ones
    /// would take too long: under several filters that leave many artworks.
    mutating func values(of facet: Facet) throws -> [String] {
        guard try reader.hiddenSinceIndex(for: query.face) == 0 else { return [] }
        if !query.filters.isEmpty, try !tally(leavingOut: nil, query).isWhole {
            // A rare value may not be in a sample.
            guard query.filters.count == 1 else { return [] }
            let seen = Set(try counted(facet, under: query).map(\.number))
            let filter = try WordFilter(query, today: today, in: db)
            return try common(facet, CatalogueStore.mostValues).filter {
                try seen.contains($0.number) || exists($0, filter)
            }.map(\.text)
        }
        return try counted(facet, under: query).filter { $0.count != 0 }.map(\.text)
    }

    /// Whether an artwork of a list has a value.
    private func exists(_ value: Value, _ filter: WordFilter) throws -> Bool {
        try db.isTrue(
            "SELECT 1 FROM \(query.sort.table) WHERE \(query.sort.table) MATCH ? LIMIT 1",
            ["f\(value.number) AND (\(filter.match))"])
    }

    // MARK: - One facet

    private mutating func offered(_ facet: Facet) throws -> OfferedFacet? {
        let chosen = query.filters[facet]
        let rest = query.without(facet)
        var values = try counted(facet, under: rest)
        var isWhole = true
        if !rest.filters.isEmpty || search != nil {
            isWhole = try tally(leavingOut: chosen == nil ? nil : facet, rest).isWhole
        }
        if facet == .decade, let century = query.filters[.century].flatMap({ Int($0) }) {
            values = values.filter { Self.isDecade($0.text, of: century) }
        }
        values = values.filter { $0.count != 0 || ExactText.same($0.text, chosen) }
        guard values.count > 1 || chosen != nil, try chosen != nil || isUseful(facet, values) else {
            return nil
        }
        // The chosen value is offered, so that it can be named, also if it isn't among the most common.
        if let chosen,
            !values.prefix(CatalogueStore.mostValues).contains(where: { ExactText.same($0.text, chosen) })
        {
            values.insert(Value(number: 0, text: chosen, count: nil), at: 0)
        }
        var shown = Array(values.prefix(CatalogueStore.mostValues).enumerated())
        if facet == .century || facet == .decade {
            shown.sort { (Int($0.element.text) ?? 0) < (Int($1.element.text) ?? 0) }
        }
        let labels = try labels(facet, shown.map(\.element.text))
        return OfferedFacet(
            facet: facet,
            values: shown.map { rank, value in
                FacetValue(
                    value: value.text, label: labels[ExactText(value.text)], count: value.count,
                    isChosen: ExactText.same(value.text, chosen), rank: rank)
            }, hasMore: values.count > CatalogueStore.mostValues || !isWhole && !facet.hasTwoValues)
    }

    /// Whether a field divides artworks into groups, rather than naming each of them.
    private func isUseful(_ facet: Facet, _ values: [Value]) throws -> Bool {
        guard facet.field != nil else { return true }
        let counts = try db.row(
            "SELECT count(*), sum(artworks) FROM facet_value WHERE facet = ? AND artworks > 0", [facet.name])
        return (counts?[0] ?? 0) * 2 <= (counts?[1] ?? 0)
    }

    /// Whether a decade (``YearSpan/decade``) has years of a century. A decade that begins with a round year also has the
    /// last year of the century before, and 0 is the decade on both sides of the year 1.
    static func isDecade(_ text: String, of century: Int) -> Bool {
        guard let decade = Int(text) else { return false }
        let years = decade < 0 ? decade - 9...decade : decade == 0 ? -9...9 : decade...decade + 9
        return years.contains { $0 != 0 && YearSpan.century(of: $0) == century }
    }

    /// What people read instead of ids.
    private func labels(_ facet: Facet, _ values: [String]) throws -> [ExactText: String] {
        let (table, name): (String, String)
        switch facet {
        case .artist: (table, name) = ("artist", "coalesce(o.display_name, o.name)")
        case .place: (table, name) = ("location", "o.name")
        default: return [:]
        }
        return try db.rows(
            "SELECT o.id, \(name) FROM json_each(?) j CROSS JOIN \(table) o ON o.id = j.value WHERE o.ghost = 0",
            [JSONValue.canonicalText(of: values)]
        ).reduce(into: [:]) { labels, row in
            if let label: String = row[1] { labels[ExactText(row[0])] = label }
        }
    }

    // MARK: - Counting

    /// The values of a facet with the number of artworks under a query, the most common first.
    private mutating func counted(_ facet: Facet, under query: ArtworkQuery) throws -> [Value] {
        // One more than is shown, to know whether there are more.
        let limit = CatalogueStore.mostValues + 1
        guard query.filters.isEmpty, search == nil else {
            // The list's own query leaves nothing out, also where it is filtered by the facet.
            let left = query.filters[facet] == nil && self.query.filters[facet] != nil ? facet : nil
            let values = try counted[left] ?? self.values(in: tally(leavingOut: left, query))
            counted[left] = values
            return values[facet.name] ?? []
        }
        return try common(facet, limit)
    }

    /// The most common values of a tally by the names of their facets, the most common first.
    private func values(in sample: FacetSample) throws -> [String: [Value]] {
        let numbers = sample.tally.counts.sorted {
            ($1.value.artworks, $0.key) < ($0.value.artworks, $1.key)
        }.prefix(Self.mostLookedUp)
        return try db.rows(
            """
            SELECT v.number, v.value, v.facet FROM json_each(?) j CROSS JOIN facet_value v ON v.number = j.value
            """, [JSONValue.array(numbers.map { .number(JSONNumber($0.key)) }).canonicalText]
        ).reduce(into: [:]) { values, row in
            values[row[2], default: []].append(
                Value(
                    number: row[0], text: row[1],
                    count: sample.isWhole ? sample.tally.counts[row[0]]?.artworks : nil))
        }
    }

    /// The most common values of all artworks. The order is that of all artworks, hidden ones included, so that an index
    /// gives it.
    private func common(_ facet: Facet, _ limit: Int) throws -> [Value] {
        let hidden = query.face.seesAll ? "0" : "hidden"
        return try db.rows(
            """
            SELECT number, value, artworks - \(hidden) FROM facet_value WHERE facet = ? AND artworks > \(hidden)
            ORDER BY artworks DESC LIMIT ?
            """, [facet.name, limit]
        ).map { Value(number: $0[0], text: $0[1], count: $0[2]) }
    }

    /// The words of the artworks of a query, or of some of them if there are too many.
    private mutating func tally(leavingOut facet: Facet?, _ query: ArtworkQuery) throws -> FacetSample {
        if let known = tallies[facet] { return known }
        let tally = try tally(query)
        tallies[facet] = tally
        return tally
    }

    private mutating func tally(_ query: ArtworkQuery) throws -> FacetSample {
        let filter = try WordFilter(query, today: today, in: db)
        if let search {
            let found = try hits[filter.match] ?? search.hits(filter)
            guard let total = found.total, total <= allowance else {
                return try FacetSample(of: found, size: sampleSize, in: db)
            }
            allowance -= total
            return try FacetSample(of: found, size: total, in: db)
        }
        guard !filter.isImpossible else { return FacetSample(tally: FacetTally(), isWhole: true) }
        // Counting is left out where the rarest word shows that few artworks remain, or that counting would take too long.
        guard filter.rarest <= allowance || filter.rarest <= 2 * Self.mostTallied,
            try filter.rarest <= allowance || total(of: query, filter).map({ $0 <= allowance }) == true
        else { return try FacetSample(of: filter, size: sampleSize, in: db) }
        var tally = FacetTally()
        let sort = query.sort
        try db.forEach(
            """
            SELECT e.words FROM \(sort.table) w CROSS JOIN \(sort.places) p ON p.place = w.rowid
            CROSS JOIN artwork_entry e ON e.number = p.number
            WHERE w.\(sort.table) MATCH ?
            """, [filter.match]
        ) {
            tally.add($0[0], isHidden: false)
            allowance -= 1
        }
        return FacetSample(tally: tally, isWhole: true)
    }

    /// The number of artworks of a query, which is counted once; `nil` if counting takes too long.
    mutating func total(of query: ArtworkQuery, _ filter: WordFilter) throws -> Int? {
        if let known = totals[filter.match] { return known }
        let total = try ArtworkPage(query: query, filter: filter, reader: reader).total()
        totals[filter.match] = .some(total)
        return total
    }
}
