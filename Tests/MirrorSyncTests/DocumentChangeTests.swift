import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// The ETag of a list of ids doesn't change if only the listed documents change.
@Suite("Documents that change while their list doesn't", .fewAtATime)
struct DocumentChangeTests {
    private static let url = "/partner/p/artist/x/document/d"

    private func partner(_ extensions: [String]) -> FakePartner {
        FakePartner { state in
            state.extensions = extensions
            state.hasListETags = true
            for id in ["x", "y"] { state.artist(id) }
            state.lists["/partner/p/artist/x/documents"] = ["d", "e"]
            state.objects[Self.url] = #"{"id":"d","title":"First"}"#
            state.objects["/partner/p/artist/x/document/e"] = #"{"id":"e","title":"Other"}"#
        }
    }

    private func title(_ mirror: TestMirror) throws -> String? {
        try mirror.read { try $0.storedDocuments(of: Owner(.artist, "x")).first { $0.id == "d" }?.json }
    }

    @Test func aDocumentListedTwiceIsFetchedOnce() async throws {
        let partner = partner([])
        partner.change { $0.lists["/partner/p/artist/x/documents"] = ["d", "e", "d", "d"] }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && summary.objects["document"]?.listed == 2)
        #expect(partner.takeRequests().filter { $0.hasSuffix("/document/d") }.count == 1)
    }

    @Test func aChangedDocumentIsFetchedWhenItsOwnerIsReportedAsChanged() async throws {
        let partner = partner(["validators", "since"])
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.objects[Self.url] = #"{"id":"d","title":"Second"}"#
            state.touch("artists", "x", at: "2026-11-21T10:00:00Z")
        }
        _ = partner.takeRequests()
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete)
        #expect(summary.ways[.artist]?.isSince == true)
        #expect(try title(mirror) == #"{"id":"d","title":"Second"}"#)
        #expect(summary.requests.notModified >= 1, "the other document is requested conditionally")
        let requests = partner.takeRequests()
        #expect(!requests.contains { $0.hasSuffix("/documents?ids=1&size=all") }, "the list is vouched for")
    }

    @Test func aChangedDocumentIsFetchedWhenTheListOfItsOwnersKindChanged() async throws {
        let partner = partner(["validators"])
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.objects[Self.url] = #"{"id":"d","title":"Second"}"#
            state.put(.artist, "y", #"{"id":"y","name":"Somebody else"}"#)
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try title(mirror) == #"{"id":"d","title":"Second"}"#)
        _ = partner.takeRequests()
        try await mirror.sync { $0.media = false }
        #expect(!partner.takeRequests().contains { $0.contains("/document/") }, "nothing changed")
    }
}
