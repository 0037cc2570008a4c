import Catalogue
import MirrorStore
import MirrorTesting
import OperationTree
import Testing

@testable import MirrorSync

/// Kinds whose objects are given instead of being listed by the server. The transport fails on any request.
@Suite("Given objects", .fewAtATime) struct GivenListingTests {
    let fixture: StepFixture

    init() throws { fixture = try StepFixture { $0.media = false } }

    private func scope(_ listings: [Kind: Listing]) -> PartnerScope { fixture.scope.listing(listings) }

    @Test func areLookedAtInTheirOrderWithoutAskingForTheList() async throws {
        let items = [GivenItem(id: "b", known: "\"1\""), GivenItem(id: "a", listedETag: "\"2\"")]
        let given = scope([.show: .given(items)])
        let found = try await ObjectStep(.show).expand(given, in: fixture.context("show")).collect()
        #expect(found.map(\.id) == ["b", "a"])
        #expect(found.map(\.known) == ["\"1\"", nil])
        #expect(found.map(\.listedETag) == [nil, "\"2\""])
        #expect(try ObjectStep(.show).lines(expanding: given) == [])
        #expect(fixture.transport.lines == [])
    }

    @Test func thatAreCurrentWithAllThatIsUnderThemAreLeftOut() async throws {
        let list = ListName(
            url: fixture.scope.router.list(.artworks, of: Owner(.album, "m"), .ids).listURL ?? "",
            owner: Owner(.album, "m"),
            name: "artworks")
        try await fixture.put(StepFixture.album("m", name: "M"))
        _ = try fixture.store.apply(
            [.members(list: ListAnswer(list: list, etag: "\"l\"", date: nil), ids: [])],
            run: fixture.environment.run)
        for (etag, looked) in [("\"l\"", []), ("\"other\"", ["m"])] {
            let item = GivenItem(id: "m", lists: ["artworks": etag], isVouched: true)
            let expansion = try await ObjectStep(.album).expand(
                scope([.album: .given([item])]), in: fixture.context("album"))
            #expect(try await expansion.collect().map(\.id) == looked)
            #expect(expansion.isComplete)
        }
    }

    @Test func albumsThatWentAfterTheyWerePushedToAreLeftOut() async throws {
        fixture.environment.report.note { state in
            state.pushed = ["left", "gone"]
            state.gone = [ExactText("gone")]
        }
        let given = scope([.album: .given([])])
        let found = try await ObjectStep(.album).expand(given, in: fixture.context("album")).collect()
        #expect(found.map(\.id) == ["left"])
    }

    /// Two ids that are one to `String`.
    @Test func albumsThatWentAsTheyWerePushedAreLeftOut() async throws {
        fixture.environment.report.note { $0.gone = [ExactText("\u{E9}")] }
        let given = scope([.album: .given([GivenItem(id: "\u{E9}"), GivenItem(id: "e\u{301}")])])
        let found = try await ObjectStep(.album).expand(given, in: fixture.context("album")).collect()
        #expect(found.map(\.id.utf8.count) == [3])
    }

    @Test func makeNoListCompleteAndNoneClean() async throws {
        let given = scope([.artwork: .given([])])
        _ = try await ObjectStep(pictured: .artwork).expand(given, in: fixture.context("artwork")).collect()
        let whole = ScopeOutcome(listComplete: true, items: 0, failedItems: 0, subtreeComplete: true)
        try await ObjectStep(pictured: .artwork).finished(given, whole, in: fixture.context("artwork"))
        #expect(fixture.environment.report.current.complete == [])
        #expect(fixture.environment.report.current.clean == [])
        #expect(fixture.environment.report.current.listed == [:])
    }
}
