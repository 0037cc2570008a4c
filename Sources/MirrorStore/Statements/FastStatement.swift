import Catalogue
import GRDB
import GRDBSQLite

/// A prepared statement that is bound and stepped by SQLite's own functions.
///
/// For the few statements that run once for every object or list member that a sync stores: there GRDB's boxed arguments, their
/// check against the statement's parameters and its look-out for observers take longer than SQLite itself. Everything else
/// uses GRDB's statements.
///
/// Values are bound in the order of the calls; then ``run(_:)`` changes rows, or ``next()`` reads one.
struct FastStatement: ~Copyable {
    private let handle: OpaquePointer
    /// Kept so that it isn't finalized when the connection drops its cached statements, as it does when the schema changes.
    private let statement: Statement
    private let connection: OpaquePointer?
    private let sql: String
    private var bound: Int32 = 0

    /// A statement of one of the library's connections, inside an access to it.
    ///
    /// - Parameter sql: always the same text for the same statement: by it the prepared one is found.
    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        connection = db.sqliteConnection
        self.sql = sql
        sqlite3_reset(handle)
    }

    deinit { sqlite3_reset(handle) }

    // MARK: - Binding

    /// Binds the next value, by one of SQLite's functions.
    fileprivate mutating func bindNext(_ body: (OpaquePointer, Int32) -> Int32) {
        bound += 1
        _ = body(handle, bound)
    }

    /// Binds the next values.
    mutating func bind<each Value: Bindable>(_ value: repeat each Value) {
        repeat (each value).bind(to: &self)
    }

    // MARK: - Running

    /// Binds the last values, if there are any left, and carries it out; it can be bound and run again.
    ///
    /// - Returns: whether there is a row.
    @discardableResult
    mutating func run<each Value: Bindable>(_ value: repeat each Value) throws -> Bool {
        defer { rewind() }
        bind(repeat each value)
        return try next()
    }

    /// Makes it ready to be bound and run again.
    private mutating func rewind() {
        sqlite3_reset(handle)
        bound = 0
    }

    /// As ``run(_:)``; `false`, and nothing done, if what it refers to isn't there (a foreign key).
    mutating func runIfReferredExists() throws -> Bool {
        defer { rewind() }
        do {
            _ = try next()
            return true
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY {
            return false
        }
    }

    /// Goes to the next row; `false` behind the last.
    func next() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: String(cString: sqlite3_errmsg(connection)),
                sql: sql)
        }
    }

    // MARK: - The row

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Asks SQLite to copy what is bound (its `SQLITE_TRANSIENT`, a macro that isn't imported).
    fileprivate static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// What a ``FastStatement`` binds: one value, or several in their order.
protocol Bindable {
    func bind(to statement: inout FastStatement)
}

extension String: Bindable {
    func bind(to statement: inout FastStatement) {
        var text = self
        text.withUTF8 { bytes in
            // An empty text has an address too, so that it doesn't become NULL.
            withUnsafePointer(to: 0 as CChar) { none in
                let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? none
                statement.bindNext {
                    sqlite3_bind_text($0, $1, start, Int32(bytes.count), FastStatement.copied)
                }
            }
        }
    }
}

extension Int64: Bindable {
    func bind(to statement: inout FastStatement) {
        statement.bindNext { sqlite3_bind_int64($0, $1, self) }
    }
}

extension Int: Bindable {
    func bind(to statement: inout FastStatement) { Int64(self).bind(to: &statement) }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: inout FastStatement) {
        if let self { self.bind(to: &statement) } else { statement.bindNext(sqlite3_bind_null) }
    }
}

extension [FieldValue]: Bindable {
    func bind(to statement: inout FastStatement) {
        for value in self {
            switch value {
            case .null: statement.bindNext(sqlite3_bind_null)
            case .text(let text): text.bind(to: &statement)
            case .integer(let number): number.bind(to: &statement)
            case .real(let number): statement.bindNext { sqlite3_bind_double($0, $1, number) }
            }
        }
    }
}
