import Catalogue
import GRDB

/// One object in a list of artists, shows, albums or locations.
package struct NameItem: Sendable, Hashable {
    package let kind: Kind
    package let id: String
    package let slug: String?
    /// The name to show; `nil` if it has none.
    package let name: String?
    /// The number of its artworks that the face may see; `nil` if counting would take too long.
    package let artworks: Int?
    /// The object's JSON, without what the face may not see.
    package let json: JSONObject
}

/// One page of a list of names.
package struct NameListing: Sendable, Hashable {
    package let items: [NameItem]
    package let next: PageKey?
    package let previous: PageKey?
    /// The number of objects in the list.
    package let total: Int
}

/// Lists of artists, albums and locations by name, and of shows by date, the latest first.
extension CatalogueStore {
    /// The kinds that have such lists.
    package static let namedKinds: [Kind] = [.artist, .show, .album, .location]

    /// Reads a page of the list of a kind. Private albums are left out for visitors.
    ///
    /// - Parameters:
    ///   - position: where the page begins. A key of another list counts as the first page. Default: the first page.
    ///   - limit: the greatest number of objects. Default: ``pageSize``.
    package func names(
        _ kind: Kind, for face: Face, from position: PagePosition = .first, limit: Int = pageSize
    ) throws -> NameListing {
        guard Self.namedKinds.contains(kind) else {
            return NameListing(items: [], next: nil, previous: nil, total: 0)
        }
        return try snapshot { reader in
            try NamePage(kind: kind, face: face, reader: reader).listing(position, max(1, limit))
        }
    }

    /// The letters, `A` to `Z`, under which a list of names has objects, with the position before each. Empty for shows.
    package func letters(_ kind: Kind, for face: Face) throws -> [(letter: String, before: PageKey)] {
        guard kind != .show, Self.namedKinds.contains(kind) else { return [] }
        return try snapshot { reader in
            let page = NamePage(kind: kind, face: face, reader: reader)
            return try (UInt8(ascii: "A")...UInt8(ascii: "Z")).compactMap { byte in
                let letter = String(Unicode.Scalar(byte))
                guard let before = PageKey.before(letter: letter, namesOf: kind),
                    try page.has(letter: letter.lowercased())
                else { return nil }
                return (letter, before)
            }
        }
    }
}

/// Reads pages of a list of names.
struct NamePage {
    let kind: Kind
    let face: Face
    let reader: CatalogueReader

    private var db: Database { reader.db }

    /// SQL: whether a row `e` of the index, with the object `o`, is in the list.
    ///
    /// The object itself is asked, too, whether it is hidden: the index may be behind.
    private var isListed: String {
        """
        e.kind = ?1 AND e.key IS NOT NULL AND \(face.seesAll ? "1" : "e.hidden = 0") AND \(face.isVisible(kind, "o"))\(isPresent)
        """
    }

    /// SQL: leaves out an object `o` that was deleted locally. Empty for kinds that aren't edited.
    private var isPresent: String { kind.isEdited ? " AND o.deleted = 0" : "" }

    func listing(_ position: PagePosition, _ limit: Int) throws -> NameListing {
        var rows: [Row], hasPrevious = false, hasNext = false
        switch position {
        case .before(let key) where key.order == kind.name:
            rows = try self.rows(key, "<", "DESC", limit + 1)
            hasPrevious = rows.count > limit
            rows = rows.prefix(limit).reversed()
            hasNext = try rows.last.map { try !self.rows(self.key(of: $0), ">", "ASC", 1).isEmpty } ?? false
        case .after(let key) where key.order == kind.name:
            rows = try self.rows(key, ">", "ASC", limit + 1)
            hasNext = rows.count > limit
            rows = Array(rows.prefix(limit))
            hasPrevious =
                try rows.first.map { try !self.rows(self.key(of: $0), "<", "DESC", 1).isEmpty } ?? false
        default:
            rows = try self.rows(PageKey(kind.name, [.text(""), .text("")]), ">", "ASC", limit + 1)
            hasNext = rows.count > limit
            rows = Array(rows.prefix(limit))
        }
        let end = PageKey.end(of: kind.name, areNumbers: [false, false])
        if rows.isEmpty, let other = position.replacement(end: end) { return try listing(other, limit) }
        return NameListing(
            items: try items(rows.map { $0[1] }), next: hasNext ? rows.last.map { key(of: $0) } : nil,
            previous: hasPrevious ? rows.first.map { key(of: $0) } : nil, total: try total())
    }

    private func key(of row: Row) -> PageKey { PageKey(kind.name, [.text(row[0]), .text(row[1])]) }

    private func rows(_ key: PageKey, _ comparison: String, _ direction: String, _ limit: Int) throws -> [Row]
    {
        guard case .text(let name) = key.values[0], case .text(let id) = key.values[1] else { return [] }
        return try db.rows(
            """
            SELECT e.key, e.id FROM search_entry e CROSS JOIN "\(kind.table)" o ON o.id = e.id
            WHERE \(isListed) AND (e.key, e.id) \(comparison) (?2, ?3)
            ORDER BY e.key \(direction), e.id \(direction) LIMIT ?4
            """, [kind.name, name, id, limit])
    }

    private func total() throws -> Int {
        let sql =
            kind.isEdited
            ? "SELECT count(*) FROM search_entry e CROSS JOIN \"\(kind.table)\" o ON o.id = e.id WHERE \(isListed)"
            : "SELECT count(*) FROM search_entry e WHERE \(isListed)"
        return try db.number(sql, [kind.name]) ?? 0
    }

    /// Whether there are names with a key that begins with a letter.
    func has(letter: String) throws -> Bool {
        try db.isTrue(
            """
            SELECT 1 FROM search_entry e CROSS JOIN "\(kind.table)" o ON o.id = e.id
            WHERE \(isListed) AND e.key >= ?2 AND e.key < ?2 || char(1114111) ORDER BY e.key LIMIT 1
            """, [kind.name, letter])
    }

    // MARK: - Objects

    /// Objects of the kind that the face may see, in the order of the ids. A locally deleted album is left out, although it stays in the index
    /// until the server has deleted it, too.
    func items(_ ids: [String]) throws -> [NameItem] {
        let name = kind == .artist ? "coalesce(o.display_name, o.name)" : "o.name"
        let slug = kind.hasSlug ? "o.slug" : "NULL",
            members = kind.hasMembers && kind != .location ? kind : nil
        return try db.rows(
            """
            SELECT o.id, \(slug), \(name), o.json, \(artworks)
            FROM json_each(?1) j CROSS JOIN "\(kind.table)" o ON o.id = j.value
            WHERE o.ghost = 0 AND \(face.isVisible(kind, "o"))\(isPresent)
            """, [JSONValue.canonicalText(of: ids)]
        ).map { row in
            let json = (row[3] as String?).flatMap { try? JSONValue(parsing: $0).objectValue } ?? [:]
            let count: Int = row[4] ?? 0, isCounted = members == nil || count <= Self.mostCounted
            return NameItem(
                kind: kind, id: row[0], slug: row[1], name: row[2],
                artworks: isCounted ? count : nil, json: face.visible(json, of: kind))
        }
    }

    /// The greatest number of members that are counted one by one.
    private static let mostCounted = 1_000

    /// SQL: the number of artworks of the row `o`; for shows and albums counted up to a limit.
    private var artworks: String {
        let facet: Facet? = kind == .artist ? .artist : kind == .location ? .place : nil
        if let facet {
            let hidden = face.seesAll ? "0" : "v.hidden"
            return """
                (SELECT v.artworks - \(hidden) FROM facet_value v WHERE v.facet = '\(facet.name)' AND v.value = o.id)
                """
        }
        guard let members = Relation(.artwork, of: kind) else { return "NULL" }
        return """
            (SELECT count(*) FROM (SELECT 1 FROM \(members.table) m CROSS JOIN artwork a ON a.id = m.\(members.member)
              WHERE m.\(members.owner) = o.id AND \(members.isIncluded) AND a.ghost = 0
                AND \(face.isVisible(.artwork, "a"))
              LIMIT \(Self.mostCounted + 1)))
            """
    }
}
