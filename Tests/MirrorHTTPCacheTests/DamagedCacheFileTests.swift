import Foundation
import GRDB
import Testing

@testable import MirrorHTTP

/// Cache files that are deleted, foreign or damaged.
struct DamagedCacheFileTests {
    @Test func aDeletedCacheFileEndsCachingWithOneReport() throws {
        let folder = CacheFolder()
        do {
            let cache = folder.open()
            cache.store(entry())
            cache.flush()
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: folder.file.path + suffix)
            }
            #expect(cache.entry(for: "/artwork/a") != nil)
            for _ in 0..<3 {
                cache.store(entry(key: "/artwork/b"))
                cache.flush()
            }
            #expect(cache.entry(for: "/artwork/b") == nil)
            #expect(cache.currentDiskUsage == 0)
            cache.removeAllCachedResponses()
            #expect(folder.problems.codes == [.failed])
        }
        let cache = folder.open()
        #expect(cache.entry(for: "/artwork/a") == nil)
        cache.store(entry(key: "/artwork/c"))
        cache.flush()
        #expect(cache.entry(for: "/artwork/c") != nil)
        #expect(folder.problems.codes == [.failed])
    }

    @Test func aJournalWithoutItsCacheFileIsDeleted() throws {
        let folder = CacheFolder()
        try FileManager.default.createDirectory(
            at: folder.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("remaining over".utf8).write(to: URL(fileURLWithPath: folder.file.path + "-wal"))
        let cache = folder.open()
        cache.store(entry())
        cache.flush()
        #expect(cache.entry(for: "/artwork/a") != nil)
        #expect(folder.problems.codes.isEmpty)
    }

    @Test(arguments: ["text", "empty database", "foreign", "newer", "older", "torn", "no table"])
    func anUnusableCacheFileIsReplaced(_ kind: String) throws {
        let folder = CacheFolder()
        do {
            let cache = folder.open()
            (0..<200).forEach { cache.store(entry(key: "/artwork/\($0)")) }
        }
        switch kind {
        case "text":
            try Data("This is not a database, and longer than a header of one would be: no.".utf8).write(
                to: folder.file)
        case "empty database": try Data().write(to: folder.file)
        case "torn":
            let contents = try Data(contentsOf: folder.file)
            try (contents.prefix(4096) + Data(repeating: 0xAA, count: 20_000)).write(to: folder.file)
        default:
            let sql = [
                "foreign": "PRAGMA application_id = 1", "newer": "PRAGMA user_version = 99",
                "older": "PRAGMA user_version = 0", "no table": "DROP TABLE entry",
            ]
            try DatabaseQueue(path: folder.file.path).inDatabase { try $0.execute(sql: sql[kind]!) }
        }
        let cache = folder.open()
        #expect(cache.entry(for: "/artwork/7") == nil)
        cache.store(entry(key: "/artwork/new"))
        cache.flush()
        #expect(cache.entry(for: "/artwork/new") != nil)
        #expect(folder.problems.codes == (kind == "empty database" ? [] : [.replaced]))
    }

    /// An earlier version created the indexes later.
    @Test(arguments: [false, true]) func missingIndexesOfACacheFileAreCreated(hasDuplicates: Bool) throws {
        let folder = CacheFolder()
        do {
            let cache = folder.open()
            (0..<200).forEach { cache.store(entry(key: "/artwork/\($0)")) }
            cache.close()
        }
        let file = try DatabaseQueue(path: folder.file.path)
        try file.inDatabase { db in
            try db.execute(sql: "DROP INDEX entry_hash; DROP INDEX entry_used")
            if hasDuplicates {
                try db.execute(
                    sql: """
                        INSERT INTO entry SELECT NULL, hash, variant, key, vary, status, request_time,
                        response_time, used, headers, body FROM entry WHERE key = '/artwork/7'
                        """)
            }
        }
        try file.close()
        let cache = folder.open()
        #expect((cache.entry(for: "/artwork/7") == nil) == hasDuplicates)
        #expect(folder.problems.codes == (hasDuplicates ? [.replaced] : []))
        cache.close()
        let indexes = try DatabaseQueue(path: folder.file.path).read { try $0.indexes(on: "entry") }
        #expect(Set(indexes.map(\.name)) == ["entry_hash", "entry_used"])
    }

    @Test func damageFoundLaterEndsCachingAndDeletesTheCacheFile() throws {
        let folder = CacheFolder()
        let keys = (0..<2000).map { "/artwork/\($0)" }
        do {
            let cache = folder.open()
            keys.forEach { cache.store(entry(key: $0, body: String(repeating: "x", count: 500))) }
            cache.close()
        }
        // The first pages stay intact, so opening succeeds.
        var data = try Data(contentsOf: folder.file)
        let damaged = data.count / 8192 / 4 * 8192..<data.count / 8192 * 3 / 4 * 8192
        data.replaceSubrange(damaged, with: Data(repeating: 0xFF, count: damaged.count))
        try data.write(to: folder.file)
        do {
            let cache = folder.open()
            #expect(folder.problems.codes.isEmpty)
            for key in keys { _ = cache.entry(for: key) }
            #expect(folder.problems.codes == [.failed])
            cache.store(entry())
            #expect(cache.entry(for: "/artwork/a") == nil)
        }
        let cache = folder.open()
        #expect(keys.allSatisfy { cache.entry(for: $0) == nil })
        cache.store(entry(key: "/artwork/new"))
        cache.flush()
        #expect(cache.entry(for: "/artwork/new") != nil)
        #expect(folder.problems.codes == [.failed])
    }

    @Test func anUnwritableCacheFolderDisablesCaching() throws {
        let folder = CacheFolder()
        let blocker = folder.file.deletingLastPathComponent()
        try Data().write(to: blocker)
        let cache = folder.open()
        cache.store(entry())
        cache.flush()
        #expect(cache.entry(for: "/artwork/a") == nil)
        #expect(folder.problems.codes == [.cannotOpen])
    }
}
