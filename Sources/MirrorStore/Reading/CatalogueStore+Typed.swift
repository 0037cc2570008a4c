import Catalogue
import GRDB

/// Objects as values of their own types:
///
/// ```swift
/// let wave = try store.fetch(Artwork.self, id: "the-great-wave")
/// for artist in try store.fetchAll(Artist.self) { print(artist.name ?? artist.id) }
/// let works = try store.artworks(of: Owner(.artist, "hokusai"), limit: 50)
/// let shows = try store.fetchAll(Show.self, of: Owner(.artwork, "the-great-wave"))
/// ```
///
/// What is only referred to (a ghost), and an album that was deleted here, is not among them. An artwork has its edition sets,
/// and the ids of its artists, in itself. Each call sees the mirror at one instant.
///
/// All throw ``StoreError``: `damaged` if what is stored of an object can't be read, `closed` once the store was closed.
extension CatalogueStore {
    /// The object with that id; `nil` if it isn't stored, or the store holds no such kind.
    public func fetch<Object: Payload>(_ type: Object.Type, id: String) throws -> Object? {
        try snapshot { try $0.object(type, id) }
    }

    /// The objects of a type, in the order of their names.
    ///
    /// - Parameters:
    ///   - limit: how many at the most. Default: all.
    ///   - offset: how many are passed over. Default: none.
    public func fetchAll<Object: Payload>(
        _ type: Object.Type, limit: Int? = nil, offset: Int = 0
    ) throws -> [Object] {
        var found: [Object] = []
        try snapshot { try $0.forEach(type, limit: limit, offset: offset) { found.append($0) } }
        return found
    }

    /// Reads all objects of a type one by one, in the order of their names: memory stays flat however many there are.
    public func forEach<Object: Payload>(_ type: Object.Type, _ body: (Object) throws -> Void) throws {
        try snapshot { try $0.forEach(type, body) }
    }

    /// The objects of a type that belong to an object, or that it belongs to; none where the two have nothing to do with each other.
    ///
    /// - The artworks of a show, location or album are in its order, of an album as it was edited here; those of an artist in
    ///   the order of their ids.
    /// - The artists of an artwork or show are in its order.
    /// - The shows, locations and albums of an artwork, and the shows of an artist or location, are in the order of their names.
    /// - The documents of a show or artist are in the order of their ids.
    ///
    /// - Parameters:
    ///   - limit: how many at the most. Default: all.
    ///   - offset: how many are passed over. Default: none.
    public func fetchAll<Object: Payload>(
        _ type: Object.Type, of owner: Owner, limit: Int? = nil, offset: Int = 0
    ) throws -> [Object] {
        try snapshot { try $0.objects(type, of: owner, limit: limit, offset: offset) }
    }

    /// The artworks of a show, location, album or artist, as ``fetchAll(_:of:limit:offset:)`` reads them.
    public func artworks(of owner: Owner, limit: Int? = nil, offset: Int = 0) throws -> [Artwork] {
        try fetchAll(Artwork.self, of: owner, limit: limit, offset: offset)
    }

    /// The documents of a show or artist, as ``fetchAll(_:of:limit:offset:)`` reads them.
    public func documents(of owner: Owner) throws -> [Document] { try fetchAll(Document.self, of: owner) }
}

extension CatalogueReader {
    /// The stored object with that id; `nil` also for a ghost and an album that was deleted here.
    ///
    /// Documents of several owners may have the same id; then it is the first that was stored.
    func object<Object: Payload>(_ type: Object.Type, _ id: String) throws -> Object? {
        guard let kind = kinds.kind(of: type) else { return nil }
        return try db.text(
            "SELECT json FROM \"\(kind.table)\" WHERE id = ? AND \(kind.isStored) LIMIT 1", [id]
        ).map { try read(type, $0, id: id) }
    }

    /// Stored objects of a type, one by one, in the order of their names.
    func forEach<Object: Payload>(
        _ type: Object.Type, limit: Int? = nil, offset: Int = 0, _ body: (Object) throws -> Void
    ) throws {
        guard let kind = kinds.kind(of: type) else { return }
        let sql = """
            SELECT id, json FROM "\(kind.table)" WHERE \(kind.isStored) ORDER BY \(kind.orderOfNames) LIMIT ? OFFSET ?
            """
        try db.forEach(sql, [limit ?? -1, offset]) { try body(read(type, $0[1], id: $0[0])) }
    }

    /// The stored objects of a type that belong to an object, or that it belongs to.
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
