import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A full sync", .limitedConcurrency) struct ReloadTests {
    private static let picture = "/artwork/a/image/i/larger.jpg"

    /// A server that sends one ETag for every body.
    private let partner = FakePartner { state in
        state.artwork("a", image: "i")
        state.files[picture] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        state.show("s", [])
        state.objects["/partner/p/show/s/document/d"] = #"{"id":"d","title":"One"}"#
    }

    private func answer(_ url: String, _ body: String) {
        partner.change { $0.overrides[url] = .conditional(body, etag: "\"same\"") }
    }

    private func answer(_ title: String, artworks: String, pictures: String) {
        answer("/partner/p/all", #"{"id":"p","name":"\#(title)"}"#)
        answer(FakePartner.State.listURL(.artwork), artworks)
        let image =
            #"{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["larger"]}"#
        answer("/artwork/a", #"{"id":"a","title":"\#(title)","images":[\#(image)]}"#)
        answer("/partner/p/show/s/artworks?ids=1&size=all", artworks)
        answer("/partner/p/show/s/documents?ids=1&size=all", #"["d"]"#)
        answer("/partner/p/show/s/document/d", #"{"id":"d","title":"\#(title)"}"#)
        answer("/partner_show/s/images?default=0&page=1&size=20", pictures)
    }

    @Test func aFullSyncRequestsObjectsWithEqualETagsAgainButNotTheirStoredFiles() async throws {
        answer("One", artworks: #"["a"]"#, pictures: "[]")
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        partner.change { state in state.artwork("b") }
        answer("Two", artworks: #"["a","b"]"#, pictures: #"[{"id":"k","image_url":"k.jpg"}]"#)
        // By the ETags, nothing has changed.
        try await mirror.sync()
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "One")
        _ = partner.takeRequests()
        #expect(try await mirror.sync { $0.full = true }.outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "Two")
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        let show = Owner(.show, "s")
        #expect(try mirror.read { try $0.members(of: show) } == ["a", "b"])
        let documents = try mirror.read { try $0.storedDocuments(of: show) }
        #expect(documents.first?.json.contains("Two") == true)
        let pictures = try mirror.read { try $0.storedImages(of: show, role: .installation).map(\.id) }
        #expect(pictures == ["k"])
        let stored = try mirror.read { try $0.storedSingle(.partner)?.json }
        #expect(stored?.contains("Two") == true)
        #expect(!partner.takeRequests().contains { $0.contains(Self.picture) })
    }

    /// A since request wouldn't report the object, so the next sync requests the list.
    @Test func objectsThatAFullSyncFailsToFetchAreRequestedByTheNextSync() async throws {
        partner.change { $0.extensions = ["validators", "since"] }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        partner.change { state in
            state.artwork("c")
            state.overrides["/artwork/c"] = .text("{}", status: 500)
        }
        #expect(try await mirror.sync { ($0.media, $0.full) = (false, true) }.outcome == .partial)
        partner.change { $0.overrides = [:] }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && summary.ways[.artwork] == .lists(.first))
        #expect(summary.ways[.show]?.isSince == true)
        #expect(try mirror.ids(.artwork) == ["a", "c"])
    }

    @Test func aFullSyncSendsUnconditionalRequestsThatBypassCaches() async throws {
        answer("One", artworks: #"["a"]"#, pictures: "[]")
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let sent = Mutex<[TransportRequest]>([]), partner = partner
        var options = SyncOptions()
        (options.synchronous, options.full) = (true, true)
        let summary = try await Sync(
            partner: "p", folder: mirror.mirror, options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            let transport = ScriptedTransport(base: base) { request in
                sent.withLock { $0.append(request) }
                return partner.answer(request)
            }
            return try InterceptableSession(base: base, transport: transport, cache: cache)
        }.run()
        #expect(summary.outcome == .complete && !summary.hasChanges)
        let requests = sent.withLock { $0 }.filter { $0.method == "GET" }
        #expect(!requests.isEmpty)
        for request in requests {
            #expect(request.headers["If-None-Match"] == nil, "\(request.url)")
            #expect(request.headers["If-Modified-Since"] == nil, "\(request.url)")
            #expect(request.headers["Cache-Control"] == "no-cache", "\(request.url)")
        }
    }
}
