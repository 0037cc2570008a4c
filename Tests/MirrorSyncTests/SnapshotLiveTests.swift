import Catalogue
import MirrorDemo
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A snapshot from one mirror to the next", .serialized) struct SnapshotLiveTests {
    @Test func mirrorsThatAreChainedBySnapshotsAreEqual() async throws {
        let origin = try LiveMirror(), middle = try LiveMirror(), last = try LiveMirror()
        try await origin.importing(.embedded(DemoCatalogue.files), as: "demo")
        try await origin.serving { port in
            let summary = try await middle.sync("demo", from: "demo", port: port) { $0.media = false }
            #expect(summary.requests.sent == 5 && summary.outcome == .complete)
        }
        try await middle.serving { port in
            let summary = try await last.sync("demo", from: "demo", port: port) { $0.media = false }
            #expect(summary.requests.sent == 5 && summary.outcome == .complete)
            let (verified, findings) = try await last.verify("demo", from: "demo", port: port)
            #expect(findings == [] && verified.comparison?.isByDigest == true)
        }
        #expect(try last.export("demo") == middle.export("demo"))
        #expect(try last.etags("demo") == origin.etags("demo"))
    }

    /// After the snapshot, only the partner's own lists are requested: their ETags vouch for the objects and the lists under them.
    @Test func aSnapshotWithMediaRequestsNoObjectAgain() async throws {
        let origin = try LiveMirror(), bare = try LiveMirror(), full = try LiveMirror()
        try await origin.importing(.embedded(DemoCatalogue.files), as: "demo")
        let (first, second, whole) = try await origin.serving { port in
            let first = try await bare.sync("demo", from: "demo", port: port) { $0.media = false }
            let second = try await bare.sync("demo", from: "demo", port: port)
            return (first, second, try await full.sync("demo", from: "demo", port: port))
        }
        #expect(whole.outcome == .complete)
        #expect(whole.requests.sent <= first.requests.sent + second.requests.sent)
    }

    /// The session requests a compressed answer by default.
    @Test func aCompressedSnapshotHasTheSameContents() async throws {
        let origin = try LiveMirror()
        try await origin.importing(.embedded(DemoCatalogue.files), as: "demo")
        let (plain, compressed) = try await origin.serving { port in
            let session = try InterceptableSession(
                base: "http://127.0.0.1:\(port)/demo/api/v1",
                transport: CurlTransport(.init(addresses: .testing)))
            var request = Request(.relative(Router(partner: "demo").snapshot().canonicalURL))
            let compressed = try await session.response(for: request)
            request.headers["Accept-Encoding"] = "identity"
            return (try await session.response(for: request).body, compressed.body)
        }
        #expect(plain == compressed && plain.count > 50_000)
    }

    @Test func clientsWithAnEventFromBeforeASnapshotHaveToRefresh() async throws {
        let origin = try LiveMirror(), middle = try LiveMirror()
        try await origin.importing(.embedded(DemoCatalogue.files), as: "demo")
        let store = try middle.mirror("demo").openForTests()
        let before = try store.latestEvent()
        try store.close()
        _ = try await origin.serving { port in
            try await middle.sync("demo", from: "demo", port: port) { $0.media = false }
        }
        let later = try middle.mirror("demo").store()
        defer { try? later.close() }
        let event = try #require(before)
        #expect(try later.served { try $0.events(after: event, notBefore: "2000") } == .expired)
        #expect(try later.changed(.artwork, since: "2000-01-01T00:00:00.000Z") == nil)
    }
}

extension MirrorFolder {
    fileprivate func openForTests() throws -> CatalogueStore {
        try prepare()
        return try CatalogueStore.open(at: database)
    }
}
