import Catalogue
import Hummingbird
import MirrorStore
import NIOCore

/// Answers writes: flags for all mirrors, albums only for imported catalogues. Other albums belong to the origin.
struct WriteRoutes {
    let mirror: ServedMirror

    private var store: CatalogueStore { mirror.store }

    /// Checks whether an endpoint is writable, before the request's body is read.
    /// - Throws: ``Refusal`` 403 if it isn't.
    func admit(_ endpoint: Endpoint) throws {
        guard try endpoint == .flags || store.isCatalogue else { throw Refusal.readOnly }
    }

    /// Answers a request whose endpoint passed ``admit(_:)``.
    func answer(_ endpoint: Endpoint, _ request: Request) async throws -> Response {
        if endpoint == .flags { return try await setFlag(request) }
        let ifMatch = request.headers[.ifMatch]
        switch (endpoint, request.method) {
        case (.newAlbum, _):
            let key = try idempotencyKey(request), fields = try await RequestContent.object(of: request)
            return try await offloadWrite { try makeAlbum(fields, key: key) }
        case (.object(.album, let id), .put):
            let changes = try await RequestContent.object(of: request)
            return try await offloadWrite { try changeAlbum(id, by: changes, ifMatch: ifMatch) }
        case (.object(.album, let id), _):
            return try await offloadWrite {
                let isThere = try store.removeAlbum(id) { try Self.check($0, ifMatch) }
                guard isThere else { throw Refusal.notFound }
                return Reply.noContent()
            }
        case (.albumArtwork(let album, let artwork), let method):
            let present = method == .post
            return try await offloadWrite {
                let isThere = try store.setAlbumArtwork(artwork, in: album, present: present)
                guard isThere else { throw Refusal.notFound }
                return present ? Reply.json(.created, "{}") : Reply.noContent()
            }
        default: throw Refusal.methodNotAllowed(endpoint.methods)
        }
    }

    /// Answers `PUT partner_flags`. The flag is stored and never served.
    private func setFlag(_ request: Request) async throws -> Response {
        let form = try await RequestContent.form(of: request)
        guard let key = form["key"], let value = form["value"], (1...64).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }),
            value.utf8.count <= 1024
        else { throw Refusal.invalid("form") }
        return try await offloadWrite {
            _ = try store.apply([.flag(key: key, value: value)], run: nil)
            return Reply.json(.ok, "{}")
        }
    }

    // MARK: - Albums

    private func makeAlbum(_ fields: JSONObject, key: String?) throws -> Response {
        let json = JSONObject([("id", .string(Self.newID()))])
        let record = try Self.album(json, changedBy: fields, at: store.timestamp())
        let id = try store.acceptAlbum(record, key: key)
        // The album of the first request with this key may have been deleted since.
        guard let album = try store.served(.album, id) else { throw Refusal.gone }
        return Reply.json(.created, album.body, etag: album.etag)
    }

    private func changeAlbum(_ id: String, by changes: JSONObject, ifMatch: String?) throws -> Response {
        let isThere = try store.changeAlbum(id) { album in
            try Self.check(album, ifMatch)
            guard let json = try JSONValue(parsing: album.json).objectValue else { throw Refusal.notFound }
            let record = try Self.album(json, changedBy: changes, at: store.timestamp())
            return record.json == album.json ? nil : record
        }
        guard isThere, let album = try store.served(.album, id) else { throw Refusal.notFound }
        return Reply.json(.ok, album.body, etag: album.etag)
    }

    /// Checks that the album is the version that the client wants to change (`If-Match`, RFC 9110, 13.1.1).
    /// - Throws: ``Refusal`` 412 if it isn't.
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

// Changes of albums. Fields that this server doesn't know keep their values.
extension WriteRoutes {
    private static let maximalNameLength = 1000

    /// A new id: 96 random bits in hexadecimal, as on other partner servers.
    private static func newID() -> String {
        (0..<12).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }

    /// The album with the `name`, `private` and `description` of `changes`; `null` removes a field.
    ///
    /// - Parameter time: the new `updated_at`, if anything changes.
    /// - Throws: ``Refusal`` 400 for an album without a name, or a field of the wrong type.
    private static func album(
        _ json: JSONObject, changedBy changes: JSONObject, at time: String
    ) throws -> ObjectRecord {
        var album = json
        for field in ["name", "private", "description"] {
            guard let value = changes[field] else { continue }
            album[field] = value == .null ? nil : value
        }
        guard let name = album["name"]?.stringValue, !name.isBlank, name.utf8.count <= maximalNameLength,
            album["private"].map({ $0.boolValue != nil }) ?? true,
            album["description"].map({ $0.stringValue != nil }) ?? true
        else { throw Refusal.invalid("album") }
        if album != json { album["updated_at"] = .string(time) }
        var warnings: [FieldWarning] = []
        return ObjectRecord(.album, try Album(album, warnings: &warnings), etag: nil)
    }
}

/// The error for a request body that is incomplete or isn't valid HTTP.
struct BrokenBody: Error {
    let cause: any Error
}

/// Reads the body of a request up to a limit.
enum RequestContent {
    /// The maximum size of a body in bytes: 1 MiB.
    static let limit = 1 << 20

    /// - Throws: ``Refusal`` 413 for a body beyond the limit; ``BrokenBody``.
    static func bytes(of request: Request) async throws -> [UInt8] {
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw Refusal.bodyTooLarge
        }
        do {
            return Array(buffer: try await request.body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw Refusal.bodyTooLarge
        } catch {
            throw BrokenBody(cause: error)
        }
    }

    static func form(of request: Request) async throws -> [NameValue] {
        guard let items = FormBody.parse(try await bytes(of: request)) else { throw Refusal.invalid("form") }
        return items
    }

    static func object(of request: Request) async throws -> JSONObject {
        let bytes = try await bytes(of: request)
        guard let object = try? JSONValue(parsing: bytes).objectValue else { throw Refusal.invalid("json") }
        return object
    }
}

extension [NameValue] {
    /// The value with a name; of several, the last.
    subscript(name: String) -> String? { last { UTF8Order.equal($0.name, name) }?.value }
}
