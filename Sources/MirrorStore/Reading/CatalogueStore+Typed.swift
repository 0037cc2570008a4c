import Catalogue
import GRDB

/// Reads objects as typed values.
///
/// ```swift
/// let wave = try store.fetch(Artwork.self, id: "the-great-wave")
/// for artist in try store.fetchAll(Artist.self) { print(artist.name ?? artist.id) }
/// let works = try store.artworks(of: Owner(.artist, "hokusai"), limit: 50)
/// let shows = try store.fetchAll(Show.self, of: Owner(.artwork, "the-great-wave"))
/// ```
///
/// Ghosts and locally deleted albums are left out. An artwork's edition sets and the ids of its artists are part of its
/// value. Each call sees the mirror at one instant.
///
/// All methods throw ``StoreError``: `damaged` if the stored JSON of an object can't be read, `closed` after the store was
/// closed.
extension CatalogueStore {
    /// The object with an id; `nil` if it isn't stored, or the store doesn't have its kind.
    public func fetch<Object: Payload>(_ type: Object.Type, id: String) throws -> Object? {
        try snapshot { try $0.object(type, id) }
    }

    /// The objects of a type, ordered by name.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of objects. Default: all.
    ///   - offset: the number of objects to skip. Default: 0.
    public func fetchAll<Object: Payload>(
        _ type: Object.Type, limit: Int? = nil, offset: Int = 0
    ) throws -> [Object] {
        var found: [Object] = []
        try snapshot { try $0.forEach(type, limit: limit, offset: offset) { found.append($0) } }
        return found
    }

    /// Reads all objects of a type one by one, ordered by name. Memory doesn't grow with their number.
    public func forEach<Object: Payload>(_ type: Object.Type, _ body: (Object) throws -> Void) throws {
        try snapshot { try $0.forEach(type, body) }
    }

    /// The objects of a type that are related to an object; empty if the two kinds are unrelated.
    ///
    /// - The artworks of a show, location or album are in its order, with an album's local edits applied; those of an artist
    ///   are ordered by id.
    /// - The artists of an artwork or show are in its order.
    /// - The shows, locations and albums of an artwork, and the shows of an artist or location, are ordered by name.
    /// - The documents of a show or artist are ordered by id.
    ///
    /// - Parameters:
    ///   - owner: the object to which they are related.
    ///   - limit: the maximum number of objects. Default: all.
    ///   - offset: the number of objects to skip. Default: 0.
    public func fetchAll<Object: Payload>(
        _ type: Object.Type, of owner: Owner, limit: Int? = nil, offset: Int = 0
    ) throws -> [Object] {
        try snapshot { try $0.objects(type, of: owner, limit: limit, offset: offset) }
    }

    /// The artworks of a show, location, album or artist: ``fetchAll(_:of:limit:offset:)``.
    public func artworks(of owner: Owner, limit: Int? = nil, offset: Int = 0) throws -> [Artwork] {
        try fetchAll(Artwork.self, of: owner, limit: limit, offset: offset)
    }

    /// The documents of a show or artist: ``fetchAll(_:of:limit:offset:)``.
    public func documents(of owner: Owner) throws -> [Document] { try fetchAll(Document.self, of: owner) }
}

extension CatalogueReader {
    /// The stored object with an id; `nil` also for a ghost and a locally deleted album.
    ///
    /// Documents of different owners may have the same id. Then the result is the one that was stored first.
    func object<Object: Payload>(_ type: Object.Type, _ id: String) throws -> Object? {
        guard let kind = kinds.kind(of: type) else { return nil }
        return try db.text(
            "SELECT json FROM \"\(kind.table)\" WHERE id = ? AND \(kind.isStored) LIMIT 1", [id]
        ).map { try read(type, $0, id: id) }
    }

    /// Reads the stored objects of a type one by one, ordered by name.
    func forEach<Object: Payload>(
        _ type: Object.Type, limit: Int? = nil, offset: Int = 0, _ body: (Object) throws -> Void
    ) throws {
        guard let kind = kinds.kind(of: type) else { return }
        let sql = """
            SELECT id, json FROM "\(kind.table)" WHERE \(kind.isStored) ORDER BY \(kind.orderOfNames) LIMIT ? OFFSET ?
            """
        try db.forEach(sql, [limit ?? -1, offset]) { try body(read(type, $0[1], id: $0[0])) }
    }

    /// The stored objects of a type that are related to an object, as in ``CatalogueStore/fetchAll(_:of:limit:offset:)``.
    func objects<Object: Payload>(
        _ type: Object.Type, of owner: Owner, limit: Int? = nil, offset: Int = 0
    ) throws -> [Object] {
        guard let kind = kinds.kind(of: type) else { return [] }
        let sql: String
        if kind == .document {
            guard owner.kind.hasDocuments else { return [] }
            sql = """
                SELECT id, json FROM document WHERE \(owner.kind.idColumn) = ? AND \(kind.isStored)
                ORDER BY id LIMIT ? OFFSET ?
                """
        } else {
            guard let relation = Relation(kind, of: owner.kind) else { return [] }
            sql = relation.objects
        }
        return try db.rows(sql, [owner.id, limit ?? -1, offset]).map { try read(type, $0[1], id: $0[0]) }
    }

    private func read<Object: Payload>(_ type: Object.Type, _ json: String, id: String) throws -> Object {
        do {
            return try type.init(text: json)
        } catch {
            throw StoreError.unreadable(Owner(kinds.kind(of: type) ?? .partner, id), error)
        }
    }
}
