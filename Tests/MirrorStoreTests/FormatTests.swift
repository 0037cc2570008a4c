import Foundation
import GRDB
import Synchronization
import Testing

@testable import MirrorStore

@Suite("Files and folders that can't be used as a mirror")
final class FormatTests {
    let root: String

    init() throws {
        root = NSTemporaryDirectory() + "mirror-format-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test func aDatabaseOfANewerVersionIsRefusedAndUnchanged() throws {
        let path = "\(root)/mirror.sqlite"
        try CatalogueStore.open(at: path).close()
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        try queue.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(code { _ = try CatalogueStore.open(at: path) } == .newerVersion)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    #if os(Linux)
        /// A process loses its locks on a file when it closes any descriptor of it. Then another program would see an unused
        /// database, and remove its write-ahead log.
        @Test func openingAMirrorAgainKeepsTheLocksOfOtherConnections() throws {
            let path = "\(root)/mirror.sqlite"
            let store = try CatalogueStore.open(at: path)
            try store.setCatalogue(true)
            let inode = try #require(
                try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
            // The list is not read at one instant, so other processes may hide an entry or repeat it.
            func locks() throws -> Set<Substring> {
                try (0..<20).reduce(into: []) { found, _ in found.formUnion(try locksNow()) }
            }
            func locksNow() throws -> Set<Substring> {
                let file = try #require(FileHandle(forReadingAtPath: "/proc/locks"))
                var list = Data()
                // The kernel returns one page per read.
                while let part = try file.read(upToCount: 65_536), !part.isEmpty { list += part }
                try file.close()
                let own = String(decoding: list, as: UTF8.self).split(separator: "\n").filter { line in
                    line.contains(" POSIX ") && line.contains(":\(inode) ") && line.contains(" \(getpid()) ")
                }
                // Without the numbers, which are only positions in the list.
                return Set(own.compactMap { line in line.firstIndex(of: ":").map { line[$0...] } })
            }
            let before = try locks()
            #expect(!before.isEmpty)
            let other = try CatalogueStore.open(at: path, readOnly: true)
            #expect(try other.isCatalogue)
            try other.close()
            #expect(try locks() == before)
            try store.close()
        }
    #endif

    @Test func anotherProgramsDatabaseIsRefused() throws {
        let path = "\(root)/other.sqlite"
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "PRAGMA application_id = 7; CREATE TABLE t (x)") }
        try queue.close()
        #expect(code { _ = try CatalogueStore.open(at: path) } == .notOurs)
    }

    @Test func aDatabaseWithoutAnApplicationIDIsRefused() throws {
        let path = "\(root)/unmarked.sqlite"
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try queue.close()
        #expect(code { _ = try CatalogueStore.open(at: path, readOnly: true) } == .notOurs)
    }

    @Test func aFileThatIsNoDatabaseIsRefused() throws {
        let path = "\(root)/text.sqlite"
        try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
        #expect(code { _ = try CatalogueStore.open(at: path) } == .damaged)
    }

    /// SQLite deletes the write-ahead log of an empty file when it opens it, and the last commits with it.
    @Test func anEmptyDatabaseWithAWriteAheadLogIsNotOpened() throws {
        let path = "\(root)/mirror.sqlite"
        try Data().write(to: URL(fileURLWithPath: path))
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        for readOnly in [true, false] {
            #expect(code { _ = try CatalogueStore.open(at: path, readOnly: readOnly) } == .damaged)
        }
        #expect(FileManager.default.contents(atPath: path + "-wal") == Data("log".utf8))
    }

    @Test func aFolderWithOtherFilesIsRefused() throws {
        try FileManager.default.createDirectory(atPath: "\(root)/photos", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: "\(root)/photos/cat.jpg"))
        #expect(code { try MirrorHome(path: root).mirror("photos").prepare() } == .notOurs)
    }

    /// A run that is killed right after its start leaves an empty database and SQLite's other files.
    @Test func aMirrorWhoseFirstRunWasKilledAtItsStartCanBeUsed() throws {
        let folder = try MirrorHome(path: root).mirror("early")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        for (name, size) in [
            ("lock", 0), ("mirror.sqlite", 0), ("mirror.sqlite-journal", 512), ("cache.sqlite", 0),
            ("cache.sqlite-journal", 512),
        ] {
            try Data(count: size).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        #expect(code { try folder.prepare() } == nil)
        let store = try CatalogueStore.open(at: folder.database)
        try store.check(.integrity) { Issue.record("\($0)") }
        try store.close()
    }

    @Test(arguments: ["..", ".", "", "a/b", "-x", ".hidden", "a b", "é", String(repeating: "a", count: 129)])
    func aMirrorNameThatCouldBeAPathIsRefused(name: String) {
        #expect(code { _ = try MirrorHome(path: root).mirror(name) } == .invalidName)
    }

    @Test(arguments: ["options.json", "Options.JSON"])
    func aMirrorCannotHaveTheNameOfTheOptionsFile(name: String) throws {
        let home = MirrorHome(path: root)
        #expect(code { _ = try home.mirror(name) } == .invalidName && !MirrorHome.isValid(name))
        #expect((home.optionsFile as NSString).lastPathComponent == "options.json")
        #expect(code { _ = try home.mirror("options") } == nil)
    }

    @Test(arguments: ["api", "assets", "LOGIN", "status", "sources"])
    func aNewMirrorCannotHaveTheNameOfAnAddressOfTheServer(name: String) throws {
        let home = MirrorHome(path: root)
        #expect(code { _ = try home.mirror(name) } == .invalidName && MirrorHome.isValid(name))
        #expect(code { _ = try home.mirror("\(name)2") } == nil)
        // A mirror that an earlier version made stays.
        let folder = MirrorFolder(path: "\(root)/\(name)", name: name)
        try folder.prepare()
        #expect(code { _ = try home.mirror(name) } == .invalidName, "an empty folder is no mirror")
        try CatalogueStore.open(at: folder.database).close()
        #expect(code { _ = try home.mirror(name) } == nil)
        #expect(try home.names().contains(name))
    }

    @Test func onlyOneRunCanLockAMirror() throws {
        let folder = try MirrorHome(path: root).mirror("one")
        try folder.prepare()
        do {
            let lock = try RunLock(folder)
            #expect(code { _ = try RunLock(folder) } == .locked)
            withExtendedLifetime(lock) {}
        }
        #expect(code { _ = try RunLock(folder) } == nil)
    }

    /// If a descriptor is closed twice, another thread may have got the same number in between.
    @Test func aRefusedLockClosesNoDescriptorOfAnotherThread() throws {
        let folder = try MirrorHome(path: root).mirror("two")
        try folder.prepare()
        let lock = try RunLock(folder), lost = Atomic(0), isOver = Atomic(false)
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            if part == 0 {
                for _ in 0..<5_000 { _ = try? RunLock(folder) }
                isOver.store(true, ordering: .relaxed)
            }
            while part == 1, !isOver.load(ordering: .relaxed) {
                let other = open("/dev/null", O_RDONLY)
                if close(other) != 0 { lost.add(1, ordering: .relaxed) }
            }
        }
        #expect(lost.load(ordering: .relaxed) == 0)
        withExtendedLifetime(lock) {}
    }

    @Test func filesWithEqualContentAreStoredOnce() throws {
        let folder = try MirrorHome(path: root).mirror("files")
        try folder.prepare()
        let one = try folder.files.store(Array("text".utf8), type: "text/plain")
        let two = try folder.files.store(Array("text".utf8), type: "text/plain")
        #expect(one == two)
        #expect(one.path.hasSuffix(".txt"))
        #expect(FileManager.default.contents(atPath: folder.files.absolutePath(one)) == Data("text".utf8))
    }

    @Test func storingAFileReplacesADamagedOneOfTheSameLength() throws {
        let folder = try MirrorHome(path: root).mirror("files")
        try folder.prepare()
        let file = try folder.files.store(Array("text".utf8), type: "text/plain")
        let path = folder.files.absolutePath(file)
        try Data("tExt".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try folder.files.store(Array("text".utf8), type: "text/plain") == file)
        #expect(FileManager.default.contents(atPath: path) == Data("text".utf8))
    }
}
