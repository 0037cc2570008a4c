/// A value that a query returns, or that a function of ours takes and returns.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// Valid UTF-8 without NUL. A BLOB is read as text.
    case text(String)

    /// The value as text, with a number as SQLite would write it; `nil` for NULL.
    package var text: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// What the parameters of a query stand for. Those that a query doesn't name are ignored.
package struct SourceValues: Sendable, Hashable {
    /// `:body`: the answer, or the one object of a list.
    package var body: String
    /// `:page`: the complete answer; NULL if `nil`.
    package var page: String?
    /// `:id`: the object's id; NULL if `nil`.
    package var id: String?
    /// `:base`: the base address of the source; NULL if `nil`.
    package var base: String?

    package init(body: String, page: String? = nil, id: String? = nil, base: String? = nil) {
        (self.body, self.page, self.id, self.base) = (body, page, id, base)
    }
}

/// A row of a query's result.
package struct SQLRow: Sendable, Hashable {
    /// The names of the columns, as the query names them.
    package let columns: [String]
    /// A value for each column.
    package let values: [SQLValue]

    package init(columns: [String], values: [SQLValue]) { (self.columns, self.values) = (columns, values) }

    /// The value of the first column with this name; NULL if there is no such column.
    package subscript(name: String) -> SQLValue {
        columns.firstIndex(of: name).map { values[$0] } ?? .null
    }
}

/// What is wrong with a query: a sentence without control characters, and where.
package struct SQLFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package var message: String
    /// The offset of the error in the SQL text, in bytes; `nil` if SQLite doesn't say, and for errors in an answer.
    package var offset: Int?

    package init(_ message: String, offset: Int? = nil) { (self.message, self.offset) = (message, offset) }

    package var description: String { message }
}
