import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Albums edited locally and on the server", .limitedConcurrency) struct AlbumConflictScenarioTests {
    @Test(arguments: [true, false]) func anAlbumThatWasEditedOnlyLocallyIsPushed(_ validators: Bool)
        async throws
    {
        let scenario = try await AlbumScenario(validators: validators)
        try scenario.rename(to: "Mine", at: -5_000)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"] && scenario.conflicts().isEmpty)
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumThatWasEditedOnlyOnTheServerIsStored() async throws {
        let scenario = try await AlbumScenario()
        scenario.renameOnServer(to: "Theirs")
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Theirs"] && scenario.conflicts().isEmpty)
        #expect(try await scenario.isSettled())
    }

    @Test(arguments: [0, 86_400, -86_400]) func theServersEditOfAnAlbumWinsIfItIsLater(
        _ offset: Double
    )
        async throws
    {
        let scenario = try await AlbumScenario(offset: offset)
        try scenario.rename(to: "Mine", at: 0)
        scenario.renameOnServer(to: "Theirs", at: 60)
        let summary = try await scenario.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.problems.map(\.what) == ["conflict"])
        #expect(try scenario.names() == ["m": "Theirs"] && scenario.conflicts() == ["m server"])
        #expect(try await scenario.isSettled())
    }

    @Test(arguments: [0, 86_400, -86_400]) func theLocalEditOfAnAlbumIsPushedIfItIsLater(
        _ offset: Double
    )
        async throws
    {
        let scenario = try await AlbumScenario(offset: offset)
        scenario.renameOnServer(to: "Theirs", at: 0)
        try scenario.rename(to: "Mine", at: 6)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"] && scenario.conflicts() == ["m local"])
        #expect(try await scenario.isSettled())
    }

    @Test(arguments: [(4.9, "Mine"), (0, "Mine"), (5, "Theirs")])
    func theLocalEditOfAnAlbumIsPushedIfBothEditsAreWithinTheMargin(_ later: Double, _ name: String)
        async throws
    {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine", at: 0)
        scenario.renameOnServer(to: "Theirs", at: later)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": name])
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumThatTheServerDeletedIsDeletedAndItsLocalEditReported() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine", at: 1_000)
        scenario.changeServer { $0.remove(.album, "m") }
        let summary = try await scenario.sync()
        #expect(summary.problems.map(\.what) == ["lost edit"])
        #expect(try scenario.names().isEmpty && scenario.conflicts() == ["m deleted"])
        let logged = try scenario.mirror.read { store in
            var before: [String?] = []
            try store.history(ChangeFilter(kind: .album, id: "m", limit: 1)) { before.append($0.before) }
            return before
        }
        #expect(logged.first??.contains("Mine") == true, "the edit is in the log")
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumThatWasDeletedOnlyLocallyIsDeletedOnTheServer() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.editLocally { try $0.delete("m") })
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names().isEmpty && scenario.conflicts().isEmpty)
        #expect(try await scenario.isSettled())
    }

    @Test func aLocallyDeletedAlbumReappearsIfTheServerEditedItLater() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.editLocally { try $0.delete("m") })
        scenario.renameOnServer(to: "Theirs", at: 60)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Theirs"] && scenario.conflicts() == ["m server"])
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumIsDeletedOnTheServerIfItsLocalDeletionIsLaterThanTheServersEdit() async throws {
        let scenario = try await AlbumScenario()
        scenario.renameOnServer(to: "Theirs", at: 0)
        #expect(try scenario.editLocally(at: 60) { try $0.delete("m") })
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names().isEmpty && scenario.conflicts() == ["m local"])
        #expect(try await scenario.isSettled())
    }

    @Test func artworksAddedToAnAlbumOnBothSidesAreMerged() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.editLocally { try $0.set("b", in: "m", present: true) })
        #expect(try scenario.editLocally { try $0.set("a", in: "m", present: false) })
        scenario.changeServer { state in
            state.lists["/partner/p/album/m/artworks"] = ["a", "c"]
            state.album("m", name: "Theirs", at: AlbumScenario.time(60))
        }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.artworks() == ["c", "b"])
        #expect(try scenario.names() == ["m": "Theirs"] && scenario.conflicts().isEmpty)
        #expect(try await scenario.isSettled())
    }

    /// The album changes on the server after the push has fetched it and before the push writes it.
    @Test func anAlbumThatChangesOnTheServerBeforeThePushIsComparedAgain() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine", at: 0)
        scenario.changeServer { state in
            let partner = scenario.partner
            state.during["PUT /partner/p/album/m"] = {
                partner.change { $0.album("m", name: "Theirs", at: AlbumScenario.time(60)) }
            }
        }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Theirs"] && scenario.conflicts() == ["m server"])
    }

    @Test func anAlbumThatKeepsChangingOnTheServerIsPushedByTheNextSync() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine", at: 1_000)
        let refusal = #"{"error":"precondition_failed"}"#
        scenario.changeServer {
            $0.once["PUT /partner/p/album/m"] = [.text(refusal, status: 412), .text(refusal, status: 412)]
        }
        let summary = try await scenario.sync()
        #expect(summary.outcome == .partial && summary.problems.contains { $0.id == "m" })
        #expect(try !scenario.isQuiet())
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"])
    }

    @Test func anAlbumEditIsPushedOnlyOverTheVersionItIsBasedOn() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine", at: 0)
        var etag = ""
        scenario.changeServer { etag = FakePartner.etag($0.objects["/partner/p/album/m"] ?? "") }
        let push = try scenario.mirror.read { try #require(try $0.pendingAlbums().first) }
        #expect(push.baseETag == etag)
        let route = Router(partner: "p").updateAlbum("m", [:], ifMatch: push.baseETag)
        #expect(route.headers == [NameValue("If-Match", etag)])
        #expect(
            Router(partner: "p").deleteAlbum("m", ifMatch: "W/\"1\"").headers.isEmpty,
            "a weak ETag never matches")
    }
}
