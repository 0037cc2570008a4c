import GRDB
import GRDBSQLite

/// A prepared statement of the cache's file, bound and stepped by SQLite's own functions.
///
/// Each request of a sync looks a row up or stores one: what GRDB does for any statement (boxed values, their check
/// against the parameters, rows by name, a queue for each access) took several times as long as SQLite itself.
/// Not for use by two threads at once.
// @unchecked: it doesn't depend on the thread; its owner (a Mutex, or the writer's queue) lets one at a time use it.
struct EntryStatement: ~Copyable, @unchecked Sendable {
    private let handle: OpaquePointer
    private let isOwn: Bool

    /// One that the connection keeps prepared for the next time.
    ///
    /// - Parameter sql: always the same text for the same statement.
    init(_ db: Database, kept sql: String) throws {
        handle = try db.cachedStatement(sql: sql).sqliteStatement
        isOwn = false
        sqlite3_reset(handle)
    }

    /// - Parameter connection: must be open for as long as the statement is used.
    init(_ connection: OpaquePointer?, _ sql: String) throws {
        var made: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &made, nil)
        guard code == SQLITE_OK, let made else { throw Self.error(code, connection) }
        handle = made
        isOwn = true
    }

    deinit {
        guard !isOwn else {
            sqlite3_finalize(handle)
            return
        }
        sqlite3_reset(handle)
        // What was borrowed goes.
        sqlite3_clear_bindings(handle)
    }

    // MARK: Parameters, counted from 1

    func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }
    func bind(_ index: Int32, _ number: Double) { sqlite3_bind_double(handle, index, number) }

    /// SQLite gets a copy of the text.
    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            Self.withAddress(UnsafeRawBufferPointer(bytes)) {
                let start = $0.assumingMemoryBound(to: CChar.self)
                _ = sqlite3_bind_text(handle, index, start, Int32(bytes.count), Self.copied)
            }
        }
    }

    /// Without a copy: the bytes must stay where they are until ``run()`` has returned.
    func bind(_ index: Int32, borrowedText bytes: UnsafeRawBufferPointer) {
        Self.withAddress(bytes) {
            let start = $0.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text(handle, index, start, Int32(bytes.count), nil)
        }
    }

    /// Without a copy: the bytes must stay where they are until ``run()`` has returned.
    func bind(_ index: Int32, borrowed bytes: UnsafeRawBufferPointer) {
        Self.withAddress(bytes) { _ = sqlite3_bind_blob64(handle, index, $0, UInt64(bytes.count), nil) }
    }

    // MARK: Running

    /// Goes to the next row; `false` behind the last.
    func next() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw Self.error(code, sqlite3_db_handle(handle))
        }
    }

    /// Makes it ready to be bound and run again.
    func reset() { sqlite3_reset(handle) }

    func run() throws {
        defer { reset() }
        while try next() {}
    }

    // MARK: The row's columns, counted from 0

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// A text or blob; valid until the statement goes on.
    func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    static func error(_ code: Int32, _ connection: OpaquePointer?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_errmsg(connection).map { String(cString: $0) })
    }

    /// Nothing has an address too, so that it doesn't become NULL.
    private static func withAddress(_ bytes: UnsafeRawBufferPointer, _ use: (UnsafeRawPointer) -> Void) {
        if let start = bytes.baseAddress { return use(start) }
        withUnsafePointer(to: UInt8(0)) { use(UnsafeRawPointer($0)) }
    }

    /// Asks SQLite to copy what is bound (its `SQLITE_TRANSIENT`, a macro that isn't imported).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
