import Foundation
import MirrorStore
import Testing

@testable import MirrorSync

/// An edit of a restored album is sent to the server as a new album, since the server deleted the old one.
@Suite("A restored album that is edited", .fewAtATime)
struct RevivedAlbumTests {
    private func scenario() async throws -> AlbumScenario {
        let scenario = try await AlbumScenario()
        scenario.there { $0.lists["/partner/p/album/m/artworks"] = ["a", "b"] }
        try await scenario.sync()
        scenario.there { $0.remove(.album, "m") }
        try await scenario.sync()
        let restore = Restore(
            try scenario.mirror.mirror, now: { Date(timeIntervalSince1970: AlbumScenario.start) })
        #expect(try await restore.run().summary.outcome == .complete)
        #expect(try await scenario.sync().outcome == .complete)
        return scenario
    }

    @Test func aRestoredAlbumThatIsRenamedIsCreatedOnTheServerWithItsArtworks() async throws {
        let scenario = try await scenario()
        try scenario.rename(to: "Back again")
        #expect(try await scenario.sync().outcome == .complete)
        let made = try #require(try scenario.names().first)
        #expect(made.value == "Back again")
        #expect(try scenario.artworks(made.key) == ["a", "b"])
        #expect(try await scenario.isSettled())
        #expect(try scenario.conflicts().isEmpty)
    }

    @Test(arguments: [true, false]) func aRestoredAlbumWhoseArtworksAreEditedKeepsItsFields(isAdded: Bool)
        async throws
    {
        let scenario = try await scenario()
        #expect(try scenario.here { try $0.set(isAdded ? "c" : "b", in: "m", present: isAdded) })
        #expect(try await scenario.sync().outcome == .complete)
        let made = try #require(try scenario.names().first)
        #expect(made.value == "Original")
        #expect(try scenario.artworks(made.key) == (isAdded ? ["a", "b", "c"] : ["a"]))
        #expect(try await scenario.isSettled())
    }

    @Test func deletingARestoredAlbumSendsNothingToTheServer() async throws {
        let scenario = try await scenario()
        #expect(try scenario.here { try $0.delete("m") })
        #expect(try scenario.names().isEmpty)
        #expect(try await scenario.isSettled())
        #expect(!scenario.partner.writes.contains { $0.hasPrefix("DELETE") })
    }

    /// The album was restored on the server too, while it was edited locally.
    @Test func editsOfARestoredAlbumSurviveIfTheServerListsItAgain() async throws {
        let scenario = try await scenario()
        try scenario.rename(to: "Mine", at: 20)
        scenario.there { state in
            state.album("m", name: "Theirs", at: AlbumScenario.time(10))
            state.lists["/partner/p/album/m/artworks"] = ["a", "b"]
        }
        try await scenario.sync()
        try await scenario.sync()
        #expect(try scenario.names().values.contains("Mine"))
        #expect(try await scenario.isSettled())
    }
}
