import GRDB

/// Finds places in an order of artworks by their sort keys.
///
/// A place is a number of an entry, and the row id of its words in the order's full-text index. The places of neighbours are
/// far apart, so that others fit in between. There is no index of sort keys, which would take as much space as the entries:
/// places are searched by halving, in some 20 steps.
struct ArtworkOrder {
    let sort: ArtworkSort
    let db: Database

    /// The first place whose keys are greater than these; `nil` if there is none.
    ///
    /// - Parameter including: whether equal keys count, too. Default: `false`.
    func firstPlace(after values: [PageKey.Value], including: Bool = false) throws -> Int? {
        guard let first = try end("min"), let last = try end("max") else { return nil }
        // All places before `low` have smaller keys; `high` has a greater one, or is after all.
        var low = first, high = last + 1
        let arguments = StatementArguments(
            values.map { value -> (any DatabaseValueConvertible)? in
                switch value {
                case .text(let text): text
                case .number(let number): number
                }
            })
        while low < high {
            let middle = low + (high - low) / 2
            let found = try row(">= ?1", "ASC", including, [middle] + arguments)
            if let found, found.place < high, !found.isGreater {
                low = found.place + 1
                continue
            }
            // The row before the first one that is greater shows whether the two enclose the keys, however far apart they are.
            if let found, found.place < high { high = found.place }
            guard let previous = try row("< ?1", "DESC", including, [min(middle, high)] + arguments),
                previous.place >= low, previous.isGreater
            else { break }
            high = previous.place
        }
        return high <= last ? high : nil
    }

    /// The place of an entry; `nil` if it has none.
    func place(of number: Int) throws -> Int? {
        let keys = sort.keys.joined(separator: ", ")
        guard let row = try db.row("SELECT \(keys) FROM artwork_entry WHERE number = ?", [number]) else {
            return nil
        }
        let place = try firstPlace(after: sort.values(of: row, from: 0), including: true)
        let owner = try db.number("SELECT number FROM \(sort.places) WHERE place = ?", [place])
        guard owner != number else { return place }
        // Only in a damaged index.
        return try db.number("SELECT place FROM \(sort.places) WHERE number = ?", [number])
    }

    /// The place before a place, or the last if it is `nil`; `nil` if there is none.
    func place(before place: Int?) throws -> Int? {
        guard let place else { return try end("max") }
        return try db.number(
            "SELECT place FROM \(sort.places) WHERE place < ? ORDER BY place DESC LIMIT 1",
            [place])
    }

    private func end(_ function: String) throws -> Int? {
        try db.number("SELECT \(function)(place) FROM \(sort.places)")
    }

    /// The first row that fulfils a condition on its place, and whether its keys are greater than the given ones.
    private func row(
        _ condition: String, _ direction: String, _ including: Bool, _ arguments: StatementArguments
    ) throws -> (place: Int, isGreater: Bool)? {
        let keys = sort.keys.map { "e.\($0)" }.joined(separator: ", ")
        let parameters = sort.keys.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let sql = """
            SELECT p.place, (\(keys)) \(including ? ">=" : ">") (\(parameters)) FROM \(sort.places) p
            CROSS JOIN artwork_entry e ON e.number = p.number
            WHERE p.place \(condition) ORDER BY p.place \(direction) LIMIT 1
            """
        return try db.row(sql, arguments).map { ($0[0], $0[1]) }
    }
}

extension ArtworkSort {
    /// The sort keys in a row, from a column on.
    func values(of row: Row, from column: Int) -> [PageKey.Value] {
        keys.enumerated().map { index, key in
            Self.numbers.contains(key) ? .number(row[column + index]) : .text(row[column + index])
        }
    }
}
