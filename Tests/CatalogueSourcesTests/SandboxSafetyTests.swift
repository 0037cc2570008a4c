import CatalogueSources
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct SandboxSafetyTests {
    private let values = SourceValues(body: "{\"a\":[1,2,3]}", id: "1")

    private func run(_ sql: String, in sandbox: SourceSandbox, _ values: SourceValues? = nil) -> SQLFailure? {
        do {
            try sandbox.rows(SourceQuery(sql), values ?? self.values) { _ in }
            return nil
        } catch {
            return error as? SQLFailure
        }
    }

    // MARK: - What a query may do

    @Test(arguments: [
        "ATTACH '/tmp/other.sqlite' AS other", "ATTACH ':memory:' AS other", "DETACH main",
        "PRAGMA user_version",
        "PRAGMA journal_mode = WAL", "PRAGMA temp_store_directory = '/tmp'", "CREATE TABLE t(a)",
        "CREATE TEMP TABLE t(a)", "CREATE TABLE t AS SELECT :body", "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE t USING fts5(a)", "CREATE TEMP TRIGGER r DELETE ON t BEGIN SELECT 1; END",
        "DROP TABLE t",
        "ALTER TABLE t RENAME TO u", "CREATE INDEX i ON t(a)", "INSERT INTO sqlite_schema DEFAULT VALUES",
        "UPDATE sqlite_schema SET sql = ''", "DELETE FROM sqlite_schema", "REPLACE INTO json_each VALUES (1)",
        "INSERT INTO json_each VALUES (1) RETURNING 1", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s",
        "RELEASE s",
        "VACUUM", "VACUUM INTO '/tmp/copy.sqlite'", "ANALYZE", "REINDEX", "EXPLAIN SELECT 1",
        "EXPLAIN QUERY PLAN SELECT 1",
    ]) func aStatementThatIsNoQueryIsRefused(_ sql: String) throws {
        #expect(run(sql, in: try SourceSandbox(language: nil)) != nil)
    }

    @Test(arguments: [
        "sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_sequence", "pragma_table_list",
        "pragma_function_list",
        "pragma_database_list", "pragma_compile_options", "dbstat", "sqlite_stmt", "sqlite_dbpage",
        "fts5vocab", "bytecode",
        "generate_series",
    ]) func otherTablesAreRefused(_ table: String) throws {
        let sandbox = try SourceSandbox(language: nil)
        for sql in [
            "SELECT * FROM \(table)", "SELECT 1 FROM \(table)", "SELECT count(*) FROM \(table)",
            "SELECT (SELECT 1 FROM \(table)) FROM json_each(:body)", "SELECT * FROM \(table)('a')",
        ] {
            #expect(run(sql, in: sandbox) != nil, "\(sql)")
        }
    }

    @Test(arguments: [
        "load_extension('x')", "random()", "randomblob(8)", "randomblob(1000000000)", "zeroblob(1000000000)",
        "printf('%.2000000000c', 'x')", "format('%d', 1)",
        "json_group_object(key, value)", "jsonb('1')", "json_pretty('1')",
        "date('now')",
        "datetime('now')",
        "datetime()", "time('2026-01-01')", "julianday('now')", "unixepoch()", "strftime('%s', 'now')",
        "current_timestamp",
        "current_date", "current_time", "sqlite_version()", "sqlite_source_id()",
        "sqlite_compileoption_get(0)",
        "sqlite_compileoption_used('a')", "changes()", "total_changes()", "last_insert_rowid()",
        "readfile('/etc/passwd')",
        "writefile('/tmp/x', 'a')", "edit('a')", "fts3_tokenizer('simple')", "fts5_source_id()",
        "sqlite_log(1, 'a')",
        "matchinfo(1)", "subtype('a')", "rtreecheck('a')", "LOAD_EXTENSION('x')", "\"random\"()",
        "'a' REGEXP 'b'",
        "'a' MATCH 'b'", "json_patch('{}', '{}')", "sum(random())", "sqlite_offset(value)", "getenv('HOME')",
    ]) func functionsThatDoMoreThanComputeAreRefused(_ call: String) throws {
        let sandbox = try SourceSandbox(language: nil)
        #expect(run("SELECT \(call) FROM json_each(:body)", in: sandbox) != nil)
        #expect(run("SELECT 1 FROM json_each(:body) ORDER BY \(call)", in: sandbox) != nil)
    }

    @Test(arguments: ["t", "\"own table\""]) func aTableOfWithMayBeCounted(_ name: String) throws {
        let sql = "WITH \(name) AS (SELECT value FROM json_each(:body, '$.a')) SELECT count(*) FROM \(name)"
        #expect(try SourceSandbox(language: nil).value(SourceQuery(sql), values) == .integer(3))
    }

    @Test func aRefusalSaysWhatAQueryMayDo() throws {
        #expect(
            run("SELECT random()", in: try SourceSandbox(language: nil))?.message
                == "not authorized to use function: random. A query may only read json_each, json_tree and its own "
                + "subqueries, with functions that only compute.")
    }

    @Test(arguments: [
        "abs(1)", "instr('a', 'a')", "replace('a', 'a', 'b')",
        "trim(' a ')", "'a' LIKE 'A'",
        "'a' GLOB 'a'", "iif(1, 2, 3)", "round(1.5)", "floor(1.5)", "group_concat(value)",
        "json_array(value)",
        "row_number() OVER (ORDER BY value)", "lag(value) OVER ()", "json_array_length(:body, '$.a')",
        "json_type(:body)",
        "json_valid(:body)", "substr('abc', 2)", "upper('a')", "unicode('a')", "max(1, 2)", "count(*)",
    ]) func functionsThatComputeAreAllowed(_ call: String) throws {
        #expect(run("SELECT \(call) FROM json_tree(:body)", in: try SourceSandbox(language: nil)) == nil)
    }

    // MARK: - Time

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test func anEndlessQueryEndsAfterASecondOfWork() throws {
        let sandbox = try SourceSandbox(language: nil), start = QueryDeadline.threadTime()
        let failure = run(Self.endless, in: sandbox)
        #expect(failure?.message == "The query took longer than 1 s. Let it read less, or join less.")
        #expect(QueryDeadline.threadTime() - start < .seconds(3))
        #expect(run("SELECT 1", in: sandbox) == nil)
    }

    @Test(arguments: [
        endless,
        "SELECT count(*) FROM json_each(:body, '$.a') a, json_each(:body, '$.a') b, json_each(:body, '$.a') c, "
            + "json_each(:body, '$.a') d, json_each(:body, '$.a') e, json_each(:body, '$.a') f, json_each(:body, '$.a') g, "
            + "json_each(:body, '$.a') h, json_each(:body, '$.a') i, json_each(:body, '$.a') j",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i * 31 % 1000003 FROM n) SELECT i FROM n ORDER BY i",
    ]) func theDeadlineIsReadFromTheClock(_ sql: String) throws {
        let readings = Mutex(0)
        // Every reading of this clock is 10 ms after the one before.
        let sandbox = try SourceSandbox(language: nil) {
            readings.withLock { readings in
                readings += 1
                return .milliseconds(10 * readings)
            }
        }
        #expect(run(sql, in: sandbox)?.message.hasPrefix("The query took longer than 1 s.") == true)
        #expect(readings.withLock { $0 } < 110)
    }

    @Test func aQueryThatTookTooLongOnceFailsAtOnceFromThenOn() throws {
        let readings = Mutex(0)
        let sandbox = try SourceSandbox(language: nil) {
            readings.withLock { readings in
                readings += 1
                return .milliseconds(100 * readings)
            }
        }
        let first = try #require(run(Self.endless, in: sandbox)), count = readings.withLock { $0 }
        #expect(count > 0)
        for _ in 0..<3 { #expect(run(Self.endless, in: sandbox) == first) }
        #expect(throws: first) { try sandbox.value(SourceQuery(Self.endless), values) }
        #expect(readings.withLock { $0 } == count, "the query isn't run again")
        #expect(run("SELECT 1", in: sandbox) == nil, "other queries are")
        let fresh = try SourceSandbox(language: nil)
        #expect(try fresh.columns(of: SourceQuery(Self.endless)) == ["max(i)"])
    }

    @Test func theTimeOfTheReaderIsNotTheQuerys() throws {
        let now = Mutex(Duration.zero)
        let sandbox = try SourceSandbox(language: nil) { now.withLock { $0 } }
        var count = 0
        let sql =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n"
        try sandbox.rows(SourceQuery(sql), values) { _ in
            count += 1
            now.withLock { $0 += .seconds(1) }
        }
        #expect(count == 3000)
    }

    @Test func aQueryWhoseTablesMultiplyIsRefusedBeforeItIsCompiled() throws {
        let sandbox = try SourceSandbox(language: nil), start = QueryDeadline.threadTime()
        for (open, use) in [("AS (", "t"), ("AS MATERIALIZED (", "\"T"), ("as not materialized(", "[t")] {
            var sql = "WITH t0(x) AS (SELECT 1)"
            let close = use.hasPrefix("\"") ? "\"" : use.hasPrefix("[") ? "]" : ""
            for table in 1...40 {
                sql +=
                    ", t\(table)(x) \(open)SELECT 1 FROM \(use)\(table - 1)\(close), \(use)\(table - 1)\(close) b)"
            }
            let failure = run(sql + " SELECT x FROM t40", in: sandbox)
            #expect(failure?.message == "The tables of WITH use each other too often. Use fewer of them.")
        }
        #expect(QueryDeadline.threadTime() - start < .seconds(1))
        let sql = """
            WITH items AS (SELECT key, value FROM json_each(:body, '$.a')), big AS (SELECT value FROM items WHERE items.value > 1)
            SELECT big.value FROM big JOIN items ON items.value = big.value
            """
        #expect(run(sql, in: sandbox) == nil)
    }

    // MARK: - Memory

    /// Each of these would need gigabytes, or never end.
    private static let growing = [
        "SELECT joined(:id, :page)", "SELECT replace(:page, 'x', :page)",
        "SELECT group_concat(:page, '') FROM json_each(:id) a, json_each(:id) b",
        "SELECT json_group_array(:page) FROM json_each(:id) a, json_each(:id) b",
        "WITH RECURSIVE n(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM n) SELECT max(length(x)) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 'x' UNION ALL SELECT quote(x) || quote(x) FROM n) SELECT x FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT json_group_array(:page) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, :page FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT DISTINCT x || :page FROM n",
    ]
    private let long = SourceValues(
        body: "", page: String(repeating: "x", count: 100_000),
        id: "[" + (0..<1000).map(String.init).joined(separator: ",") + "]")

    @Test(arguments: growing) func aQueryThatGrowsFailsWithoutHelpOfTheClock(_ sql: String) throws {
        // A clock that stands still: only the limits can end the query.
        let sandbox = try SourceSandbox(language: nil) { .zero }
        let message = run(sql, in: sandbox, long)?.message ?? ""
        let ends = ["string or blob too big.", "The query returned more than 64 MiB."]
        #expect(ends.contains { message.hasPrefix($0) }, "\(message)")
        #expect(run("SELECT 1", in: sandbox) == nil)
    }

    @Test func whatAQuerySortsIsNotKeptInMemory() throws {
        let sandbox = try SourceSandbox(language: nil) { .zero }, before = Self.peakMemory()
        // 300 MB
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
            SELECT length(min(i || :page)) FROM n GROUP BY i || :page
            """
        #expect(run(sql, in: sandbox, long) == nil)
        #expect(Self.peakMemory() - before < 256 << 20)
    }

    /// The largest amount of memory that this process has had, in bytes.
    private static func peakMemory() -> Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss << 10
        #endif
    }

    @Test func aValueMayBeAsLongAsTheAnswerAllows() throws {
        let sandbox = try SourceSandbox(language: nil)
        let long = SourceValues(body: "\"" + String(repeating: "x", count: 1 << 18) + "\"")
        #expect(run("SELECT :body || :body", in: sandbox, long) == nil)
        #expect(
            run("SELECT :body || :body || :body || :body || :body", in: sandbox, long)?.message
                == "string or blob too big. A value can have four times the length of the answer, and 64 MiB at most."
        )
        // Of long parts, because a debug build appends 64 million letters slowly.
        let part = String(repeating: "x", count: 1 << 16)
        let longest = SourceValues(body: String(repeating: part, count: 1 << 10) + "x")
        #expect(run("SELECT length(:body)", in: sandbox, longest) != nil)
    }

    @Test func aLargeQueryIsRefused() throws {
        let sandbox = try SourceSandbox(language: nil)
        let many = (0...100).map(String.init)
        for sql in [
            "SELECT '" + String(repeating: "x", count: 40_000) + "'",
            "SELECT " + many.joined(separator: ", "),
            "SELECT " + many.joined(separator: " + "), "SELECT max(" + many.joined(separator: ", ") + ")",
            many.map { "SELECT \($0)" }.joined(separator: " UNION ALL "),
            "SELECT " + String(repeating: "(", count: 5000) + "1" + String(repeating: ")", count: 5000),
            "SELECT 'a' LIKE '" + String(repeating: "%a", count: 200) + "'",
            "SELECT 1 FROM " + many.map { "json_each(:body) t\($0)" }.joined(separator: ", "),
        ] {
            #expect(run(sql, in: sandbox) != nil, "\(sql.prefix(60))")
        }
    }
}
