import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A list with an element without a usable id", .limitedConcurrency)
struct UnusableElementTests {
    private static let elements: [(json: String, word: String)] = [
        ("null", "null"), (#""""#, "an empty text"), (#"" ""#, "an empty text"), ("true", "true"),
        ("1.5", "a number that is not an integer"), ("[]", "an array"), ("{}", "an object without an id"),
        (#"{"title":"T"}"#, "an object without an id"), (#"{"id":null}"#, "an object whose id is null"),
        (#""a\u0000b""#, "a text with a NUL character"),
    ]

    private let partner = FakePartner { state in
        for id in ["a", "b"] { state.artwork(id) }
        state.show("s", ["a", "b"])
        state.lists["/partner/p/show/s/documents"] = ["d", "e"]
        for id in ["d", "e", "f"] {
            state.objects["/partner/p/show/s/document/\(id)"] = #"{"id":"\#(id)","title":"D"}"#
        }
        state.lists["/partner_show/s/images?default=0"] = ["i", "j"].map(Self.picture)
    }

    private static func picture(_ id: String) -> String {
        #"{"id":"\#(id)","image_url":"s/\#(id)/:version.jpg"}"#
    }

    private static func problem(_ summary: SyncSummary) -> Problem? {
        summary.problems.first { $0.what == "incomplete list" }
    }

    @Test(arguments: elements.indices)
    func anUnusableElementOfAListStopsDeletionsButNotOtherElements(index: Int) async throws {
        let mirror = try TestMirror(partner), url = FakePartner.State.listURL(.artwork)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.artwork("c")
            state.remove(.artwork, "b")
            state.overrides[url] = .conditional(#"["a",\#(Self.elements[index].json),"c"]"#, etag: "\"bad\"")
        }
        for _ in 0..<2 {
            let summary = try await mirror.sync { $0.media = false }
            #expect(summary.outcome == .partial)
            let message = try #require(Self.problem(summary)?.message)
            #expect(message.contains("list of artworks has"), "\(message)")
            #expect(message.contains("element 2 is \(Self.elements[index].word)"), "\(message)")
            #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
            #expect(try mirror.read { try $0.listState(url)?.etag } != "\"bad\"")
        }
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "c"])
    }

    @Test func anUnusableElementOfAPagedListIsReportedWithItsPage() async throws {
        partner.change { state in
            state.overrides[FakePartner.State.listURL(.artwork)] = .text(#"[{"id":"a","title":"A"}]"#)
            state.overrides["/partner/p/artworks?page=1&size=20"] = .text(
                #"[{"id":"a","title":"A"},{"title":"No id"}]"#)
            state.overrides["/partner/p/artworks?page=2&size=20"] = .text(#"[{"id":"b","title":"B"}]"#)
            state.overrides["/partner/p/artworks?page=3&size=20"] = .text("[]")
        }
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .partial)
        #expect(Self.problem(summary)?.message.contains("element 2 of page 1 is an object without") == true)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func anUnusableElementKeepsAShowsArtworksThatTheListOmits() async throws {
        let mirror = try TestMirror(partner), owner = Owner(.show, "s")
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.artwork("c")
            state.overrides["/partner/p/show/s/artworks?ids=1&size=all"] = .text(#"["c",null,"a"]"#)
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .partial)
        #expect(
            Self.problem(summary)?.message.contains("list of artworks of the show “s” has elements") == true)
        #expect(try mirror.read { try $0.members(of: owner) } == ["c", "a", "b"])
        partner.change { state in
            state.overrides = [:]
            state.show("s", ["c"])
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: owner) } == ["c"])
    }

    @Test func anUnusableElementKeepsAShowsDocumentsThatTheListOmits() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.overrides["/partner/p/show/s/documents?ids=1&size=all"] = .text(#"["d",null,"f"]"#)
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .partial)
        #expect(Self.problem(summary)?.message.contains("list of documents of the show “s”") == true)
        #expect(try documents(mirror) == ["d", "e", "f"])
        partner.change { state in
            state.overrides = [:]
            state.lists["/partner/p/show/s/documents"] = ["f"]
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try documents(mirror) == ["f"])
    }

    private func documents(_ mirror: TestMirror) throws -> [String] {
        try mirror.read { try $0.storedDocuments(of: Owner(.show, "s")).map(\.id).sorted() }
    }

    @Test func anUnusableElementKeepsInstallationShotsThatTheListOmits() async throws {
        let mirror = try TestMirror(partner), list = "/partner_show/s/images?default=0"
        try await mirror.sync { $0.media = false }
        partner.change { $0.lists[list] = [Self.picture("k"), "null", Self.picture("i")] }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .partial)
        #expect(Self.problem(summary)?.message.contains("list of installation shots of the show “s”") == true)
        #expect(try pictures(mirror) == ["k", "i", "j"])
        partner.change { $0.lists[list] = [Self.picture("k")] }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try pictures(mirror) == ["k"])
    }

    /// Such a page is not cached. If it were, a 304 would confirm it each time, and a corrected page would never be read.
    @Test func aPageWithAnUnusableElementIsRequestedAgainUnderTheSameETag() async throws {
        let page = "/partner_show/s/images?default=0&page=1&size=20", etag = "\"same\""
        let pictures = ["i", "j"].map(Self.picture)
        partner.change {
            $0.overrides[page] = .conditional("[\(pictures[0]),null,\(pictures[1])]", etag: etag)
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        partner.change {
            $0.overrides[page] = .conditional("[\(pictures.joined(separator: ","))]", etag: etag)
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try self.pictures(mirror) == ["i", "j"])
    }

    private func pictures(_ mirror: TestMirror) throws -> [String] {
        try mirror.read { try $0.storedImages(of: Owner(.show, "s"), role: .installation).map(\.id) }
    }

    @Test func anUnusableElementOfASinceAnswerMakesTheSyncRequestTheFullList() async throws {
        partner.change { $0.extensions = ["validators", "since"] }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.artwork("c")
            state.overrides["/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"] = .text(
                "[null]", headers: ["Date": state.date])
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && summary.ways[.artwork] == .lists(.refused))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func anUnusableElementOfImportedFilesRemovesNothing() async throws {
        let home = try LiveMirror()
        func files(_ artworks: String, _ shows: String) -> CatalogueFiles {
            .embedded([
                "partner.json": #"{"id":"one","name":"P"}"#, "artworks.jsonl": artworks,
                "albums.jsonl": "", "artists.jsonl": "", "shows.jsonl": shows, "locations.jsonl": "",
            ])
        }
        let first = files("{\"id\":\"a\"}\n{\"id\":\"b\"}", #"{"id":"s","artwork_ids":["a","b"]}"#)
        #expect(try await home.importing(first, as: "one").outcome == .complete)
        let second = files("{\"id\":\"a\"}\n{\"title\":\"No id\"}", #"{"id":"s","artwork_ids":["a",null]}"#)
        let summary = try await home.importing(second, as: "one")
        #expect(summary.outcome == .partial)
        let messages = summary.problems.map(\.message)
        #expect(messages.contains { $0.contains("line 2 is an object without an id") }, "\(messages)")
        #expect(messages.contains { $0.contains("of the show “s”") && $0.contains("element 2 is null") })
        for members in [#""a""#, #"{"x":1}"#, "5", "true"] {
            let third = files("{\"id\":\"a\"}\n{\"id\":\"b\"}", #"{"id":"s","artwork_ids":\#(members)}"#)
            #expect(
                try await home.importing(third, as: "one").outcome == .partial,
                "a value that is not a list is not treated as an empty list")
        }
        let store = try home.mirror("one").store()
        defer { try? store.close() }
        #expect(try store.snapshot { try $0.ids(.artwork).sorted() } == ["a", "b"])
        #expect(try store.members(of: Owner(.show, "s")) == ["a", "b"])
    }

    @Test func aListWithTooManyMembersIsReportedByName() async throws {
        partner.change { state in
            state.overrides["/partner/p/show/s/artworks?ids=1&size=all"] = .text(
                "[\(Array(repeating: #""a""#, count: 9).joined(separator: ","))]")
        }
        let summary = try await TestMirror(partner).sync { ($0.media, $0.maxObjects) = (false, 8) }
        #expect(summary.outcome == .partial, "everything else is synced")
        #expect(summary.problems.map(\.what) == ["list"])
        #expect(
            summary.problems.first?.message.contains(
                "The server's list of artworks of the show “s” has more than 8 members")
                == true, "\(summary.problems)")
    }

    @Test(arguments: [#"{"a":1}"#, "[1", "<html>"])
    func anUnreadableListIsReportedByName(body: String) async throws {
        partner.change { $0.overrides["/partner/p/show/s/artworks?ids=1&size=all"] = .text(body) }
        let summary = try await TestMirror(partner).sync { $0.media = false }
        let message = summary.problems.first { $0.what == "list" }?.message
        #expect(message?.contains("list of artworks of the show “s”") == true, "\(message ?? "")")
    }
}
