import Foundation
import MirrorDemo
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Tables for spreadsheets")
struct SpreadsheetExportTests {
    @Test(arguments: [
        ("plain", "plain"), ("Dürer, \"Hase\"", "\"Dürer, \"\"Hase\"\"\""), ("two\nlines", "\"two\nlines\""),
        ("two\r\nlines", "\"two\r\nlines\""), ("", ""), ("5.0", "5.0"), ("-3.5", "-3.5"), ("1e-05", "1e-05"),
        ("+1 412 622-3131", "+1 412 622-3131"), ("a=b", "a=b"),
        ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""),
        ("@SUM(A1)", "'@SUM(A1)"), ("+cmd|'/c calc'!A1", "'+cmd|'/c calc'!A1"), ("-A1", "'-A1"),
        ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""),
    ])
    func aValueIsOneCellAndNeverAFormula(_ value: String, _ cell: String) {
        #expect(SpreadsheetExport.record([value, "x"]) == "\(cell),x")
    }

    /// The export has as many rows as SQLite counts.
    @Test func everyTableIsExportedCompletely() async throws {
        let home = try LiveMirror()
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        let (store, target) = (try home.mirror("demo").store(), home.folder.file("tables"))
        defer { try? store.close() }
        let count = try CatalogueExport(store, folder: home.mirror("demo")).write(.csv, to: target)
        var written: [String: Int] = [:]
        for table in CatalogueTable.all(.standard) {
            let records = try Self.records("\(target)/\(table.name).csv")
            #expect(records.first == table.columns)
            #expect(records.allSatisfy { $0.count == table.columns.count })
            written[table.name] = records.count - 1
        }
        let expected = try await store.pool.read { db in
            try CatalogueTable.all(.standard).reduce(into: [:]) { expected, table in
                expected[table.name] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table.name)\"")
            }
        }
        #expect(written == expected && count.count == expected.values.reduce(0, +))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: target).count
                == CatalogueTable.all(.standard).count)
        for table in ["artwork", "image", "edition_set", "document", "show_artwork"] {
            #expect(written[table] ?? 0 > 0, "\(table)")
        }
    }

    @Test func rowsUnderAnObjectNameTheirOwnerAndTheirFile() async throws {
        let partner = FakePartner { state in
            state.artwork("a", artist: "lost", image: "i")
            state.files["/artwork/a/image/i/larger.jpg"] =
                [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 64)
            state.album("m", ["a", "gone"])
            state.album("n", ["a"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let (folder, target) = (try mirror.mirror, mirror.folder.file("tables"))
        func rows(_ name: String, _ columns: String...) throws -> [[String]] {
            let records = try Self.records("\(target)/\(name).csv")
            let places = columns.compactMap { records[0].firstIndex(of: $0) }
            return records.dropFirst().map { record in places.map { record[$0] } }
        }
        try mirror.tamper("UPDATE album SET deleted = 1 WHERE id = 'n'")
        try mirror.tamper("UPDATE album_artwork SET pending = 'remove' WHERE artwork_id = 'gone'")
        _ = try mirror.read { try CatalogueExport($0, folder: folder).write(.csv, to: target) }
        #expect(try rows("artist", "id") == [], "a ghost has no row")
        #expect(try rows("artwork_artist", "artwork_id", "artist_id") == [["a", "lost"]])
        #expect(try rows("image", "id", "artwork_id", "role") == [["i", "a", "picture"]])
        let files = try rows("image_file", "image_id", "format", "path")
        #expect(files.count == 1 && files[0].prefix(2) == ["i", "larger"])
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(files[0][2])"))
        #expect(try rows("album", "id") == [["m"]])
        #expect(try rows("album_artwork", "album_id", "artwork_id") == [["m", "a"]])
    }

    /// Parses a CSV file (RFC 4180).
    private static func records(_ path: String) throws -> [[String]] {
        var records: [[String]] = [], record: [String] = [], cell = "", isQuoted = false
        let text = Array(try String(contentsOfFile: path, encoding: .utf8).unicodeScalars)
        var index = 0
        while index < text.count {
            let scalar = text[index]
            switch scalar {
            case "\"" where isQuoted && index + 1 < text.count && text[index + 1] == "\"":
                cell.append("\"")
                index += 1
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                record.append(cell)
                cell = ""
            case "\n" where !isQuoted:
                records.append(record + [String(cell.dropLast())])
                (record, cell) = ([], "")
            default: cell.unicodeScalars.append(scalar)
            }
            index += 1
        }
        return records
    }
}
