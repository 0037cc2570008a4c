import Foundation
import GRDB

/// How an entry is stored in a row: the header fields as text, a line each.
struct EntryRow {
    let id: Int64
    let used: Int
    let entry: CacheEntry

    /// All columns but the body, which comes last.
    static let head = "id, used, vary, status, request_time, response_time, headers"

    /// - Throws: `SQLITE_CORRUPT` for a value of another type than we write: in a damaged file any may be found.
    init(_ row: Row, key: String, withBody: Bool) throws {
        id = try Self.value(row, 0)
        used = try Self.value(row, 1)
        var entry = CacheEntry(
            key: key, status: try Self.value(row, 3), headers: Self.headers(try Self.value(row, 6)),
            body: withBody ? [UInt8](try Self.value(row, 7) as Data) : [],
            requestTime: try Self.value(row, 4), responseTime: try Self.value(row, 5),
            vary: VaryKey(text: try Self.value(row, 2)))
        entry.hasBody = withBody
        self.entry = entry
    }

    private static func value<Value: DatabaseValueConvertible>(_ row: Row, _ column: Int) throws -> Value {
        guard let value = Value.fromDatabaseValue(row[column]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "A row of the cache is damaged.")
        }
        return value
    }

    static func text(_ headers: HeaderFields) -> String {
        headers.lines.map { "\(FieldList.onOneLine($0.name)):\(FieldList.onOneLine($0.value))\n" }.joined()
    }

    private static func headers(_ text: String) -> HeaderFields {
        HeaderFields(
            text.utf8.split(separator: 0x0A).compactMap { line in
                line.firstIndex(of: 0x3A).map {
                    (String(Substring(line[..<$0])), String(Substring(line[$0...].dropFirst())))
                }
            })
    }
}
