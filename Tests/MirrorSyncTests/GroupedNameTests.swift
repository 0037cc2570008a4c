import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// Records the calls that synchronise files with the disk, in order.
final class DiskJournal: Sendable {
    enum Call: Sendable, Equatable { case path(String), fileSystem }

    private let calls = Mutex<[Call]>([])
    let fails: Bool
    /// Called at each call.
    let onCall: @Sendable () -> Void

    init(fails: Bool = false, onCall: @escaping @Sendable () -> Void = {}) {
        self.fails = fails
        self.onCall = onCall
    }

    var all: [Call] { calls.withLock { $0 } }

    private func note(_ call: Call) -> Bool {
        calls.withLock { $0.append(call) }
        onCall()
        if fails { errno = EIO }
        return !fails
    }

    func disk(hasFileSystem: Bool = true) -> DiskSync {
        let fileSystem: @Sendable (String) -> Bool = { _ in self.note(.fileSystem) }
        return DiskSync(
            path: { self.note(.path(($0 as NSString).lastPathComponent)) },
            fileSystem: hasFileSystem ? fileSystem : nil)
    }
}

@Suite("Synchronising the names of downloaded files with the disk", .limitedConcurrency)
struct GroupedNameTests {
    private static let pictures = 60

    private func sync(_ mirror: TestMirror, _ journal: DiskJournal) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        let partner = mirror.partner
        var sync = try Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
        sync.disk = journal.disk()
        return try await sync.run()
    }

    private func mirror() throws -> TestMirror {
        try TestMirror(
            FakePartner { state in
                for number in 0..<Self.pictures {
                    state.artwork("w\(number)", image: "i")
                    state.files["/artwork/w\(number)/image/i/larger.jpg"] = [
                        0xFF, 0xD8, 0xFF, 0xE0, UInt8(number),
                    ]
                }
            })
    }

    @Test func picturesAreSyncedToDiskInGroupsBeforeTheirRowsAreWritten() async throws {
        let mirror = try mirror(), folder = try mirror.mirror
        let seen = Mutex<[(named: Int, rows: Int)]>([])
        let journal = DiskJournal {
            let names = FileManager.default.enumerator(atPath: folder.path + "/media")?.compactMap {
                $0 as? String
            }
            let store = try? CatalogueStore.open(at: folder.database, readOnly: true)
            let rows = try? store?.fileTotals().files
            try? store?.close()
            seen.withLock {
                $0.append((names?.count { $0.hasSuffix(".jpg") } ?? -1, rows ?? -1))
            }
        }
        let summary = try await sync(mirror, journal)
        #expect(summary.outcome == .complete && summary.objects["image"]?.created == Self.pictures)
        let calls = seen.withLock { $0 }
        #expect(calls.allSatisfy { $0.rows < $0.named }, "\(calls)")
        // Groups grow from one picture to hundreds, and large ones need one call.
        #expect(Set(calls.map(\.rows)).count <= 7 && calls.last?.named == Self.pictures, "\(calls)")
        #expect(journal.all.last == .fileSystem, "\(journal.all)")
        #expect(try mirror.read { try $0.fileTotals().files } == Self.pictures)
    }

    @Test func aFailedDiskSyncEndsTheRunWithoutRows() async throws {
        let mirror = try mirror()
        let summary = try await sync(mirror, DiskJournal(fails: true))
        #expect(summary.outcome == .failed)
        #expect(try mirror.read { try $0.fileTotals().files } == 0)
    }

    @Test(
        arguments: [
            (0, true, []), (1, true, [.path("00"), .path("media")]),
            (2, true, [.path("00"), .path("01"), .path("media")]), (30, true, [.fileSystem]),
            (5, false, ["00", "01", "02", "03", "04", "media"].map(DiskJournal.Call.path)),
        ] as [(Int, Bool, [DiskJournal.Call])])
    func fewMediaFoldersAreSyncedOneByOne(
        count: Int, hasFileSystem: Bool, calls: [DiskJournal.Call]
    ) throws {
        let journal = DiskJournal()
        let files = FileStore(folder: "/mirror", disk: journal.disk(hasFileSystem: hasFileSystem))
        let stored = (0..<count).map { number in
            let digits = String(number, radix: 16)
            let hash = String(repeating: "0", count: 2 - digits.count) + digits
            return StoredFile(hash: hash, size: 1, path: "media/\(hash)/\(hash)", type: nil)
        }
        // The same file twice is synchronised once.
        try files.syncNames(of: stored + stored)
        #expect(journal.all == calls)
    }
}
