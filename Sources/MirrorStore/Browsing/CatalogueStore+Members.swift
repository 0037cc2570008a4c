import Catalogue
import GRDB

/// The artworks of a show, album or location, in its order; those of an artist by year.
extension CatalogueStore {
    /// Reads a page of an object's artworks. Artworks that aren't stored are left out; so are hidden ones for visitors.
    ///
    /// The pages of an artist are those of ``artistQuery(_:for:)``.
    ///
    /// - Parameters:
    ///   - position: where the page begins. A key of another list counts as the first page. Default: the first page.
    ///   - limit: the greatest number of artworks. Default: ``pageSize``.
    package func members(
        of owner: Owner, for face: Face, from position: PagePosition = .first, limit: Int = pageSize
    ) throws -> ArtworkListing {
        guard owner.kind != .artist else {
            return try artworks(Self.artistQuery(owner.id, for: face), from: position, limit: limit)
        }
        return try snapshot { reader in
            try MemberPage(owner: owner, face: face, reader: reader)?.listing(position, max(1, limit))
                ?? ArtworkListing(items: [], next: nil, previous: nil, total: 0)
        }
    }

    /// The pictures of the first artworks of some shows, albums or locations that a face may see, in the order of the owners.
    ///
    /// - Parameter limit: the greatest number of artworks of each owner.
    package func memberPictures(of owners: [Owner], for face: Face, limit: Int) throws -> [[PictureState]] {
        try snapshot { reader in
            let ids = try owners.map { owner in
                try MemberPage(owner: owner, face: face, reader: reader)?.first(limit) ?? []
            }
            let pictures = try reader.pictures(ofArtworks: ids.flatMap(\.self))
            return ids.map { $0.map { pictures[ExactText($0)] ?? .none } }
        }
    }

    /// The artworks before and after an artwork of a show, album, location or artist; `nil` if the artwork isn't one of its.
    package func neighbours(of artwork: String, among owner: Owner, for face: Face) throws -> Neighbours? {
        guard owner.kind != .artist else {
            return try neighbours(of: artwork, in: Self.artistQuery(owner.id, for: face))
        }
        return try snapshot { reader in
            try MemberPage(owner: owner, face: face, reader: reader)?.neighbours(of: artwork)
        }
    }

    /// The number of artworks of a show, album or location that a face may see, with an album's local edits applied; `nil` if
    /// there are too many to count.
    package func memberCount(of owner: Owner, for face: Face) throws -> Int? {
        try snapshot { reader in
            try MemberPage(owner: owner, face: face, reader: reader)?.count(through: nil)
        }
    }

    /// The numbers of artworks of several shows, albums or locations that a face may see, in the order of the ids. An object
    /// has no number if counting took too long: if it has more than 1,000, or all have more than 5,000.
    package func memberCounts(of kind: Kind, _ ids: [String], for face: Face) throws -> [Int?] {
        guard kind.hasMembers, let relation = Relation(.artwork, of: kind) else {
            return ids.map { _ in nil }
        }
        return try snapshot { reader in
            var counter = MemberCounter(relation: relation, face: face, db: reader.db)
            return try ids.map { try counter.count($0) }
        }
    }

    /// The list of an artist's artworks, by year.
    package static func artistQuery(_ artist: String, for face: Face) -> ArtworkQuery {
        ArtworkQuery(face: face, filters: [.artist: artist], sort: .year)
    }
}

extension PageKey {
    /// Reads a position among the artworks of an object of a kind; `nil` if it isn't one.
    package init?(_ text: String, membersOf kind: Kind) {
        if kind == .artist { self.init(text, in: .year) } else { self.init(membersFrom: text) }
    }
}

/// Reads pages of the artworks of a show, album or location, by their positions.
struct MemberPage {
    private let owner: Owner
    private let face: Face
    private let reader: CatalogueReader
    private let relation: Relation

    private var db: Database { reader.db }

    /// `nil` for a kind without a list of artworks.
    init?(owner: Owner, face: Face, reader: CatalogueReader) {
        guard owner.kind.hasMembers, let relation = Relation(.artwork, of: owner.kind) else { return nil }
        (self.owner, self.face, self.reader, self.relation) = (owner, face, reader, relation)
    }

    /// SQL: all artworks `o` in the list of the owner `?1`, with their rows `m`.
    private var all: String {
        """
        \(relation.table) m CROSS JOIN artwork o ON o.id = m.artwork_id
        WHERE m.\(relation.owner) = ?1 AND \(relation.isIncluded)
        """
    }

    /// SQL: those that are stored, and that the face may see.
    private var members: String { "\(all) AND o.ghost = 0 AND \(isVisible)" }

    /// SQL: whether the face may see the artwork `o`.
    private var isVisible: String { face.isVisible(.artwork, "o") }

    func listing(_ position: PagePosition, _ limit: Int) throws -> ArtworkListing {
        var rows: [Row], hasPrevious = false, hasNext = false
        switch position {
        case .before(let key) where key.order == PageKey.members:
            rows = try self.rows("<", Self.place(key), "DESC", limit + 1)
            hasPrevious = rows.count > limit
            rows = rows.prefix(limit).reversed()
            hasNext = try rows.last.map { try has(">", $0[0]) } ?? false
        case .after(let key) where key.order == PageKey.members:
            rows = try self.rows(">", Self.place(key), "ASC", limit + 1)
            hasNext = rows.count > limit
            rows = Array(rows.prefix(limit))
            hasPrevious = try rows.first.map { try has("<", $0[0]) } ?? false
        default:
            rows = try self.rows(">=", .min, "ASC", limit + 1)
            hasNext = rows.count > limit
            rows = Array(rows.prefix(limit))
        }
        let end = PageKey.end(of: PageKey.members, areNumbers: [true, false])
        if rows.isEmpty, let other = position.replacement(end: end) { return try listing(other, limit) }
        return ArtworkListing(
            items: try reader.items(rows.map { $0[1] }, for: face),
            next: hasNext ? rows.last.map { Self.key(of: $0) } : nil,
            previous: hasPrevious ? rows.first.map { Self.key(of: $0) } : nil, total: try count(through: nil))
    }

    /// The ids of the first artworks.
    func first(_ limit: Int) throws -> [String] { try rows(">=", .min, "ASC", limit).map { $0[1] } }

    func neighbours(of artwork: String) throws -> Neighbours? {
        let own = "SELECT m.position FROM \(members) AND m.artwork_id = ?2 ORDER BY m.position LIMIT 1"
        guard let place = try db.number(own, [owner.id, artwork]) else { return nil }
        return Neighbours(
            previous: try rows("<", place, "DESC", 1).first.map { $0[1] },
            next: try rows(">", place, "ASC", 1).first.map { $0[1] }, number: try count(through: place),
            total: try count(through: nil))
    }

    private static func key(of row: Row) -> PageKey {
        PageKey(PageKey.members, [.number(row[0]), .text(row[1])])
    }

    private static func place(_ key: PageKey) -> Int {
        if case .number(let place) = key.values[0] { place } else { 0 }
    }

    private func rows(_ comparison: String, _ place: Int, _ direction: String, _ limit: Int) throws -> [Row] {
        try db.rows(
            """
            SELECT m.position, o.id FROM \(members) AND m.position \(comparison) ?2
            ORDER BY m.position \(direction) LIMIT ?3
            """, [owner.id, place, limit])
    }

    private func has(_ comparison: String, _ place: Int) throws -> Bool {
        try !rows(comparison, place, comparison == "<" ? "DESC" : "ASC", 1).isEmpty
    }

    /// The number of artworks, or of those up to a position; `nil` if there are too many to count.
    func count(through place: Int?) throws -> Int? {
        let counter = MemberCounter(relation: relation, face: face, db: db)
        let (read, shown) = try counter.count(owner.id, through: place, limit: MemberCounter.mostOnPage + 1)
        return read > MemberCounter.mostOnPage ? nil : shown
    }
}
