import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Cases, found by randomised simulations, in which a dry run predicted something else than the following sync did.
@Suite("Dry runs predict the following sync", .fewAtATime) struct PredictedSyncTests {
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

    /// Runs a dry run and then a sync with the same options, and compares their results.
    ///
    /// - Returns: the dry run's plan.
    private func both(
        _ mirror: TestMirror, _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncPlan {
        let predicted = try await mirror.plan(change), plan = try #require(predicted.summary.plan)
        let done = try await mirror.sync(change)
        #expect(plan.isExact)
        #expect(plan.hasChanges == done.hasChanges)
        #expect(plan.requests.rounded == done.requests.sent)
        let kinds = Kinds.standard.listed.map(\.name)
        #expect(
            predicted.summary.objects.filter { kinds.contains($0.key) }
                == done.objects.filter { kinds.contains($0.key) })
        return plan
    }

    @Test func aFullSyncOfUnchangedDataIsPredictedWithoutChanges() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let plan = try await both(mirror) { ($0.media, $0.full) = (false, true) }
        #expect(!plan.hasChanges)
    }

    @Test func theRemovalOfOldShowsIsPredicted() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let isKept: (inout SyncOptions) -> Void = { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        let first = try await both(mirror, isKept)
        #expect(first.hasChanges)
        #expect(try mirror.ids(.show) == ["s"])
        let second = try await both(mirror, isKept)
        #expect(!second.hasChanges)
    }

    @Test func anEmptyListWithANewETagIsPredictedAsUnchanged() async throws {
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

    /// It is requested again because it lost its slug, and removed when it turns out to be unchanged.
    @Test(arguments: [[], ["validators"]]) func theRemovalOfAnOldShowThatLostItsSlugIsPredicted(
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

    @Test func aPrunedShowThatTheServerDeletesIsNoLongerCounted() async throws {
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

    /// Whether the new show is removed at once depends on its end, which the list doesn't contain.
    @Test func aPlanIsInexactIfANewShowMayBePrunedAtOnce() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.show("new", []) }
        let pruning = try await mirror.plan { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        let keeping = try await mirror.plan { $0.media = false }
        #expect(pruning.summary.plan?.isExact == false && keeping.summary.plan?.isExact == true)
    }

    @Test func theReturnOfPrunedShowsIsPredicted() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { ($0.media, $0.keepShows) = (false, .seconds(86_400)) }
        let predicted = try await mirror.plan { $0.media = false }
        let plan = try #require(predicted.summary.plan)
        #expect(plan.hasChanges && !plan.isExact)
        let done = try await mirror.sync { $0.media = false }
        #expect(done.hasChanges)
    }

    /// The object was stored because an artwork refers to it. For readers it is created when the list names it.
    @Test func aLinkedObjectThatBecomesListedIsPredictedAsAChange() async throws {
        partner.change { $0.lists["/partner/p/artists"] = [] }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.lists["/partner/p/artists"] = ["x"] }
        let plan = try await both(mirror) { $0.media = false }
        #expect(plan.hasChanges)
    }

    /// A killed run had stored the list but not applied it, and the partner's lists are unchanged since then.
    @Test func pendingArtworksOfALocationArePredictedAsAChange() async throws {
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

    /// The location was stored but its list of artworks failed: only a request shows whether it has artworks.
    @Test func aPlanIsInexactIfALocationsListIsUnknown() async throws {
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

    /// The plan is exact although the artworks of a new location are unknown: the location itself is a change in any case.
    @Test func aNewLocationIsPredictedExactly() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.location("l", ["a"]) }
        let plan = try await both(mirror) { $0.media = false }
        #expect(plan.hasChanges)
    }

    @Test func removedDocumentsArePredictedAsAChange() async throws {
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

    @Test func aPulledKindHasTheSameListedCountAsItsFullList() async throws {
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
