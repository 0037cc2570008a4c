import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSimulation
@testable import MirrorSync

@Suite("Simulated disk crashes", .fewAtATime)
struct CrashDiskTests {
    // MARK: - Files after a crash

    private static let journal = WriteJournal(entries: [
        WriteJournal.Entry(offset: 0, before: [1, 2], after: [7, 7], size: 3),
        WriteJournal.Entry(offset: 3, before: [], after: [8, 9], size: 3),
        WriteJournal.Entry(offset: 4, before: [9], after: nil, size: 5),
    ])

    @Test(
        arguments: [
            (kept: [], remaining: [1, 2, 3]), (kept: [0], remaining: [7, 7, 3]),
            (kept: [1], remaining: [1, 2, 3, 8, 9]),
            (kept: [0, 1], remaining: [7, 7, 3, 8, 9]), (kept: [0, 1, 2], remaining: [7, 7, 3, 8]),
            (kept: [2], remaining: [1, 2, 3]),
        ] as [(kept: [Int], remaining: [UInt8])])
    func aCrashedDiskKeepsTheWritesThatReachedIt(kept: [Int], remaining: [UInt8]) {
        #expect(Self.journal.content([7, 7, 3, 8]) { entry, _ in kept.contains(entry) } == remaining)
    }

    @Test func aCrashedDiskLosesSingleSectors() {
        let journal = WriteJournal(entries: [
            WriteJournal.Entry(
                offset: 0, before: [], after: [UInt8](repeating: 5, count: 1_024), size: 0)
        ])
        let remaining = journal.content([UInt8](repeating: 5, count: 1_024)) { _, sector in sector == 1 }
        #expect(remaining == [UInt8](repeating: 0, count: 512) + [UInt8](repeating: 5, count: 512))
    }

    // MARK: - Mirrors after a crash

    private static func mirror(_ body: (MirrorFolder, CrashDisk) throws -> Void) throws {
        let home = try TemporaryHome()
        let mirror = try home.mirror("p")
        try FileManager.default.createDirectory(atPath: mirror.path, withIntermediateDirectories: true)
        try CatalogueStore.open(at: mirror.database).close()
        let disk = CrashDisk(folder: mirror.path)
        defer { disk.remove() }
        try body(mirror, disk)
    }

    private static func remainingAlbums(
        _ loss: CrashDisk.Loss, _ edit: (CatalogueStore) throws -> Void
    ) throws -> [PendingAlbum] {
        var remaining: [PendingAlbum] = []
        try mirror { mirror, disk in
            let store = try CatalogueStore.open(at: mirror.database)
            try edit(store)
            disk.crash()
            try store.close(folding: false)
            try disk.restart(loss)
            let again = try CatalogueStore.open(at: mirror.database)
            defer { try? again.close() }
            remaining = try again.pendingAlbums()
        }
        return remaining
    }

    @Test func aCrashedDiskAcceptsNoFurtherWrites() throws {
        try Self.mirror { mirror, disk in
            let store = try CatalogueStore.open(at: mirror.database)
            disk.scheduleCrash(CrashDisk.CrashPoint(write: 1, sixteenths: 8))
            #expect(throws: StoreError.self) { try AlbumEditor(store).create(AlbumChange(name: "New")) }
            #expect(disk.hasCrashed)
            try store.close(folding: false)
            try disk.restart(.none)
            let again = try CatalogueStore.open(at: mirror.database)
            #expect(try again.pendingAlbums().isEmpty)
            try again.close()
        }
    }

    /// A file that is closed late, such as by a task that is still ending, is not written after the restart.
    @Test func aCrashedDiskRestartsWhenNoFileIsOpen() throws {
        try Self.mirror { mirror, disk in
            let store = try CatalogueStore.open(at: mirror.database)
            disk.crash()
            #expect(!disk.open.isEmpty)
            Thread { try? store.close(folding: false) }.start()
            try disk.restart(.none)
            #expect(disk.open.isEmpty)
        }
    }

    @Test func aKilledProcessLosesNoCommittedAlbum() throws {
        let remaining = try Self.remainingAlbums(.none) {
            _ = try AlbumEditor($0).create(AlbumChange(name: "New"))
        }
        #expect(remaining.map(\.fields.name) == ["New"])
    }

    @Test func aPowerFailureMayLoseUnsyncedAlbums() throws {
        let counts = try (0..<12).map { seed in
            try Self.remainingAlbums(.power(seed)) {
                _ = try AlbumEditor($0).create(AlbumChange(name: "New"))
            }
            .count
        }
        #expect(counts.contains(0))
    }

    /// Otherwise a later edit would be sent with the same key, and the server would treat it as the first request.
    @Test(arguments: 0..<12) func anAlbumsCreationIsOnTheDiskBeforeItIsSent(seed: UInt64) throws {
        let remaining = try Self.remainingAlbums(.power(seed)) { store in
            let id = try AlbumEditor(store).create(AlbumChange(name: "New"))
            _ = try store.recordAlbumCreation(id)
        }
        #expect(remaining.map(\.sent?.fields.name) == ["New"])
    }

    /// Otherwise an edit pushed with this id would change the album, and the search for the first request's album would fail.
    @Test(arguments: 0..<12) func anAlbumsServerIdIsOnTheDiskBeforeFurtherEditsArePushed(seed: UInt64) throws
    {
        let remaining = try Self.remainingAlbums(.power(seed)) { store in
            let id = try AlbumEditor(store).create(AlbumChange(name: "New"))
            _ = try store.recordAlbumCreation(id)
            var warnings: [FieldWarning] = []
            let made = try Album(
                JSONObject([("id", .string("s1")), ("name", .string("New"))]), warnings: &warnings)
            try store.acknowledgeAlbum(id, with: ObjectRecord(.album, made, etag: nil), edit: 1, run: nil)
            _ = try AlbumEditor(store).change("s1", by: AlbumChange(name: "Newer"))
        }
        // The power failure may lose the edit but not the id: without it the album would still have its local id.
        #expect(remaining.allSatisfy { $0.id == "s1" })
    }
}
