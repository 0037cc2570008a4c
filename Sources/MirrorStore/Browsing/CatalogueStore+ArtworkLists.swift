import Catalogue
import GRDB

/// One page of a list of artworks.
package struct ArtworkListing: Sendable, Hashable {
    package let items: [ArtworkItem]
    /// The position to continue after; `nil` on the last page.
    package let next: PageKey?
    /// The position to go back before; `nil` on the first page.
    package let previous: PageKey?
    /// The number of artworks in the list; `nil` if counting them would take too long.
    package let total: Int?
}

/// Where a page of a list begins.
package enum PagePosition: Sendable, Hashable {
    case first
    /// The page after a position; the last page if nothing follows it.
    case after(PageKey)
    /// The page that ends before a position; the first page if nothing precedes it.
    case before(PageKey)

    /// Where to read if nothing is at this position, because the list became shorter or an address is forged; `nil` for the
    /// first page.
    ///
    /// - Parameter end: the position after everything in the list.
    func replacement(end: PageKey) -> PagePosition? {
        switch self {
        case .first: nil
        case .after: .before(end)
        case .before: .first
        }
    }
}

/// The neighbours of an artwork in a list.
package struct Neighbours: Sendable, Hashable {
    /// The id of the artwork before it.
    package let previous: String?
    /// The id of the artwork after it.
    package let next: String?
    /// Its number in the list, from 1; `nil` if counting would take too long.
    package let number: Int?
    /// The number of artworks in the list; `nil` if counting would take too long.
    package let total: Int?

    package init(previous: String?, next: String?, number: Int?, total: Int?) {
        (self.previous, self.next, self.number, self.total) = (previous, next, number, total)
    }
}

/// Lists of artworks for the pages. They are read from the index, so they are as of its last update
/// (``CatalogueStore/isIndexBehind()``).
extension CatalogueStore {
    /// The number of artworks on a page.
    package static let pageSize = 60

    /// Reads a page of a list of artworks.
    ///
    /// It reads some rows of the full-text index of the list's order, and their entries: no table is scanned, and nothing is
    /// sorted.
    ///
    /// - Parameters:
    ///   - position: where the page begins. A key of another order counts as the first page. Default: the first page.
    ///   - limit: the greatest number of artworks. Default: ``pageSize``.
    package func artworks(
        _ query: ArtworkQuery, from position: PagePosition = .first, limit: Int = pageSize
    ) throws -> ArtworkListing {
        let today = today
        return try snapshot { reader in
            let filter = try WordFilter(query, today: today, in: reader.db)
            return try ArtworkPage(query: query, filter: filter, reader: reader).listing(position, limit)
        }
    }

    /// The artworks before and after an artwork in a list; `nil` if the list doesn't contain it.
    package func neighbours(of artwork: String, in query: ArtworkQuery) throws -> Neighbours? {
        let today = today
        return try snapshot { reader in
            let filter = try WordFilter(query, today: today, in: reader.db)
            return try ArtworkPage(query: query, filter: filter, reader: reader).neighbours(of: artwork)
        }
    }

    /// What leads through a list: its facets, and the letters or centuries of its order. All are read from the same counts.
    ///
    /// - Parameter isThorough: whether more artworks of a long list are read to find its values, for a page without the
    ///   list. Default: `false`.
    package func guide(_ query: ArtworkQuery, isThorough: Bool = false) throws -> ArtworkGuide {
        let today = today
        return try snapshot { reader in
            var counter = FacetCounter(
                query: query, today: today, reader: reader,
                sampleSize: isThorough ? FacetSample.largeSize : FacetSample.usualSize)
            let letters = try query.sort.letters.map { try counter.values(of: $0) } ?? []
            let centuries = query.sort == .year ? try counter.values(of: .century) : []
            return ArtworkGuide(
                facets: try counter.facets(),
                letters: letters.compactMap { letter in
                    PageKey.before(letter: letter, in: query.sort).map { (letter: letter, before: $0) }
                },
                centuries: centuries.compactMap { Int($0) }.sorted().map {
                    (century: $0, before: PageKey.before(century: $0))
                })
        }
    }

    /// The current day, such as `2026-11-27`.
    var today: String { String(timestamp().prefix(10)) }
}

/// What leads through a list of artworks.
package struct ArtworkGuide: Sendable {
    /// The facets by which it can be filtered further (``FacetCounter/facets()``).
    package let facets: [OfferedFacet]
    /// The letters, `A` to `Z`, under which it has artworks, with the position before each. Empty in an order without letters, and if
    /// finding them would take too long (``FacetCounter/values(of:)``).
    package let letters: [(letter: String, before: PageKey)]
    /// The centuries of its artworks, with the position before each. Empty in an order other than that of years, and if finding
    /// them would take too long.
    package let centuries: [(century: Int, before: PageKey)]
}

/// Reads pages of one list of artworks.
struct ArtworkPage {
    let query: ArtworkQuery
    let filter: WordFilter
    let reader: CatalogueReader

    private var db: Database { reader.db }
    private var sort: ArtworkSort { query.sort }
    private var order: ArtworkOrder { ArtworkOrder(sort: sort, db: db) }

    func listing(_ position: PagePosition, _ limit: Int) throws -> ArtworkListing {
        guard !filter.isImpossible else {
            return ArtworkListing(items: [], next: nil, previous: nil, total: 0)
        }
        let limit = max(1, limit)
        var rows: [(place: Int, row: Row)], hasPrevious: Bool, hasNext: Bool
        switch position {
        case .before(let key) where key.order == sort.rawValue:
            let end = try order.firstPlace(after: key.values, including: true)
            rows = try self.rows("<", end ?? .max, "DESC", limit + 1)
            (hasPrevious, hasNext) = (rows.count > limit, true)
            rows = rows.prefix(limit).reversed()
            // The artwork of the key is usually still there, which is found at once.
            hasNext = try contains(end) || rows.last.map { try has(">", $0.place) } ?? false
        case .after(let key) where key.order == sort.rawValue:
            guard let start = try order.firstPlace(after: key.values) else {
                rows = []
                (hasPrevious, hasNext) = (false, false)
                break
            }
            rows = try self.rows(">=", start, "ASC", limit + 1)
            hasNext = rows.count > limit
            rows = Array(rows.prefix(limit))
            hasPrevious =
                try !rows.isEmpty
                && (contains(order.place(before: start))
                    || rows.first.map { try has("<", $0.place) } ?? false)
        default:
            rows = try self.rows(">=", .min, "ASC", limit + 1)
            (hasPrevious, hasNext) = (false, rows.count > limit)
            rows = Array(rows.prefix(limit))
        }
        if rows.isEmpty, let other = position.replacement(end: .end(of: sort)) {
            return try listing(other, limit)
        }
        return ArtworkListing(
            items: try reader.items(rows.map { $0.row[1] }, for: query.face),
            next: hasNext ? rows.last.map { key(of: $0.row) } : nil,
            previous: hasPrevious ? rows.first.map { key(of: $0.row) } : nil, total: try total())
    }

    func neighbours(of artwork: String) throws -> Neighbours? {
        guard !filter.isImpossible,
            let entry = try db.number("SELECT number FROM artwork_entry WHERE id = ?", [artwork]),
            let place = try order.place(of: entry),
            try db.isTrue(
                "SELECT 1 FROM \(sort.table) WHERE \(sort.table) MATCH ? AND rowid = ?",
                [filter.match, place])
        else { return nil }
        let total = try total()
        // Counting those before it takes no longer than counting all of them, if these are few.
        let number =
            try total.map { $0 <= Self.mostNumbered } == true
            ? db.number(
                "SELECT count(*) FROM \(sort.table) WHERE \(sort.table) MATCH ? AND rowid <= ?",
                [filter.match, place])
            : nil
        return Neighbours(
            previous: try rows("<", place, "DESC", 1).first.map { $0.row[1] },
            next: try rows(">", place, "ASC", 1).first.map { $0.row[1] }, number: number, total: total)
    }

    /// The greatest list whose artworks are numbered.
    private static let mostNumbered = 10_000

    /// The number of artworks in the list; `nil` if counting them would take too long.
    func total() throws -> Int? {
        let hidden = try reader.hiddenSinceIndex(for: query.face)
        guard hidden == 0 else { return query.filters.isEmpty ? filter.storedCount.map { $0 - hidden } : nil }
        if let count = filter.storedCount { return count }
        guard filter.isCountable else { return nil }
        return try db.number("SELECT count(*) FROM \(sort.table) WHERE \(sort.table) MATCH ?", [filter.match])
    }

    /// Rows of entries from a place on: the place, the id, and the sort keys.
    private func rows(_ comparison: String, _ place: Int, _ direction: String, _ limit: Int) throws
        -> [(place: Int, row: Row)]
    {
        let keys = sort.keys.map { "e.\($0)" }.joined(separator: ", ")
        return try db.rows(
            """
            SELECT w.rowid, e.id, \(keys) FROM \(sort.table) w CROSS JOIN \(sort.places) p ON p.place = w.rowid
            CROSS JOIN artwork_entry e ON e.number = p.number
            WHERE w.\(sort.table) MATCH ? AND w.rowid \(comparison) ? ORDER BY w.rowid \(direction) LIMIT ?
            """, [filter.match, place, limit]
        ).map { ($0[0], $0) }
    }

    /// Whether the artwork at a place is in the list.
    private func contains(_ place: Int?) throws -> Bool {
        guard let place else { return false }
        return try db.isTrue(
            "SELECT 1 FROM \(sort.table) WHERE \(sort.table) MATCH ? AND rowid = ?", [filter.match, place])
    }

    private func has(_ comparison: String, _ place: Int) throws -> Bool {
        try db.isTrue(
            """
            SELECT 1 FROM \(sort.table) WHERE \(sort.table) MATCH ? AND rowid \(comparison) ?
            ORDER BY rowid \(comparison == "<" ? "DESC" : "ASC") LIMIT 1
            """, [filter.match, place])
    }

    private func key(of row: Row) -> PageKey {
        PageKey(sort.rawValue, sort.values(of: row, from: 2))
    }
}
