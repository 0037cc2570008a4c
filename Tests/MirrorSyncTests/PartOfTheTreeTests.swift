import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A sync of some kinds only", .fewAtATime) struct PartOfTheTreeTests {
    private func cursor(_ mirror: TestMirror) throws -> String? {
        try mirror.read { try $0.loop(LoopRecord.coreID)?.cursor }
    }

    @Test func aSyncOfSomeKindsRequestsOnlyTheirLists() async throws {
        let partner = FakePartner.withEvents { $0.extensions = ["validators"] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("new")
            state.artist("newcomer")
        }
        _ = partner.takeRequests()
        let summary = try await mirror.sync { $0.only = [.artwork] }
        #expect(summary.outcome == .complete && summary.only == ["artwork"])
        let lists = partner.takeRequests().filter { $0.contains("validators=1") }
        #expect(lists.allSatisfy { $0.contains("/artworks?") } && lists.count == 1)
        #expect(try mirror.ids(.artwork).contains("new"))
        #expect(try !mirror.ids(.artist).contains("newcomer"))
        try await mirror.sync()
        #expect(try mirror.ids(.artist).contains("newcomer"))
    }

    @Test func aSyncOfSomeKindsSweepsOnlyTheseKinds() async throws {
        let partner = FakePartner.withEvents { state in
            state.extensions = ["validators"]
            state.artist("lonely")
            state.artwork("gone")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove(.artist, "lonely")
            state.remove(.artwork, "gone")
        }
        let summary = try await mirror.sync { $0.only = [.artwork] }
        #expect(summary.objects["artwork"]?.deleted == 1 && summary.objects["artist"]?.deleted == 0)
        #expect(try mirror.ids(.artist).contains("lonely"))
        try await mirror.sync()
        #expect(try !mirror.ids(.artist).contains("lonely"))
    }

    @Test func aSyncOfSomeKindsKeepsTheCursorAndDoesNotCountAsACompleteSync() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let complete = try mirror.read { try $0.lastComplete()?.run }
        partner.change { $0.tell("artworks", "a") }
        try await mirror.sync { $0.only = [.show] }
        #expect(try cursor(mirror) == "L-0")
        #expect(try mirror.read { try $0.lastUpdate()?.only } == ["show"])
        #expect(try mirror.read { try $0.lastComplete()?.run } == complete)
        try await mirror.sync()
        #expect(try cursor(mirror) == "L-1")
    }

    @Test func theSyncAfterAFirstSyncOfSomeKindsFetchesTheOtherKinds() async throws {
        let partner = FakePartner.withEvents()
        let mirror = try TestMirror(partner)
        let part = try await mirror.sync { $0.only = [.artist] }
        #expect(part.outcome == .complete)
        #expect(try mirror.ids(.artwork).isEmpty && !mirror.ids(.artist).isEmpty)
        let whole = try await mirror.sync()
        #expect(whole.ways[.artwork] == .lists(.first))
        let expected = try TestMirror(partner)
        try await expected.sync()
        for kind in Kinds.standard.listed { #expect(try mirror.ids(kind) == expected.ids(kind), "\(kind)") }
    }

    @Test(arguments: [["snapshot", "validators"], ["digest", "validators"]])
    func aSyncOfSomeKindsUsesNeitherSnapshotNorDigest(_ extensions: [String]) async throws {
        let partner = FakePartner.withEvents { $0.extensions = extensions }
        let mirror = try TestMirror(partner)
        try await mirror.sync { options in
            options.only = [.artwork]
            options.auditEvery = .zero
        }
        #expect(!partner.takeRequests().contains { $0.contains("/snapshot") || $0.contains("/digest") })
    }

    @Test func aSyncOfAKindThatPartnersDoNotListIsRefused() async throws {
        let mirror = try TestMirror(FakePartner.withEvents())
        await #expect(throws: SyncError.self) { try await mirror.sync { $0.only = [.document] } }
    }
}
