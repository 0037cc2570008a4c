import Catalogue
import GRDB

/// A picture of an artwork or show, with its stored files.
///
/// ```swift
/// for picture in try store.pictures(of: Owner(.artwork, "the-great-wave")) {
///     guard let file = picture.largest else { continue }  // Not fetched, or the server doesn't have it.
///     print(picture.image.caption ?? "", mirror.files.absolutePath(file))
/// }
/// ```
public struct Picture: Sendable, Hashable {
    /// The picture's fields as the server sent them.
    public let image: ImageEntry
    /// Whether it is the picture of an artwork, or an installation shot or cover of a show.
    public let role: ImageRole
    /// The stored files by format name; empty if none is stored. Deep-zoom tiles are left out.
    ///
    /// ``Catalogue/ImageEntry/formats`` contains the known formats.
    public internal(set) var files: [String: StoredFile] = [:]

    /// The stored file in the largest format; `nil` if none is stored.
    public var largest: StoredFile? {
        let known = ImageEntry.formats.last { files[$0] != nil }
        return (known ?? files.keys.min()).flatMap { files[$0] }
    }
}

extension CatalogueStore {
    /// The pictures of an artwork or show, in the server's order. The covers of a show precede its installation shots.
    ///
    /// - Throws: ``StoreError``: `damaged` if the stored JSON of a picture can't be read.
    public func pictures(of owner: Owner) throws -> [Picture] {
        guard owner.kind.hasPictures else { return [] }
        return try read { db in
            var pictures: [Picture] = [], last: Int64?
            try db.forEach(Self.pictureFiles(of: owner.kind, "i.pk, i.role, i.json, f.format"), [owner.id]) {
                row in
                if last != row[4] {
                    last = row[4]
                    let role = ImageRole(rawValue: row[5]) ?? .picture
                    do {
                        try pictures.append(Picture(image: ImageEntry(text: row[6]), role: role))
                    } catch {
                        throw StoreError.unreadable(owner, error)
                    }
                }
                guard let format: String = row[7], let file = StoredFile(row: row, from: 0) else { return }
                pictures[pictures.count - 1].files[format] = file
            }
            return pictures
        }
    }

    /// The file of a show's or artist's document; `nil` if it is not stored.
    public func file(ofDocument id: String, of owner: Owner) throws -> StoredFile? {
        guard owner.kind.hasDocuments else { return nil }
        return try read { db in
            try db.row("\(Self.documentFiles(of: owner.kind)) AND d.id = ?", [owner.id, id])
                .flatMap { StoredFile(row: $0, from: 0) }
        }
    }

    /// The paths of the files of an object's pictures and documents, relative to the mirror's folder.
    static func filePaths(of owner: Owner, in db: Database) throws -> [String] {
        var found: [StoredFile] = []
        func add(_ sql: String) throws {
            try db.forEach(sql, [owner.id]) {
                if let file = StoredFile(row: $0, from: 0) { found.append(file) }
            }
        }
        if owner.kind.hasPictures { try add(pictureFiles(of: owner.kind)) }
        if owner.kind.hasDocuments { try add("\(documentFiles(of: owner.kind)) ORDER BY d.id") }
        return found.map(\.path)
    }

    /// SQL: the files of an object's pictures: hash, size, path and type of the file, then the columns `more`.
    ///
    /// A picture without a file has one row, with `NULL` for the file. Files of tiles are left out: a picture has many.
    private static func pictureFiles(of kind: Kind, _ more: String = "i.pk") -> String {
        """
        SELECT h.hash, h.size, h.path, h.type, \(more) FROM image i
        LEFT JOIN image_file f ON f.image = i.pk AND NOT (\(ImageTile.isTile("f.format")))
        LEFT JOIN file h ON h.hash = f.hash WHERE i.\(kind.idColumn) = ? ORDER BY i.role, i.position, i.pk, f.format
        """
    }

    /// SQL: hash, size, path and type of the files of an object's documents.
    private static func documentFiles(of kind: Kind) -> String {
        """
        SELECT h.hash, h.size, h.path, h.type FROM document d JOIN file h ON h.hash = d.file
        WHERE d.\(kind.idColumn) = ?
        """
    }
}
