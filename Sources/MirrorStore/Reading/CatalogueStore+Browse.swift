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
    /// How many objects of each kind there are, ghosts, restored ones, and those that are only referred to aside.
    ///
    /// Counted from small indexes: the rows themselves are never looked at.
    public func counts() throws -> [Kind: Int] {
        try read { db in
            func count(_ kind: Kind, _ condition: String = "") throws -> Int {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(kind.table)\" \(condition)") ?? 0
            }
            let mayBeGhosts = Set(kinds.withGhosts),
                mayBeKept = Set(kinds.listed + [.document])
            return try Dictionary(
                uniqueKeysWithValues: kinds.all.map { kind in
                    let ghosts = mayBeGhosts.contains(kind) ? try count(kind, "WHERE ghost = 1") : 0
                    let kept = mayBeKept.contains(kind) ? try count(kind, "WHERE kept = 1") : 0
                    let deleted = kind == .album ? try count(kind, "WHERE deleted AND kept = 0") : 0
                    let linked =
                        kinds.listed.contains(kind) ? try count(kind, "WHERE linked = 1") : 0
                    return (kind, try count(kind) - ghosts - kept - deleted - linked)
                })
        }
    }

    /// Files here, their bytes, ghosts, and objects that are marked for being fetched again.
    public func totals() throws -> (files: Int, bytes: Int64, ghosts: Int, marked: Int) {
        try read { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT count(*), coalesce(sum(size), 0) FROM file WHERE released_at IS NULL")
            let ghosts = try kinds.withGhosts.reduce(0) { sum, kind in
                sum
                    + (try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM \"\(kind.table)\" WHERE ghost = 1") ?? 0)
            }
            let marked = try kinds.listed.reduce(0) { sum, kind in
                sum
                    + (try Int.fetchOne(
                        db, sql: "SELECT count(*) FROM \"\(kind.table)\" WHERE refetch = 1 AND ghost = 0")
                        ?? 0)
            }
            return (row?[0] ?? 0, row?[1] ?? 0, ghosts, marked)
        }
    }

    /// Objects of a kind in order of their names, or its ghosts, or only what was restored and is kept.
    public func summaries(
        _ kind: Kind, ghosts: Bool = false, kept: Bool = false, _ body: (ObjectSummary) throws -> Void
    ) throws {
        let name = Self.nameColumn(kind)
        try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, \(Self.slugColumn(kind)), \(name), ghost, kept FROM "\(kind.table)" WHERE ghost = ?
                      \(kept ? "AND kept = 1" : "") \(kind == .album ? "AND deleted = 0" : "")
                    ORDER BY \(name) IS NULL, \(name) COLLATE NOCASE, id
                    """, arguments: [ghosts])
            while let row = try rows.next() { try body(Self.summary(kind, row)) }
        }
    }

    /// The object with that id, or else the one with that slug.
    public func find(_ kind: Kind, _ key: String) throws -> ObjectDetail? {
        try find(kind, key, within: nil)
    }

    /// The same, of an owner's alone: an artist's, show's, album's or location's artworks, an artist's or show's documents.
    ///
    /// Documents of several owners may have the same id.
    package func find(_ kind: Kind, _ key: String, within owner: Owner?) throws -> ObjectDetail? {
        try read { db in
            let columns = "id, \(Self.slugColumn(kind)), \(Self.nameColumn(kind)), ghost, kept, json"
            let belongs = owner.flatMap { Self.belonging(kind, to: $0) }
            let isHere = (kind == .album ? "AND deleted = 0" : "") + (belongs.map { " AND \($0)" } ?? "")
            let named = StatementArguments([key] + (belongs == nil ? [] : [owner?.id ?? ""]))
            let byID = "SELECT \(columns) FROM \"\(kind.table)\" WHERE id = ? \(isHere)"
            // While a large snapshot is taken in, two may have it: the later one will keep it.
            let isDated = kind.columns.contains { $0.name == "updated_at" }
            let order = isDated ? "kept, julianday(updated_at) DESC, rowid" : "id"
            let bySlug =
                "SELECT \(columns) FROM \"\(kind.table)\" WHERE slug = ? \(isHere) ORDER BY \(order) LIMIT 1"
            let hasSlug = kind.columns.contains { $0.name == "slug" }
            guard
                let row = try Row.fetchOne(db, sql: byID, arguments: named)
                    ?? (hasSlug ? Row.fetchOne(db, sql: bySlug, arguments: named) : nil)
            else { return nil }
            let summary = Self.summary(kind, row)
            let membership =
                kind.hasMembers
                ? Membership(of: Owner(kind, summary.id)) : nil
            return ObjectDetail(
                summary: summary, json: row[5], artworks: try membership?.localIDs(in: db) ?? [],
                files: try Self.files(kind, summary.id, db))
        }
    }

    /// The condition that an object belongs to another, of which the id is still to be said; `nil` where none can.
    private static func belonging(_ kind: Kind, to owner: Owner) -> String? {
        switch (kind, owner.kind) {
        case (.document, .artist), (.document, .show): "\(owner.kind.name)_id = ?"
        case (.artwork, .artist):
            "id IN (SELECT artwork_id FROM artwork_artist WHERE artist_id = ?)"
        case (.artwork, .album):
            "id IN (SELECT artwork_id FROM album_artwork WHERE album_id = ? AND pending IS NOT 'remove')"
        case (.artwork, .show), (.artwork, .location):
            "id IN (SELECT artwork_id FROM \(owner.kind.name)_artwork WHERE \(owner.kind.name)_id = ?)"
        default: nil
        }
    }

    /// Artworks and artists that have all of the words, best first. Every word may be the beginning of one.
    public func search(_ words: String, limit: Int) throws -> [ObjectSummary] {
        let terms = words.split(whereSeparator: \.isWhitespace).map {
            "\"\($0.replacing("\"", with: "\"\""))\"*"
        }
        guard !terms.isEmpty else { return [] }
        return try read { db in
            let hits = try Row.fetchAll(
                db,
                sql: """
                    SELECT e.kind, e.id FROM search JOIN search_entry e ON e.number = search.rowid
                    WHERE search MATCH ? ORDER BY bm25(search, 10, 5, 1), e.kind DESC, e.number LIMIT ?
                    """, arguments: [terms.joined(separator: " "), limit])
            return try hits.compactMap { hit in
                guard let kind = Kinds.standard[hit[0]] else { return nil }
                return try Row.fetchOne(
                    db.cachedStatement(
                        sql:
                            "SELECT id, slug, \(Self.nameColumn(kind)), ghost, kept FROM \"\(kind.table)\" WHERE id = ?"
                    ),
                    arguments: [hit[1] as String]
                ).map { Self.summary(kind, $0) }
            }
        }
    }

    private static func summary(_ kind: Kind, _ row: Row) -> ObjectSummary {
        ObjectSummary(kind: kind, id: row[0], slug: row[1], name: row[2], ghost: row[3], kept: row[4])
    }

    static func nameColumn(_ kind: Kind) -> String {
        kind == .artwork || kind == .document ? "title" : "name"
    }

    private static func slugColumn(_ kind: Kind) -> String {
        kind.columns.contains { $0.name == "slug" } ? "slug" : "NULL"
    }

    private static func files(_ kind: Kind, _ id: String, _ db: Database) throws -> [String] {
        var paths: [String] = []
        if kind == .artwork || kind == .show {
            paths += try String.fetchAll(
                db,
                sql: """
                    SELECT h.path FROM image i JOIN image_file f ON f.image = i.pk JOIN file h ON h.hash = f.hash
                    WHERE i.\(kind.name)_id = ? ORDER BY i.role, i.position, f.format
                    """, arguments: [id])
        }
        if kind == .artist || kind == .show {
            paths += try String.fetchAll(
                db,
                sql: """
                    SELECT h.path FROM document d JOIN file h ON h.hash = d.file WHERE d.\(kind.name)_id = ?
                    ORDER BY d.id
                    """, arguments: [id])
        }
        return paths
    }
}
