import Foundation
import GRDB

/// How an entry stands in a row: the header fields as text, a line each.
enum EntryRow {
    static let columns = "id, used, vary, status, request_time, response_time, headers, body"

    static func id(_ row: Row) -> Int64 { row[0] }
    static func used(_ row: Row) -> Int { row[1] }
    static func vary(_ row: Row) -> VaryKey { VaryKey(text: row[2]) }
    static func responseTime(_ row: Row) -> Double { row[5] }

    static func entry(_ row: Row, key: String, vary: VaryKey) throws -> CacheEntry {
        CacheEntry(
            key: key, status: row[3], headers: headers(row[6]),
            body: try row.withUnsafeData(atIndex: 7) { $0.map { [UInt8]($0) } ?? [] },
            requestTime: row[4], responseTime: row[5], vary: vary)
    }

    static func text(_ headers: HeaderFields) -> String {
        var text = ""
        text.reserveCapacity(512)
        for line in headers.lines {
            text += line.name
            text += ":"
            text += oneLine(line.value)
            text += "\n"
        }
        return text
    }

    private static func oneLine(_ value: String) -> String {
        guard value.utf8.contains(0x0A) else { return value }
        return String(decoding: value.utf8.map { $0 == 0x0A ? 0x20 : $0 }, as: UTF8.self)
    }

    static func headers(_ text: String) -> HeaderFields {
        var headers = HeaderFields()
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                if let colon = bytes[start..<end].firstIndex(of: 0x3A) {
                    headers.append(
                        String(decoding: bytes[start..<colon], as: UTF8.self),
                        String(decoding: bytes[(colon + 1)..<end], as: UTF8.self))
                }
                start = end + 1
            }
        }
        return headers
    }
}
