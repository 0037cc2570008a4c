/// How an entry stands in a row: the header fields as text, a line each.
enum EntryRow {
    /// All but the body, which would come last.
    static let head = "id, used, vary, status, request_time, response_time, headers"

    static func id(_ row: borrowing EntryStatement) -> Int64 { row.integer(0) }
    static func used(_ row: borrowing EntryStatement) -> Int { Int(row.integer(1)) }
    static func responseTime(_ row: borrowing EntryStatement) -> Double { row.real(5) }

    static func vary(_ row: borrowing EntryStatement) -> VaryKey {
        let bytes = row.bytes(2)
        return bytes.isEmpty ? .none : VaryKey(text: String(decoding: bytes, as: UTF8.self))
    }

    static func entry(_ row: borrowing EntryStatement, key: String, vary: VaryKey, withBody: Bool)
        -> CacheEntry
    {
        var entry = CacheEntry(
            key: key, status: Int(row.integer(3)), headers: headers(row.bytes(6)),
            body: withBody ? [UInt8](row.bytes(7)) : [],
            requestTime: row.real(4), responseTime: row.real(5), vary: vary)
        entry.hasBody = withBody
        return entry
    }

    /// Writes the fields in place of what the buffer holds.
    static func write(_ headers: HeaderFields, to buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        for line in headers.lines {
            buffer.append(contentsOf: line.name.utf8)
            buffer.append(0x3A)
            let start = buffer.count
            buffer.append(contentsOf: line.value.utf8)
            // A line break would end the field.
            for index in start..<buffer.count where buffer[index] == 0x0A { buffer[index] = 0x20 }
            buffer.append(0x0A)
        }
    }

    static func headers(_ bytes: UnsafeBufferPointer<UInt8>) -> HeaderFields {
        var pairs: [(String, String)] = []
        pairs.reserveCapacity(8)
        var start = 0
        while start < bytes.count {
            var colon: Int?
            var end = start
            while end < bytes.count, bytes[end] != 0x0A {
                if colon == nil, bytes[end] == 0x3A { colon = end }
                end += 1
            }
            if let colon {
                pairs.append((text(bytes[start..<colon]), text(bytes[(colon + 1)..<end])))
            }
            start = end + 1
        }
        return HeaderFields(pairs)
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }
}
