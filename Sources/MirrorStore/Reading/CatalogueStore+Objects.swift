import Catalogue
import GRDB

/// The fields of an object that a list shows.
public struct ObjectSummary: Sendable, Hashable {
    /// The object's kind.
    public let kind: Kind
    /// The object's id.
    public let id: String
    /// The object's slug; `nil` if it or its kind has none.
    public let slug: String?
    /// The object's name or title; `nil` if it has none.
    public let name: String?
    /// Whether the object isn't stored, and something stored refers to it.
    public let ghost: Bool
    /// Whether the object was restored, and the server has not listed it since.
    public let kept: Bool
    /// What names the object in the address of its page: its slug, if that leads to it, or else its id
    /// (``Kind/pageSlug(_:)``).
    package let key: String

    /// SQL: the columns of the row `o`.
    ///
    /// - Parameter isLinked: whether pages link to the object. If not, its key is its id, which takes no look-up. Default:
    ///   `true`.
    static func columns(_ kind: Kind, isLinked: Bool = true) -> String {
        let slug = kind.hasSlug ? "o.slug" : "NULL", page = isLinked ? kind.pageSlug("o") : "NULL"
        return "o.id, \(slug), o.\(kind.titleColumn), o.ghost, o.kept, \(page)"
    }

    init(_ kind: Kind, _ row: Row) {
        self.kind = kind
        (id, slug, name, ghost, kept) = (row[0], row[1], row[2], row[3], row[4])
        key = row[5] ?? (row[0] as String)
    }
}

/// An object with its artworks and files.
public struct ObjectDetail: Sendable {
    /// The object's kind, id, name and state.
    public let summary: ObjectSummary
    /// The object as the server sent it, in canonical JSON; `nil` for a ghost.
    public let json: String?
    /// The ids of the artworks of a show, location or album, in order. Local edits of an album are applied.
    public let artworks: [String]
    /// The paths of the files of its pictures and documents, relative to the mirror's folder.
    public let files: [String]
}

extension CatalogueStore {
    /// Reads summaries of the objects of a kind one by one, ordered by name.
    ///
    /// - Parameters:
    ///   - ghosts: whether to read the kind's ghosts instead of its stored objects.
    ///   - kept: whether to read only kept objects.
    ///   - body: called for each object. An error that it throws ends the reading and is thrown on.
    public func summaries(
        _ kind: Kind, ghosts: Bool = false, kept: Bool = false, _ body: (ObjectSummary) throws -> Void
    ) throws {
        let sql = """
            SELECT \(ObjectSummary.columns(kind, isLinked: false)) FROM "\(kind.table)" o WHERE ghost = ?
              \(kept ? "AND kept = 1" : "") \(kind.isEdited ? "AND deleted = 0" : "") ORDER BY \(kind.orderOfNames)
            """
        try read { try $0.forEach(sql, [ghosts]) { try body(ObjectSummary(kind, $0)) } }
    }

    /// The object with an id or, if there is none, with a slug.
    ///
    /// - Returns: the object, which may be a ghost; `nil` if there is none.
    public func find(_ kind: Kind, _ key: String) throws -> ObjectDetail? {
        try find(kind, key, within: nil)
    }

    /// The object with an id or slug among those that belong to an owner.
    ///
    /// These are the artworks of an artist, show, album or location, and the documents of an artist or show. Documents of
    /// different owners may have the same id.
    package func find(_ kind: Kind, _ key: String, within owner: Owner?) throws -> ObjectDetail? {
        try snapshot { reader in
            guard let (summary, json) = try reader.find(kind, key, within: owner) else { return nil }
            let found = Owner(kind, summary.id)
            return ObjectDetail(
                summary: summary, json: json,
                artworks: kind.hasMembers ? try reader.artworks(of: found) : [],
                files: try Self.filePaths(of: found, in: reader.db))
        }
    }

    /// The object with an id or, if there is none, with a slug, without its artworks and files, of which it may have many.
    ///
    /// - Returns: the object, which may be a ghost, and its canonical JSON; `nil` if there is none.
    package func findAlone(_ kind: Kind, _ key: String) throws -> (summary: ObjectSummary, json: String?)? {
        try snapshot { try $0.find(kind, key, within: nil) }
    }

    /// Finds artworks and artists that contain all of the words, the best matches first; or shows, albums or locations by name.
    ///
    /// A word also matches longer words that begin with it. The search index is updated at the end of a run, so objects that
    /// a run adds or changes are found only then.
    ///
    /// - Parameters:
    ///   - words: words separated by white space. Without any, the result is empty.
    ///   - kind: `.artwork`, `.artist`, `.show`, `.album` or `.location`; for any other kind the result is empty. Default:
    ///     artworks and artists.
    ///   - limit: the maximum number of results.
    public func search(_ words: String, in kind: Kind? = nil, limit: Int) throws -> [ObjectSummary] {
        let terms = words.split(whereSeparator: \.isWhitespace).map {
            "\"\(String($0).escaping("\"", as: "\"\""))\"*"
        }
        guard !terms.isEmpty else { return [] }
        return try read { db in
            let hits = try db.rows(
                """
                SELECT e.kind, e.id FROM search JOIN search_entry e ON e.number = search.rowid
                WHERE search MATCH ?1 AND e.kind IN (coalesce(?2, 'artwork'), coalesce(?2, 'artist'))
                ORDER BY bm25(search, 10, 5, 1, 0), e.kind DESC, e.number LIMIT ?3
                """, ["{title artist text} : (\(terms.joined(separator: " ")))", kind?.name, limit])
            return try hits.compactMap { hit in
                guard let kind = kinds[hit[0]] else { return nil }
                let isNotDeleted = kind.isEdited ? " AND deleted = 0" : ""
                let sql =
                    "SELECT \(ObjectSummary.columns(kind)) FROM \"\(kind.table)\" o WHERE id = ?\(isNotDeleted)"
                return try db.row(sql, [hit[1] as String]).map { ObjectSummary(kind, $0) }
            }
        }
    }
}

extension CatalogueReader {
    /// The object with an id or slug, among all or among those that belong to an owner, and its JSON.
    fileprivate func find(
        _ kind: Kind, _ key: String, within owner: Owner?
    ) throws -> (summary: ObjectSummary, json: String?)? {
        let belongs = owner.flatMap { Self.belonging(kind, to: $0) }
        let rows = """
            SELECT \(ObjectSummary.columns(kind)), json FROM "\(kind.table)" o
            WHERE \(belongs ?? "?2 IS NULL")\(kind.isEdited ? " AND deleted = 0" : "")
            """
        func first(_ rest: String) throws -> Row? {
            let arguments: StatementArguments = [key, belongs == nil ? nil : owner?.id]
            return try db.row("\(rows) AND \(rest)", arguments)
        }
        // While a large snapshot is loaded, two objects may have the same slug. The later one will keep it.
        let order = kind.has(column: "updated_at") ? "kept, julianday(updated_at) DESC, rowid" : "id"
        guard
            let row = try first("id = ?1")
                ?? (kind.hasSlug ? first("slug = ?1 ORDER BY \(order) LIMIT 1") : nil)
        else { return nil }
        let json: String? = row[6]
        return (summary: ObjectSummary(kind, row), json: json)
    }

    /// SQL: whether an object belongs to the owner with the id `?2`; `nil` if objects of that kind never do.
    private static func belonging(_ kind: Kind, to owner: Owner) -> String? {
        guard kind != .document else {
            return owner.kind.hasDocuments ? "\(owner.kind.idColumn) = ?2" : nil
        }
        return Relation(kind, of: owner.kind).map { "id IN (\($0.ids(of: "?2")))" }
    }
}
