import CatalogueSources
import Testing

@Suite struct SourceSandboxTests {
    private let sandbox: SourceSandbox

    init() throws { sandbox = try SourceSandbox(language: "en") }

    private static let record = """
        {"objectID":900001,"isPublicDomain":true,"title":"A Made-up Print","objectDate":"ca. 1830","medium":"Etching",\
        "primaryImage":"https://images.metmuseum.org/CRDImages/xx/original/A 1.jpg","additionalImages":["https://x/2.jpg"],\
        "constituents":[{"constituentID":5001,"role":"Artist","name":"Ada Maker"}],"classification":"","objectName":"Print",\
        "accessionNumber":"00.1.1","creditLine":null,"GalleryNumber":"","height":10.5}
        """

    private func rows(_ sql: String, _ body: String = record, limit: Int = 100) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try sandbox.rows(SourceQuery(sql), SourceValues(body: body), limit: limit) { rows.append($0.values) }
        return rows
    }

    private func failure(_ sql: String, _ body: String = record) -> SQLFailure? {
        #expect(throws: SQLFailure.self) { try rows(sql, body) }
    }

    // MARK: - Reading

    @Test func aRecordIsReadIntoNamedColumns() throws {
        var found: SQLRow?
        let query = SourceQuery(
            """
            SELECT :body ->> 'title' AS title, :body ->> 'objectID' AS id, :body ->> 'creditLine' AS credit_line,
                   coalesce(nullif(:body ->> 'classification', ''), :body ->> 'objectName') AS category,
                   :body ->> 'height' AS height, :body ->> 'isPublicDomain' AS free
            """)
        try sandbox.rows(query, SourceValues(body: Self.record)) { found = $0 }
        let row = try #require(found)
        #expect(row.columns == ["title", "id", "credit_line", "category", "height", "free"])
        #expect(row.columns == (try sandbox.columns(of: query)))
        #expect(row["title"] == .text("A Made-up Print"))
        #expect(row["id"] == .integer(900_001))
        #expect(row["credit_line"] == .null)
        #expect(row["category"] == .text("Print"))
        #expect(row["height"] == .real(10.5))
        #expect(row["free"] == .integer(1))
        #expect(row["no such column"] == .null)
    }

    @Test func rowsComeInTheOrderOfTheAnswer() throws {
        let images = try rows(
            """
            SELECT value AS url FROM json_each(json_array(:body ->> 'primaryImage')) WHERE :body ->> 'isPublicDomain'
            UNION ALL SELECT value FROM json_each(:body, '$.additionalImages') WHERE :body ->> 'isPublicDomain'
            """)
        #expect(
            images == [
                [.text("https://images.metmuseum.org/CRDImages/xx/original/A 1.jpg")],
                [.text("https://x/2.jpg")],
            ])
    }

    @Test func aListOfManyTurnsIsReadWholeAndOnce() throws {
        let ids = Array(1...1234)
        let body = "{\"objectIDs\":[\(ids.map(String.init).joined(separator: ","))]}"
        let found = try rows("SELECT value AS id FROM json_each(:body, '$.objectIDs')", body, limit: 1234)
        #expect(found == ids.map { [.integer(Int64($0))] })
    }

    @Test func allFourParametersAreBoundAndUnusedOnesAreIgnored() throws {
        let values = SourceValues(body: "", page: "p", id: "i", base: "b")
        var found: [SQLValue] = []
        try sandbox.rows(SourceQuery("SELECT :body, :page, :id, :base, :id"), values) { found = $0.values }
        #expect(found == [.text(""), .text("p"), .text("i"), .text("b"), .text("i")])
        let missing = SourceValues(body: "a longer text that is not stored in place")
        try sandbox.rows(SourceQuery("SELECT :body, :page, :id, :base"), missing) { found = $0.values }
        #expect(found == [.text(missing.body), .null, .null, .null])
        #expect(try sandbox.value(SourceQuery("SELECT 5"), values) == .integer(5))
    }

    @Test func aValueIsTheFirstRowOfTheOnlyColumn() throws {
        let values = SourceValues(body: "{\"total\":3,\"a\":[7,8]}")
        #expect(try sandbox.value(SourceQuery("SELECT :body ->> 'total'"), values) == .integer(3))
        #expect(
            try sandbox.value(SourceQuery("SELECT value FROM json_each(:body, '$.a')"), values) == .integer(7)
        )
        #expect(try sandbox.value(SourceQuery("SELECT 1 WHERE false"), values) == .null)
        let failure = #expect(throws: SQLFailure.self) {
            try sandbox.value(SourceQuery("SELECT 1, 2"), values)
        }
        #expect(failure?.message == "The query must have one column, but has 2.")
    }

    @Test func textFromAnAnswerIsUnicodeWithoutNUL() throws {
        #expect(
            try rows("SELECT :body ->> 'a', x'41FF42', char(65, 0, 66)", #"{"a":"Łé"}"#) == [
                [.text("Łé"), .text("A\u{FFFD}B"), .text("AB")]
            ])
    }

    @Test(arguments: [
        "-- the title\nSELECT 1", "/* one */ SELECT 1 /* two */ ; -- three", "SELECT 1;;  ", "VALUES (1)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT min(i) FROM n",
    ]) func commentsSemicolonsAndRecursionAreAllowed(_ sql: String) throws {
        #expect(try rows(sql) == [[.integer(1)]])
    }

    // MARK: - Errors in queries

    @Test(
        arguments: [
            ("", "The query is empty. Write a SELECT.", nil),
            ("  -- nothing", "The query is empty. Write a SELECT.", nil),
            ("SELECT 1; SELECT 2", "The query must be one SELECT, but more text follows it.", 9),
            ("SELECT 1; oh", "The query must be one SELECT, but more text follows it.", 9),
            ("SELECT 1 FORM x", "near \"x\": syntax error", 14), ("SELECT titel", "no such column: titel", 7),
            ("SELECT \"titel\"", "no such column: titel", 7),
            ("SELECT nofunction(1)", "no such function: nofunction", 7),
            ("SELECT year(1, 2)", "wrong number of arguments to function year()", 7),
            ("SELECT :bdy", "There is no parameter :bdy. The parameters are :body, :page, :id, :base.", nil),
            ("SELECT ?", "There is no parameter ?. The parameters are :body, :page, :id, :base.", nil),
            ("SELECT ?2", "There is no parameter ?. The parameters are :body, :page, :id, :base.", nil),
            (
                "SELECT @body", "There is no parameter @body. The parameters are :body, :page, :id, :base.",
                nil
            ),
            ("SELECT 1\u{0}", "The query contains a NUL character.", nil),
            ("EXPLAIN SELECT 1", "The query must be a SELECT.", nil),
        ] as [(String, String, Int?)]) func aQueryThatDoesNotCompileSaysWhatAndWhere(
            _ sql: String, _ message: String, _ offset: Int?
        )
    {
        let failure = #expect(throws: SQLFailure.self) { try sandbox.columns(of: SourceQuery(sql)) }
        #expect(failure?.message == message)
        #expect(failure?.offset == offset)
    }

    @Test func malformedJSONIsExplained() throws {
        let failure = failure("SELECT 'https://x/' || :body ->> 'id'", "{\"id\":1}")
        #expect(
            failure?.message
                == "malformed JSON. Where || joins a text and a value, put the value in parentheses: "
                + "'https://x/' || (:body ->> 'id').")
        #expect(
            try rows("SELECT 'https://x/' || (:body ->> 'id')", "{\"id\":1}") == [[.text("https://x/1")]])
        #expect(self.failure("SELECT :body ->> 'id'", "no JSON") != nil)
    }

    @Test func aMessageHasNoControlCharacters() throws {
        let failure = failure("SELECT \"\u{1B}[31mred\u{202E}\n\"")
        #expect(failure?.message == "no such column:  [31mred  ")
    }

    @Test func aQueryWorksAgainAfterItFailed() throws {
        let sql = "SELECT :body ->> 'a'"
        #expect(failure(sql, "no JSON") != nil)
        #expect(try rows(sql, "{\"a\":1}") == [[.integer(1)]])
        #expect(throws: Stop.self) {
            try sandbox.rows(SourceQuery(sql), SourceValues(body: "{\"a\":2}")) { _ in throw Stop() }
        }
        #expect(try rows(sql, "{\"a\":3}") == [[.integer(3)]])
    }

    private struct Stop: Error {}

    @Test func moreRowsThanTheLimitAreAnError() throws {
        #expect(try rows("VALUES (1), (2)", limit: 2).count == 2)
        let failure = #expect(throws: SQLFailure.self) { try rows("VALUES (1), (2), (3)", limit: 2) }
        #expect(failure?.message == "The query returned more than 2 rows.")
    }

    // MARK: - Several queries at a time

    @Test func aRowMayBeReadWithTheSameSandboxAndTheSameQuery() throws {
        let query = SourceQuery("SELECT value FROM json_each(:body)")
        var found: [SQLValue] = []
        try sandbox.rows(query, SourceValues(body: "[\"[1,2]\",\"[3]\"]")) { row in
            try sandbox.rows(query, SourceValues(body: row["value"].text ?? "")) { found += $0.values }
        }
        #expect(found == [.integer(1), .integer(2), .integer(3)])
    }

    @Test func severalTasksUseOneSandbox() async throws {
        let query = SourceQuery("SELECT value + (:id ->> '$') FROM json_each(:body)")
        let numbers = (0..<500).map(String.init).joined(separator: ",")
        let sums = try await withThrowingTaskGroup(of: Int64.self) { [sandbox] group in
            for task in 1...8 {
                group.addTask {
                    var sum: Int64 = 0
                    for _ in 0..<10 {
                        let values = SourceValues(body: "[\(numbers)]", id: String(task))
                        try sandbox.rows(query, values) { row in
                            if case .integer(let number)? = row.values.first { sum += number }
                        }
                    }
                    return sum
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        // Ten times the sum of 0 to 499, and ten times 500 times the task's number.
        let expected: [Int64] = (1...8).map { task in 1_247_500 + 5000 * task }
        #expect(sums == Set(expected))
    }
}
