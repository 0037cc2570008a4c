import GRDB

// Reading and writing by statements that are compiled once for each connection, beside GRDB's own methods, which compile at
// each call.

extension Database {
    /// Executes one statement.
    func execute(cached sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension Row {
    static func fetchOne(_ db: Database, cached sql: String, _ arguments: StatementArguments = []) throws
        -> Row?
    {
        try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    static func fetchAll(_ db: Database, cached sql: String, _ arguments: StatementArguments = []) throws
        -> [Row]
    {
        try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }

    /// Reads rows one by one: memory stays flat however many there are.
    static func forEach(
        _ db: Database, cached sql: String, _ arguments: StatementArguments = [],
        _ body: (Row) throws -> Void
    ) throws {
        let rows = try fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { try body(row) }
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    static func fetchOne(_ db: Database, cached sql: String, _ arguments: StatementArguments = []) throws
        -> Self?
    {
        try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    static func fetchAll(_ db: Database, cached sql: String, _ arguments: StatementArguments = []) throws
        -> [Self]
    {
        try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    static func fetchSet(_ db: Database, cached sql: String, _ arguments: StatementArguments = []) throws
        -> Set<Self>
    {
        try fetchSet(db.cachedStatement(sql: sql), arguments: arguments)
    }
}
