import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Lists that seem to lack objects that the server has: such objects must not be removed.
@Suite("Lists that seem to lack objects", .fewAtATime)
struct LostMemberTests {
    private static let artworks = "/partner/p/artworks"

    private func page(_ ids: ClosedRange<Int>, _ fields: String = "") -> String {
        "[\(ids.map { #"{"id":"w\#($0)"\#(fields)}"# }.joined(separator: ","))]"
    }

    /// A server without extensions may ignore `ids=1`, and its objects may have any fields.
    @Test(arguments: [#","title":"T","etag":"e","lists":{}"#, ""])
    func aPageThatLooksLikeAListWithValidatorsRemovesNothing(fields: String) async throws {
        let list = Self.artworks
        let partner = FakePartner { state in
            for number in 1...25 { state.artwork("w\(number)") }
            state.overrides["\(list)?ids=1&size=all"] = .text(page(1...20, fields))
            state.overrides["\(list)?page=1&size=20"] = .text(page(1...20, fields))
            state.overrides["\(list)?page=2&size=20"] = .text(page(21...25, fields))
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.artwork).count == 25)
    }

    /// A member that moves from page 3 to page 2 between the two requests is on neither page, although page 1 is unchanged.
    @Test func pagesThatChangeWhileTheyAreReadRemoveNothing() async throws {
        let list = Self.artworks
        let partner = FakePartner { state in for number in 1...5 { state.artwork("w\(number)") } }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.overrides["\(list)?ids=1&size=all"] = .text(page(1...2, #","title":"T""#))
            state.overrides["\(list)?page=1&size=20"] = .text(page(1...2))
            state.once["\(list)?page=2&size=20"] = [.text(page(3...4))]
            // Now w3 is removed, and w5 has moved to page 2.
            state.overrides["\(list)?page=2&size=20"] = .text(page(4...5))
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        let summary = try await mirror.sync { options in
            options.media = false
            options.maxDelete = .total(10)
        }
        #expect(summary.outcome == .complete, "the list is read again")
        #expect(try mirror.ids(.artwork) == ["w1", "w2", "w4", "w5"])
    }

    @Test func aPagedListWithAnOlderPageRemovesNothing() async throws {
        let list = Self.artworks
        let partner = FakePartner { state in for number in 1...5 { state.artwork("w\(number)") } }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let now: (String) -> ScriptedAnswer = {
            .text($0, headers: ["Date": "Sat, 21 Nov 2026 11:00:00 GMT"])
        }
        partner.change { state in
            state.overrides["\(list)?ids=1&size=all"] = now(page(1...2, #","title":"T""#))
            state.overrides["\(list)?page=1&size=20"] = now(page(1...2))
            state.overrides["\(list)?page=2&size=20"] = .text(
                page(3...4), headers: ["Date": "Sat, 21 Nov 2026 11:00:00 GMT", "Age": "7200"])
            state.overrides["\(list)?page=3&size=20"] = now("[]")
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        #expect(try mirror.ids(.artwork).count == 5)
    }

    /// A server that offered the list with private locations before may only fail to do so for now.
    @Test func aListThatLacksPrivateLocationsRemovesNothingTheFirstTime() async throws {
        let url = FakePartner.State.listURL(.location)
        let partner = FakePartner { state in
            state.location("public", [])
            state.location("private", [])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.overrides[url] = .text("{}", status: 404)
            state.overrides["/partner/p/locations?ids=1&size=all"] = .text(#"["public"]"#)
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(
            summary.outcome == .complete && summary.problems.isEmpty,
            "a list that isn't offered is no failure")
        #expect(try mirror.ids(.location) == ["private", "public"])
        // The second such list is swept.
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.location) == ["public"])
    }

    /// The guarded run had listed the show's documents; the later run's changes don't name the show again.
    @Test func raisingTheDeleteLimitAlsoRemovesDocumentsThatOnlyTheGuardedRunListed() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators", "since"]
            state.hasListETags = true
            for number in 1...3 { state.artwork("w\(number)") }
            state.show("s", [])
            state.lists["/partner/p/show/s/documents"] = ["d", "e"]
            for id in ["d", "e"] { state.objects["/partner/p/show/s/document/\(id)"] = #"{"id":"\#(id)"}"# }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.lists["/partner/p/show/s/documents"] = ["d"]
            state.touch("shows", "s", at: "2026-11-21T10:30:00Z")
        }
        let stopped = try await mirror.sync { ($0.media, $0.maxDelete) = (false, .total(0)) }
        #expect(stopped.outcome == .guarded)
        partner.change { $0.date = "Sat, 21 Nov 2026 12:00:00 GMT" }
        #expect(try await mirror.sync { ($0.media, $0.maxDelete) = (false, .total(5)) }.outcome == .complete)
        #expect(try mirror.read { try $0.storedDocuments(of: Owner(.show, "s")).map(\.id) } == ["d"])
    }

    /// A server that ignores the date answers with a page of objects.
    @Test func aPageOfObjectsIsNotMistakenForChanges() async throws {
        let partner = FakePartner { state in
            state.extensions = ["since"]
            state.artwork("a")
            state.artwork("b")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        let since = "/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"
        partner.change { state in
            state.artwork("a", title: "Other")
            state.overrides[since] = .text(#"[{"id":"b","title":"Work b","etag":"e"}]"#)
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.ways[.artwork] == .lists(.refused) && summary.outcome == .complete)
        #expect(try mirror.read { try $0.find(.artwork, "a")?.summary.name } == "Other")
    }

    @Test func sinceDatesOfOneServerAreNotUsedForAnother() async throws {
        let first = FakePartner { state in
            state.extensions = ["validators", "since"]
            state.artwork("a")
        }
        let mirror = try TestMirror(first)
        try await mirror.sync { $0.media = false }
        let other = "http://origin.test:8080/api/v1"
        first.change { $0.artwork("b") }
        let kept = try await mirror.sync(base: other) { $0.media = false }
        #expect(kept.ways[.artwork]?.isSince == true, "another port is the same server")
        let summary = try await mirror.sync(base: "http://origin.test:9090/api/v1", isNewOrigin: true) {
            $0.media = false
        }
        #expect(summary.ways[.artwork] == .lists(.newOrigin))
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    /// An artwork is removed and added again under its id during the run. The list names it when it is requested again, and the
    /// stored artwork may be an old version.
    @Test func aListThatNamesMoreMembersWhenItIsRequestedAgainIsUsed() async throws {
        let url = FakePartner.State.listURL(.artwork)
        let partner = FakePartner { state in for id in ["b", "c", "d"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.once[url] = [.text(#"["b","c"]"#)]
            state.overrides[url] = .text(#"["b","d"]"#)
            state.overrides["/artwork/c"] = .text("{}", status: 404)
            state.artwork("d", title: "Another")
        }
        let summary = try await mirror.sync { options in
            options.media = false
            options.maxDelete = .total(10)
        }
        #expect(summary.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["b", "d"])
        #expect(try mirror.read { try $0.find(.artwork, "d")?.summary.name } == "Another")
    }
}
