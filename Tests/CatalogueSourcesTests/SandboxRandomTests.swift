import CatalogueSources
import Synchronization
import Testing

/// Random SQL: none of it may crash, hang or hold memory.
@Suite struct SandboxRandomTests {
    /// The queries of the built-in descriptions' kind, to be damaged.
    private static let real = [
        "SELECT value AS id FROM json_each(:body, '$.objectIDs')",
        """
        SELECT :body ->> 'title' AS title, coalesce(nullif(:body ->> 'classification', ''), :body ->> 'objectName') AS category,
               centimetres(value ->> 'value', value ->> 'unit') AS height FROM json_each(:body, '$.dimensions')
        """,
        """
        SELECT value AS url FROM json_each(json_array(:body ->> 'primaryImage')) WHERE :body ->> 'isPublicDomain'
        UNION ALL SELECT value FROM json_each(:body, '$.additionalImages') WHERE :body ->> 'isPublicDomain'
        """,
        "SELECT iiif_base((:page ->> '$.config.iiif_url') || '/' || value) AS iiif, year(:body ->> 'd') FROM json_tree(:body)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT text(i), joined(:body, ';') FROM n",
        "SELECT key, list(value), plain(value), instant(value), free(value), reading_order(value) FROM json_each(:body)",
    ]

    private static let words = [
        "SELECT", "FROM", "WHERE", "json_each(:body)", "json_tree(:body, '$.a')", "UNION ALL", "GROUP BY",
        "ORDER BY", "LIMIT 3",
        "(", ")", ",", "*", "1", "'x'", "NULL", ":body", ":page", ":id", ":base", "->>", "->", "||", "value",
        "key", "AS", "a", "b",
        "IN", "CASE", "WHEN", "THEN", "END", "WITH", "RECURSIVE", "VALUES", "count", "json_extract", "printf",
        "'%.999999999d'",
        "hex", "zeroblob", "999999999", "replace", "text", "list", "plain", "year", "joined", "centimetres",
        "OVER", "PARTITION",
        "random", ";", "--", "/*", "*/", "\"", "'", "[", "]", "`", "\u{0}", "é", "x'00'",
        "-9223372036854775808", "1e400", "%",
        "PRAGMA", "ATTACH", "sqlite_schema", "EXISTS", "LEFT JOIN", "ON", "USING", "COLLATE", "ESCAPE",
        "BETWEEN", "CAST", "?1",
    ]

    private static let bodies = [
        "{\"a\":[1,{\"b\":\"x\"},null],\"dimensions\":[{\"value\":\"1,5\",\"unit\":\"in\"}],\"d\":\"c. 1830\"}",
        "", "[", "null",
        "\"<p>a &amp; b\"",
    ]

    private func sql(_ random: inout SplitMix) -> String {
        if random.below(2) == 0 {
            return (0...random.below(25)).map { _ in Self.words[random.below(Self.words.count)] }
                .joined(separator: random.below(10) == 0 ? "" : " ")
        }
        var text = Array(Self.real[random.below(Self.real.count)].unicodeScalars)
        for _ in 0..<random.below(4) {
            let position = random.below(text.count)
            switch random.below(4) {
            case 0: text.remove(at: position)
            case 1:
                text.insert(
                    contentsOf: Self.words[random.below(Self.words.count)].unicodeScalars, at: position)
            case 2: text.removeSubrange(position..<min(text.count, position + random.below(20)))
            default:
                text.insert(
                    contentsOf: text[position..<min(text.count, position + random.below(30))], at: position)
            }
            if text.isEmpty { text = [" "] }
        }
        return String(String.UnicodeScalarView(text))
    }

    @Test(arguments: 1...10) func randomSQLNeverCrashes(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let readings = Mutex(0)
        // The deadline passes after some thousand instructions.
        let sandbox = try SourceSandbox(language: "en") {
            readings.withLock { readings in
                readings += 1
                return .milliseconds(50 * readings)
            }
        }
        var succeeded = 0, failed = 0
        for _ in 0..<1000 {
            let query = SourceQuery(sql(&random))
            let values = SourceValues(
                body: Self.bodies[max(0, random.below(4 + Self.bodies.count) - 4)], page: "{}", id: "1")
            do {
                try sandbox.rows(query, values) { _ in }
                succeeded += 1
            } catch let failure as SQLFailure {
                failed += 1
                #expect(
                    !failure.message.isEmpty && failure.message.unicodeScalars.allSatisfy { $0.value >= 0x20 }
                )
            }
        }
        // Both happen often, so that running is tested as well as compiling.
        #expect(succeeded > 50 && failed > 200, "\(succeeded) succeeded")
        #expect(try sandbox.value(SourceQuery("SELECT 1"), SourceValues(body: "")) == .integer(1))
    }
}
