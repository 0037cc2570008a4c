import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Syncs by since", .fewAtATime)
struct PullScenarioTests {
    let partner: FakePartner
    let mirror: TestMirror

    /// A server with the extensions for syncs by `since`, and a mirror after its first complete sync.
    init() async throws {
        partner = FakePartner { state in
            state.extensions = ["validators", "since", "status"]
            state.hasListETags = true
            state.artist("x")
            state.artwork("a", artist: "x")
            state.artwork("b")
            state.show("s", ["a", "b"])
        }
        mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        _ = partner.takeRequests()
    }

    /// The since date of the next sync.
    private func date(_ kind: Kind = .artwork) throws -> String? {
        try mirror.read { try $0.sinceRecords()[kind]?.since }
    }

    private func title(_ id: String) throws -> String? {
        try mirror.read { try $0.find(.artwork, id)?.summary.name }
    }

    @Test func firstSyncStoresTheServersDateLessFiveMinutes() throws {
        #expect(try date() == "2026-11-21T09:55:00.000Z")
    }

    /// Later changes don't repeat the stopped deletions, so the since date must not advance past them.
    @Test func deletionsThatTheGuardStoppedAreStoppedAgainUntilTheLimitIsRaised() async throws {
        partner.change { state in
            state.remove(.artwork, "a")
            state.remove(.artwork, "b")
            state.lists["/partner/p/show/s/artworks"] = []
        }
        #expect(try await mirror.sync { $0.full = true }.outcome == .guarded)
        #expect(try await mirror.sync().outcome == .guarded)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(try await mirror.sync { $0.maxDelete = .total(2) }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == [])
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete && !summary.ways.values.contains { !$0.isSince })
    }

    /// Adds artworks, syncs, and then deletes them on the server, each with a tombstone.
    private func addAndDeleteArtworks(_ count: Int) async throws {
        partner.change { state in
            for number in 1...count {
                state.artwork("n\(number)")
                state.touch("artworks", "n\(number)", at: "2026-11-21T10:10:00Z")
            }
        }
        #expect(try await mirror.sync().outcome == .complete)
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 12:00:00 GMT"
            for number in 1...count {
                state.touch("artworks", "n\(number)", at: "2026-11-21T11:30:00Z")
                state.remove(.artwork, "n\(number)")
            }
        }
    }

    @Test func manyTombstonesAreConfirmedByTheListAndStoppedByTheGuard() async throws {
        try await addAndDeleteArtworks(11)
        let summary = try await mirror.sync()
        #expect(summary.outcome == .guarded && summary.ways[.artwork] == .lists(.deletions))
        #expect(summary.guardedDeletions == 11)
        #expect(try await mirror.sync().outcome == .guarded)
        #expect(try mirror.ids(.artwork).count == 13)
        #expect(try await mirror.sync { $0.maxDelete = .total(11) }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(try await mirror.sync().ways[.artwork]?.isSince == true)
    }

    @Test func manyTombstonesAreAppliedIfTheDeleteLimitAllowsThem() async throws {
        try await addAndDeleteArtworks(11)
        let summary = try await mirror.sync { $0.maxDelete = .total(11) }
        #expect(summary.outcome == .complete && summary.ways[.artwork]?.isSince == true)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func fewTombstonesAreAppliedWithoutTheGuard() async throws {
        try await addAndDeleteArtworks(10)
        let summary = try await mirror.sync { $0.maxDelete = .total(0) }
        #expect(summary.outcome == .complete && summary.objects["artwork"]?.deleted == 10)
    }

    /// The changes are requested before edits are pushed, so they don't name the pushed album.
    @Test func theArtworksOfAPushedAlbumAreRequestedInTheSameRun() async throws {
        partner.change { state in
            state.albums = FakePartner.Albums()
            // An artist that is only referred to, and is fetched after the tree.
            state.artwork("b", artist: "nobody")
            state.touch("artworks", "b", at: "2026-11-21T10:30:00Z")
        }
        let id = try edit { try $0.create(AlbumChange(name: "New")) }
        #expect(try edit { try $0.set("b", in: id, present: true) })
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete && summary.ways[.album]?.isSince == true)
        let requests = partner.takeRequests()
        #expect(requests.count { $0.hasPrefix("GET /partner/p/album/s1/artworks") } == 1)
        #expect(requests.contains { $0.hasPrefix("GET /artist/nobody") })
        #expect(try listETag(of: "s1") != nil)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(!partner.takeRequests().contains { $0.contains("/album/s1") })
    }

    @discardableResult
    private func edit<T>(_ body: (AlbumEditor) throws -> T) throws -> T {
        let store = try CatalogueStore.open(at: mirror.mirror.database)
        defer { try? store.close() }
        return try body(AlbumEditor(store))
    }

    private func listETag(of album: String) throws -> String? {
        try mirror.read { try $0.listsUnder(.album, ids: [album])[album]?["artworks"]?.etag }
    }

    @Test func aSyncBySinceRequestsOnlyTheChanges() async throws {
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.artwork("a", title: "Another title", artist: "x")
            state.touch("artworks", "a", at: "2026-11-21T10:30:00Z")
            state.artwork("c")
            state.touch("artworks", "c", at: "2026-11-21T10:31:00Z")
            state.remove(.artwork, "b")
            state.touch("artworks", "b", at: "2026-11-21T10:32:00Z")
            state.lists["/partner/p/show/s/artworks"] = ["a", "c"]
            state.touch("shows", "s", at: "2026-11-21T10:33:00Z")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(!summary.ways.values.contains { !$0.isSince })
        #expect(summary.objects["artwork"]?.created == 1)
        #expect(summary.objects["artwork"]?.updated == 1)
        #expect(summary.objects["artwork"]?.deleted == 1)
        let requests = partner.takeRequests()
        #expect(requests.count { $0.contains("since=") } == 5)
        #expect(!requests.contains { $0.contains("validators=1") || $0.hasPrefix("GET /artwork/") })
        #expect(requests.contains { $0.hasPrefix("GET /partner/p/show/s/artworks") })
        #expect(!requests.contains { $0.contains("/images") || $0.contains("/documents") })
        #expect(try mirror.ids(.artwork) == ["a", "c"])
        #expect(try title("a") == "Another title")
        #expect(try mirror.read { try $0.members(of: Owner(.show, "s")) } == ["a", "c"])
        #expect(try date() == "2026-11-21T10:55:00.000Z")
        // `verify` must not compare the changed objects with lists that are older than the changes.
        let (verification, findings) = try await mirror.verify()
        #expect(verification.outcome == .complete, "\(findings)")
    }

    @Test func changesAtTheSinceDateAreAppliedOnce() async throws {
        partner.change { state in
            state.artwork("b", title: "At the border")
            state.touch("artworks", "b", at: "2026-11-21T09:55:00.000Z")
        }
        #expect(try await mirror.sync().objects["artwork"]?.updated == 1)
        #expect(try title("b") == "At the border")
        let again = try await mirror.sync()
        #expect(!again.hasChanges)
        #expect(again.outcome == .complete)
    }

    @Test func aSyncBySinceOfAnUnchangedServerTakesOneRequestPerKind() async throws {
        let summary = try await mirror.sync()
        #expect(!summary.hasChanges)
        #expect(summary.requests.sent <= 10)
        #expect(summary.objects["artwork"]?.unchanged == 2)
    }

    @Test func anAuditAfterASyncBySinceFetchesNoObjectAgain() async throws {
        partner.change { state in
            state.artwork("a", title: "Another title", artist: "x")
            state.touch("artworks", "a", at: "2026-11-21T10:30:00Z")
        }
        try await mirror.sync()
        _ = partner.takeRequests()
        let audit = try await mirror.sync { $0.auditEvery = .zero }
        #expect(audit.ways[.artwork] == .lists(.audit))
        #expect(!audit.hasChanges)
        #expect(!partner.takeRequests().contains { $0.hasPrefix("GET /artwork/") })
    }

    @Test func anObjectThatLeftTheListWithoutATombstoneIsRemovedByTheAudit() async throws {
        partner.change { $0.remove(.artwork, "b") }
        try await mirror.sync()
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        try await mirror.sync { $0.auditEvery = .zero }
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    /// The list has the ETag of an earlier clean run again, but one of its members was removed since.
    @Test func aListWithItsEarlierETagRestoresAnObjectThatWasRemovedSince() async throws {
        partner.change { state in
            state.remove(.artwork, "b")
            state.touch("artworks", "b", at: "2026-11-21T10:30:00Z")
        }
        try await mirror.sync()
        #expect(try mirror.ids(.artwork) == ["a"])
        partner.change { state in
            state.changes = []
            state.artwork("b")
        }
        try await mirror.sync { $0.auditEvery = .zero }
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func aRefusedSinceDateLeadsToOneRequestForTheFullList() async throws {
        let since = "/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.overrides[since] = .text(#"{"error":"since_too_old"}"#, status: 400)
            state.remove(.artwork, "b")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.ways[.artwork] == .lists(.tooOld))
        #expect(summary.ways[.artist]?.isSince == true)
        #expect(summary.objects["artwork"]?.deleted == 1)
        #expect(partner.takeRequests().count { $0 == "GET \(since)" } == 1)
        #expect(try date() == "2026-11-21T10:55:00.000Z")
    }

    @Test(arguments: [
        "<html></html>", "null", #"{"id":"a"}"#, #"["a","b"]"#, #"[{"etag":"\"1\""}]"#, #"[{"id":"a","#,
        #"[{"id":"a\u0000b","etag":"\"1\""}]"#,
    ])
    func anUnusableListOfChangesLeadsToARequestForTheFullList(answer: String) async throws {
        partner.change { state in
            let url = "/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"
            state.overrides[url] = .text(answer, headers: ["Date": state.date])
            state.artwork("c")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.ways[.artwork] == .lists(.refused))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func anObjectThatIsUnusableInTheChangesIsRequestedByItsOwnURL() async throws {
        partner.change { state in
            let url = "/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"
            let element = #"{"id":"c","etag":"\"none\"","object":{"id":"another"}}"#
            state.overrides[url] = .text("[\(element)]", headers: ["Date": state.date])
            state.artwork("c")
        }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(partner.takeRequests().contains("GET /artwork/c"))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func theSinceDateOfAKindDoesNotAdvanceAfterAFailure() async throws {
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.lists["/partner/p/show/s/artworks"] = ["b"]
            state.touch("shows", "s", at: "2026-11-21T10:30:00Z")
            state.overrides["/partner/p/show/s/artworks?ids=1&size=all"] = .text("{}", status: 403)
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try date(.show) == "2026-11-21T09:55:00.000Z")
        #expect(try date(.artwork) == "2026-11-21T10:55:00.000Z")
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.show, "s")) } == ["b"])
        #expect(try date(.show) == "2026-11-21T10:55:00.000Z")
    }

    @Test(arguments: ["Fri, 20 Nov 2026 10:00:00 GMT", "Sun, 22 Nov 2026 10:00:00 GMT"])
    func aServerClockThatIsADayOffLosesNoChanges(date: String) async throws {
        // The server's clock is set a day back, or forward, and changes have its dates.
        let stamp = date.hasPrefix("Fri") ? "2026-11-20T10:00:00Z" : "2026-11-22T10:00:00Z"
        partner.change { state in
            state.date = date
            state.artwork("c")
            state.touch("artworks", "c", at: stamp)
        }
        let summary = try await mirror.sync()
        #expect(
            summary.ways[.artwork]
                == (date.hasPrefix("Fri") ? .lists(.ahead) : .since("2026-11-21T09:55:00.000Z")))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        partner.change { state in
            state.artwork("d")
            state.touch("artworks", "d", at: stamp)
        }
        // Older lists only add objects, until it is certain that the server's clock was set back.
        #expect(try await mirror.sync().ways[.artwork]?.isSince == !date.hasPrefix("Fri"))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c", "d"])
    }

    @Test func thePullStartsAgainWhenTheServerIsHealthyAgain() async throws {
        partner.change { state in
            let url = "/partner/p/artworks?since=2026-11-21T09%3A55%3A00.000Z"
            state.once[url] = [.text("{}", status: 503), .text("{}", status: 500)]
        }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(partner.takeRequests().count { $0 == "GET /status" } == 2)
    }

    @Test func aListThatFailsAfterThreeRestartsDoesNotPreventTheOthers() async throws {
        let list = "/partner/p/artworks?ids=1&size=all&validators=1"
        partner.change { state in
            state.overrides[list] = .text("{}", status: 503)
            state.remove(.artwork, "b")
            state.remove(.artist, "x")
            state.artist("y")
        }
        let summary = try await mirror.sync { $0.auditEvery = .zero }
        #expect(summary.outcome == .partial)
        #expect(summary.problems.map(\.kind) == ["artwork"], "\(summary.problems)")
        let message = summary.problems.first?.message ?? ""
        for word in ["503", "/partner/p/artworks", "--fail-fast", "--max-wait"] {
            #expect(message.contains(word), "\(message)")
        }
        let requests = partner.takeRequests()
        #expect(requests.count { $0 == "GET /status" } == 3)
        #expect(
            requests.count { $0 == "GET /artist/y" } == 1, "Objects that arrived are not requested again.")
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(try mirror.ids(.artist) == ["y"], "Other lists are swept.")
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { $0.auditEvery = .zero }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func withFailFastASyncDoesNotWaitForTheServer() async throws {
        partner.change { state in
            state.overrides["/partner/p/artworks?ids=1&size=all&validators=1"] = .text("{}", status: 503)
            state.artist("y")
        }
        let summary = try await mirror.sync {
            $0.auditEvery = .zero
            $0.failFast = true
        }
        #expect(summary.outcome == .partial)
        #expect(try mirror.ids(.artist) == ["x", "y"])
        #expect(!partner.takeRequests().contains("GET /status"))
    }
}
