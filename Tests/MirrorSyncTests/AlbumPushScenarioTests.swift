import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Failures while pushing albums", .fewAtATime) struct AlbumPushScenarioTests {
    @Test(arguments: [true, false]) func aCreationWhoseAnswerIsLostCreatesOneAlbum(_ honoursKeys: Bool)
        async throws
    {
        let scenario = try await AlbumScenario()
        scenario.there { state in
            state.albums?.honoursKeys = honoursKeys
            state.albums?.losesAnswers = ["POST /partner/p/album"]
        }
        let id = try scenario.here { try $0.create(AlbumChange(name: "New", isPrivate: true)) }
        #expect(try scenario.here { try $0.set("b", in: id, present: true) })
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Original", "s1": "New"])
        #expect(try scenario.artworks("s1") == ["b"])
        #expect(try scenario.mirror.read { try $0.albums(called: id).map(\.id) } == ["s1"])
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumEditThatTheServerStoredDifferentlyIsLoggedAsAConflict() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine")
        scenario.there { state in
            state.once["PUT /partner/p/album/m"] = [
                .text(#"{"id":"m","name":"Original"}"#, headers: ["Content-Type": "application/json"])
            ]
        }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Original"])
        let conflict = try #require(try scenario.mirror.read { try $0.conflicts(ChangeFilter()) }.first)
        #expect(conflict.resolution == .server && conflict.local?.contains("Mine") == true)
        #expect(try await scenario.isSettled())
        #expect(try scenario.mirror.read { try $0.conflicts(ChangeFilter()) }.count == 1)
    }

    /// The answer is lost, and the search for the created album fails too. The sync's own list then adds the album.
    @Test(arguments: [true, false]) func aLaterRunLooksForALostAlbumBeforeItCreatesItAgain(
        _ honoursKeys: Bool
    )
        async throws
    {
        let scenario = try await AlbumScenario()
        scenario.there { state in
            state.albums?.honoursKeys = honoursKeys
            state.albums?.losesAnswers = ["POST /partner/p/album"]
            state.once["/partner/p/albums?ids=1&size=all"] = [.text("{}", status: 403)]
        }
        let id = try scenario.here { try $0.create(AlbumChange(name: "New")) }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try scenario.mirror.read { try $0.albums().map(\.id).sorted() } == [id, "m", "s1"].sorted())
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Original", "s1": "New"])
        #expect(scenario.partner.writes.filter { $0.hasPrefix("POST /partner/p/album ") }.count == 1)
        #expect(try await scenario.isSettled())
    }

    /// A cached version may be older than the version that the edit is based on, so it is no conflict.
    @Test func anAlbumEditWaitsIfACacheAnswersWithAnotherVersion() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "Mine")
        scenario.there { state in
            state.once["/partner/p/album/m"] = [
                .text(#"{"id":"m","name":"Older"}"#, etag: "\"older\"", headers: ["Age": "60"])
            ]
        }
        let summary = try await scenario.sync()
        #expect(
            summary.outcome == .partial
                && summary.problems.contains { $0.message.contains("A cache between") })
        #expect(scenario.partner.writes.filter { $0.contains("/album") }.isEmpty)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"])
        #expect(try scenario.mirror.read { try $0.conflicts(ChangeFilter()) }.isEmpty)
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumCreationThatWasNotReceivedIsSentAgain() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { $0.once["POST /partner/p/album"] = [.failure(.connectionLost)] }
        _ = try scenario.here { try $0.create(AlbumChange(name: "New")) }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Original", "s1": "New"])
        #expect(try await scenario.isSettled())
    }

    @Test func aLostCreationThatSeveralAlbumsMatchIsReported() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { state in
            state.albums?.losesAnswers = ["POST /partner/p/album"]
            state.album("other", name: "New", at: AlbumScenario.time(0))
        }
        _ = try scenario.here { try $0.create(AlbumChange(name: "New")) }
        let summary = try await scenario.sync()
        #expect(summary.outcome == .partial)
        #expect(summary.problems.contains { $0.message.contains("other") && $0.message.contains("s1") })
        scenario.there { $0.remove(.album, "other") }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Original", "s1": "New"])
    }

    @Test func aLostCreationIsNotMatchedWithAnOlderAlbumOfTheSameName() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { $0.once["POST /partner/p/album"] = [.failure(.connectionLost)] }
        _ = try scenario.here { try $0.create(AlbumChange(name: "Original")) }
        try await scenario.sync()
        try await scenario.sync()
        #expect(try scenario.names() == ["m": "Original", "s1": "Original"])
    }

    @Test(arguments: [true, false]) func anAlbumRenamedAfterALostCreationIsNotCreatedTwice(
        _ honoursKeys: Bool
    )
        async throws
    {
        let scenario = try await AlbumScenario()
        scenario.there { state in
            state.albums?.honoursKeys = honoursKeys
            state.albums?.losesAnswers = ["POST /partner/p/album"]
            state.once["/partner/p/albums?ids=1&size=all"] = [.text("{}", status: 403)]
        }
        let id = try scenario.here { try $0.create(AlbumChange(name: "New")) }
        try await scenario.sync()
        try scenario.rename(id, to: "Newer", at: 100)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Original", "s1": "Newer"])
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumDeletedAfterALostCreationIsDeletedOnTheServer() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { state in
            state.albums?.losesAnswers = ["POST /partner/p/album"]
            state.once["/partner/p/albums?ids=1&size=all"] = [.text("{}", status: 403)]
        }
        let id = try scenario.here { try $0.create(AlbumChange(name: "New")) }
        try await scenario.sync()
        #expect(try scenario.here { try $0.delete(id) })
        try await scenario.sync()
        #expect(try scenario.names() == ["m": "Original"])
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumUpdateWhoseAnswerIsLostIsNoConflict() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { state in
            state.albums?.time = AlbumScenario.time(500)
            state.albums?.losesAnswers = ["PUT /partner/p/album/m"]
        }
        try scenario.rename(to: "Mine", at: 0)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"] && scenario.conflicts().isEmpty)
        #expect(try await scenario.isSettled())
    }

    @Test func aDescriptionRemovedLocallyIsRemovedOnTheServer() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.here { try $0.change("m", by: AlbumChange(description: "D", isPrivate: true)) })
        try await scenario.sync()
        #expect(scenario.partner.object("/partner/p/album/m").contains(#""description":"D""#))
        #expect(try scenario.here(at: 10) { try $0.change("m", by: AlbumChange(description: "")) })
        try await scenario.sync()
        #expect(!scenario.partner.object("/partner/p/album/m").contains("description"))
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumThatThePushAnswerOmitsIsFetched() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { $0.albums?.answersWithBody = false }
        try scenario.rename(to: "Mine", at: 0)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"])
        #expect(try await scenario.isSettled())
    }

    @Test func aRefusedAlbumEditIsNotPushedUntilItIsEditedAgain() async throws {
        let scenario = try await AlbumScenario()
        scenario.there {
            $0.once["PUT /partner/p/album/m"] = [.text(#"{"error":"name_taken"}"#, status: 422)]
        }
        try scenario.rename(to: "Taken", at: 0)
        #expect(try await scenario.sync().outcome == .partial)
        let refused = try scenario.mirror.read { try $0.refusedEdits() }
        #expect(refused.count == 1 && refused.first?.reason.contains("name_taken") == true)
        let writes = scenario.partner.writes.count
        #expect(try await scenario.sync().outcome == .complete)
        #expect(!scenario.partner.writes.dropFirst(writes).contains { $0.contains("/album") })
        #expect(
            try scenario.mirror.read { try $0.find(.album, "m")?.summary.name } == "Taken",
            "the local edit stays")
        try scenario.rename(to: "Free", at: 10)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(
            try scenario.names() == ["m": "Free"] && scenario.mirror.read { try $0.refusedEdits() }.isEmpty)
    }

    @Test func aRefusedAlbumDeletionRestoresTheAlbum() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { $0.once["DELETE /partner/p/album/m"] = [.text(#"{"error":"locked"}"#, status: 409)] }
        #expect(try scenario.here { try $0.delete("m") })
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try scenario.names() == ["m": "Original"])
        #expect(try scenario.mirror.read { try $0.refusedEdits().first?.reason.contains("locked") } == true)
        #expect(try await scenario.isSettled())
        #expect(try scenario.here { try $0.delete("m") })
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names().isEmpty)
    }

    @Test func anAlbumEditThatFailsTemporarilyIsPushedByTheNextSync() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { $0.once["PUT /partner/p/album/m"] = [.text("{}", status: 423)] }
        try scenario.rename(to: "Mine", at: 0)
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine"])
    }

    @Test func anArtworkThatTheServerRefusesDoesNotBlockOtherAlbumEdits() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.here { try $0.set("b", in: "m", present: true) })
        #expect(try scenario.here { try $0.set("c", in: "m", present: true) })
        try scenario.rename(to: "Mine", at: 0)
        scenario.there { $0.overrides["POST /partner/p/album/m/artwork/b"] = .text("{}", status: 404) }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try scenario.names() == ["m": "Mine"])
        #expect(try scenario.mirror.read { try $0.refusedEdits().map(\.artwork) } == ["b"])
        #expect(try scenario.mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "c"])
        #expect(try await scenario.sync().outcome == .complete, "a refused edit is not pushed again")
    }

    @Test func anAlbumEditedDuringItsPushIsPushedAgainByTheNextSync() async throws {
        let scenario = try await AlbumScenario()
        try scenario.rename(to: "First", at: 0)
        scenario.there { state in
            state.during["PUT /partner/p/album/m"] = { try? scenario.rename(to: "Second", at: 1) }
        }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.mirror.read { try $0.find(.album, "m")?.summary.name } == "Second")
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Second"] && scenario.conflicts().isEmpty)
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumDeletedDuringItsCreationIsDeletedOnTheServer() async throws {
        let scenario = try await AlbumScenario()
        let id = try scenario.here { try $0.create(AlbumChange(name: "New")) }
        scenario.there { state in
            state.during["POST /partner/p/album"] = { _ = try? scenario.here { try $0.delete(id) } }
        }
        try await scenario.sync()
        #expect(try scenario.names() == ["m": "Original"])
        #expect(try await scenario.isSettled())
    }

    @Test func anArtworkRemovedWhileItIsBeingAddedIsRemovedInTheEnd() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.here { try $0.set("b", in: "m", present: true) })
        scenario.there { state in
            state.during["POST /partner/p/album/m/artwork/b"] = {
                _ = try? scenario.here { try $0.set("b", in: "m", present: false) }
            }
        }
        try await scenario.sync()
        try await scenario.sync()
        #expect(try scenario.artworks() == ["a"])
        #expect(try await scenario.isSettled())
    }

    /// Whether the server received the edit is unknown, so the opposite edit is pushed in any case.
    @Test(arguments: [true, false]) func anAlbumEditRevertedAfterALostAnswerIsRevertedOnTheServer(
        _ isAdded: Bool
    )
        async throws
    {
        let scenario = try await AlbumScenario()
        let artwork = isAdded ? "b" : "a", method = isAdded ? "POST" : "DELETE"
        #expect(try scenario.here { try $0.set(artwork, in: "m", present: isAdded) })
        scenario.there { state in
            state.albums?.losesAnswers = ["\(method) /partner/p/album/m/artwork/\(artwork)"]
            // The next list is from before the edit.
            state.overrides["GET /partner/p/album/m/artworks?ids=1&size=all&validators=1"] = .text(
                "{}", status: 503)
        }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try scenario.here { try $0.set(artwork, in: "m", present: !isAdded) })
        scenario.there { $0.overrides = [:] }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.artworks() == ["a"])
        #expect(try await scenario.isSettled())
    }

    @Test func aServerFailureOnOneArtworkDoesNotBlockTheOthersOfAnAlbum() async throws {
        let scenario = try await AlbumScenario()
        for artwork in ["b", "c"] {
            #expect(try scenario.here { try $0.set(artwork, in: "m", present: true) })
        }
        scenario.there { $0.overrides["POST /partner/p/album/m/artwork/b"] = .text("{}", status: 500) }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(try scenario.mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "c"])
        scenario.there { $0.overrides = [:] }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.artworks() == ["a", "c", "b"])
        #expect(try await scenario.isSettled())
    }

    @Test func aPushStopsAfterServerFailuresOnThreeArtworksOfAnAlbum() async throws {
        let scenario = try await AlbumScenario()
        let artworks = (0..<8).map { "n\($0)" }
        scenario.there { state in for artwork in artworks { state.artwork(artwork) } }
        try await scenario.sync()
        for artwork in artworks { #expect(try scenario.here { try $0.set(artwork, in: "m", present: true) }) }
        scenario.there { state in
            for artwork in artworks {
                state.overrides["POST /partner/p/album/m/artwork/\(artwork)"] = .text("{}", status: 500)
            }
        }
        #expect(try await scenario.sync().outcome == .partial)
        let requested = Set(scenario.partner.writes.filter { $0.contains("/album/m/artwork/n") })
        #expect(requested.count == 3)
        // Edits that were not sent can be reverted, and the next sync begins with other edits.
        for artwork in artworks.suffix(4) {
            #expect(try scenario.here { try $0.set(artwork, in: "m", present: false) })
        }
        scenario.there { $0.overrides["POST /partner/p/album/m/artwork/n3"] = nil }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(scenario.partner.writes.allSatisfy { !$0.hasPrefix("DELETE") })
        #expect(try scenario.mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "n3"])
    }

    @Test(arguments: [429, 503]) func aBusyServerEndsThePushOfAnAlbumsArtworks(_ status: Int) async throws {
        let scenario = try await AlbumScenario()
        for artwork in ["b", "c"] {
            #expect(try scenario.here { try $0.set(artwork, in: "m", present: true) })
        }
        scenario.there { $0.overrides["POST /partner/p/album/m/artwork/b"] = .text("{}", status: status) }
        #expect(try await scenario.sync().outcome == .partial)
        #expect(scenario.partner.writes.allSatisfy { !$0.contains("artwork/c") })
        scenario.there { $0.overrides = [:] }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.artworks() == (status == 429 ? ["a", "b", "c"] : ["a", "c", "b"]))
    }

    @Test func anAlbumEditRevertedDuringARefusalIsPushedByTheNextSync() async throws {
        let scenario = try await AlbumScenario()
        #expect(try scenario.here { try $0.set("a", in: "m", present: false) })
        scenario.there { state in
            state.overrides["DELETE /partner/p/album/m/artwork/a"] = .text("{}", status: 403)
            state.during["DELETE /partner/p/album/m/artwork/a"] = {
                _ = try? scenario.here { try $0.set("a", in: "m", present: true) }
            }
        }
        try await scenario.sync()
        #expect(try scenario.mirror.read { try $0.refusedEdits() }.isEmpty)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(scenario.partner.writes.contains { $0.hasPrefix("POST /partner/p/album/m/artwork/a") })
        #expect(try await scenario.isSettled())
    }

    @Test func albumEditsMadeOfflineArePushedTogether() async throws {
        let scenario = try await AlbumScenario()
        scenario.there { $0.album("gone", name: "Gone", at: AlbumScenario.time(-1_000)) }
        try await scenario.sync()
        let id = try scenario.here { try $0.create(AlbumChange(name: "New", description: "D")) }
        for artwork in ["c", "a"] {
            #expect(try scenario.here { try $0.set(artwork, in: id, present: true) })
        }
        #expect(try scenario.here { try $0.set("b", in: "m", present: true) })
        #expect(try scenario.here { try $0.delete("gone") })
        try scenario.rename(to: "Mine", at: 0)
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine", "s1": "New"])
        #expect(try scenario.artworks("s1") == ["c", "a"] && scenario.artworks() == ["a", "b"])
        #expect(try await scenario.isSettled())
    }

    @Test func albumEditsDuringASyncSurviveIt() async throws {
        let scenario = try await AlbumScenario()
        scenario.renameThere(to: "Theirs", at: -500)
        scenario.there { state in
            state.during["GET /partner/p/albums?ids=1&size=all&validators=1"] = {
                try? scenario.rename(to: "Mine", at: 0)
                _ = try? scenario.here { try $0.set("b", in: "m", present: true) }
                _ = try? scenario.here { try $0.create(AlbumChange(name: "New")) }
            }
        }
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.mirror.read { try $0.albums().compactMap(\.fields.name) } == ["Mine", "New"])
        #expect(try await scenario.sync().outcome == .complete)
        #expect(try scenario.names() == ["m": "Mine", "s1": "New"])
        #expect(try scenario.artworks() == ["a", "b"] && scenario.conflicts() == ["m local"])
        #expect(try await scenario.isSettled())
    }

    @Test func anAlbumEditInAnImportedCatalogueTakesEffectAtOnce() async throws {
        let mirror = try TestMirror(FakePartner())
        try mirror.mirror.prepare()
        let store = try CatalogueStore.open(at: mirror.mirror.database)
        defer { try? store.close() }
        try store.setCatalogue(true)
        let editor = try AlbumEditor(store)
        let id = try editor.create(AlbumChange(name: "New", isPrivate: true))
        #expect(try editor.change(id, by: AlbumChange(name: "Newer", description: "D")))
        let served = try #require(try store.served(.album, id))
        #expect(served.body.contains(#""name":"Newer""#) && served.body.contains("updated_at"))
        #expect(try store.pendingAlbums().isEmpty)
        #expect(try !editor.set("none", in: id, present: true))
        #expect(try editor.delete(id) && store.albums().isEmpty)
    }

    @Test(arguments: [
        (200, PushVerdict.unanswered), (401, .temporary), (403, .refused), (404, .gone), (405, .refused),
        (408, .temporary),
        (409, .refused), (410, .gone), (412, .outdated), (413, .refused), (422, .refused), (423, .temporary),
        (425, .temporary), (429, .temporary), (500, .unanswered), (501, .refused), (502, .unanswered),
        (503, .unanswered),
    ])
    func aPushIsJudgedByItsStatus(_ status: Int, _ verdict: PushVerdict) {
        #expect(PushVerdict(status: status, mayHaveArrived: true) == verdict)
    }

    @Test func aPushWithoutAnAnswerMayHaveArrived() {
        #expect(PushVerdict(status: nil, mayHaveArrived: true) == .unanswered)
        #expect(PushVerdict(status: nil, mayHaveArrived: false) == .temporary)
    }
}
