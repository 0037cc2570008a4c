import Catalogue
import Foundation
import Hummingbird
import MirrorTesting
import Synchronization

@testable import MirrorServer
@testable import MirrorStore

/// A small mirror in a temporary folder, and its server, which answers requests without a socket.
final class TestServer: Sendable {
    static let slug = "the-partner", partner = "p1"
    let store: CatalogueStore
    let files: FileStore
    let server: CatalogueServer
    private let home: TemporaryHome
    private let clock: Clock

    /// - Parameter catalogue: whether the mirror was imported from a catalogue.
    init(catalogue: Bool = true, token: String? = nil, users: [ServedUser] = []) throws {
        home = try TemporaryHome()
        let folder = try home.mirror("test")
        try folder.prepare()
        let clock = Clock()
        self.clock = clock
        store = try CatalogueStore.open(at: folder.database, now: { clock.time.withLock { $0 } })
        files = folder.files
        try store.setCatalogue(catalogue)
        try store.put(
            .partner, Self.partner, #"{"id":"p1","name":"The Partner","slug":"the-partner"}"#, slug: Self.slug
        )
        server = CatalogueServer(
            mirrors: [.init(name: "test", store: store, files: files)],
            configuration: .init(token: token, users: users))
    }

    deinit {
        // A deinit can't throw.
        try? store.close()
    }

    /// The store's clock, which only changes by ``pass(_:)``.
    private final class Clock: Sendable {
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    }

    /// Moves the store's clock. Default: one second forward; negative for back.
    ///
    /// - Returns: the new time in the store's format.
    @discardableResult
    func pass(_ seconds: Double = 1) -> String {
        clock.time.withLock { $0 += seconds }
        return store.timestamp()
    }

    struct Answer {
        let status: Int
        let headers: HTTPFields
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var etag: String? { headers[.eTag] }
        func json() throws -> JSONValue { try JSONValue(parsing: body) }
    }

    /// Requests a path below the mirror's base.
    func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> Answer {
        try await ask(.get, "/api/v1" + path, headers)
    }

    /// Requests a canonical URL from another server.
    func get(_ route: Route, of other: CatalogueServer) async throws -> Answer {
        try await ask(.get, "/api/v1" + route.canonicalURL, of: other)
    }

    /// Requests a canonical URL.
    func get(_ route: Route) async throws -> Answer { try await get(route.canonicalURL) }

    func ask(
        _ method: HTTPRequest.Method, _ target: String, _ headers: HTTPFields = [:], body: String? = nil,
        host: String = "localhost", of other: CatalogueServer? = nil
    ) async throws -> Answer {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: host, path: target, headerFields: headers)
        let request = Request(head: head, body: .init(buffer: ByteBuffer(string: body ?? "")))
        let response = try await (other ?? server).responder.respond(to: request, context: .init())
        let sink = Sink()
        try await response.body.write(sink)
        return Answer(status: response.status.code, headers: response.headers, body: sink.taken())
    }

    /// Collects the bytes that would be sent to a connection.
    private final class Sink: ResponseBodyWriter, Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func taken() -> [UInt8] { bytes.withLock { $0 } }

        func write(_ buffer: ByteBuffer) async throws {
            bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
        }

        func finish(_ headers: HTTPFields?) async throws {}
    }
}

extension CatalogueStore {
    /// Stores an object with the given JSON.
    func put(
        _ kind: Kind, _ id: String, _ json: String? = nil, slug: String? = nil,
        parts: ObjectRecord.Parts = .init()
    )
        throws
    {
        let values = kind.columns.map { $0.name == "slug" ? slug.map(FieldValue.text) ?? .null : .null }
        let json = json ?? JSONObject([("id", .string(id))]).canonicalText
        let record = ObjectRecord(kind: kind, id: id, values: values, json: json, etag: nil, parts: parts)
        _ = try apply([.object(record)], run: nil)
    }

    /// Stores the list of artworks of a show, album or location.
    func put(_ artworks: [String], in owner: Owner) throws {
        let list = ListName(url: "/\(owner.kind.name)/\(owner.id)", owner: owner, name: "artworks")
        let run = try beginRun("test")
        _ = try apply([.members(list: ListAnswer(list: list, etag: nil, date: nil), ids: artworks)], run: run)
        _ = try finish(FinishRequest(run: run))
    }

    /// Stores a show with a first and a last day.
    func put(show id: String, start: String?, end: String?, status: String? = nil, name: String? = nil) throws
    {
        let fields = ["start_at": start, "end_at": end, "status": status, "name": name].compactMapValues(
            \.self)
        let values = Kind.show.columns.map { fields[$0.name].map(FieldValue.text) ?? .null }
        let json = JSONObject(fields.map { ($0.key, .string($0.value)) } + [("id", .string(id))])
            .canonicalText
        let record = ObjectRecord(kind: .show, id: id, values: values, json: json, etag: nil)
        _ = try apply([.object(record)], run: nil)
    }

    func put(document id: String, of owner: Owner, title: String = "A title") throws {
        let json = JSONObject([("id", .string(id)), ("title", .string(title))]).canonicalText
        let record = DocumentRecord(
            owner: owner, id: id, values: [.text(title), .null, .null, .text("u")], json: json, etag: nil,
            served: nil)
        _ = try apply([.document(record)], run: nil)
    }

    func put(images: [String], ofShow show: String, role: ImageRole) throws {
        let list = ListName(
            url: "/images/\(show)/\(role.rawValue)", owner: Owner(.show, show), name: "images")
        let answer = ListAnswer(list: list, etag: nil, date: nil)
        _ = try apply(
            [.showImages(show: show, role: role, images: images.map { .make($0) }, list: answer)], run: nil)
    }

    func artwork(_ id: String, images: [String]) throws {
        var parts = ObjectRecord.Parts()
        parts.images = images.map { .make($0) }
        try put(.artwork, id, parts: parts)
    }

    /// Stores an artwork with one picture of 300 by 200 pixels in tiles of 256.
    func tiledArtwork(_ id: String, image: String) throws {
        let fields: [String: FieldValue] = [
            "aspect_ratio": .real(1.5), "tile_base_url": .text("artwork/\(id)/image/\(image)/tiles"),
            "max_tiled_width": .integer(300), "max_tiled_height": .integer(200), "tile_size": .integer(256),
            "tile_overlap": .integer(1), "tile_format": .text("jpg"),
        ]
        var parts = ObjectRecord.Parts()
        parts.images = [
            ImageRecord(
                id: image, values: ImageEntry.columns.map { fields[$0.name] ?? .null }, entry: "entry",
                json: JSONObject([("id", .string(image))]).canonicalText, served: nil)
        ]
        try put(.artwork, id, parts: parts)
    }
}

extension ImageRecord {
    static func make(_ id: String) -> ImageRecord {
        let values = ImageEntry.columns.map { $0.name == "aspect_ratio" ? FieldValue.real(1.5) : .null }
        return ImageRecord(
            id: id, values: values, entry: "entry", json: JSONObject([("id", .string(id))]).canonicalText,
            served: nil)
    }
}

/// Ids that a hostile server could send.
let hostileIDs = [
    "../../etc/passwd", "a/b?c#d", "🖼️ «Ölbild» 日本", ".", "..", "%2F", "a%00b", "a+b c&d=e", "\"\\\n", "é",
    "e\u{301}",
    String(repeating: "x", count: 10_000), String(repeating: "ü", count: 5_000), "' OR 1=1 --", ";", "*",
]
