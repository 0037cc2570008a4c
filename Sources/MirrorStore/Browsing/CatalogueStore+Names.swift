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

    /// Whether the object is hidden from visitors, as a private album is.
    package var isHidden: Bool { !Face.visitors.shows(json, of: kind) }
}

/// One page of a list of names.
package struct NameListing: Sendable, Hashable {
    package let items: [NameItem]
    package let next: PageKey?
    package let previous: PageKey?
    /// The number of objects in the list.
    package let total: Int
}

/// Lists of artists, albums and locations by name, and of shows by date, the latest first. Numbers in the names of albums and
/// locations are ordered by their value.
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

    /// The first album or location with a name, ignoring case and accents; `nil` if the face may see none.
    package func object(_ kind: Kind, named name: String, for face: Face) throws -> NameItem? {
        guard kind == .album || kind == .location, let key = SortKey.natural(name) else { return nil }
        return try snapshot { reader in
            try NamePage(kind: kind, face: face, reader: reader).first(withKey: key)
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
    /// The greatest number of artworks of shows and albums that are counted one by one for all objects.
    var allowance = MemberCounter.mostOnPage

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

    /// The number of objects in the list. Only albums can be hidden or edited, so that they have to be counted.
    func total() throws -> Int {
        let sql =
            kind.isEdited
            ? "SELECT count(*) FROM search_entry e CROSS JOIN \"\(kind.table)\" o ON o.id = e.id WHERE \(isListed)"
            : "SELECT artworks FROM facet_value WHERE facet = '\(Facet.kind.name)' AND value = ?1"
        return try db.number(sql, [kind.name]) ?? 0
    }

    func first(withKey key: String) throws -> NameItem? {
        let id = try db.text(
            """
            SELECT e.id FROM search_entry e CROSS JOIN "\(kind.table)" o ON o.id = e.id
            WHERE \(isListed) AND e.key = ?2 ORDER BY e.id LIMIT 1
            """, [kind.name, key])
        return try id.flatMap { try items([$0]).first }
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

    /// Objects of the kind that the face may see, in the order of the ids. A locally deleted album is left out, although it
    /// stays in the index until the server has deleted it, too.
    func items(_ ids: [String]) throws -> [NameItem] {
        let name = kind == .artist ? "coalesce(o.display_name, o.name)" : "o.name"
        var counter = members
        return try db.rows(
            """
            SELECT o.id, \(kind.pageSlug("o")), \(name), o.json, \(storedCount)
            FROM json_each(?1) j CROSS JOIN "\(kind.table)" o ON o.id = j.value
            WHERE o.ghost = 0 AND \(face.isVisible(kind, "o"))\(isPresent)
            """, [JSONValue.canonicalText(of: ids)]
        ).map { row in
            let json = (row[3] as String?).flatMap { try? JSONValue(parsing: $0).objectValue } ?? [:]
            let id: String = row[0], stored: Int? = row[4]
            return NameItem(
                kind: kind, id: id, slug: row[1], name: row[2],
                artworks: try counter == nil ? stored ?? 0 : counter?.count(id),
                json: face.visible(json, of: kind))
        }
    }

    /// SQL: the number of artworks of the row `o`, if it is stored.
    private var storedCount: String {
        let facet: Facet? = kind == .artist ? .artist : kind == .location ? .place : nil
        guard let facet else { return "NULL" }
        let hidden = face.seesAll ? "0" : "v.hidden"
        return """
            (SELECT v.artworks - \(hidden) FROM facet_value v WHERE v.facet = '\(facet.name)' AND v.value = o.id)
            """
    }

    /// Counts the artworks of shows and albums; `nil` for kinds whose numbers are stored.
    private var members: MemberCounter? {
        guard kind.hasMembers, kind != .location, let relation = Relation(.artwork, of: kind) else {
            return nil
        }
        return MemberCounter(relation: relation, face: face, db: db, allowance: allowance)
    }
}

/// Counts the artworks of some shows or albums one by one, as long as that doesn't take too long.
struct MemberCounter {
    let relation: Relation
    let face: Face
    let db: Database
    /// The number of artworks that may still be counted.
    var allowance = MemberCounter.mostOnPage

    /// The greatest number that is counted for a page.
    static let mostOnPage = 5_000
    /// The greatest number that is counted of one object.
    private static let most = 1_000

    /// SQL: whether the artwork with an id is stored, and the face may see it.
    ///
    /// Those that aren't are few and have indexes of their own, so no artwork is read.
    private func isShown(_ id: String) -> String {
        func isNot(_ condition: String, _ index: String) -> String {
            "NOT EXISTS (SELECT 1 FROM artwork o INDEXED BY \(index) WHERE o.id = \(id) AND \(condition))"
        }
        let isStored = isNot("o.ghost = 1", "artwork_ghost")
        return face.seesAll
            ? isStored : "\(isStored) AND \(isNot(Face.isHidden(.artwork, "o"), "artwork_hidden"))"
    }

    /// The number of artworks of an object that the face may see; `nil` if it has more than can be counted.
    mutating func count(_ owner: String) throws -> Int? {
        let limit = min(Self.most, allowance)
        let (read, shown) = try count(owner, through: nil, limit: limit + 1)
        allowance -= min(read, limit)
        return read > limit ? nil : shown
    }

    /// The number of artworks of an object that were counted, and how many of these the face may see. Those that it may not see
    /// take as long.
    ///
    /// - Parameter place: the position of the last one; `nil` for all.
    func count(_ owner: String, through place: Int?, limit: Int) throws -> (read: Int, shown: Int) {
        let row = try db.row(
            """
            SELECT count(*), coalesce(sum(isShown), 0) FROM (
              SELECT \(isShown("m.\(relation.member)")) AS isShown FROM \(relation.table) m
              WHERE m.\(relation.owner) = ?1 AND m.position <= ?2 AND \(relation.isIncluded) LIMIT ?3)
            """, [owner, place ?? .max, limit])
        return row.map { ($0[0], $0[1]) } ?? (0, 0)
    }
}
