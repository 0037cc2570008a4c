import GRDBSQLite

/// How large a query and its values may be.
///
/// SQLite can't interrupt a single function such as `replace`, and keeps a value for each expression. So the length of values
/// bounds both the time of a function and the memory of a query.
enum SandboxLimits {
    /// The maximum length of a value and of all rows together, in bytes.
    static let maximum = 64 << 20
    /// The maximum length of a query, in bytes.
    static let sqlLength = 32 << 10

    /// The maximum length of a value, in bytes: enough to build a new text from all bound ones, and no more.
    static func valueLimit(forInput length: Int) -> Int32 {
        Int32(min(maximum, (64 << 10) + 4 * min(length, maximum)))
    }

    static func setValueLimit(_ limit: Int32, of database: OpaquePointer) {
        sqlite3_limit(database, SQLITE_LIMIT_LENGTH, limit)
    }

    static func apply(to database: OpaquePointer) {
        for (limit, value) in [
            (SQLITE_LIMIT_LENGTH, Int32(maximum)), (SQLITE_LIMIT_SQL_LENGTH, Int32(sqlLength)),
            // Also the number of arguments of GROUP BY, ORDER BY and VALUES.
            (SQLITE_LIMIT_COLUMN, 100), (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_COMPOUND_SELECT, 50),
            (SQLITE_LIMIT_FUNCTION_ARG, 40), (SQLITE_LIMIT_VDBE_OP, 100_000),
            // A long pattern takes long for a long text.
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200), (SQLITE_LIMIT_VARIABLE_NUMBER, 100),
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 0), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            sqlite3_limit(database, limit, value)
        }
    }
}
