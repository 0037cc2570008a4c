import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Fetching ghosts", .fewAtATime) struct GhostFetchTests {
    /// An artwork of an artist whom the partner doesn't list, and a show that names an artwork it doesn't list.
    let partner = FakePartner { state in
        state.artwork("a", artist: "y")
        state.show("s", ["a", "w"])
    }

    private static let day: TimeInterval = 86_400

    @Test func aGhostThatIsFoundIsStoredWithItsPicturesAndLists() async throws {
        partner.change { state in
            state.objects["/artist/y"] = #"{"id":"y","name":"Y"}"#
            state.lists["/partner/p/artist/y/documents"] = ["d"]
            state.objects["/partner/p/artist/y/document/d"] = #"{"id":"d","title":"D"}"#
            state.objects["/artwork/w"] =
                #"{"id":"w","title":"W","images":[{"id":"i","image_url":"artwork/w/image/i/larger.jpg","image_versions":["larger"]}]}"#
            state.files["/artwork/w/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        }
        let mirror = try TestMirror(partner)
        let (requests, problems) = try await mirror.syncWithGhosts()
        #expect(problems == [])
        #expect(requests.count { $0.contains("/artist/y") } == 3)
        #expect(requests.count { $0 == "GET /artwork/w" } == 1)
        #expect(requests.contains { $0.contains("larger.jpg") })
        #expect(
            requests.count { $0.contains("/partner/p/artworks?ids=1") } == 1, "no list is requested twice")
        #expect(try mirror.ghosts(.artist) == [])
        #expect(try mirror.linked(.artist) == ["y"])
        #expect(try mirror.linked(.artwork) == ["w"])
        let (documents, picture) = try mirror.read { store in
            (
                try store.storedDocuments(of: Owner(.artist, "y")).map(\.id),
                try store.imageFiles(of: Owner(.artwork, "w"), role: .picture)["i"]?["larger"]?.file
            )
        }
        #expect(documents == ["d"])
        #expect(picture?.size == 7)
        let lists = try mirror.read { try $0.listsUnder(.artist, ids: ["y"]) }
        #expect(lists["y"]?["documents"]?.pending == false, "the list was applied in this run")
    }

    @Test(arguments: [403, 404, 410])
    func aGhostThatIsNotFoundIsNoFailureAndIsRequestedAgainAfterADay(_ status: Int) async throws {
        for url in ["/artist/y", "/artwork/w"] {
            partner.change { $0.overrides[url] = .text("{}", status: status) }
        }
        let mirror = try TestMirror(partner)
        let (requests, problems) = try await mirror.syncWithGhosts()
        #expect(requests.count { $0 == "GET /artist/y" || $0 == "GET /artwork/w" } == 2)
        #expect(problems == [])
        #expect(try await mirror.fetchGhosts(Self.day - 1).requests == [])
        #expect(try await mirror.fetchGhosts(Self.day).requests.count == 2)
        #expect(try mirror.ghosts(.artwork) == ["w"])
    }

    @Test func aGhostWhoseRequestFailsIsAProblemAndIsRequestedAgain() async throws {
        partner.change { state in
            state.overrides["/artist/y"] = .text("{}", status: 500)
            state.overrides["/artwork/w"] = .text("no JSON")
        }
        let mirror = try TestMirror(partner)
        let (_, problems) = try await mirror.syncWithGhosts()
        #expect(
            Set(problems.map { "\($0.kind ?? "") \($0.id ?? "")" }) == ["artist y", "artwork w"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.fetchGhosts().requests.count == 2)
    }

    @Test func withoutGhostsNoRequestIsSent() async throws {
        let complete = FakePartner { state in
            state.artist("x")
            state.artwork("a", artist: "x")
        }
        let mirror = try TestMirror(complete)
        try await mirror.sync()
        let (requests, report) = try await mirror.fetchGhosts()
        #expect(requests == [])
        #expect(report.asked == 0)
    }

    @Test func ghostsThatFetchedObjectsReferToAreFetchedToo() async throws {
        let chain = FakePartner { state in
            state.put(.show, "s", #"{"id":"s","name":"S","location_id":"l"}"#)
            state.lists["/partner/p/show/s/artworks"] = []
            state.lists["/partner/p/show/s/documents"] = []
            state.objects["/partner/p/location/l"] = #"{"id":"l","name":"L"}"#
            state.lists["/partner/p/artworks/all?size=all"] = ["w"]
            state.objects["/artwork/w"] = #"{"id":"w","title":"W","artists":[{"id":"y"},{"id":"z"}]}"#
            state.objects["/artist/y"] = #"{"id":"y","name":"Y"}"#
        }
        let mirror = try TestMirror(chain)
        let (requests, problems) = try await mirror.syncWithGhosts()
        #expect(problems == [])
        #expect(try mirror.linked(.location) == ["l"])
        #expect(try mirror.linked(.artwork) == ["w"])
        #expect(try mirror.linked(.artist) == ["y"])
        #expect(try mirror.ghosts(.artist) == ["z"])
        #expect(requests.count { $0 == "GET /artist/z" } == 1)
    }

    @Test func aLinkedObjectIsRequestedDailyAndConditionally() async throws {
        partner.change { $0.objects["/artwork/w"] = #"{"id":"w","title":"W"}"# }
        let mirror = try TestMirror(partner)
        try await mirror.syncWithGhosts()
        #expect(try await mirror.fetchGhosts(Self.day - 1).requests == [])
        #expect(try await mirror.fetchGhosts(Self.day).requests.contains("GET /artwork/w"))
        #expect(try await mirror.fetchGhosts(Self.day + 1).requests == [])
        partner.change { $0.objects["/artwork/w"] = #"{"id":"w","title":"New"}"# }
        _ = try await mirror.fetchGhosts(2 * Self.day)
        #expect(try mirror.read { try $0.find(.artwork, "w")?.summary.name } == "New")
        #expect(try mirror.linked(.artwork) == ["w"])
        partner.change { $0.objects["/artwork/w"] = nil }
        _ = try await mirror.fetchGhosts(3 * Self.day)
        #expect(try mirror.ghosts(.artwork) == ["w"])
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test(arguments: [[], ["validators"]])
    func aLinkedObjectIsNeitherSweptNorRequestedByTheTree(_ extensions: [String]) async throws {
        partner.change { state in
            state.extensions = extensions
            state.hasListETags = true
            state.objects["/artwork/w"] = #"{"id":"w","title":"W"}"#
        }
        let mirror = try TestMirror(partner)
        try await mirror.syncWithGhosts()
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(!summary.hasChanges)
        #expect(!partner.takeRequests().contains("GET /artwork/w"))
        #expect(try mirror.linked(.artwork) == ["w"])
    }

    @Test(arguments: [[], ["validators"]])
    func aLinkedObjectThatBecomesListedIsSweptAsAnyOther(_ extensions: [String]) async throws {
        partner.change { state in
            state.extensions = extensions
            state.hasListETags = true
            state.objects["/artwork/w"] = #"{"id":"w","title":"W"}"#
        }
        let mirror = try TestMirror(partner)
        try await mirror.syncWithGhosts()
        partner.change { $0.put(.artwork, "w", #"{"id":"w","title":"W"}"#) }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.linked(.artwork) == [])
        #expect(try mirror.ids(.artwork) == ["a", "w"])
        partner.change { $0.remove(.artwork, "w") }
        try await mirror.sync { $0.maxDelete = .total(1) }
        #expect(try mirror.ids(.artwork) == ["a"], "a listed object is swept as any other")
    }

    @Test func aLinkedObjectWithoutReferencesIsDeleted() async throws {
        partner.change { $0.objects["/artwork/w"] = #"{"id":"w","title":"W","artists":[{"id":"z"}]}"# }
        let mirror = try TestMirror(partner)
        try await mirror.syncWithGhosts()
        #expect(try mirror.ghosts(.artist) == ["y", "z"])
        partner.change { $0.lists["/partner/p/show/s/artworks"] = ["a"] }
        try await mirror.sync()
        #expect(try mirror.ids(.artwork) == ["a"])
        #expect(try mirror.ghosts(.artist) == ["y"])
    }

    @Test func anExportOmitsLinkedObjects() async throws {
        partner.change { $0.objects["/artwork/w"] = #"{"id":"w","title":"W"}"# }
        let mirror = try TestMirror(partner)
        try await mirror.syncWithGhosts()
        let target = mirror.folder.file("export")
        _ = try mirror.read { try CatalogueExport($0, folder: mirror.mirror).write(.jsonl, to: target) }
        let catalogue = try LiveMirror.catalogue(.folder(target))
        #expect(catalogue["artworks.jsonl"]?.compactMap { $0.objectValue?["id"]?.stringValue } == ["a"])
        let named = catalogue["shows.jsonl"]?.first?.objectValue?["artwork_ids"]?.arrayValue
        #expect(named?.compactMap(\.stringValue) == ["a", "w"], "the reference to it is exported")
    }

    @Test func aRivalThatLostItsSlugIsFetchedWithoutAList() async throws {
        partner.change { state in
            state.put(
                .artwork, "b", #"{"id":"b","title":"B","slug":"s","updated_at":"2026-01-01T00:00:00Z"}"#)
            state.put(
                .artwork, "c", #"{"id":"c","title":"C","slug":"s","updated_at":"2026-01-02T00:00:00Z"}"#)
            state.lists["/partner/p/show/s/artworks"] = []
            state.artwork("a")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        #expect(try mirror.read { try $0.find(.artwork, "s")?.summary.id } == "c")
        let requests = try await mirror.fetchGhosts().requests
        #expect(requests == ["GET /artwork/b"], "the run requests no list")
        #expect(try await mirror.fetchGhosts(2 * Self.day).requests == [])
    }
}
