import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import PeriodicLoops
import Testing

@testable import MirrorSync

/// Linked objects that a refresh fetches again, a day after the first sync fetched them.
@Suite("Linked objects of a refresh", .limitedConcurrency) struct RefreshGhostTests {
    private static let documents = (0..<12).map { "d\($0)" }

    /// A mirror with a listed artist and one that is only referred to, each with twelve documents.
    private func synced() async throws -> TestMirror {
        let partner = FakePartner.withEvents { state in
            state.artwork("c", artist: "y")
            state.objects["/artist/y"] = #"{"id":"y","name":"Y"}"#
            for artist in ["x", "y"] {
                state.lists["/partner/p/artist/\(artist)/documents"] = Self.documents
                for id in Self.documents {
                    state.objects["/partner/p/artist/\(artist)/document/\(id)"] =
                        #"{"id":"\#(id)","title":"D"}"#
                }
            }
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.linked(.artist) == ["y"])
        #expect(try documents(mirror, "y") == 12)
        return mirror
    }

    private func documents(_ mirror: TestMirror, _ artist: String) throws -> Int {
        try mirror.read { try $0.storedDocuments(of: Owner(.artist, artist)).count }
    }

    private func refresh(_ mirror: TestMirror) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        options.media = false
        options.failFast = true
        let partner = mirror.partner
        var sync = try Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            now: { TestMirror.time + 90_000 }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
        sync.refresh = RefreshOrder(kinds: Set(Kinds.standard.listed), ticket: CommitTicket())
        return try await sync.run()
    }

    @Test func aGuardedListOfALinkedObjectIsAProblemAndTheFeedIsStillFollowed() async throws {
        let mirror = try await synced()
        mirror.partner.change { state in
            state.objects["/artist/y"] = #"{"id":"y","name":"New"}"#
            state.lists["/partner/p/artist/y/documents"] = ["d0"]
        }
        let summary = try await refresh(mirror)
        #expect(summary.guarded.isEmpty && summary.hasCursor)
        #expect(summary.outcome == .partial)
        #expect(summary.problems.map(\.what) == ["guard"], "\(summary.problems)")
        #expect(summary.problems.first?.message.contains("11 of ") == true)
        #expect(try documents(mirror, "y") == 12)
    }

    @Test func aGuardedListIsReportedOnceEvenIfALinkedObjectIsFetchedAfterIt() async throws {
        let mirror = try await synced()
        mirror.partner.change { state in
            state.objects["/artist/y"] = #"{"id":"y","name":"New"}"#
            state.lists["/partner/p/artist/x/documents"] = []
        }
        let summary = try await refresh(mirror)
        #expect(summary.hasCursor)
        #expect(mirror.partner.takeRequests().contains("GET /artist/y"))
        #expect(
            summary.problems.map { "\($0.what) \($0.kind ?? "") \($0.id ?? "")" } == ["guard artist x"])
        #expect(try documents(mirror, "x") == 12)
    }

    @Test(arguments: [(0, 0), (1_000, 0), (1_005, 5)])
    func problemsAfterTheFirstThousandAreOnlyCounted(count: Int, further: Int) {
        let list = ProblemList(
            (0..<count).map { Problem(what: "guard", kind: "artist", id: "\($0)", message: "") })
        #expect(list.problems.count == count - further && list.further == further)
        let remarks = ProblemList.remarks(on: list.further).map(\.message)
        #expect(remarks == (further == 0 ? [] : ["5 more problems were not noted one by one."]))
    }
}
