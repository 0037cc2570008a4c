import GRDB

/// Counts the words of artworks: how many artworks have each value of each facet, and how many of these are hidden.
struct FacetTally {
    private(set) var counts: [Int: (artworks: Int, hidden: Int)] = [:]

    /// Adds an artwork's words. Subtracts them if `amount` is -1.
    mutating func add(_ words: String, isHidden: Bool, _ amount: Int = 1) {
        Self.forEach(in: words) { number in
            counts[number, default: (0, 0)].artworks += amount
            if isHidden { counts[number, default: (0, 0)].hidden += amount }
        }
    }

    /// Calls `body` for the number of each word.
    static func forEach(in words: String, _ body: (Int) -> Void) {
        var number = 0, hasDigits = false
        for byte in words.utf8 {
            if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                (number, hasDigits) = (number &* 10 &+ Int(byte - UInt8(ascii: "0")), true)
            } else {
                if hasDigits { body(number) }
                (number, hasDigits) = (0, false)
            }
        }
        if hasDigits { body(number) }
    }

    /// Adds the words of all rows of a query: words, and whether the artwork is hidden.
    mutating func add(_ sql: String, _ amount: Int = 1, in db: Database) throws {
        try db.forEach(sql) { add($0[0], isHidden: $0[1], amount) }
    }

    /// Adds the counts to those that are stored.
    func store(in db: Database) throws {
        for (number, count) in counts.sorted(by: { $0.key < $1.key }) where count != (0, 0) {
            try db.run(
                "UPDATE facet_value SET artworks = artworks + ?, hidden = hidden + ? WHERE number = ?",
                [count.artworks, count.hidden, number])
        }
    }
}
