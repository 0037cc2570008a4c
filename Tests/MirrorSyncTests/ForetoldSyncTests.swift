import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// What random histories found that a dry run and the sync behind it said differently.
@Suite("A dry run and the sync that follows", .fewAtATime) struct ForetoldSyncTests {
    private let partner = FakePartner { state in
        state.extensions = ["validators"]
        state.hasListETags = true
        state.artist("x")
        state.artwork("a", artist: "x")
        state.album("m", ["a"])
        state.show("s", ["a"])
        state.put(.show, "old", #"{"id":"old","name":"Old","end_at":"2015-01-12"}"#)
        state.lists["/partner/p/show/old/artworks"] = []
        state.lists["/partner/p/show/old/documents"] = []
    }

    /// Both, with the same options; returns what the dry run said.
    private func both(
        _ mirror: TestMirror, _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncPlan {
        let foretold = try await mirror.plan(change), plan = try #require(foretold.summary.plan)
        let done = try await mirror.sync(change)
        #expect(plan.isExact)
        #expect(plan.hasChanges == done.hasChanges)
        #expect(plan.requests.rounded == done.requests.sent)
        let kinds = Kinds.standard.listed.map(\.name)
        #expect(
            foretold.summary.objects.filter { kinds.contains($0.key) }
                == done.objects.filter { kinds.contains($0.key) })
        return plan
    }

    @Test func nothingChangesForBeingAskedForInFull() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let plan = try await both(mirror) { ($0.media, $0.full) = (false, true) }
        #expect(!plan.hasChanges)
    }

    @Test func showsThatEndedLongAgoGo() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let isKept: (inout SyncOptions) -> Void = { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        let first = try await both(mirror, isKept)
        #expect(first.hasChanges)
        #expect(try mirror.ids(.show) == ["s"])
        let second = try await both(mirror, isKept)
        #expect(!second.hasChanges)
    }

    @Test func aListThatStaysEmptyUnderAnotherETagIsNoChange() async throws {
        partner.change { state in
            state.album("n", [])
            state.overrides["/partner/p/album/n/artworks?ids=1&size=all"] = .text("[]", etag: "\"empty\"")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.overrides = [:] }
        let plan = try await both(mirror) { $0.media = false }
        #expect(!plan.hasChanges)
    }

    /// It is asked for once more, as it lost its slug, and goes when it turns out to be as it was.
    @Test(arguments: [[], ["validators"]]) func aShowThatLostItsSlugGoesOnceItWasAskedFor(
        extensions: [String]
    ) async throws {
        partner.change { state in
            state.extensions = extensions
            state.put(
                .show, "g", #"{"id":"g","slug":"green","updated_at":"2026-11-02T00:00:00Z"}"#)
            state.put(
                .show, "h",
                #"{"id":"h","slug":"green","end_at":"2015-01-12","updated_at":"2026-11-01T00:00:00Z"}"#)
            for id in ["g", "h"] {
                state.lists["/partner/p/show/\(id)/artworks"] = []
                state.lists["/partner/p/show/\(id)/documents"] = []
            }
        }
        let mirror = try TestMirror(partner)
        let isKept: (inout SyncOptions) -> Void = { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        try await mirror.sync(isKept)
        #expect(try mirror.ids(.show) == ["g", "h", "s"])
        let plan = try await both(mirror, isKept)
        #expect(plan.hasChanges)
        #expect(try mirror.ids(.show) == ["g", "s"])
    }

    @Test func aShowThatWentLongAgoHereAndNowThereCountsNoMore() async throws {
        partner.change { $0.extensions = ["validators", "since"] }
        let mirror = try TestMirror(partner)
        let isKept: (inout SyncOptions) -> Void = { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        try await mirror.sync(isKept)
        #expect(try mirror.ids(.show) == ["s"])
        partner.change { state in
            state.remove(.show, "old")
            state.touch("shows", "old", at: "2026-11-21T09:58:00.000Z")
        }
        let done = try await mirror.sync(isKept)
        #expect(done.ways[.show]?.isSince == true)
        #expect(done.objects["show"]?.listed == 1)
    }

    /// Whether it goes at once depends on when it ended, which its list doesn't say.
    @Test func whetherAShowThatIsToComeGoesAtOnceIsOpen() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.show("new", []) }
        let pruning = try await mirror.plan { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        let keeping = try await mirror.plan { $0.media = false }
        #expect(pruning.summary.plan?.isExact == false && keeping.summary.plan?.isExact == true)
    }

    @Test func whatWasPrunedComesBackWhenItIsToBeKept() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        let foretold = try await mirror.plan { $0.media = false }, plan = try #require(foretold.summary.plan)
        #expect(plan.hasChanges && !plan.isExact)
        let done = try await mirror.sync { $0.media = false }
        #expect(done.hasChanges)
    }

    /// It was here because an artwork refers to it; to whoever reads, it comes with the list.
    @Test func whatWasOnlyReferredToIsNewsWhenItIsListed() async throws {
        partner.change { $0.lists["/partner/p/artists"] = [] }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.lists["/partner/p/artists"] = ["x"] }
        let plan = try await both(mirror) { $0.media = false }
        #expect(plan.hasChanges)
    }

    /// A run that was killed had taken its list in, and the partner's lists are as that run left them.
    @Test func whatWaitsToBeJoinedToALocationIsNews() async throws {
        partner.change { state in
            state.artwork("b", artist: "x")
            state.location("l", ["a", "b"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        try mirror.tamper(
            "DELETE FROM location_artwork WHERE artwork_id = 'b'",
            "UPDATE list SET pending = 1 WHERE name = 'artworks' AND owner_kind = 'location'",
            "UPDATE list SET clean_etag = NULL WHERE name = 'locations'",
            """
            INSERT INTO list_member (list, version, position, id)
            SELECT number, version, -1, '["a","b"]' FROM list WHERE name = 'artworks' AND owner_kind = 'location'
            """)
        let plan = try await both(mirror) { $0.media = false }
        #expect(plan.hasChanges && plan.relocated == 1)
    }

    /// It came, but its list of artworks didn't: only asking would tell whether there are any.
    @Test func whetherALocationWhoseListNeverCameHasArtworksIsOpen() async throws {
        let partner = FakePartner { state in
            (state.extensions, state.hasListETags) = (["validators"], true)
            state.location("l", [])
            state.overrides["/partner/p/artworks/all?ids=1&partner_location_id=l&size=all"] = .text(
                "", status: 403)
        }
        let mirror = try TestMirror(partner)
        let first = try await mirror.sync { $0.media = false }
        #expect(first.outcome == .partial)
        partner.change { $0.overrides = [:] }
        let plan = try #require(await mirror.plan { $0.media = false }.summary.plan)
        let done = try await mirror.sync { $0.media = false }
        #expect(!plan.isExact && !done.hasChanges)
    }

    /// A new one's is no open question: that it comes is news in any case.
    @Test func aNewLocationIsForetoldExactly() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.location("l", ["a"]) }
        let plan = try await both(mirror) { $0.media = false }
        #expect(plan.hasChanges)
    }

    @Test func documentsThatGoAreNewsThoughNoObjectChanges() async throws {
        partner.change { state in
            state.lists["/partner/p/show/s/documents"] = ["d"]
            state.objects["/partner/p/show/s/document/d"] = #"{"id":"d","title":"Paper"}"#
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.lists["/partner/p/show/s/documents"] = [] }
        let plan = try #require(await mirror.plan { $0.media = false }.summary.plan)
        #expect(plan.hasChanges && !plan.isExact)
        let done = try await mirror.sync { $0.media = false }
        #expect(done.objects["document"]?.deleted == 1)
    }

    @Test func whatAPulledKindHasCountsAsItsListWould() async throws {
        partner.change { state in
            state.extensions = ["validators", "since"]
            state.albums = FakePartner.Albums()
        }
        let mirror = try TestMirror(partner)
        let isKept: (inout SyncOptions) -> Void = { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        try await mirror.sync(isKept)
        let store = try CatalogueStore.open(at: mirror.mirror.database)
        _ = try AlbumEditor(store).create(AlbumChange(name: "Refused"))
        try store.close()
        partner.change { $0.overrides["POST /partner/p/album"] = .text(#"{"error":"name"}"#, status: 422) }
        try await mirror.sync(isKept)
        let pulled = try await mirror.sync(isKept)
        let isPulled = pulled.ways.values.allSatisfy(\.isSince)
        #expect(isPulled)
        #expect(pulled.objects["show"]?.listed == 2 && pulled.objects["album"]?.listed == 1)
    }
}
