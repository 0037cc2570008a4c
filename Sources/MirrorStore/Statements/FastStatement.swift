import Catalogue
import GRDB
import GRDBSQLite

/// A prepared statement that is bound and stepped by SQLite's own C functions.
///
/// It is for the few statements that run once for every object or list member that a sync stores. For these, GRDB spends more
/// time than SQLite: it boxes arguments, checks them against the statement's parameters and looks for observers. All other
/// code uses GRDB's statements.
///
/// Values are bound in the order of the calls. Then ``run(_:)`` changes rows, or ``next()`` reads one row.
struct FastStatement: ~Copyable {
    private let handle: OpaquePointer
    /// A strong reference: GRDB drops its cached statements when the schema changes, and must not finalize this one.
    private let statement: Statement
    private let connection: OpaquePointer?
    private let sql: String
    private var bound: Int32 = 0

    /// Takes the cached statement of a GRDB connection. It is valid only inside that database access.
    ///
    /// - Parameter sql: the key of the cached statement. Use the same text each time.
    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        connection = db.sqliteConnection
        self.sql = sql
        sqlite3_reset(handle)
    }

    deinit { sqlite3_reset(handle) }

    // MARK: - Binding

    /// Binds the next parameter with one of SQLite's functions.
    fileprivate mutating func bindNext(_ body: (OpaquePointer, Int32) -> Int32) {
        bound += 1
        _ = body(handle, bound)
    }

    /// Binds the next values.
    mutating func bind<each Value: Bindable>(_ value: repeat each Value) {
        repeat (each value).bind(to: &self)
    }

    // MARK: - Running

    /// Binds the remaining values and steps once. Afterwards the statement can be bound and run again.
    ///
    /// - Returns: whether the statement returned a row.
    @discardableResult
    mutating func run<each Value: Bindable>(_ value: repeat each Value) throws -> Bool {
        defer { rewind() }
        bind(repeat each value)
        return try next()
    }

    private mutating func rewind() {
        sqlite3_reset(handle)
        bound = 0
    }

    /// Runs like ``run(_:)``, except that a violated foreign key isn't an error: then nothing is written, and the result is
    /// `false`.
    mutating func runIfReferredExists() throws -> Bool {
        defer { rewind() }
        do {
            _ = try next()
            return true
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY {
            return false
        }
    }

    /// Steps to the next row; `false` after the last.
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

    /// `SQLITE_TRANSIENT`, which tells SQLite to copy the bound value. Swift doesn't import that macro.
    fileprivate static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// A value that a ``FastStatement`` can bind, or several values in order.
protocol Bindable {
    func bind(to statement: inout FastStatement)
}

extension String: Bindable {
    func bind(to statement: inout FastStatement) {
        var text = self
        text.withUTF8 { bytes in
            // SQLite binds NULL for a null pointer, so an empty text needs an address, too.
            withUnsafePointer(to: 0 as CChar) { empty in
                let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? empty
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
