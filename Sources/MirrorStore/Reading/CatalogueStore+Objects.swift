import Catalogue
import GRDB

/// A line of a list of objects.
public struct ObjectSummary: Sendable, Hashable {
    public let kind: Kind
    public let id: String
    public let slug: String?
    public let name: String?
    public let ghost: Bool
    /// Whether it was restored and the server has not listed it again since.
    public let kept: Bool

    static func columns(_ kind: Kind) -> String {
        "id, \(kind.hasSlug ? "slug" : "NULL"), \(kind.titleColumn), ghost, kept"
    }

    fileprivate init(_ kind: Kind, _ row: Row) {
        self.kind = kind
        (id, slug, name, ghost, kept) = (row[0], row[1], row[2], row[3], row[4])
    }
}

/// One object with what belongs to it.
public struct ObjectDetail: Sendable {
    public let summary: ObjectSummary
    /// The object as the server said it, in canonical JSON; `nil` for a ghost.
    public let json: String?
    /// Ids of an owner's artworks, in order; of an album, as it was edited here.
    public let artworks: [String]
    /// Paths, relative to the mirror's folder, of the files of its pictures and documents.
    public let files: [String]
}

extension CatalogueStore {
    /// Objects of a kind in the order of their names, or its ghosts, or only what was restored and is kept.
    public func summaries(
        _ kind: Kind, ghosts: Bool = false, kept: Bool = false, _ body: (ObjectSummary) throws -> Void
    ) throws {
        let sql = """
            SELECT \(ObjectSummary.columns(kind)) FROM "\(kind.table)" WHERE ghost = ?
              \(kept ? "AND kept = 1" : "") \(kind.isEdited ? "AND deleted = 0" : "") ORDER BY \(kind.orderOfNames)
            """
        try read { try $0.forEach(sql, [ghosts]) { try body(ObjectSummary(kind, $0)) } }
    }

    /// The object with that id, or else the one with that slug.
    public func find(_ kind: Kind, _ key: String) throws -> ObjectDetail? {
        try find(kind, key, within: nil)
    }

    /// The same, of an owner's alone: an artist's, show's, album's or location's artworks, an artist's or show's documents.
    ///
    /// Documents of several owners may have the same id.
    package func find(_ kind: Kind, _ key: String, within owner: Owner?) throws -> ObjectDetail? {
        try snapshot { reader in
            let belongs = owner.flatMap { Self.belonging(kind, to: $0) }
            let rows = """
                SELECT \(ObjectSummary.columns(kind)), json FROM "\(kind.table)"
                WHERE \(belongs ?? "?2 IS NULL")\(kind.isEdited ? " AND deleted = 0" : "")
                """
            func first(_ rest: String) throws -> Row? {
                let arguments: StatementArguments = [key, belongs == nil ? nil : owner?.id]
                return try reader.db.row("\(rows) AND \(rest)", arguments)
            }
            // While a large snapshot is taken in, two may have a slug: the later one will keep it.
            let order = kind.has(column: "updated_at") ? "kept, julianday(updated_at) DESC, rowid" : "id"
            guard
                let row = try first("id = ?1")
                    ?? (kind.hasSlug ? first("slug = ?1 ORDER BY \(order) LIMIT 1") : nil)
            else { return nil }
            let summary = ObjectSummary(kind, row), found = Owner(kind, summary.id)
            return ObjectDetail(
                summary: summary, json: row[5],
                artworks: kind.hasMembers ? try reader.artworks(of: found) : [],
                files: try Self.filePaths(of: found, in: reader.db))
        }
    }

    /// The condition that an object belongs to another, whose id is `?2`; `nil` where none can.
    private static func belonging(_ kind: Kind, to owner: Owner) -> String? {
        guard kind != .document else {
            return owner.kind.hasDocuments ? "\(owner.kind.idColumn) = ?2" : nil
        }
        return Relation(kind, of: owner.kind).map { "id IN (\($0.ids(of: "?2")))" }
    }

    /// Artworks and artists that have all of the words, the best first. Every word may be the beginning of one.
    ///
    /// A run brings the index up to date at its end: what it brings is not found before.
    ///
    /// - Parameters:
    ///   - kind: `.artwork` or `.artist`, for these alone; any other kind has nothing. Default: both.
    ///   - limit: how many at the most.
    public func search(_ words: String, in kind: Kind? = nil, limit: Int) throws -> [ObjectSummary] {
        let terms = words.split(whereSeparator: \.isWhitespace).map {
            "\"\($0.replacing("\"", with: "\"\""))\"*"
        }
        guard !terms.isEmpty else { return [] }
        return try read { db in
            let hits = try db.rows(
                """
                SELECT e.kind, e.id FROM search JOIN search_entry e ON e.number = search.rowid
                WHERE search MATCH ?1 AND (?2 IS NULL OR e.kind = ?2)
                ORDER BY bm25(search, 10, 5, 1), e.kind DESC, e.number LIMIT ?3
                """, [terms.joined(separator: " "), kind?.name, limit])
            return try hits.compactMap { hit in
                guard let kind = kinds[hit[0]] else { return nil }
                let sql = "SELECT \(ObjectSummary.columns(kind)) FROM \"\(kind.table)\" WHERE id = ?"
                return try db.row(sql, [hit[1] as String]).map { ObjectSummary(kind, $0) }
            }
        }
    }
}
