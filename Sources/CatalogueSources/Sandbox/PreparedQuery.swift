import GRDBSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A prepared statement of a sandbox.
///
/// `@unchecked Sendable`: a query owns it from `checkOut` to `checkIn`, and calls SQLite only while it has the connection's lock.
final class PreparedQuery: @unchecked Sendable {
    let sql: String
    let handle: OpaquePointer
    /// The names of the columns.
    let columns: [String]
    /// What each parameter of SQLite's stands for, from parameter 1.
    private let parameters: [Parameter]

    /// The maximum length of a value in this run, in bytes.
    var valueLimit: Int32 = 0
    /// The time that this run may still take.
    var remaining = Duration.zero
    var returnedBytes = 0
    var isAtEnd = false

    enum Parameter: String, CaseIterable {
        case body = ":body"
        case page = ":page"
        case id = ":id"
        case base = ":base"
    }

    /// Prepares a query.
    ///
    /// - Throws: ``SQLFailure`` if `sql` isn't exactly one SELECT (or VALUES), does what the authorizer denies, or has a parameter
    ///   that doesn't exist.
    init(_ sql: String, in database: OpaquePointer) throws(SQLFailure) {
        handle = try Self.prepare(sql, in: database)
        self.sql = sql
        do throws(SQLFailure) {
            columns = (0..<sqlite3_column_count(handle)).map { [handle] index in
                sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
            }
            guard sqlite3_stmt_readonly(handle) != 0, sqlite3_stmt_isexplain(handle) == 0, !columns.isEmpty
            else {
                throw SQLFailure("The query must be a SELECT.")
            }
            parameters = try Self.parameters(of: handle)
        } catch {
            // A class whose initializer throws isn't deinitialized.
            sqlite3_finalize(handle)
            throw error
        }
    }

    /// The statement must not be used afterwards.
    func finalize() { sqlite3_finalize(handle) }

    /// Ends a run: the bound texts are not used afterwards.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        returnedBytes = 0
        isAtEnd = false
    }

    // MARK: - Preparing

    private static func prepare(_ sql: String, in database: OpaquePointer) throws(SQLFailure) -> OpaquePointer
    {
        guard sql.utf8.count <= SandboxLimits.sqlLength else {
            throw SQLFailure("The query is longer than \(SandboxLimits.sqlLength >> 10) KiB.")
        }
        guard !sql.utf8.contains(0) else { throw SQLFailure("The query contains a NUL character.") }
        guard !QueryExpansion.isTooLarge(sql) else {
            throw SQLFailure("The tables of WITH use each other too often. Use fewer of them.")
        }
        let (first, length) = try statement(sql, at: 0, in: database)
        guard let first else { throw SQLFailure("The query is empty. Write a SELECT.") }
        // Only comments, white space and semicolons may follow.
        var start = length
        while start < sql.utf8.count {
            let next = Result { () throws(SQLFailure) in try statement(sql, at: start, in: database) }
            guard case .success((nil, let length)) = next, length > 0 else {
                if case .success((let second, _)) = next { sqlite3_finalize(second) }
                sqlite3_finalize(first)
                throw SQLFailure("The query must be one SELECT, but more text follows it.", offset: start)
            }
            start += length
        }
        return first
    }

    /// The statement that begins at an offset of the text, and the length of its text. There is no statement in comments.
    private static func statement(
        _ sql: String, at offset: Int, in database: OpaquePointer
    ) throws(SQLFailure) -> (OpaquePointer?, length: Int) {
        var text = String(sql.utf8.dropFirst(offset)) ?? ""
        var handle: OpaquePointer?, length = 0
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                var tail: UnsafePointer<CChar>?
                let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
                // An empty text has no address.
                guard let start = chars.baseAddress else { return SQLITE_OK }
                let code = sqlite3_prepare_v3(database, start, Int32(chars.count), flags, &handle, &tail)
                length = tail.map { $0 - start } ?? 0
                return code
            }
        }
        guard code == SQLITE_OK else { throw SQLFailure(lastErrorOf: database) }
        return (handle, length)
    }

    private static func parameters(of handle: OpaquePointer) throws(SQLFailure) -> [Parameter] {
        var parameters: [Parameter] = []
        let count = sqlite3_bind_parameter_count(handle)
        guard count > 0 else { return [] }
        for index in 1...count {
            let name = sqlite3_bind_parameter_name(handle, index).map { String(cString: $0) } ?? "?"
            guard let parameter = Parameter(rawValue: name) else {
                let known = Parameter.allCases.map(\.rawValue).joined(separator: ", ")
                throw SQLFailure(
                    "There is no parameter \(SQLFailure.plainLine(name)). The parameters are \(known).")
            }
            parameters.append(parameter)
        }
        return parameters
    }

    // MARK: - Binding and reading

    /// Binds the texts without copying them, and returns SQLite's result code.
    func bind(_ texts: BoundTexts) -> Int32 {
        for (index, parameter) in parameters.enumerated() {
            let code =
                if let text = texts[parameter] {
                    sqlite3_bind_text64(
                        handle, Int32(index + 1), text.baseAddress, UInt64(text.count), nil,
                        UInt8(SQLITE_UTF8))
                } else {
                    sqlite3_bind_null(handle, Int32(index + 1))
                }
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    /// The current row, and about its length in bytes.
    func row() -> (SQLRow, length: Int) {
        var length = 0
        let values = (0..<Int32(columns.count)).map { column -> SQLValue in
            switch sqlite3_column_type(handle, column) {
            case SQLITE_NULL: return .null
            case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
            case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
            default:
                guard let start = sqlite3_column_text(handle, column) else { return .null }
                let bytes = UnsafeBufferPointer(
                    start: start, count: Int(sqlite3_column_bytes(handle, column)))
                length += bytes.count
                return .text(String(sqliteText: bytes))
            }
        }
        return (SQLRow(columns: columns, values: values), length + 16 * values.count)
    }
}

extension String {
    /// Text from SQLite: invalid UTF-8 is repaired, NUL removed.
    init(sqliteText bytes: UnsafeBufferPointer<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil else { return }
        unicodeScalars.removeAll { $0.value == 0 }
    }
}
