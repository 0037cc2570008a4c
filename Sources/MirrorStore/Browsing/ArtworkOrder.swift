import GRDB

/// Finds places in an order of artworks by their sort keys.
///
/// A place is a number of an entry, and the row id of its words in the order's full-text index. The places of neighbours are far apart, so that
/// others fit in between. There is no index of sort keys, which would take as much space as the entries: places are searched by
/// halving, in some 20 steps.
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

    /// The place before a place, or the last if it is `nil`; `nil` if there is none.
    func place(before place: Int?) throws -> Int? {
        guard let place else { return try end("max") }
        return try db.number(
            "SELECT \(sort.column) FROM artwork_entry WHERE \(sort.column) < ? ORDER BY \(sort.column) DESC LIMIT 1",
            [place])
    }

    private func end(_ function: String) throws -> Int? {
        try db.number("SELECT \(function)(\(sort.column)) FROM artwork_entry")
    }

    /// The first row that fulfils a condition on its place, and whether its keys are greater than the given ones.
    private func row(
        _ condition: String, _ direction: String, _ including: Bool, _ arguments: StatementArguments
    ) throws -> (place: Int, isGreater: Bool)? {
        let keys = sort.keys.joined(separator: ", ")
        let parameters = sort.keys.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let sql = """
            SELECT \(sort.column), (\(keys)) \(including ? ">=" : ">") (\(parameters)) FROM artwork_entry
            WHERE \(sort.column) \(condition) ORDER BY \(sort.column) \(direction) LIMIT 1
            """
        return try db.row(sql, arguments).map { ($0[0], $0[1]) }
    }
}
