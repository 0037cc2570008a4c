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
        let capacity = headers.lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var count = 0
            func put(_ text: String, _ end: UInt8) {
                for byte in text.utf8 {
                    // A line break would end the field.
                    buffer[count] = byte == 0x0A ? 0x20 : byte
                    count += 1
                }
                buffer[count] = end
                count += 1
            }
            for line in headers.lines {
                put(line.name, 0x3A)
                put(line.value, 0x0A)
            }
            return count
        }
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
