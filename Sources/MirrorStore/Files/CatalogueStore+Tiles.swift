import Catalogue
import GRDB

/// Files of deep-zoom tiles, and the picture formats and tiles that a sync was asked to fetch.
///
/// A tile is *known* if it has a row in `image_file`: its file is stored, is unavailable, or must be fetched
/// again. The row's format is such as `tile/12/3_4`. The rows of the picture's other files are in the same table, so all code for
/// pictures' files applies to tiles.
extension CatalogueStore {
    /// The text form of the wanted media, as in ``FinishRequest/formats``.
    ///
    /// The wanted media are the picture formats that a sync was asked to fetch, and whether it was asked to fetch tiles. The text
    /// is that of the formats (``Catalogue/PictureFormats/text``), followed by `+tiles` if tiles are wanted.
    package static func mediaKey(formats: PictureFormats, tiles: Bool) -> String {
        formats.text + (tiles ? tilesMark : "")
    }

    /// Parses a ``mediaKey(formats:tiles:)``.
    package static func wantedMedia(_ key: String) -> (formats: PictureFormats, tiles: Bool) {
        let tiles = key.hasSuffix(tilesMark), names = tiles ? String(key.dropLast(tilesMark.count)) : key
        return (PictureFormats(text: names), tiles)
    }

    static let tilesMark = "+tiles"

    /// The wanted media of the last sync that fetched any, as a ``mediaKey(formats:tiles:)``; `nil` if unknown.
    package func wantedFormats() throws -> String? { try read(Self.wantedFormats) }

    /// The picture formats of the last sync that fetched any media; `nil` in a new mirror.
    package func rememberedFormats() throws -> PictureFormats? {
        try wantedFormats().map { Self.wantedMedia($0).formats }
    }

    /// Reads the stored setting `wantedMedia`. Earlier versions stored the wanted media only with lists that have an ETag.
    static func wantedFormats(in db: Database) throws -> String? {
        try metaValue(.wantedMedia, in: db)
            ?? db.text(
                """
                SELECT clean_formats FROM list WHERE owner_kind = 'partner' AND clean_formats IS NOT NULL
                ORDER BY name = 'artworks' DESC LIMIT 1
                """)
    }

    /// Whether any tile is known.
    package func hasTiles() throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM image_file WHERE \(ImageTile.isTile("format")))"
        return try read { try $0.isTrue(sql) }
    }

    /// The ids of an owner's pictures that have known tiles.
    package func picturesWithTiles(of owner: Owner, role: ImageRole) throws -> Set<String> {
        let sql = """
            SELECT i.id FROM image i WHERE i.\(owner.kind.idColumn) = ? AND i.role = ? AND \(Self.hasTiles)
            """
        return try read { try $0.textSet(sql, [owner.id, role.rawValue]) }
    }

    /// SQL: whether a picture `i` has known tiles.
    private static let hasTiles = """
        EXISTS (SELECT 1 FROM image_file t WHERE t.image = i.pk AND \(ImageTile.isTile("t.format")))
        """

    /// The size and URLs of a stored picture's tiles.
    ///
    /// `nil` if the picture isn't stored or has no tiles, or if its owner is a kept object, which the server doesn't list.
    package func tiles(of owner: Owner, image: String) throws -> TilePyramid? {
        let column = owner.kind.idColumn
        return try read { db in
            try db.row(
                """
                SELECT \(TilePyramid.columns()) FROM image i WHERE i.\(column) = ? AND i.id = ?
                  AND EXISTS (SELECT 1 FROM "\(owner.kind.table)" o WHERE o.id = i.\(column) AND o.kept = 0)
                ORDER BY i.tile_base_url IS NULL LIMIT 1
                """, [owner.id, image]
            ).flatMap { TilePyramid(row: $0, from: 0) }
        }
    }

    /// The files of one picture's known tiles, by format.
    package func tileFiles(of owner: Owner, role: ImageRole, image: String) throws -> [String: KnownFile] {
        try imageFiles(of: owner, role: role, "i.id = ? AND \(ImageTile.isTile("f.format"))", [image])[image]
            ?? [:]
    }

    /// The objects whose pictures have missing tiles.
    ///
    /// A tile is missing if its file isn't stored. A tile isn't missing if the server reported within the last day that it
    /// doesn't have the file.
    ///
    /// - Parameters:
    ///   - list: the ids of the objects, as a JSON array.
    ///   - stored: whether to check only pictures that have known tiles.
    func ownersMissingTiles(
        _ kind: Kind, ids list: String, stored: Bool, in db: Database
    ) throws -> Set<String> {
        let rows = try db.rows(
            """
            SELECT i.\(kind.idColumn), \(TilePyramid.columns()),
              (SELECT count(*) FROM image_file f WHERE f.image = i.pk AND \(ImageTile.isTile("f.format"))
                AND f.entry = i.entry AND (f.hash IS NOT NULL AND f.unavailable_at IS NULL
                  OR f.unavailable_at > ?2 AND f.unavailable_at <= ?3))
            FROM image i WHERE i.\(kind.idColumn) IN (SELECT value FROM json_each(?1))
              AND i.tile_base_url IS NOT NULL \(stored ? "AND \(Self.hasTiles)" : "")
            """, [list] + lastDay)
        return rows.reduce(into: []) { missing, row in
            guard let count = TilePyramid(row: row, from: 1)?.count, count <= TilePyramid.maximumTileCount
            else {
                return
            }
            if count > row[TilePyramid.columnCount + 1] { missing.insert(row[0]) }
        }
    }
}

extension ImageTile {
    /// SQL: whether a column contains the format of a tile.
    static func isTile(_ column: String) -> String { "\(column) >= 'tile/' AND \(column) < 'tile0'" }
}

extension TilePyramid {
    private static let names = [
        "tile_base_url", "max_tiled_width", "max_tiled_height", "tile_size", "tile_overlap", "tile_format",
    ]
    static let columnCount = names.count

    /// SQL: the columns of a picture `i` that ``init(row:from:)`` reads.
    static func columns() -> String { names.map { "i.\($0)" }.joined(separator: ", ") }

    init?(row: Row, from index: Int) {
        self.init(
            base: row[index], width: row[index + 1], height: row[index + 2], size: row[index + 3],
            overlap: row[index + 4], format: row[index + 5])
    }
}

extension Deleter {
    /// Stores the run's wanted media, for later repairs.
    ///
    /// A run of selected kinds stores them only if none are stored yet.
    ///
    /// If tiles were wanted before and are not wanted now, tiles of an earlier version of their picture are removed, because no
    /// sync replaces them any more. Tiles of the current version stay: they are still correct.
    func rememberWantedMedia() throws {
        guard let wanted = request.formats else { return }
        let before = try CatalogueStore.wantedFormats(in: db)
        guard try CatalogueStore.metaValue(.wantedMedia, in: db) != wanted,
            request.coversAllKinds || before == nil
        else {
            return
        }
        if !CatalogueStore.wantedMedia(wanted).tiles, before.map(CatalogueStore.wantedMedia)?.tiles == true {
            // Tiles that must be fetched again have an empty entry. They stay.
            try db.run(
                """
                DELETE FROM image_file AS f WHERE \(ImageTile.isTile("f.format")) AND f.entry <> ''
                  AND EXISTS (SELECT 1 FROM image i WHERE i.pk = f.image AND i.entry <> f.entry)
                """)
        }
        try CatalogueStore.set(.wantedMedia, to: wanted, in: db)
    }
}

extension ImageWriter {
    /// Whether tiles are among the wanted media; also `true` if the wanted media are unknown.
    func wantsTiles() throws -> Bool {
        try CatalogueStore.wantedFormats(in: log.db).map(CatalogueStore.wantedMedia)?.tiles != false
    }

    /// Removes the rows of a picture's tiles that its current version doesn't have.
    func removeTiles(of image: Int64, except tiles: TilePyramid?) throws {
        let formats = try log.db.texts(
            "SELECT format FROM image_file WHERE image = ? AND \(ImageTile.isTile("format"))", [image])
        for format in formats {
            if let tile = ImageTile(format: format), tiles?.contains(tile) == true { continue }
            try log.db.run("DELETE FROM image_file WHERE image = ? AND format = ?", [image, format])
        }
    }
}
