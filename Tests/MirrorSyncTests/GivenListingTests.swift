import Catalogue
import MirrorStore
import MirrorTesting
import OperationTree
import Testing

@testable import MirrorSync

/// Kinds whose objects are known by their ids, so that the server's list is not requested. The transport fails on any request.
@Suite("Objects to fetch without a list", .fewAtATime) struct GivenListingTests {
    let fixture: StepFixture

    init() throws { fixture = try StepFixture { $0.media = false } }

    private func context(_ objects: [Kind: [ObjectItem]]) -> StepContext<SyncEnvironment> {
        StepContext(node: "any", environment: fixture.environment.feeding(objects))
    }

    @Test func givenObjectsAreExpandedInOrderWithoutRequestingTheList() async throws {
        let items = [ObjectItem(id: "b", known: "\"1\""), ObjectItem(id: "a", listedETag: "\"2\"")]
        let given = context([.show: items])
        let found = try await ObjectStep(.show).expand(fixture.partner, in: given).collect()
        #expect(found.map(\.id) == ["b", "a"])
        #expect(found.map(\.known) == ["\"1\"", nil])
        #expect(found.map(\.listedETag) == [nil, "\"2\""])
        #expect(try ObjectStep(.show).lines(expanding: fixture.partner, in: given) == [])
        #expect(fixture.transport.lines == [])
    }

    @Test func givenObjectsThatAreCurrentWithTheirListsAreSkipped() async throws {
        let list = ListName(
            url: fixture.environment.router.list(.artworks, of: Owner(.album, "m"), .ids).listURL ?? "",
            owner: Owner(.album, "m"),
            name: "artworks")
        try await fixture.put(StepFixture.album("m", name: "M"))
        _ = try fixture.store.apply(
            [.members(list: ListAnswer(list: list, etag: "\"l\"", date: nil), ids: [])],
            run: fixture.environment.run)
        for (etag, expected) in [("\"l\"", []), ("\"other\"", ["m"])] {
            let item = ObjectItem(id: "m", lists: ["artworks": etag], isVouched: true)
            let expansion = try await ObjectStep(.album).expand(
                fixture.partner, in: context([.album: [item]]))
            #expect(try await expansion.collect().map(\.id) == expected)
            #expect(expansion.isComplete)
        }
    }

    @Test func pushedAlbumsThatNoLongerExistAreSkipped() async throws {
        fixture.environment.report.note { state in
            state.pushed = ["left", "gone"]
            state.gone = [ExactText("gone")]
        }
        let given = context([.album: []])
        let found = try await ObjectStep(.album).expand(fixture.partner, in: given).collect()
        #expect(found.map(\.id) == ["left"])
    }

    /// The two ids are equal as `String`s, but have different bytes.
    @Test func aDeletedAlbumIsSkippedByItsExactId() async throws {
        fixture.environment.report.note { $0.gone = [ExactText("\u{E9}")] }
        let given = context([.album: [ObjectItem(id: "\u{E9}"), ObjectItem(id: "e\u{301}")]])
        let found = try await ObjectStep(.album).expand(fixture.partner, in: given).collect()
        #expect(found.map(\.id.utf8.count) == [3])
    }

    @Test func givenObjectsMakeNoListCompleteOrClean() async throws {
        let given = context([.artwork: []])
        _ = try await ObjectStep(pictured: .artwork).expand(fixture.partner, in: given).collect()
        let outcome = SubtreeOutcome(listComplete: true, items: 0, failedItems: 0, subtreeComplete: true)
        try await ObjectStep(pictured: .artwork).finished(fixture.partner, outcome, in: given)
        #expect(fixture.environment.report.current.complete == [])
        #expect(fixture.environment.report.current.clean == [])
        #expect(fixture.environment.report.current.listed == [:])
    }
}
