import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

private typealias State = FakePartner.State

@Suite("A sync from a partner's server")
struct SyncTests {
    let partner = FakePartner { state in
        state.artist("x")
        state.artwork("a", artist: "x", image: "i")
        state.artwork("b", artist: "x")
        state.artwork("c", artist: "y")
        state.album("m", ["b", "a"])
        state.show("s", ["a", "missing"])
        state.files["/artwork/a/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    }

    @Test func aFirstSyncBringsEverything() async throws {
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.objects["artwork"] == SyncSummary.Count(listed: 3, created: 3))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try mirror.ghosts(.artist) == ["y"])
        #expect(try mirror.ghosts(.artwork) == ["missing"])
        let (members, show, picture) = try mirror.read { store in
            (
                try store.members(of: Owner(.album, "m")), try store.members(of: Owner(.show, "s")),
                try store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.file
            )
        }
        #expect(members == ["b", "a"])
        #expect(show == ["a", "missing"])
        #expect(picture?.size == 7)
        #expect(picture?.path.hasSuffix(".jpg") == true)
    }

    @Test func aSecondSyncWritesNoObjectAndFetchesNoBody() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(!summary.hasChanges)
        #expect(summary.objects["artwork"] == SyncSummary.Count(listed: 3, unchanged: 3))
        // Part 1 has no validators: everything is asked for, and everything answers 304 but what has no ETag.
        #expect(summary.requests.notModified >= summary.requests.sent - 5)
        #expect(!partner.takeRequests().contains { $0.contains("larger.jpg") })
    }

    @Test func overValidatorsAnUnchangedMirrorCostsNoRequestPerObject() async throws {
        partner.change { $0.extensions = ["validators"] }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        let requests = partner.takeRequests()
        #expect(!requests.contains { $0.contains("/artwork/") })
        #expect(summary.vouched >= 3)
        #expect(summary.outcome == .complete)
    }

    @Test func aServerThatLiesAboutValidatorsIsReadAllTheSame() async throws {
        partner.change { state in
            state.extensions = ["validators"]
            state.overrides["/partner/p/artworks?ids=1&size=all&validators=1"] = .text(#"["a","b","c"]"#)
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    @Test func aChangedCatalogueArrivesAsExactlyItsChanges() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("b", title: "Renamed", artist: "x")
            state.artwork("d")
            state.remove("artworks", "c")
            state.album("m", ["d", "b"])
        }
        let summary = try await mirror.sync()
        #expect(
            summary.objects["artwork"]
                == SyncSummary.Count(listed: 3, created: 1, updated: 1, unchanged: 1, deleted: 1))
        #expect(summary.objects["album"] == SyncSummary.Count(listed: 1, updated: 1))
        #expect(try mirror.ids(.artwork) == ["a", "b", "d"])
        #expect(try mirror.ghosts(.artist) == [])
    }

    @Test func requestsComeInTheSameOrderEveryTime() async throws {
        let first = try TestMirror(partner)
        try await first.sync()
        let order = partner.takeRequests()
        let second = try TestMirror(partner)
        try await second.sync()
        #expect(partner.takeRequests() == order)
        #expect(order.prefix(2) == ["GET ", "GET /partner/p/all"])
        let artwork = order.firstIndex(of: "GET /artwork/a"),
            picture = order.firstIndex { $0.contains("larger.jpg") }
        let next = order.firstIndex(of: "GET /artwork/b")
        #expect(artwork! < picture! && picture! < next!, "depth first: a picture follows its artwork")
    }

    @Test func aConcurrentSyncEndsAsTheSynchronousOne() async throws {
        let synchronous = try TestMirror(partner), concurrent = try TestMirror(partner)
        let one = try await synchronous.sync()
        let other = try await concurrent.sync { $0.synchronous = false }
        #expect(one.objects == other.objects)
        #expect(try synchronous.ids(.artwork) == concurrent.ids(.artwork))
    }
}

@Suite("What goes wrong deletes nothing")
struct FailureTests {
    static let broken: [(String, ScriptedAnswer)] = [
        ("500", .text("{}", status: 500)), ("no answer", .failure(.timedOut)),
        ("a truncated body", .truncated(Array(#"["a"]"#.utf8), after: 3)), ("null", .text("null")),
        ("an object", .text(#"{"a":1}"#)), ("a web page", .text("<html>", contentType: "text/html")),
        ("cut JSON", .text(#"["a","#)), ("an element without an id", .text(#"["a",{"name":"b"}]"#)),
    ]

    @Test(arguments: broken.indices)
    func aListThatFailsDeletesNoneOfItsMembers(index: Int) async throws {
        let partner = FakePartner { state in
            for id in ["a", "b", "c"] { state.artwork(id) }
            for id in ["x", "y"] { state.artist(id) }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove("artworks", "b")
            state.remove("artists", "y")
            state.overrides[FakePartner.State.listURL("artworks")] = Self.broken[index].1
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial, "\(Self.broken[index].0)")
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try mirror.ids(.artist) == ["x"], "other lists are swept all the same")
    }

    @Test func aListOlderThanTheLastDeletesNothing() async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove("artworks", "b")
            state.date = "Fri, 20 Nov 2026 10:00:00 GMT"
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test(arguments: [ScriptedAnswer.text("{broken"), .text("{}", status: 500)])
    func anObjectWhoseBodyFailsStays(answer: ScriptedAnswer) async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("a", title: "New")
            state.overrides["/artwork/a"] = answer
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial)
        #expect(summary.objects["artwork"]?.failed == 1)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().objects["artwork"]?.updated == 1)
    }

    @Test func whatIsListedThenNotFoundThenUnlistedIsADeletion() async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let url = FakePartner.State.listURL("artworks")
        partner.change { state in
            state.remove("artworks", "b")
            state.once[url] = [.text(#"["a","b"]"#)]
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.objects["artwork"]?.deleted == 1)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func whatStaysListedThoughNotFoundIsAFailureAndStays() async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.objects["/artwork/b"] = nil }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func anEmptyListWhereThereWereObjectsIsStoppedByTheGuard() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            for id in ["x", "y"] { state.artist(id) }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            for id in ["a", "b"] { state.remove("artworks", id) }
            state.remove("artists", "y")
            state.artist("z")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .guarded)
        #expect(summary.guarded.map(\.kind) == [.artwork])
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(
            try mirror.ids(.artist) == ["x", "y", "z"], "nothing of any kind went, and what is new stays")
        let agreed = try await mirror.sync { $0.maxDelete = .total(3) }
        #expect(agreed.outcome == .complete)
        #expect(try mirror.ids(.artwork) == [])
    }

    @Test func aPageThatFailsHalfwayDeletesNothing() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            state.album("m", ["a", "b"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            let list = "/partner/p/album/m/artworks"
            state.overrides["\(list)?ids=1&size=all"] = .text(#"[{"id":"a","title":"Work a"}]"#)
            state.overrides["\(list)?page=1&size=20"] = .text(#"[{"id":"a","title":"Work a"}]"#)
            state.overrides["\(list)?page=2&size=20"] = .text("{}", status: 500)
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "b"])
    }

    @Test func pagesThatShiftAreNotTakenForComplete() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            state.album("m", ["a", "b"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let list = "/partner/p/album/m/artworks"
        partner.change { state in
            state.overrides["\(list)?ids=1&size=all"] = .text(#"[{"id":"a","title":"Work a"}]"#)
            state.once["\(list)?page=1&size=20"] = [
                .text(#"[{"id":"a"}]"#), .text(#"[{"id":"new"}]"#), .text(#"[{"id":"a"}]"#),
                .text(#"[{"id":"new"}]"#),
            ]
            state.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"b"}]"#)
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "b"])
    }

    @Test func aServerThatAnswersPagesWhereIdsWereAskedForIsRead() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            state.album("m", [])
            let list = "/partner/p/album/m/artworks"
            state.overrides["\(list)?ids=1&size=all"] = .text(#"[{"id":"b","title":"Work b"}]"#)
            state.overrides["\(list)?page=1&size=20"] = .text(#"[{"id":"b"}]"#)
            state.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"a"}]"#)
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["b", "a"])
    }
}

@Suite("Losing a file, or changing the server")
struct RecoveryTests {
    let partner = FakePartner { state in
        state.extensions = ["validators"]
        for id in ["a", "b"] { state.artwork(id, image: "i\(id)") }
        state.album("m", ["a", "b"])
        for id in ["a", "b"] {
            state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 1, 2]
        }
    }

    @Test func withoutTheCacheNothingIsFetchedAgain() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: mirror.mirror.cache + suffix)
        }
        _ = partner.takeRequests()
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete && !summary.hasChanges)
        #expect(!partner.takeRequests().contains { $0.hasPrefix("GET /artwork/") })
    }

    @Test func withoutTheDatabaseTheCachedBodiesAreApplied() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: mirror.mirror.database + suffix)
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.objects["artwork"]?.created == 2)
        #expect(summary.requests.notModified >= 3)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func aSyncWithoutPicturesDoesNotHideThatTheyAreMissing() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        try await mirror.sync { $0.media = false }
        let summary = try await mirror.sync()
        #expect(summary.objects["image"]?.created == 2)
        #expect(summary.outcome == .complete)
    }

    @Test func whatFailedOnceIsNotHiddenByAnUnchangedList() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.overrides["/artwork/a"] = .text("{}", status: 500) }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["b"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func anotherHostNeedsToBeMeantAndSweepsNothingAtFirst() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let refused = try await mirror.sync(base: "http://other.test/api/v1")
        #expect(refused.outcome == .failed)
        #expect((refused.cause as? SyncError)?.code == .otherOrigin)
        partner.change { $0.remove("artworks", "b") }
        _ = partner.takeRequests()
        let moved = try await mirror.sync(base: "http://other.test/api/v1", isNewOrigin: true)
        #expect(moved.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"], "nothing is swept that time")
        #expect(partner.takeRequests().contains("GET /artwork/a"), "everything is revalidated")
        #expect(try await mirror.sync(base: nil).outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func aFirstSyncThatFailsLeavesNothingBehind() async throws {
        let mirror = try TestMirror(FakePartner { $0.objects = [:] })
        let summary = try await mirror.sync()
        #expect(summary.outcome == .failed)
        #expect((summary.cause as? SyncError)?.code == .unknownPartner)
        #expect(try !FileManager.default.fileExists(atPath: mirror.mirror.path))
    }

    @Test func aRunThatWasKilledIsClosedByTheNextAndItsObjectsAreFound() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let body = #"{"id":"c","title":"Sunflowers"}"#
        partner.change { $0.put("artworks", "c", body) }
        try mirror.read { store in
            // What a run had committed when it was killed.
            let run = try store.beginRun("sync")
            var values = [ColumnValue](repeating: .null, count: ObjectKind.artwork.columns.count)
            values[1] = .text("Sunflowers")
            let record = ObjectRecord(
                kind: .artwork, id: "c", values: values, json: body, etag: FakePartner.etag(body))
            _ = try store.apply([.object(record)], run: run)
        }
        _ = partner.takeRequests()
        #expect(try await mirror.sync().outcome == .complete)
        #expect(!partner.takeRequests().contains("GET /artwork/c"), "what was committed is not fetched again")
        let (found, outcome) = try mirror.read { store in
            (try store.search("sunfl", limit: 5).map(\.id), try store.runs(limit: 2).last?.outcome)
        }
        #expect(found == ["c"])
        #expect(outcome == "killed")
    }
}

@Suite("Albums that were edited here")
struct AlbumPushTests {
    let partner = FakePartner { state in
        for id in ["a", "b"] { state.artwork(id) }
        state.album("m", ["a"])
    }

    private func record(_ id: String, _ name: String) -> ObjectRecord {
        let body = "{\"id\":\"\(id)\",\"name\":\"\(name)\",\"private\":true}"
        return ObjectRecord(
            kind: .album, id: id, values: [.null, .text(name), .null, .integer(1), .null], json: body,
            etag: nil)
    }

    @Test func aNewAlbumIsCreatedOnTheServerWithItsKey() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { store in
            try store.createAlbum(record("local", "Mine"), key: "key-1")
            _ = try store.editAlbum("local", artwork: "b", present: true)
        }
        partner.change { state in
            state.album("new", ["b"])
            let body = #"{"id":"new","name":"Mine","private":true}"#
            state.objects["/partner/p/album/new"] = body
            state.overrides["POST /partner/p/album"] = .text(body, status: 201, etag: FakePartner.etag(body))
            state.overrides["POST /partner/p/album/new/artwork/b"] = .text("{}")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(try mirror.ids(.album) == ["m", "new"])
        #expect(try mirror.read { try $0.members(of: Owner(.album, "new")) } == ["b"])
        #expect(partner.writes.contains(#"POST /partner/p/album {"name":"Mine","private":true}"#))
        #expect(try mirror.read { try $0.pendingAlbums() }.isEmpty)
    }

    @Test func anAnswerThatNeverCameIsAdopted() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { try $0.createAlbum(record("local", "Mine"), key: "key-1") }
        partner.change { state in
            state.album("new", [])
            state.objects["/partner/p/album/new"] = #"{"id":"new","name":"Mine","private":true}"#
            state.overrides["POST /partner/p/album"] = .failure(.connectionLost)
        }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.album) == ["m", "new"])
    }

    @Test func oneRefusedAlbumHoldsUpNoOther() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try mirror.read { store in
            try store.createAlbum(record("bad", "Bad"), key: "key-1")
            _ = try store.deleteAlbum("m")
        }
        partner.change { state in
            state.overrides["POST /partner/p/album"] = .text(#"{"error":"name_taken"}"#, status: 422)
            state.overrides["DELETE /partner/p/album/m"] = .text("{}", status: 404)
            state.remove("albums", "m")
        }
        let summary = try await mirror.sync { $0.maxDelete = .total(10) }
        #expect(summary.outcome == .partial)
        #expect(summary.problems.contains { $0.kind == "album" && $0.id == "bad" })
        #expect(
            try mirror.ids(.album) == ["bad"],
            "the deletion went through, and what the server refused stays here")
    }
}

@Suite("What is missing is found again")
struct MissingPartsTests {
    let partner = FakePartner { state in
        state.extensions = ["validators"]
        state.artist("x")
        state.lists["/partner/p/artist/x/documents"] = ["d1", "d2"]
        for id in ["d1", "d2"] {
            state.objects["/partner/p/artist/x/document/\(id)"] = #"{"id":"\#(id)","title":"\#(id)"}"#
        }
    }

    private func documents(_ mirror: TestMirror) throws -> [String] {
        try mirror.read { try $0.storedDocuments(of: Owner(.artist, "x")).map(\.id) }
    }

    @Test func aDocumentThatFailedOnceComesWithTheNextSync() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.overrides["/partner/p/artist/x/document/d2"] = .text("{}", status: 500) }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try documents(mirror) == ["d1"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try documents(mirror) == ["d1", "d2"])
    }

    @Test func aDocumentThatIsListedThenGoneIsADeletion() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.extensions = [] }
        try await mirror.sync()
        partner.change { state in
            let list = "/partner/p/artist/x/documents"
            state.objects["/partner/p/artist/x/document/d2"] = nil
            state.once["\(list)?ids=1&size=all"] = [.text(#"["d1","d2"]"#)]
            state.lists[list] = ["d1"]
        }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try documents(mirror) == ["d1"])
    }

    @Test func pagesWhoseFirstIsUnchangedAreReadAllTheSame() async throws {
        let mirror = try TestMirror(partner)
        let list = "/partner/p/album/m/artworks", first = #"[{"id":"a","title":"A"}]"#
        partner.change { state in
            for id in ["a", "b", "c"] { state.artwork(id) }
            state.album("m", [])
            state.overrides["\(list)?ids=1&size=all"] = .conditional(first, etag: "\"1\"")
            state.overrides["\(list)?page=1&size=20"] = .conditional(first, etag: "\"1\"")
            state.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"b"}]"#)
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        #expect(try await mirror.sync().outcome == .complete)
        partner.change { $0.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"c"}]"#) }
        #expect(try await mirror.sync { $0.full = true }.outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "c"])
    }

    @Test func anotherFormatIsFetchedThoughOneIsHere() async throws {
        let mirror = try TestMirror(partner)
        partner.change { state in
            let image =
                #"{"id":"i","image_url":"artwork/a/image/i/larger.jpg","image_versions":["square","larger"]}"#
            state.put("artworks", "a", #"{"id":"a","title":"A","images":[\#(image)]}"#)
            for format in ["square", "larger"] {
                state.files["/artwork/a/image/i/\(format).jpg"] = [0xFF, 0xD8, 0xFF, UInt8(format.count)]
            }
        }
        try await mirror.sync { $0.formats = ["square"] }
        let summary = try await mirror.sync()
        #expect(summary.objects["image"]?.created == 1)
        let formats = try mirror.read {
            try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?.keys.sorted()
        }
        #expect(formats == ["larger", "square"])
    }

    @Test func aLocalEditThatTheServerRefusedIsNotOverwritten() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.album("m", []) }
        try await mirror.sync()
        try mirror.read { store in
            let body = #"{"id":"m","name":"Mine"}"#
            let record = ObjectRecord(
                kind: .album, id: "m", values: [.null, .text("Mine"), .null, .null, .null], json: body,
                etag: nil)
            _ = try store.editAlbum(record)
        }
        partner.change { state in
            state.overrides["PUT /partner/p/album/m"] = .text(#"{"error":"name_taken"}"#, status: 422)
            state.put("albums", "m", #"{"id":"m","name":"Theirs","updated_at":"2020-01-01T00:00:00Z"}"#)
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.read { try $0.find(.album, "m")?.summary.name } == "Mine")
    }
}
