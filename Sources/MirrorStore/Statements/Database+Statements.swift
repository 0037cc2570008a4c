import Catalogue
import GRDB

/// Runs SQL by GRDB's cached statements: each is prepared once per connection and found by its text.
extension Database {
    /// Runs a statement that changes rows.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first column of each row.
    func texts(_ sql: String, _ arguments: StatementArguments = []) throws -> [String] {
        try String.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first column of each row, compared by its bytes.
    func ids(_ sql: String, _ arguments: StatementArguments = []) throws -> Set<ExactText> {
        try Set(texts(sql, arguments).map(ExactText.init))
    }

    /// The first column of the first row; `nil` also where there is no row.
    func text(_ sql: String, _ arguments: StatementArguments = []) throws -> String? {
        try String.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first column of the first row; `nil` also where there is no row.
    func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int? {
        try Int.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// Reads rows one by one, so that memory doesn't grow with their number.
    func forEach(_ sql: String, _ arguments: StatementArguments = [], _ body: (Row) throws -> Void) throws {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { try body(row) }
    }

    func textSet(_ sql: String, _ arguments: StatementArguments = []) throws -> Set<String> {
        try String.fetchSet(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first column of the first row, as a given type; `nil` also where there is no row.
    func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ sql: String, _ arguments: StatementArguments = []
    ) throws -> Value? {
        try type.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// Whether there is a row, and its first column is neither 0 nor `NULL`.
    func isTrue(_ sql: String, _ arguments: StatementArguments = []) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: sql), arguments: arguments) ?? false
    }
}
