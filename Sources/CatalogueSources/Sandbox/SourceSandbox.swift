import Synchronization

/// Runs the queries of a description over the answers of a server, safely.
///
/// A description may come from a stranger, and an answer always does. So a query can do nothing but compute:
///
/// - It runs on a connection to an empty database in memory. SQLite's authorizer allows it to read `json_each`, `json_tree`
///   and its own subqueries, and to call functions that only compute (``SandboxAuthorizer``).
/// - It ends after one second of processor time (``QueryDeadline``), and isn't run again by this sandbox. A value can have four times the length of the values
///   bound to the query, and 64 MiB at most (``SandboxLimits``).
/// - The only parameters are `:body`, `:page`, `:id` and `:base`.
///
/// SQLite's functions are completed by our own (``SourceFunction``). Statements are prepared once and kept. Several tasks may
/// use a sandbox; their queries run in turn, a few hundred rows at a time.
package final class SourceSandbox: Sendable {
    private let connection: Mutex<SandboxConnection>

    /// Opens a sandbox.
    ///
    /// - Parameters:
    ///   - language: the language that `text` prefers, such as `en`; `nil` for none.
    ///   - now: a monotonic clock for the deadline of queries. By default, it counts the processor time of the thread, so
    ///     that a query doesn't fail because other programs keep the machine busy.
    package init(
        language: String?, now: @escaping @Sendable () -> Duration = QueryDeadline.threadTime
    ) throws(SQLFailure) {
        connection = Mutex(try SandboxConnection(functions: SourceFunction.all(language: language), now: now))
    }

    /// Compiles a query and returns the names of its columns, in order.
    ///
    /// - Throws: ``SQLFailure`` if the query doesn't compile, is not exactly one SELECT, or does what it may not.
    package func columns(of query: SourceQuery) throws(SQLFailure) -> [String] {
        let prepared = try checkOut(query)
        connection.withLock { $0.checkIn(prepared) }
        return prepared.columns
    }

    /// Runs a query and passes its rows to `take`, in order.
    ///
    /// `take` may use the sandbox; its time doesn't count as the query's.
    /// - Parameter limit: the maximum number of rows.
    /// - Throws: ``SQLFailure`` if the query fails, takes too long, or returns too much; errors of `take`.
    package func rows(
        _ query: SourceQuery, _ values: SourceValues, limit: Int = 2_000_000, _ take: (SQLRow) throws -> Void
    ) throws {
        // The bound texts are not copied: they stay where they are until the statement is reset.
        try values.withBoundTexts { texts in
            let prepared = try checkOut(query)
            defer { connection.withLock { $0.checkIn(prepared) } }
            try connection.withLock { connection throws(SQLFailure) in
                try connection.bind(texts, to: prepared)
            }
            var count = 0
            while !prepared.isAtEnd {
                let rows = try connection.withLock { connection throws(SQLFailure) in
                    try connection.nextRows(of: prepared)
                }
                count += rows.count
                guard count <= limit else { throw SQLFailure("The query returned more than \(limit) rows.") }
                for row in rows { try take(row) }
            }
        }
    }

    /// Runs a query that returns one value: the first row of its only column, or NULL if there is no row.
    ///
    /// - Throws: ``SQLFailure`` if the query fails, takes too long, or has several columns.
    package func value(_ query: SourceQuery, _ values: SourceValues) throws -> SQLValue {
        try values.withBoundTexts { texts in
            let prepared = try checkOut(query)
            defer { connection.withLock { $0.checkIn(prepared) } }
            guard prepared.columns.count == 1 else {
                throw SQLFailure("The query must have one column, but has \(prepared.columns.count).")
            }
            return try connection.withLock { connection throws(SQLFailure) in
                try connection.bind(texts, to: prepared)
                return try connection.nextRows(of: prepared, atMost: 1).first?.values.first ?? .null
            }
        }
    }

    private func checkOut(_ query: SourceQuery) throws(SQLFailure) -> PreparedQuery {
        try connection.withLock { connection throws(SQLFailure) in try connection.checkOut(query.sql) }
    }
}
