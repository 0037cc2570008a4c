import Foundation
import Testing

@testable import MirrorStore

/// Mirrors that the user may only read.
@Suite("A database file that is opened only for reading") final class ReadingFileTests {
    private let root = NSTemporaryDirectory() + "mirror-reading-" + UUID().uuidString
    private let path: String

    init() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        path = "\(root)/mirror.sqlite"
        try writing { try $0.setOrigin("first") }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// A file that the user may only read, whatever the rights of the user who runs the tests are.
    private func reader() -> ReadingFile { ReadingFile(path, mayWrite: false) }

    private func writing(_ body: (CatalogueStore) throws -> Void) throws {
        let store = try CatalogueStore.open(at: path)
        try body(store)
        try store.close()
    }

    /// Leaves the folder as SQLite's own command does.
    private func removeSideFiles() throws {
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: root).sorted() }
    }

    @Test func aMirrorWithoutAWriteAheadLogIsReadWithoutCreatingFiles() throws {
        try removeSideFiles()
        let store = try CatalogueStore.open(at: path, reading: reader())
        #expect(store.isReadOnly && store.isCurrent)
        #expect(try store.origin == "first")
        #expect(try store.generation() > 0, "the connection for single rows reads it, too")
        #expect(try names == ["mirror.sqlite"])
        try store.close()
        #expect(try names == ["mirror.sqlite"])
    }

    @Test func aMirrorWithAWriteAheadLogIsReadWithLocksAndShowsCommits() throws {
        let writer = try CatalogueStore.open(at: path)
        let file = reader()
        #expect(file.name == path)
        let store = try CatalogueStore.open(at: path, reading: file)
        try writer.setOrigin("second")
        #expect(try store.origin == "second")
        #expect(store.isCurrent)
        try store.close()
        try writer.close()
    }

    @Test func aStoreThatIsReadWithoutLocksIsNotCurrentOnceAProgramWrites() throws {
        try removeSideFiles()
        let store = try CatalogueStore.open(at: path, reading: reader())
        let writer = try CatalogueStore.open(at: path)
        try writer.setOrigin("second")
        #expect(try store.origin == "first", "the file itself is unchanged")
        #expect(!store.isCurrent && store.isReadOnly)
        try store.close()
        let next = try CatalogueStore.open(at: path, reading: reader())
        #expect(try next.origin == "second")
        try next.close()
        try writer.close()
    }

    @Test func resultsThatWereReadWhileTheFileChangedAreDiscarded() throws {
        try removeSideFiles()
        let store = try CatalogueStore.open(at: path, reading: reader())
        try writing { try $0.setImportedAlbums(String(repeating: "x", count: 200_000)) }
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { _ = try store.origin }
            #expect(error?.code == .changed && error?.message.contains("Run the command again") == true)
        }
        #expect(throws: StoreError.self) { _ = try store.generation() }
        #expect(!store.isCurrent)
        try store.close()
    }

    @Test func anErrorWhileTheFileChangedIsReportedAsTheChange() throws {
        try removeSideFiles()
        let file = reader()
        let error = #expect(throws: StoreError.self) {
            try file.read {
                try writing { try $0.setImportedAlbums(String(repeating: "x", count: 200_000)) }
                throw StoreError(.damaged, "half a page")
            }
        }
        #expect(error?.code == .changed)
    }

    @Test(arguments: [
        ([], true), (["-wal"], true), (["-shm"], true), (["-wal", "-shm"], false),
    ])
    func locksAreUsedOnlyIfBothSideFilesExist(sideFiles: [String], withoutLocks: Bool) throws {
        try removeSideFiles()
        for suffix in sideFiles {
            #expect(FileManager.default.createFile(atPath: path + suffix, contents: nil))
        }
        #expect((reader().name == path) != withoutLocks)
    }

    @Test func theRememberedServerIsReadWithoutOpeningTheStore() throws {
        let folder = try MirrorHome(path: root).mirror("none")
        #expect(try folder.rememberedServer().origin == nil)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try CatalogueStore.open(at: folder.database).close()
        #expect(try folder.rememberedServer().origin == nil)
        let store = try CatalogueStore.open(at: folder.database)
        try store.setOrigin("here")
        #expect(try folder.rememberedServer().origin == "here")
        try store.close()
    }
}
