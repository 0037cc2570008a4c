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
                case .csv: try SpreadsheetExport(reader, path: path, byteOrderMark: byteOrderMark).write()
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
                ["partner.json"]
                    + ["locations", "artists", "artworks", "albums", "shows", "documents"].map {
                        "\($0).jsonl"
                    }
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

    // MARK: - JSON Lines

    private func writeLines(_ reader: CatalogueReader, to path: String) throws -> Int {
        guard let id = try reader.ids(.partner).sorted().first, let partner = try reader.json(.partner, id)
        else {
            throw StoreError(.noSuchMirror, "\(folder.name) is empty: sync or import it first.")
        }
        try LineFile(path: "\(path)/partner.json").write([partner])
        var count = 1
        count += try writeKind(.location, "locations.jsonl", reader, path) { _, body in
            CatalogueMapping.location(toCatalogue: body)
        }
        count += try writeKind(.artist, "artists.jsonl", reader, path) { _, body in
            CatalogueMapping.artist(toCatalogue: body)
        }
        count += try writeKind(.artwork, "artworks.jsonl", reader, path) { id, body in
            var artwork = CatalogueMapping.artwork(toCatalogue: body)
            if artwork["location_id"] == nil, let place = try reader.location(ofArtwork: id) {
                artwork["location_id"] = .string(place)
            }
            return artwork
        }
        count += try writeKind(.album, "albums.jsonl", reader, path) { id, body in
            CatalogueMapping.album(toCatalogue: body, artworkIDs: try reader.artworks(of: Owner(.album, id)))
        }
        count += try writeKind(.show, "shows.jsonl", reader, path) { id, body in
            func images(_ role: ImageRole) throws -> [JSONObject] {
                try reader.images(ofShow: id, role: role).compactMap {
                    try JSONValue(parsing: $0).objectValue
                }
            }
            return CatalogueMapping.show(
                toCatalogue: body, artworkIDs: try reader.artworks(of: Owner(.show, id)),
                cover: try images(.cover).first,
                images: try images(.installation))
        }
        return try count + writeDocuments(reader, path)
    }

    private func writeKind(
        _ kind: Kind, _ file: String, _ reader: CatalogueReader, _ path: String,
        _ map: (String, JSONObject) throws -> JSONObject
    ) throws -> Int {
        // A kind's file is its list: what is here only because something refers to it would become listed by an import.
        let ids = CatalogueOrder.sorted(try reader.ids(kind, withLinked: false))
        try LineFile(path: "\(path)/\(file)").write { line in
            for id in ids {
                guard let json = try reader.json(kind, id),
                    case .object(let body) = try JSONValue(parsing: json)
                else { continue }
                try line(try map(id, body).canonicalText)
            }
        }
        return ids.count
    }

    /// Only where there are any: `documents.jsonl` is no part of a plain catalogue. That of an earlier export goes, as an
    /// import would read it.
    private func writeDocuments(_ reader: CatalogueReader, _ path: String) throws -> Int {
        let documents = try reader.documents(), file = LineFile(path: "\(path)/documents.jsonl")
        guard !documents.isEmpty else {
            try file.remove()
            return 0
        }
        let lines = try documents.compactMap { document -> String? in
            guard case .object(let body) = try JSONValue(parsing: document.json) else { return nil }
            return CatalogueMapping.document(
                toCatalogue: body, owner: document.owner, text: text(of: document.file)
            ).canonicalText
        }
        try file.write(lines)
        return lines.count
    }

    /// A document's bytes where they are text of at most a megabyte; anything else isn't part of a catalogue.
    private func text(of file: StoredFile?) -> String? {
        guard let file, file.size <= 1 << 20, file.type?.hasPrefix("text/plain") == true,
            let data = FileManager.default.contents(atPath: folder.files.absolutePath(file))
        else { return nil }
        return String(data: data, encoding: .utf8)
    }
}
