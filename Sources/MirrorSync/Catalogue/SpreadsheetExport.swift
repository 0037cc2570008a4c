import MirrorStore

/// Writes every table of a mirror as a file of comma-separated values (RFC 4180), its first record the columns' names.
///
/// What a server sent must not become a formula when a spreadsheet opens the file: a text that would be taken for one gets an
/// apostrophe before it, which spreadsheets know as "this is text". Whoever needs every byte as it is, exports JSON Lines.
struct SpreadsheetExport {
    let reader: CatalogueReader
    let path: String
    let byteOrderMark: Bool

    init(_ reader: CatalogueReader, path: String, byteOrderMark: Bool = false) {
        self.reader = reader
        self.path = path
        self.byteOrderMark = byteOrderMark
    }

    /// - Returns: how many rows were written, those of columns' names aside.
    func write() throws -> Int {
        var count = 0
        for table in reader.tables {
            let file = LineFile(
                path: "\(path)/\(table.name).csv", ending: "\r\n", byteOrderMark: byteOrderMark)
            try file.write { line in
                try line(Self.record(table.columns))
                try reader.rows(of: table) { values in
                    try line(Self.record(values))
                    count += 1
                }
            }
        }
        return count
    }

    static func record(_ values: [String]) -> String {
        values.map(cell).joined(separator: ",")
    }

    private static func cell(_ value: String) -> String {
        let text = isFormula(value) ? "'\(value)" : value
        guard text.utf8.contains(where: { special.contains($0) }) else { return text }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    private static let special = Set(",\"\r\n".utf8)

    /// Numbers, and telephone numbers, may begin with a sign; anything else that does is taken for a formula.
    private static func isFormula(_ value: String) -> Bool {
        guard let first = value.utf8.first else { return false }
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): return true
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return !value.utf8.allSatisfy(numeric.contains)
        default: return false
        }
    }

    private static let numeric = Set("0123456789+-.,/() e".utf8)
}
