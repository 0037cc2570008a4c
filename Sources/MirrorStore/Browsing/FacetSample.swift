import Catalogue
import GRDB

/// The words of the artworks of a list or search, or of some of them, spread over all. Of a search with too many hits to count,
/// they are among the first of the index.
///
/// A value that many have is in a sample almost surely: one of 4 % of the artworks is missing in one of a hundred samples of
/// the usual size.
struct FacetSample {
    let tally: FacetTally
    /// Whether the words are those of all artworks, so that their numbers are known.
    let isWhole: Bool

    /// The number of artworks in a sample beside a list. Reading it takes a millisecond or two.
    static let usualSize = 120
    /// The number in a sample for a page that shows the values of one facet, and no list.
    static let largeSize = 1_000
    /// The number of places of an order from which neighbours are read.
    private static let parts = 6

    init(tally: FacetTally, isWhole: Bool) { (self.tally, self.isWhole) = (tally, isWhole) }

    /// Reads some artworks of a list.
    ///
    /// They are taken in the order of titles, in which the artworks that have a value are spread best.
    init(of filter: WordFilter, size: Int, in db: Database) throws {
        let sort = ArtworkSort.title
        // One query for both would read all places.
        let ends = try db.row(
            "SELECT (SELECT min(place) FROM \(sort.places)), (SELECT max(place) FROM \(sort.places))")
        var tally = FacetTally(), next = Int.min, isWhole = false
        if let first: Int = ends?[0], let last: Int = ends?[1] {
            let step = (last - first) / Self.parts
            for part in 0..<Self.parts {
                var count = 0
                try db.forEach(
                    """
                    SELECT w.rowid, e.words FROM \(sort.table) w CROSS JOIN \(sort.places) p ON p.place = w.rowid
                    CROSS JOIN artwork_entry e ON e.number = p.number
                    WHERE w.\(sort.table) MATCH ? AND w.rowid >= ? ORDER BY w.rowid LIMIT ?
                    """, [filter.match, max(next, first + part * step), size / Self.parts]
                ) { row in
                    next = row[0] + 1
                    count += 1
                    tally.add(row[1], isHidden: false)
                }
                // Then the end is reached.
                guard count < size / Self.parts else { continue }
                isWhole = part == 0
                break
            }
        }
        self.init(tally: tally, isWhole: isWhole)
    }

    /// Reads some artworks of a search; all if `size` is their number.
    init(of hits: SearchHits, size: Int, in db: Database) throws {
        var tally = FacetTally()
        let step = max(1, (hits.total ?? PageSearch.mostCompared) / max(1, size))
        try db.forEach(
            """
            SELECT e.words FROM json_each(?) j CROSS JOIN artwork_entry e ON e.number = j.value WHERE j.key % ? = 0
            """, [hits.numbers, step]
        ) { tally.add($0[0], isHidden: false) }
        self.init(tally: tally, isWhole: hits.total.map { $0 <= size } ?? false)
    }
}
