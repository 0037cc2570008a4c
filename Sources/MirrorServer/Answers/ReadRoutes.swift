import Catalogue
import Hummingbird
import MirrorDemo
import MirrorStore

/// Answers `GET` and `HEAD` requests for stored objects, lists and files, with their ETags.
struct ReadRoutes {
    let server: CatalogueResponder
    let mirror: ServedMirror
    let query: RequestTarget
    let reply: Reply
    /// Counts the request as active until its answer is sent.
    let ticket: RequestLoad.ActiveRequest

    var store: CatalogueStore { mirror.store }

    func answer(_ endpoint: Endpoint) throws -> Response {
        switch endpoint {
        case .object(let kind, let id): try stored(store.served(kind, id))
        case .document(let owner, let id): try stored(store.servedDocument(owner, id))
        case .partner: try stored(store.servedSingle(.partner)?.body)
        case .user: try stored(store.servedSingle(.user)?.body)
        case .base:
            small("{\"extensions\":[\(extensions.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]}")
        case .members(let list, let owner): try members(list, of: owner)
        case .locationArtworks: try locationArtworks()
        case .showImages(let show): try images(ofShow: show)
        case .size: try size()
        case .digest: try digest()
        case .snapshot: try snapshot()
        case .list(let kind): try list(of: kind)
        case .picture(let owner, let image, let format):
            try picture(of: owner, image: image, format: format)
        case .tile(let owner, let image, let tile, let format):
            try self.tile(tile, of: owner, image: image, format: format)
        case .documentFile(let owner, let id): try documentFile(of: owner, id: id)
        case .latestEvent(let feed): try latestEvent(of: feed)
        case .events(let feed, let event): try events(of: feed, after: event)
        case .flags, .newAlbum, .albumArtwork: throw Refusal.methodNotAllowed(endpoint.methods)
        }
    }

    /// The offered extensions. Snapshot and digest are left out if the database is read-only, because both need a table that
    /// the server writes.
    private var extensions: [CatalogueServer.Extension] {
        server.extensions.filter { !store.isReadOnly || $0 != .snapshot && $0 != .digest }
    }

    /// The current time of the store's clock.
    func now() throws -> Timestamp {
        guard let now = Timestamp(store.timestamp()) else { throw Refusal.failed }
        return now
    }

    /// Sends a stored object.
    private func stored(_ body: ServedBody?) throws -> Response {
        guard let body else { throw Refusal.notFound }
        return reply.json(body.body, etag: body.etag)
    }

    /// Sends a body that is made for this answer, and whose ETag is therefore computed.
    private func small(_ body: String) -> Response { reply.json(body, etag: EntityTag.strong(of: body)) }

    /// Sends the total size of all stored files, in bytes.
    ///
    /// A mirror made from catalogue files has no size (404) if it has no files or if any of its pictures would be drawn.
    private func size() throws -> Response {
        let total = try store.mediaSize()
        guard try !store.isCatalogue || (total > 0 && !store.lacksPictures()) else {
            throw Refusal.notFound
        }
        return small("{\"total\":\(total)}")
    }

    /// Sends a node of the digest (`GET /partner/{p}/digest?prefix=HEX`; without a prefix, the root).
    ///
    /// A node is one row in the store. The digest is brought up to date before it is read.
    ///
    /// - Throws: ``Refusal``: 400 for a prefix that isn't 0 to 64 hexadecimal digits.
    private func digest() throws -> Response {
        guard let prefix = DigestPrefix(query["prefix"] ?? "") else {
            throw Refusal.invalid(
                "prefix", "A prefix is up to \(DigestPrefix.maximalLength) hexadecimal digits.")
        }
        guard let leaves = try ServedLeaves(store) else { throw Refusal.notFound }
        let node = try store.digest(prefix, from: leaves)
        let content: DigestAnswer.Content =
            switch node.content {
            case .children(let children): .children(children.map(\.hash.hexadecimal))
            case .leaves(let leaves): .leaves(leaves.map { .init(url: $0.url, etag: $0.etag) })
            }
        let answer = DigestAnswer(
            prefix: node.prefix.text, hash: node.summary.hash.hexadecimal, content: content)
        return Reply.uncacheable(.ok, answer.json.canonicalText)
    }
}

/// Files of pictures, tiles and documents. In a mirror made from catalogue files, a picture without a file is drawn from the
/// image's id.
extension ReadRoutes {
    func picture(of owner: Owner, image: String, format: String) throws -> Response {
        guard let facts = try store.picture(of: owner, image: image, format: format) else {
            throw Refusal.notFound
        }
        if let file = facts.file { return try stored(file) }
        guard Picture.Format(rawValue: format) != nil, try store.isCatalogue else {
            throw Refusal.notFound
        }
        // The ETag is computed from everything that the drawing depends on, so that a 304 needs no drawing.
        let shape = facts.aspectRatio.map { "\($0)" } ?? ""
        let etag = EntityTag.strong(of: "picture 2\n\(format)\n\(shape)\n\(image)")
        return try reply.bytes(etag: etag, type: .jpeg) {
            server.draw(image, format, facts.aspectRatio)
        }
    }

    /// Sends a tile. If the mirror was made from catalogue files and has no file for it, the tile is drawn.
    func tile(_ tile: ImageTile, of owner: Owner, image: String, format: String) throws -> Response {
        guard let tiles = try store.tiles(of: owner, image: image), tiles.contains(tile),
            UTF8Order.equal(tiles.format, format),
            let facts = try store.picture(of: owner, image: image, format: tile.format)
        else { throw Refusal.notFound }
        if let file = facts.file { return try stored(file) }
        let area = tiles.area(of: tile)
        guard format == "jpg", max(area.width, area.height) <= Self.longestDrawn, try store.isCatalogue else {
            throw Refusal.notFound
        }
        let level = tiles.pixels(of: tile.level), longSide = max(level.width, level.height)
        let shape = facts.aspectRatio.map { "\($0)" } ?? "", place = "\(longSide) \(area)"
        let etag = EntityTag.strong(of: "tile 1\n\(place)\n\(shape)\n\(image)")
        return try reply.bytes(etag: etag, type: .jpeg) {
            Picture.tile(id: image, aspectRatio: facts.aspectRatio, longSide: longSide, area: area)
        }
    }

    /// The longest side of a drawn tile, in pixels; larger tiles would need too much memory.
    private static var longestDrawn: Int { 2_048 }

    func documentFile(of owner: Owner, id: String) throws -> Response {
        guard let file = try store.documentFile(of: owner, id: id)?.file else { throw Refusal.notFound }
        return try stored(file)
    }

    private func stored(_ file: StoredFile) throws -> Response {
        guard let open = try OpenFile(file, in: mirror.files) else { throw Refusal.notFound }
        return try reply.file(open, etag: "\"\(file.hash)\"", type: ServedType(file.type))
    }
}
