import Catalogue
import Foundation
import MirrorStore

/// Exports a mirror as files: a JSON Lines catalogue that can be imported again, or CSV tables for spreadsheets.
public struct CatalogueExport: Sendable {
    /// The format of an export's files.
    public enum Format: String, Sendable, CaseIterable {
        /// A catalogue that ``CatalogueImport`` can read: for each kind one file, with one JSON object in each line.
        case jsonl
        /// For each table of the mirror one file of comma-separated values (RFC 4180).
        case csv
    }

    /// The result of an export.
    public struct Written: Sendable, Hashable {
        /// For JSON Lines, the number of objects; for CSV, the number of rows in all files, without their header lines.
        public let count: Int
        /// Whether the mirror may lack objects of its server or catalogue; see ``CatalogueStore/isIncomplete()``.
        public let isIncomplete: Bool
    }

    /// The mirror's open store; the export doesn't close it.
    public let store: CatalogueStore
    /// The mirror's folder, which has the documents' files.
    public let folder: MirrorFolder
    /// Whether CSV files begin with a byte order mark, so that Excel reads them as UTF-8. Default `false`.
    public let byteOrderMark: Bool

    /// An export of an open mirror.
    public init(_ store: CatalogueStore, folder: MirrorFolder, byteOrderMark: Bool = false) {
        self.store = store
        self.folder = folder
        self.byteOrderMark = byteOrderMark
    }

    /// Writes all files into a folder, which is created if it doesn't exist.
    ///
    /// Files of an earlier export in this format are replaced or removed. Files with other names stay.
    ///
    /// - Throws: ``StoreError``, with code `notOurs` for a mirror's folder, and `readOnly` if the folder can't be created or a
    ///   subfolder has the name of one of the files; `CancellationError` if the task is cancelled. After an error, files that
    ///   were completely written stay, and a partly written file is removed.
    public func write(_ format: Format, to path: String) throws -> Written {
        guard !FileManager.default.fileExists(atPath: "\(path)/mirror.sqlite") else {
            throw StoreError(.notOurs, "\(path) is a mirror's own folder. Choose another folder with --to.")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .readOnly,
                "The folder \(path) can't be created. Check the permissions, or choose another folder with --to."
            )
        }
        try checkNames(format, in: path)
        return try store.snapshot { reader in
            let count =
                switch format {
                case .jsonl: try writeLines(reader, to: path)
                case .csv: try writeTables(reader, to: path)
                }
            return Written(count: count, isIncomplete: try reader.isIncomplete())
        }
    }

    /// Checks that no subfolder has the name of a file that the export writes.
    ///
    /// The check is made before the first file is replaced. Otherwise an export could fail halfway, and a later import couldn't
    /// detect that some files are from an earlier export.
    ///
    /// - Throws: ``StoreError`` with code `readOnly`.
    private func checkNames(_ format: Format, in path: String) throws {
        let names =
            switch format {
            case .jsonl:
                ["partner.json", CatalogueFiles.userFile]
                    + (store.kinds.listed + [.document]).map(\.catalogueFile)
            case .csv: CatalogueTable.all(store.kinds).map { "\($0.name).csv" }
            }
        for name in names.flatMap({ [$0, "\($0).part"] }) {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder),
                isFolder.boolValue
            {
                throw StoreError(
                    .readOnly,
                    "A file can't be written at \(path)/\(name), because a folder has this name. Move it, or choose another folder with --to."
                )
            }
        }
    }

    /// Writes each table to a CSV file. The file's first line contains the names of the columns.
    ///
    /// - Returns: the number of rows, without these header lines.
    private func writeTables(_ reader: CatalogueReader, to path: String) throws -> Int {
        var count = 0
        for table in reader.tables {
            let file = LineFile(
                path: "\(path)/\(table.name).csv", ending: "\r\n", byteOrderMark: byteOrderMark)
            try file.write { line in
                try line(SpreadsheetExport.record(table.columns))
                try reader.rows(of: table) { values in
                    try line(SpreadsheetExport.record(values))
                    count += 1
                }
            }
        }
        return count
    }

    // MARK: - JSON Lines

    private func writeLines(_ reader: CatalogueReader, to path: String) throws -> Int {
        guard let id = try reader.ids(.partner).sorted().first, let partner = try reader.json(.partner, id)
        else {
            throw StoreError(.noSuchMirror, "\(folder.name) is empty. Sync or import it first.")
        }
        try LineFile(path: "\(path)/partner.json").write { line in try line(partner) }
        var count = try 1 + writeUser(reader, path)
        for kind in store.kinds.listed { count += try writeKind(kind, reader, path) }
        return try count + writeDocuments(reader, path)
    }

    /// Writes the user if the mirror has one. Otherwise an earlier export's file is removed, because an import would read it.
    private func writeUser(_ reader: CatalogueReader, _ path: String) throws -> Int {
        let file = LineFile(path: "\(path)/\(CatalogueFiles.userFile)")
        guard let id = try reader.ids(.user).first, let user = try reader.json(.user, id) else {
            try file.remove()
            return 0
        }
        try file.write { line in try line(user) }
        return 1
    }

    private func writeKind(_ kind: Kind, _ reader: CatalogueReader, _ path: String) throws -> Int {
        // An import treats the file as the kind's list. Linked objects are on no list, so they are not exported.
        let ids = CatalogueOrder.sorted(try reader.ids(kind, withLinked: false))
        try LineFile(path: "\(path)/\(kind.catalogueFile)").write { line in
            for id in ids {
                guard let json = try reader.json(kind, id),
                    let body = try JSONValue(parsing: json).objectValue
                else { continue }
                var object = CatalogueMapping.object(
                    kind, toCatalogue: try entry(of: Owner(kind, id), body, reader))
                if kind == .artwork, object["location_id"] == nil {
                    object["location_id"] = try reader.location(ofArtwork: id).map(JSONValue.string)
                }
                try line(object.canonicalText)
            }
        }
        return ids.count
    }

    private func entry(
        of owner: Owner, _ body: JSONObject, _ reader: CatalogueReader
    ) throws -> CatalogueEntry {
        var pictures: [ObjectList: [JSONObject]] = [:]
        for list in owner.kind.lists {
            guard let role = list.imageRole else { continue }
            pictures[list] = try reader.images(ofShow: owner.id, role: role).compactMap {
                try JSONValue(parsing: $0).objectValue
            }
        }
        return CatalogueEntry(
            body: body,
            artworkIDs: CatalogueMapping.namesMembers(owner.kind) ? try reader.artworks(of: owner) : [],
            pictures: pictures)
    }

    /// Writes `documents.jsonl` if the mirror has documents. The file is optional in a catalogue.
    ///
    /// Without documents, an earlier export's file is removed, because an import would read it.
    private func writeDocuments(_ reader: CatalogueReader, _ path: String) throws -> Int {
        let documents = try reader.documents()
        let file = LineFile(path: "\(path)/\(Kind.document.catalogueFile)")
        guard !documents.isEmpty else {
            try file.remove()
            return 0
        }
        try file.write { line in
            for (owner, json, stored) in documents {
                guard let body = try JSONValue(parsing: json).objectValue else { continue }
                let document = CatalogueDocument(body: body, owner: owner, text: text(of: stored))
                try line(CatalogueMapping.object(toCatalogue: document).canonicalText)
            }
        }
        return documents.count
    }

    /// A document's text, if its file is plain text of at most 1 MiB. The content of other files is not exported.
    private func text(of file: StoredFile?) -> String? {
        guard let file, file.size <= 1 << 20, file.type?.hasPrefix("text/plain") == true,
            let data = FileManager.default.contents(atPath: folder.files.absolutePath(file))
        else { return nil }
        return String(data: data, encoding: .utf8)
    }
}

/// Records of comma-separated values (RFC 4180).
///
/// A server's text must not become a formula in a spreadsheet. A text that a spreadsheet would read as a formula gets an
/// apostrophe before it, which marks it as text. An export as JSON Lines has the unchanged text.
enum SpreadsheetExport {
    static func record(_ values: [String]) -> String {
        values.map(cell).joined(separator: ",")
    }

    private static func cell(_ value: String) -> String {
        let text = isFormula(value) ? "'\(value)" : value
        guard text.utf8.contains(where: { special.contains($0) }) else { return text }
        return "\"\(text.escaping("\"", as: "\"\""))\""
    }

    private static let special = Set(",\"\r\n".utf8)

    /// Numbers and telephone numbers may begin with a sign; other texts with a sign could be formulas.
    private static func isFormula(_ value: String) -> Bool {
        switch value.unicodeScalars.first {
        case "="?, "@"?, "\t"?, "\r"?: true
        case "+"?, "-"?: !value.utf8.allSatisfy(numeric.contains)
        default: false
        }
    }

    private static let numeric = Set("0123456789+-.,/() e".utf8)
}
