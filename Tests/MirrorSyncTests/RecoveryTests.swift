import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Recovery from a lost file, a failure or a change of server", .fewAtATime)
struct RecoveryTests {
    let partner = FakePartner { state in
        state.extensions = ["validators"]
        for id in ["a", "b"] { state.artwork(id, image: "i\(id)") }
        state.album("m", ["a", "b"])
        for id in ["a", "b"] {
            state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 1, 2]
        }
    }

    @Test func aLostCacheCausesNoObjectToBeFetchedAgain() async throws {
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

    @Test func aLostDatabaseIsRebuiltFromTheCachedAnswers() async throws {
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

    @Test func missingPicturesAreFetchedAfterSyncsWithoutPictures() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        try await mirror.sync { $0.media = false }
        let summary = try await mirror.sync()
        #expect(summary.objects["image"]?.created == 2)
        #expect(summary.outcome == .complete)
    }

    @Test func anObjectThatFailedIsFetchedAlthoughItsListIsUnchanged() async throws {
        let mirror = try TestMirror(partner)
        partner.change { $0.overrides["/artwork/a"] = .text("{}", status: 500) }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["b"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func anotherHostNeedsAnOptionAndItsFirstSyncSweepsNothing() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let refused = await #expect(throws: SyncError.self) {
            try await mirror.sync(base: "http://other.test/api/v1")
        }
        #expect(refused?.code == .otherOrigin)
        #expect(try mirror.read { try $0.runs(limit: 9).map(\.outcome) } == ["complete"], "no run was logged")
        partner.change { $0.remove(.artwork, "b") }
        _ = partner.takeRequests()
        let moved = try await mirror.sync(base: "http://other.test/api/v1", isNewOrigin: true)
        #expect(moved.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"], "the first sync from another host sweeps nothing")
        #expect(partner.takeRequests().contains("GET /artwork/a"), "everything is revalidated")
        #expect(try await mirror.sync(base: nil).outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func aFailedFirstSyncLeavesNoFolderBehind() async throws {
        let mirror = try TestMirror(FakePartner { $0.objects = [:] })
        let summary = try await mirror.sync()
        #expect(summary.outcome == .failed)
        #expect((summary.cause as? SyncError)?.code == .unknownPartner)
        #expect(try !FileManager.default.fileExists(atPath: mirror.mirror.path))
    }

    @Test func aKilledRunIsClosedByTheNextRunAndItsObjectsAreSearchable() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let body = #"{"id":"c","title":"Sunflowers"}"#
        partner.change { $0.put(.artwork, "c", body) }
        try mirror.read { store in
            // The commits of a run that was killed.
            let run = try store.beginRun("sync")
            var values = [FieldValue](repeating: .null, count: Kind.artwork.columns.count)
            values[1] = .text("Sunflowers")
            let record = ObjectRecord(
                kind: .artwork, id: "c", values: values, json: body, etag: FakePartner.etag(body))
            _ = try store.apply([.object(record)], run: run)
        }
        _ = partner.takeRequests()
        #expect(try await mirror.sync().outcome == .complete)
        #expect(!partner.takeRequests().contains("GET /artwork/c"), "a committed object is not fetched again")
        let (found, outcome) = try mirror.read { store in
            (try store.search("sunfl", limit: 5).map(\.id), try store.runs(limit: 2).last?.outcome)
        }
        #expect(found == ["c"])
        #expect(outcome == "killed")
    }
}
