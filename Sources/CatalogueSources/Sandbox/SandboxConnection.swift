import GRDBSQLite

/// SQLite's connection of a sandbox, with its prepared statements.
final class SandboxConnection {
    private let database: OpaquePointer
    private let deadline: QueryDeadline
    /// Statements that no query is using, by SQL.
    private var idle: [String: PreparedQuery] = [:]
    /// The failures of queries that passed the deadline, by SQL.
    private var late: [String: SQLFailure] = [:]

    /// The number of idle statements that are kept. A description has some dozens of queries.
    private static let kept = 200
    /// After this number of rows, or of bytes, another query may run.
    private static let rowsInTurn = 200, bytesInTurn = 1 << 20

    init(functions: [SourceFunction], now: @escaping @Sendable () -> Duration) throws(SQLFailure) {
        database = try Self.open()
        deadline = QueryDeadline(now: now)
        for function in functions { function.register(in: database) }
        JSONGroupArray.register(in: database)
        // SQLite creates these tables at their first use, which the authorizer would refuse.
        try execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        // What is too large for a cache of 2 MB, such as a sort, goes to a file without a name instead of into memory.
        try execute("PRAGMA temp_store = FILE")
        // Otherwise a misspelled column in double quotes would be a text.
        _disableDoubleQuotedStringLiterals(database)
        SandboxLimits.apply(to: database)
        SandboxAuthorizer.attach(to: database)
        deadline.attach(to: database)
    }

    deinit {
        for prepared in idle.values { prepared.finalize() }
        sqlite3_close_v2(database)
    }

    private static func open() throws(SQLFailure) -> OpaquePointer {
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(":memory:", &database, flags, nil)
        guard code == SQLITE_OK, let database else {
            sqlite3_close_v2(database)
            throw SQLFailure(
                "SQLite can't open a database in memory: \(String(cString: sqlite3_errstr(code))).")
        }
        return database
    }

    private func execute(_ sql: String) throws(SQLFailure) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw SQLFailure(lastErrorOf: database)
        }
    }

    // MARK: - Statements

    /// Takes a statement for one query, prepared now or earlier. Nobody else gets it until ``checkIn(_:)``.
    ///
    /// A query that passed the deadline once fails at once from then on: otherwise an endless one would take a second for each
    /// of a catalogue's objects.
    func checkOut(_ sql: String) throws(SQLFailure) -> PreparedQuery {
        if let failure = late[sql] { throw failure }
        if let prepared = idle.removeValue(forKey: sql) { return prepared }
        return try PreparedQuery(sql, in: database)
    }

    /// Ends a query and keeps its statement.
    func checkIn(_ prepared: PreparedQuery) {
        prepared.reset()
        if idle.count >= Self.kept {
            for prepared in idle.values { prepared.finalize() }
            idle.removeAll()
        }
        // Two tasks may have run the same query at the same time.
        idle.updateValue(prepared, forKey: prepared.sql)?.finalize()
    }

    // MARK: - Running

    func bind(_ texts: BoundTexts, to prepared: PreparedQuery) throws(SQLFailure) {
        prepared.valueLimit = SandboxLimits.valueLimit(forInput: texts.totalLength)
        SandboxLimits.setValueLimit(prepared.valueLimit, of: database)
        guard prepared.bind(texts) == SQLITE_OK else { throw SQLFailure(lastErrorOf: database) }
        prepared.remaining = QueryDeadline.limit
    }

    /// Reads rows until the end of a turn, and at least one unless there are no more.
    func nextRows(
        of prepared: PreparedQuery, atMost limit: Int = rowsInTurn
    ) throws(SQLFailure) -> [SQLRow] {
        SandboxLimits.setValueLimit(prepared.valueLimit, of: database)
        deadline.start(prepared.remaining)
        defer { prepared.remaining = deadline.remaining }
        var rows: [SQLRow] = [], bytes = 0
        while rows.count < limit, bytes < Self.bytesInTurn {
            switch sqlite3_step(prepared.handle) {
            case SQLITE_ROW:
                let (row, length) = prepared.row()
                rows.append(row)
                bytes += length
            case SQLITE_DONE:
                prepared.isAtEnd = true
                return rows
            case SQLITE_INTERRUPT:
                let failure = SQLFailure(lastErrorOf: database)
                late[prepared.sql] = failure
                throw failure
            default:
                throw SQLFailure(lastErrorOf: database)
            }
        }
        prepared.returnedBytes += bytes
        guard prepared.returnedBytes <= SandboxLimits.maximum else {
            throw SQLFailure("The query returned more than \(SandboxLimits.maximum >> 20) MiB.")
        }
        return rows
    }
}
