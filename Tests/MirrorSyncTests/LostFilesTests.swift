import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Deleted files of a mirror", .fewAtATime) struct LostFilesTests {
    private let partner = FakePartner { state in
        for (id, byte) in [("a", 1), ("b", 2)] as [(String, UInt8)] {
            state.artwork(id, image: "i\(id)")
            state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, byte, 2, 3]
        }
    }

    private func files(_ mirror: TestMirror) throws -> [String] {
        let media = try mirror.mirror.path + "/media"
        return try FileManager.default.subpathsOfDirectory(atPath: media).filter { $0.hasSuffix(".jpg") }
    }

    /// Even if the server reports no change.
    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func deletedFilesAreFetchedAgainByTheNextSync(extensions: [String]) async throws {
        partner.change { $0.extensions = extensions }
        let mirror = try TestMirror(partner)
        for _ in 0..<2 { try await mirror.sync() }
        let all = try files(mirror)
        #expect(all.count == 2)
        try FileManager.default.removeItem(atPath: mirror.mirror.path + "/media/" + all[0])
        let plan = try #require(await mirror.plan { _ in }.summary.plan)
        #expect(plan.hasChanges && !plan.isExact && plan.lostFiles == 1)
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete && summary.objects["image"]?.created == 1)
        #expect(try files(mirror).sorted() == all.sorted())
        #expect(try await mirror.sync().hasChanges == false)
    }

    /// The damaged copy of a file isn't counted as one of the mirror's files.
    @Test func deletedFilesAreFoundAlthoughADamagedCopyIsInTheirFolder() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let folder = try mirror.mirror, place = folder.files.absolutePath
        try mirror.read { store in
            let stored = try store.files(after: "", limit: 10)
            #expect(stored.count == 2)
            // Both are in one folder, as may happen in a large mirror.
            let digits = String(stored[1].hash.prefix(2))
            let damaged = StoredFile(
                hash: digits + stored[0].hash.dropFirst(2), size: 7, path: "media/\(digits)/damaged.jpg",
                type: nil)
            try Data("damaged".utf8).write(to: URL(filePath: place(damaged)))
            try store.markDamaged([(damaged, nil)])
            let search = LostFiles(store, in: folder, now: Date(timeIntervalSince1970: 1_795_000_000))
            #expect(try search.count() == 0)
            try FileManager.default.removeItem(atPath: place(stored[1]))
            #expect(try search.count() == 1)
            #expect(try search.forget() == 1)
        }
    }

    @Test func aSyncWithoutFilesDoesNotFetchDeletedFilesAgain() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        try FileManager.default.removeItem(atPath: mirror.mirror.path + "/media")
        #expect(try await mirror.sync { $0.media = false }.hasChanges == false)
        #expect(try await mirror.sync().objects["image"]?.created == 2)
        #expect(try files(mirror).count == 2)
    }

    /// The disk with the files isn't mounted: their rows are kept.
    @Test func filesBehindABrokenLinkDoNotCountAsDeleted() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let media = try mirror.mirror.path + "/media", aside = mirror.folder.path + "/aside"
        try FileManager.default.moveItem(atPath: media, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: media, withDestinationPath: aside + "/not")
        let summary = try await mirror.sync()
        #expect(summary.outcome == .failed && summary.failure?.contains("Mount its disk") == true)
        try FileManager.default.removeItem(atPath: media)
        try FileManager.default.createSymbolicLink(atPath: media, withDestinationPath: aside)
        #expect(try await mirror.sync().hasChanges == false)
    }

    /// SQLite would go on to write to the deleted file.
    @Test func aSyncFailsIfItsDatabaseIsDeletedMeanwhile() async throws {
        let mirror = try TestMirror(partner), database = try mirror.mirror.database
        partner.change { state in
            state.during["GET /partner/p/albums?ids=1&size=all"] = {
                try? FileManager.default.removeItem(atPath: database)
            }
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .failed)
        #expect(summary.failure?.contains("deleted or moved") == true)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }
}
