import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Syncs of a source that withdraws a picture", .limitedConcurrency) struct WithdrawnPictureSyncTests {
    private static let description = """
        source: tiny
        title: A Tiny Museum
        base: https://api.tiny.org/v1
        artworks:
          list:
            form: whole
            get: /works
            rows: SELECT value AS id FROM json_each(:body)
          object:
            get: /works/{id}
            is: SELECT :body ->> 'id'
            row: SELECT :body ->> 'title' AS title
            images: SELECT value AS url FROM json_each(:body, '$.images') WHERE :body ->> 'free'

        """

    /// A server with one artwork, whose pictures can change.
    private final class Server: Sendable {
        let transport: ScriptedTransport

        init() {
            transport = ScriptedTransport(base: "https://api.tiny.org/v1")
            transport.always("GET", "/works", .text(#"["1"]"#))
            for name in ["a", "b"] {
                transport.always(
                    "GET", "/\(name).jpg",
                    .response(
                        headers: ["Content-Type": "image/jpeg"],
                        body: [0xFF, 0xD8, 0xFF, 0xE0, name.utf8.first ?? 0]))
            }
            offer(["a", "b"])
        }

        func offer(_ names: [String]) {
            let urls = names.map { "https://api.tiny.org/v1/\($0).jpg" }
            transport.always(
                "GET", "/works/1",
                .text(#"{"id":"1","title":"Work","free":1,"images":\#(JSONValue.canonicalText(of: urls))}"#))
        }
    }

    private let home: TemporaryHome
    private let server = Server()

    init() throws {
        home = try TemporaryHome()
        let folder = URL(fileURLWithPath: home.path).appending(path: "sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.description.write(
            to: folder.appending(path: "tiny.yaml"), atomically: true, encoding: .utf8)
    }

    private func sync(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        options.source.name = "tiny"
        change(&options)
        let transport = server.transport
        return try await Sync(
            partner: "tiny", folder: home.mirror("tiny"), options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            try InterceptableSession(base: base, transport: transport, cache: cache)
        }.run(SyncMonitor())
    }

    /// The artwork's pictures, in order: the name of the file, `-` for one that is withdrawn, `?` for one without a file.
    private func pictures() throws -> [String] {
        let store = try home.mirror("tiny").store()
        defer { try? store.close() }
        return try store.pictures(of: Owner(.artwork, "1")).map { picture in
            let name = picture.image.id.dropLast(4).suffix(1)
            return String(name) + (picture.image.isWithdrawn ? "-" : "") + (picture.largest == nil ? "?" : "")
        }
    }

    private var pictureRequests: Int { server.transport.lines.count { $0.hasSuffix(".jpg") } }

    @Test func aWithdrawnPictureIsKeptAndNotRequestedAgain() async throws {
        #expect(try await sync().outcome == .complete)
        #expect(try pictures() == ["a", "b"])
        server.offer(["a"])
        let second = try await sync()
        #expect(second.objects["artwork"]?.updated == 1)
        #expect(try pictures() == ["a", "b-"])
        let third = try await sync()
        #expect(!third.hasChanges && third.outcome == .complete)
        #expect(try pictures() == ["a", "b-"])
        _ = try await sync { $0.full = true }
        #expect(try pictures() == ["a", "b-"] && pictureRequests == 2)
    }

    @Test func aPictureThatIsOfferedAgainLosesItsMark() async throws {
        _ = try await sync()
        server.offer(["a"])
        _ = try await sync()
        server.offer(["a", "b"])
        _ = try await sync()
        #expect(try pictures() == ["a", "b"] && pictureRequests == 2)
    }

    @Test func withRemoveAWithdrawnPictureIsRemoved() async throws {
        _ = try await sync()
        server.offer(["a"])
        _ = try await sync { $0.source.withdrawn = .remove }
        #expect(try pictures() == ["a"])
    }

    @Test(arguments: [true, false])
    func `pictures that an earlier sync kept are removed by any sync that says so`(isFull: Bool) async throws
    {
        _ = try await sync()
        server.offer(["a"])
        _ = try await sync()
        let summary = try await sync {
            $0.source.withdrawn = .remove
            $0.full = isFull
        }
        #expect(summary.outcome == .complete && summary.objects["artwork"]?.updated == 1)
        #expect(try pictures() == ["a"])
        #expect(try await sync { $0.source.withdrawn = .remove }.hasChanges == false)
        server.offer(["a", "b"])
        _ = try await sync()
        #expect(try pictures() == ["a", "b"])
    }
}
