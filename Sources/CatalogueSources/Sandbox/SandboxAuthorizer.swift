import GRDBSQLite

/// Decides what the queries of a description may do: select, read `json_each` and `json_tree`, recurse, and call functions that
/// only compute.
///
/// Everything else is denied: other tables, changes, ATTACH, PRAGMA, transactions, and functions that read the clock, the
/// machine or random numbers. Some functions that only compute are denied, too:
///
/// - SQLite's date functions, because each of them reads the clock for `'now'`. `instant` and `year` take their place.
/// - `printf` and `format`, because `'%.2000000000c'` takes many seconds, and nothing interrupts it.
/// - `json_group_object`, because SQLite limits the length of its result only at the end. `json_group_array` is our own
///   (``JSONGroupArray``).
/// - `zeroblob` and the functions for JSONB, because answers contain no BLOBs.
enum SandboxAuthorizer {
    static let tables: Set<String> = ["json_each", "json_tree"]

    /// Some exist only in later versions of SQLite, or if it was built with them.
    static let functions = Set(
        """
        abs char coalesce concat concat_ws glob hex if ifnull iif instr length like likelihood likely lower ltrim max min
        nullif octet_length quote replace round rtrim sign substr substring trim typeof unicode unlikely upper
        acos asin atan atan2 ceil ceiling cos degrees exp floor ln log log10 log2 mod pi pow power radians sin sqrt tan trunc
        avg count group_concat string_agg sum total
        cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
        json json_array json_array_length json_error_position json_extract json_insert
        json_object json_quote json_remove json_replace json_set json_type json_valid -> ->>
        """.split { $0 == " " || $0 == "\n" }.map(String.init) + SourceFunction.names + [JSONGroupArray.name])

    static func attach(to database: OpaquePointer) { sqlite3_set_authorizer(database, authorize, nil) }

    /// Whether a table without a column that is read may be one of the query's own.
    ///
    /// For `SELECT count(*) FROM t`, SQLite asks with an empty name of a column, also where `t` is defined by WITH.
    private static func mayBeOwn(_ table: String) -> Bool {
        let name = table.lowercased()
        return !name.hasPrefix("sqlite_") && !name.hasPrefix("pragma_") && !machineTables.contains(name)
    }

    /// Tables without arguments that SQLite may have beside those.
    private static let machineTables: Set<String> = [
        "dbstat", "bytecode", "tables_used", "completion", "fsdir", "generate_series",
    ]

    fileprivate static func allows(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_RECURSIVE: true
        case SQLITE_READ: first.map { tables.contains($0) || second == "" && mayBeOwn($0) } ?? false
        case SQLITE_FUNCTION: second.map { functions.contains($0.lowercased()) } ?? false
        default: false
        }
    }
}

/// The arguments' meaning depends on the action: for a read they are table and column, for a function the second is its name.
private func authorize(
    _: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    let isAllowed = SandboxAuthorizer.allows(
        action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
    return isAllowed ? SQLITE_OK : SQLITE_DENY
}
