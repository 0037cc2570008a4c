import Catalogue
import Foundation
import MirrorStore

/// Writes a mirror as files: a JSON Lines catalogue that import reads again, or tables for spreadsheets.
public struct CatalogueExport: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case jsonl, csv
    }

    /// What an export wrote.
    public struct Written: Sendable, Hashable {
        /// Objects of a catalogue, or rows of tables.
        public let count: Int
        /// Whether the mirror lacks something that its server or catalogue has: no sync or import has completed yet, or the
        /// last one that ended was partial.
        public let isIncomplete: Bool
    }

    public let store: CatalogueStore
    public let folder: MirrorFolder
    /// Whether files of tables begin with a byte order mark, by which Excel knows that they are UTF-8.
    public let byteOrderMark: Bool

    public init(_ store: CatalogueStore, folder: MirrorFolder, byteOrderMark: Bool = false) {
        self.store = store
        self.folder = folder
        self.byteOrderMark = byteOrderMark
    }

    /// Writes all files into a folder, which is created if it doesn't exist.
    ///
    /// Afterwards the folder holds exactly this export's files of the format: an earlier export's are replaced or removed.
    /// Files of other names stay.
    ///
    /// - Throws: ``StoreError``, `notOurs` for the folder of a mirror; `CancellationError` if the task is cancelled. Files that
    ///   are whole stay, of one that isn't nothing does.
    public func write(_ format: Format, to path: String) throws -> Written {
        guard !FileManager.default.fileExists(atPath: "\(path)/mirror.sqlite") else {
            throw StoreError(.notOurs, "\(path) is a mirror's own folder. Choose another --to.")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .readOnly, "\(path) can't be made. Check its permissions, or choose another --to.")
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

    /// Refuses a folder in which something that is no file has the name of a file of the export, before the first is
    /// replaced: an export of which half is old would be imported as a whole.
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
                    "\(path)/\(name) is a folder, where a file is to be written. Move it away, or choose another --to."
                )
            }
        }
    }

    /// Writes every table as a file, its first record the columns' names.
    ///
    /// - Returns: how many rows were written, those of columns' names aside.
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
            throw StoreError(.noSuchMirror, "\(folder.name) is empty: sync or import it first.")
        }
        try LineFile(path: "\(path)/partner.json").write { line in try line(partner) }
        var count = try 1 + writeUser(reader, path)
        for kind in store.kinds.listed { count += try writeKind(kind, reader, path) }
        return try count + writeDocuments(reader, path)
    }

    /// Only if there is a user. Else the file of an earlier export goes, as an import would read it.
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
        // A kind's file is its list: what is here only because something refers to it would become listed by an import.
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

    /// Only where there are any: `documents.jsonl` is no part of a plain catalogue. That of an earlier export goes, as an
    /// import would read it.
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

    /// A document's bytes where they are text of at most a megabyte; anything else isn't part of a catalogue.
    private func text(of file: StoredFile?) -> String? {
        guard let file, file.size <= 1 << 20, file.type?.hasPrefix("text/plain") == true,
            let data = FileManager.default.contents(atPath: folder.files.absolutePath(file))
        else { return nil }
        return String(data: data, encoding: .utf8)
    }
}

/// Records of comma-separated values (RFC 4180).
///
/// What a server sent must not become a formula when a spreadsheet opens the file: a text that would be taken for one gets an
/// apostrophe before it, which spreadsheets know as "this is text". Whoever needs every byte as it is, exports JSON Lines.
enum SpreadsheetExport {
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
        switch value.unicodeScalars.first {
        case "="?, "@"?, "\t"?, "\r"?: true
        case "+"?, "-"?: !value.utf8.allSatisfy(numeric.contains)
        default: false
        }
    }

    private static let numeric = Set("0123456789+-.,/() e".utf8)
}
