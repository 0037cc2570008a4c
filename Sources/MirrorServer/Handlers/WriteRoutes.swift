import Catalogue
import Hummingbird
import MirrorStore

/// Answers writes: flags of any mirror, albums of catalogues. A mirror's albums are its origin's.
struct WriteRoutes {
    let mirror: ServedMirror

    private var store: CatalogueStore { mirror.store }

    /// - Throws: ``Refusal`` 403 for what can't be written here. The request's body isn't read for it.
    func admit(_ endpoint: Endpoint) throws {
        guard try endpoint == .flags || mirror.isCatalogue() else { throw Refusal.readOnly }
    }

    /// Answers what was admitted.
    func answer(_ endpoint: Endpoint, _ request: Request) async throws -> Response {
        if endpoint == .flags { return try await setFlag(request) }
        let ifMatch = request.headers[.ifMatch]
        switch (endpoint, request.method) {
        case (.newAlbum, _):
            let key = try idempotencyKey(request), fields = try await RequestContent.object(of: request)
            return try await offloadWrite { try makeAlbum(fields, key: key) }
        case (.album(let id), .put):
            let changes = try await RequestContent.object(of: request)
            return try await offloadWrite { try changeAlbum(id, by: changes, ifMatch: ifMatch) }
        case (.album(let id), _):
            return try await offloadWrite { try removeAlbum(id, ifMatch: ifMatch) }
        case (.albumArtwork(let album, let artwork), let method):
            return try await offloadWrite { try setArtwork(artwork, in: album, present: method == .post) }
        default: throw Refusal.methodNotAllowed(endpoint.methods)
        }
    }

    /// `PUT partner_flags`: stored, and never shown.
    private func setFlag(_ request: Request) async throws -> Response {
        let form = try await RequestContent.form(of: request)
        guard let key = form["key"], let value = form["value"], (1...64).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }),
            value.utf8.count <= 1024
        else { throw Refusal.invalid("form") }
        return try await offloadWrite {
            try mirror.setFlag(key, to: value)
            return Reply.json(.ok, "{}")
        }
    }

    // MARK: - Albums

    private func makeAlbum(_ fields: JSONObject, key: String?) throws -> Response {
        let draft = AlbumDraft(json: JSONObject([("id", .string(AlbumDraft.newID()))]))
        let record = try draft.changed(by: fields, at: store.timestamp())
        let id = try store.acceptAlbum(record, key: key)
        // The album of the first request with this key may have been deleted since.
        guard let album = try store.served(.album, id) else { throw Refusal.gone }
        return Reply.json(.created, album.body, etag: album.etag)
    }

    private func changeAlbum(_ id: String, by changes: JSONObject, ifMatch: String?) throws -> Response {
        let isThere = try store.changeAlbum(id) { album in
            try Self.check(album, ifMatch)
            guard let json = try JSONValue(parsing: album.json).objectValue else { throw Refusal.notFound }
            let record = try AlbumDraft(json: json).changed(by: changes, at: store.timestamp())
            return record.json == album.json ? nil : record
        }
        guard isThere, let album = try store.served(.album, id) else { throw Refusal.notFound }
        return Reply.json(.ok, album.body, etag: album.etag)
    }

    private func removeAlbum(_ id: String, ifMatch: String?) throws -> Response {
        guard try store.removeAlbum(id, check: { try Self.check($0, ifMatch) }) else {
            throw Refusal.notFound
        }
        return Reply.noContent()
    }

    private func setArtwork(_ artwork: String, in album: String, present: Bool) throws -> Response {
        guard try store.setAlbumArtwork(artwork, in: album, present: present) else { throw Refusal.notFound }
        return present ? Reply.json(.created, "{}") : Reply.noContent()
    }

    /// Whether the album is the version that the client wants to change (`If-Match`, RFC 9110, 13.1.1).
    private static func check(_ album: StoredAlbum, _ ifMatch: String?) throws {
        guard ifMatch.map({ EntityTag.isListedStrongly(album.etag, in: $0) }) ?? true else {
            throw Refusal.preconditionFailed
        }
    }

    private static let keyName = HTTPFields.Element.Name("Idempotency-Key")

    private func idempotencyKey(_ request: Request) throws -> String? {
        guard let name = Self.keyName, let key = request.headers[name] else { return nil }
        guard (1...255).contains(key.utf8.count) else { throw Refusal.invalid("idempotency_key") }
        return key
    }
}
