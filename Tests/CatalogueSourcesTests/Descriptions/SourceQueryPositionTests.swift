import CatalogueSources
import Testing

@Suite struct SourceQueryPositionTests {
    private static let row = "SELECT :body ->> 'title' AS title"

    /// `row` stands in line 15, its value in column 10.
    private func query(_ row: String) throws -> SourceQuery {
        let description = try TinyDescription.reading(Self.row, with: row)
        return try #require(description[.artwork]).object.row
    }

    @Test(arguments: [
        ("SELECT 1", 15, 10), ("'SELECT 1'", 15, 11), ("\"SELECT 1\"", 15, 11), ("|\n      SELECT 1", 16, 7),
        ("|  # a comment\n          SELECT 1", 16, 11), ("|-\n\n\n        SELECT 1", 16, 9),
        ("|2\n       SELECT 1", 16, 7),
        (">\n      SELECT 1", 16, 7), ("\n       SELECT 1", 16, 8),
    ]) func theBeginningOfAQueryIsKnown(_ row: String, _ line: Int, _ column: Int) throws {
        #expect(try query(row).position == SourcePosition(line: line, column: column))
    }

    @Test(arguments: [
        ("SELECT x", 7, 15, 17), ("SELECT 'é', x", 13, 15, 22), ("'SELECT x'", 7, 15, 18),
        ("|\n      SELECT\n        x", 9, 17, 9), ("|\n      SELECT 'é',\n      x", 13, 17, 7),
        ("|\n\n      SELECT x", 8, 17, 14),
        // The text is not in the file in this form.
        ("'SELECT ''x'', y'", 12, 15, 11), (">\n      SELECT\n      x", 7, 16, 7),
        ("SELECT\n      x", 7, 15, 10),
        // Offsets outside the text.
        ("SELECT x", -1, 15, 10), ("SELECT x", 1_000, 15, 18),
    ]) func aPlaceInAQueryIsAPlaceInTheFile(
        _ row: String, _ offset: Int, _ line: Int, _ column: Int
    ) throws {
        #expect(try query(row).position(at: offset) == SourcePosition(line: line, column: column))
    }

    @Test func whiteSpaceAtTheEndOfAQueryIsRemoved() throws {
        #expect(try query("|+\n      SELECT 1  \n\n\n").sql == "SELECT 1")
    }
}
