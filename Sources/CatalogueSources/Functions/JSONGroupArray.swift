import Catalogue
import GRDBSQLite

/// `json_group_array`, in SQLite's place: SQLite limits the length of the result only at the end, when it is in memory.
///
/// It isn't a window function, as SQLite's is.
enum JSONGroupArray {
    static let name = "json_group_array"

    static func register(in database: OpaquePointer) {
        // `SQLITE_RESULT_SUBTYPE`, which SQLite has since version 3.45, and which earlier versions ignore.
        let resultSubtype: Int32 = 0x100_0000
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE | resultSubtype
        sqlite3_create_function_v2(database, name, 1, flags, nil, nil, appendElement, finishArray, nil)
    }
}

/// The array of one group, without its last bracket.
private final class GrowingArray {
    var text = Array("[".utf8)

    func append(_ argument: SourceFunction.Argument?) {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        switch argument?.value {
        case nil, .null: text += "null".utf8
        case .text(let value) where argument?.isJSON == true: text += value.utf8
        case .text(let value): text += JSONValue.string(value).canonicalBytes
        case .integer, .real: text += (argument?.json ?? .null).canonicalBytes
        }
    }
}

private func appendElement(
    _ context: OpaquePointer?, _: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
    // SQLite keeps a pointer for each group, at first null.
    let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
    guard
        let place = sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    else { return sqlite3_result_error_nomem(context) }
    let start = place.pointee ?? UnsafeRawPointer(Unmanaged.passRetained(GrowingArray()).toOpaque())
    place.pointee = start
    let array = Unmanaged<GrowingArray>.fromOpaque(start).takeUnretainedValue()
    array.append(SourceFunction.Argument(values?.pointee))
    let limit = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1)
    if array.text.count >= limit { sqlite3_result_error_toobig(context) }
}

/// SQLite calls this for each group, also if the query fails.
private func finishArray(_ context: OpaquePointer?) {
    let place = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
    var text = Array("[".utf8)
    if let start = place?.pointee {
        text = Unmanaged<GrowingArray>.fromOpaque(start).takeRetainedValue().text
        place?.pointee = nil
    }
    text.append(UInt8(ascii: "]"))
    SourceFunction.setResult(.text(String(decoding: text, as: UTF8.self)), of: context)
    sqlite3_result_subtype(context, UInt32(UInt8(ascii: "J")))
}
