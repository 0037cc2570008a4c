import Catalogue
import GRDB

/// A table to export, with columns for a spreadsheet: fields and references, without the store's internal columns.
package struct CatalogueTable: Sendable {
    package let name: String
    package let columns: [String]
    /// The SQL expressions of the values, in the order of ``columns``.
    fileprivate let values: [String]
    /// The rest of the SQL query, which follows `FROM`.
    fileprivate let rows: String

    /// The tables of objects, the join tables, and those of pictures and edition sets.
    ///
    /// Ghosts and locally deleted albums are left out.
    package static func all(_ kinds: Kinds) -> [CatalogueTable] {
        kinds.all.map(objects) + CatalogueReader.JoinTable.allCases.map(joins)
            + [pictures, pictureFiles, editionSets]
    }

    private init(_ name: String, _ columns: [(name: String, value: String)], _ rows: String) {
        self.name = name
        self.columns = columns.map(\.name)
        values = columns.map(\.value)
        self.rows = rows
    }

    // MARK: - The tables

    private static func own(_ names: [String]) -> [(name: String, value: String)] {
        names.map { ($0, "o.\"\($0)\"") }
    }

    private static func objects(_ kind: Kind) -> Self {
        var columns = own(["id"] + kind.columns.map(\.name)), from = "\"\(kind.table)\" o", order = "o.id"
        if kind == .show { columns += own(["location_id"]) }
        if kind.isPart {
            columns += own(["show_id", "artist_id"]) + [("path", "f.path")]
            from += " LEFT JOIN file f ON f.hash = o.file"
            order += ", o.pk"
        }
        let isNotDeleted = kind.isEdited ? " AND o.deleted = 0" : ""
        return Self(kind.name, columns, "\(from) WHERE o.ghost = 0\(isNotDeleted) ORDER BY \(order)")
    }

    private static func joins(_ table: CatalogueReader.JoinTable) -> Self {
        let owner = "\(table.owner)_id"
        let condition =
            table == .albumArtwork
            ? "WHERE o.pending IS NOT 'remove' AND album_id NOT IN (SELECT id FROM album WHERE deleted = 1)"
            : ""
        return Self(
            table.rawValue, own([owner, "\(table.member)_id", "position"]),
            "\(table.rawValue) o \(condition) ORDER BY o.\(owner), o.position")
    }

    private static let pictureOrder = "ORDER BY i.artwork_id, i.show_id, i.role, i.position, i.pk"

    private static let pictures = Self(
        "image",
        (["id", "artwork_id", "show_id", "role", "position"] + ImageEntry.columns.map(\.name)).map {
            ($0, "i.\($0)")
        }, "image i \(pictureOrder)")

    private static let pictureFiles = Self(
        "image_file",
        [
            ("image_id", "i.id"), ("artwork_id", "i.artwork_id"), ("show_id", "i.show_id"),
            ("format", "o.format"), ("path", "f.path"), ("size", "f.size"), ("type", "f.type"),
        ],
        """
        image_file o JOIN image i ON i.pk = o.image JOIN file f ON f.hash = o.hash \(pictureOrder), o.format
        """)

    private static let editionSets = Self(
        "edition_set", own(["artwork_id", "position"] + ["id"] + EditionSet.columns.map(\.name)),
        "edition_set o ORDER BY o.artwork_id, o.position")
}

extension CatalogueReader {
    /// The tables that ``rows(of:_:)`` can read.
    package var tables: [CatalogueTable] { CatalogueTable.all(kinds) }

    /// Reads a table's rows one by one. A row has one text per column, which is empty for `NULL`.
    package func rows(of table: CatalogueTable, _ body: ([String]) throws -> Void) throws {
        let texts = table.values.map { "coalesce(CAST(\($0) AS TEXT), '')" }.joined(separator: ", ")
        try db.forEach("SELECT \(texts) FROM \(table.rows)") { row in
            try body(table.columns.indices.map { row[$0] })
        }
    }
}
