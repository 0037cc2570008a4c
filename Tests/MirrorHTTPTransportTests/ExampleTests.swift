import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportSuites {
    /// The examples of the article "Writing an operation", run against a server on this machine.
    @Suite struct ExampleTests {
        /// Answers a `PUT` of an album with the album and its name.
        @Sendable private static func albums(_ request: LoopbackServer.Request, _ connection: Connection) {
            let isKnown = request.path == "/api/v1/album/4d8b" && request.method == "PUT"
            let body = isKnown ? text(request.body) : ""
            connection.send("HTTP/1.1 \(isKnown ? "200 OK" : "404 Not Found")\r\n")
            connection.send(
                "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        private func withAlbums(
            _ body: (LoopbackServer, InterceptableSession) async throws -> Void
        ) async throws {
            let server = try LoopbackServer(Self.albums)
            defer { server.stop() }
            try await body(
                server,
                try InterceptableSession(
                    base: "\(server.base)/api/v1", transport: URLSessionTransport(addresses: .testing)))
        }

        @Test func anAppsOperationRunsOverURLSession() async throws {
            try await withAlbums { server, session in
                let album = try await session.send(RenameAlbum(id: "4d8b", name: "Spring"))
                #expect(album.name == "Spring")
                #expect(server.requestLines == ["PUT /api/v1/album/4d8b HTTP/1.1"])
                await #expect(throws: InvalidName.self) {
                    _ = try await session.send(RenameAlbum(id: "4d8b", name: ""))
                }
                #expect(server.requestLines.count == 1, "an invalid name isn't sent")
            }
        }

        @Test func operationsRunOneAfterAnotherOnAnOperationQueue() async throws {
            try await withAlbums { server, session in
                let spring = FoundationOperation(RenameAlbum(id: "4d8b", name: "Spring"), session: session)
                let autumn = FoundationOperation(RenameAlbum(id: "4d8b", name: "Autumn"), session: session)
                autumn.addDependency(spring)
                let queue = OperationQueue()
                await withCheckedContinuation { continuation in
                    autumn.completionBlock = { continuation.resume() }
                    queue.addOperations([autumn, spring], waitUntilFinished: false)
                }
                let names = try [spring, autumn].map { try $0.result?.get().name }
                #expect(names == ["Spring", "Autumn"])
                #expect(server.requestLines.count == 2)
            }
        }

        @Test func aURLRequestReturnsDataAndItsResponse() async throws {
            try await withAlbums { server, session in
                var request = URLRequest(
                    url: try #require(URL(string: "\(server.base)/api/v1/album/4d8b")))
                request.httpMethod = "PUT"
                request.httpBody = Data(#"{"name":"Spring"}"#.utf8)
                let (data, response) = try await session.response(for: request)
                #expect(response.statusCode == 200)
                #expect(response.value(forHTTPHeaderField: "X-Cache") == "miss")
                #expect(text([UInt8](data)) == #"{"name":"Spring"}"#)
            }
        }
    }
}

/// The example of the article, unchanged. MirrorHTTPTests compares its own copy with the article.
private struct RenameAlbum: JSONOperation {
    typealias Output = Album
    let id: String, name: String
    var endpoint: Request.Target { .relative("/album/\(id)") }
    var method: String { "PUT" }
    var data: [UInt8]?
    var contentType: String? { "application/json" }
    func validate() throws { if name.isEmpty { throw InvalidName() } }
    mutating func serialise() throws { data = Array(try JSONEncoder().encode(["name": name])) }
}
private struct Album: Decodable { let name: String }
private struct InvalidName: Error {}
