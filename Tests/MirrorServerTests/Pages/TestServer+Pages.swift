import Catalogue

@testable import MirrorServer
@testable import MirrorStore

extension TestServer {
    /// Requests a page of the mirror.
    ///
    /// - Parameter other: default: the server for visitors.
    func page(_ path: String, of other: CatalogueServer? = nil) async throws -> Answer {
        try await ask(.get, "/test" + path, of: other)
    }

    /// A server of the same mirror that shows the staff's pages.
    func forStaff() -> CatalogueServer {
        CatalogueServer(
            mirrors: [.init(name: "test", store: store, files: files)], configuration: .init(isStaff: true))
    }

    /// Stores an artwork as a server would send it.
    func put(artwork id: String, _ fields: (String, JSONValue)...) throws {
        let body = JSONObject([("id", .string(id))] + fields)
        _ = try store.apply([.object(ObjectRecord(.artwork, try Artwork(body), etag: nil))], run: nil)
    }

    /// Stores an artist as a server would send it.
    func put(artist id: String, _ fields: (String, JSONValue)...) throws {
        let body = JSONObject([("id", .string(id))] + fields)
        _ = try store.apply([.object(ObjectRecord(.artist, try Artist(body), etag: nil))], run: nil)
    }
}
