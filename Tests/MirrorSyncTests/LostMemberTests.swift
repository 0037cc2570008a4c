import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Lists that seem to lack what the server has.
@Suite("Nothing is removed", .fewAtATime)
struct LostMemberTests {
    private static let artworks = "/partner/p/artworks"

    private func page(_ ids: ClosedRange<Int>, _ fields: String = "") -> String {
        "[\(ids.map { #"{"id":"w\#($0)"\#(fields)}"# }.joined(separator: ","))]"
    }

    /// A server of part 1 may ignore `ids=1`, and its objects may have any fields.
    @Test(arguments: [#","title":"T","etag":"e","lists":{}"#, ""])
    func byAPageThatLooksLikeAListWithValidators(fields: String) async throws {
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

    /// What moves from page 3 to page 2 while the reader is in between is on neither, though page 1 stays.
    @Test func byPagesThatShiftUnderTheReader() async throws {
        let list = Self.artworks
        let partner = FakePartner { state in for number in 1...5 { state.artwork("w\(number)") } }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.overrides["\(list)?ids=1&size=all"] = .text(page(1...2, #","title":"T""#))
            state.overrides["\(list)?page=1&size=20"] = .text(page(1...2))
            state.once["\(list)?page=2&size=20"] = [.text(page(3...4))]
            // w3 has gone by now, and w5 moved up.
            state.overrides["\(list)?page=2&size=20"] = .text(page(4...5))
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        let summary = try await mirror.sync { options in
            options.media = false
            options.maxDelete = .total(10)
        }
        #expect(summary.outcome == .complete, "it is read once more")
        #expect(try mirror.ids(.artwork) == ["w1", "w2", "w4", "w5"])
    }

    @Test func byPagesOfWhichOneIsOlder() async throws {
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

    /// A server that knew the list with what is private may only be in trouble.
    @Test func byAListOfLocationsWithoutThoseThatArePrivate() async throws {
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
            summary.outcome == .complete && summary.problems.isEmpty, "that it isn't offered is no failure")
        #expect(try mirror.ids(.location) == ["private", "public"])
        // Where it is so once more, it is so.
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.location) == ["public"])
    }

    /// What a person lets happen after the guard's stop is also what is under an object that only the first run was told of.
    @Test func forGoodByTheGuardWhichAPersonOverruled() async throws {
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

    /// A server that takes no notice of the date answers a page of what it has.
    @Test func forGoodByAPageThatIsTakenForWhatChanged() async throws {
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

    @Test func ofAnotherServerByTheFirstOnesDates() async throws {
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

    /// An artwork that was removed comes back under its id while the run goes on: the list that is asked for once more names
    /// it, and what is here may be another one.
    @Test func byAListThatNamesMoreWhenItIsAskedForOnceMore() async throws {
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
