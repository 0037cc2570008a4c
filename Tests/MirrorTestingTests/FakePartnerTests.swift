import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync
import MirrorTesting
import Testing

@Suite struct FakePartnerTests {
    private func sync(_ partner: FakePartner, in home: TemporaryHome) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        return try await Sync(
            partner: FakePartner.id, folder: home.mirror("m"), base: FakePartner.base, options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }.run()
    }

    private static func filled() throws -> FakePartner {
        try FakePartner { server in
            try server.add(
                .artwork,
                jsonLines: """
                    {"id":"cut-piece","title":"Cut Piece","artists":[{"id":"ono"}]}

                    {"id":"sky-piece","title":"Sky Piece"}
                    """)
            try server.add(.artist, jsonLines: #"{"id":"ono","name":"Yoko Ono"}"#)
            try server.add(
                .album, jsonLines: #"{"id":"m","name":"Scores","artwork_ids":["sky-piece","cut-piece"]}"#)
            try server.add(.show, jsonLines: #"{"id":"s","name":"Pieces","artwork_ids":["cut-piece"]}"#)
            try server.add(.location, jsonLines: #"{"id":"r","name":"Room 1"}"#)
        }
    }

    @Test func aSyncOfObjectsFromJSONLinesIsComplete() async throws {
        let home = try TemporaryHome()
        let summary = try await sync(Self.filled(), in: home)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        let store = try home.mirror("m").store()
        #expect(try store.fetch(Artist.self, id: "ono")?.name == "Yoko Ono")
        #expect(try store.artworks(of: Owner(.album, "m")).compactMap(\.title) == ["Sky Piece", "Cut Piece"])
        #expect(try store.artworks(of: Owner(.show, "s")).compactMap(\.title) == ["Cut Piece"])
        try store.close()
    }

    @Test func aSecondSyncOfAnUnchangedPartnerChangesNoObject() async throws {
        let home = try TemporaryHome(), partner = try Self.filled()
        _ = try await sync(partner, in: home)
        let first = partner.takeRequests()
        let summary = try await sync(partner, in: home)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(summary.objects.values.allSatisfy { $0.created + $0.updated + $0.deleted == 0 })
        #expect(first.contains("GET /artwork/cut-piece"))
    }

    @Test func anOverriddenAnswerMakesTheSyncPartialUntilItIsRemoved() async throws {
        let home = try TemporaryHome(), partner = try Self.filled()
        partner.change { $0.overrides["/artwork/cut-piece"] = .text("no JSON") }
        #expect(try await sync(partner, in: home).outcome == .partial)
        partner.change { $0.overrides = [:] }
        #expect(try await sync(partner, in: home).outcome == .complete)
    }

    @Test func aReportedChangeIsSyncedByDate() async throws {
        let home = try TemporaryHome(), partner = try Self.filled()
        partner.change { server in
            server.extensions = ["validators", "since"]
            server.hasListETags = true
        }
        #expect(try await sync(partner, in: home).outcome == .complete)
        _ = partner.takeRequests()
        partner.change { server in
            server.artwork("sky-piece", title: "Painting to See the Skies")
            server.report(.artwork, "sky-piece", at: "2026-11-21T10:00:00Z")
        }
        let summary = try await sync(partner, in: home)
        #expect(summary.outcome == .complete && summary.objects["artwork"]?.updated == 1)
        let requests = partner.takeRequests()
        #expect(requests.contains { $0.hasPrefix("GET /partner/p/artworks?since=") })
        #expect(!requests.contains("GET /artwork/cut-piece"))
    }

    @Test func addingAJSONLineWithoutAnObjectOrIDThrows() {
        #expect(throws: JSONError.self) {
            try FakePartner { try $0.add(.artwork, jsonLines: "{") }
        }
        #expect(throws: PayloadError.self) {
            try FakePartner { try $0.add(.artwork, jsonLines: #"{"title":"Untitled"}"#) }
        }
    }

    @Test func aTemporaryHomeIsRemovedWhenItIsReleased() throws {
        var home: TemporaryHome? = try TemporaryHome()
        let path = try #require(home).path
        try #require(home).mirror("m").prepare()
        #expect(FileManager.default.fileExists(atPath: path))
        home = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
