import Foundation
import GRDB
import Testing

@testable import MirrorHTTP

/// Storing entries in the cache's file, eviction and closing.
struct CacheFileTests {
    private func bodies(_ cache: CanonicalURLCache, _ keys: [String]) -> [String?] {
        keys.map { cache.entry(for: $0).map { String(decoding: $0.body, as: UTF8.self) } }
    }

    @Test func aStoredCacheEntryIsVisibleBeforeAndAfterFlush() {
        let folder = CacheFolder()
        let cache = folder.open()
        let first = entry(["ETag": "\"a\"", "X-Empty": "", "X": "1", "x": "2: 3"], status: 203)
        cache.store(first)
        #expect(cache.entry(for: "/artwork/a") == first)
        #expect(cache.currentMemoryUsage > 0)
        cache.flush()
        #expect(cache.currentMemoryUsage == 0)
        #expect(cache.entry(for: "/artwork/a") == first)
        #expect(cache.entry(for: "/artwork/b") == nil)
        #expect(folder.problems.codes.isEmpty)
    }

    /// The file is created without syncing, and used with `synchronous = NORMAL`.
    @Test(arguments: 0..<2) func aCacheFileUsesWALAndNormalSynchronisation(opening: Int) throws {
        let folder = CacheFolder()
        for _ in 0..<opening { folder.open().store(entry()) }
        let file = try EntryFile(folder.file)
        let modes = try file.writer.inDatabase { db in
            (
                try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(db, sql: "PRAGMA synchronous"),
                try Int.fetchOne(db, sql: "PRAGMA page_size")
            )
        }
        #expect(modes.0 == "wal" && modes.1 == 1 && modes.2 == EntryFile.pageSize)
    }

    /// Closing doesn't depend on remaining references. SQLite deletes the journal with the last connection.
    @Test func closingACacheWritesAllCacheEntriesAndEndsCaching() {
        let folder = CacheFolder()
        let cache = folder.open(), journal = folder.file.path + "-wal"
        cache.store(entry())
        #expect(FileManager.default.fileExists(atPath: journal))
        cache.close()
        #expect(!FileManager.default.fileExists(atPath: journal))
        cache.store(entry(key: "/artwork/b"))
        #expect(cache.entry(for: "/artwork/b") == nil && cache.entry(for: "/artwork/a") == nil)
        cache.close()
        #expect(folder.open().entry(for: "/artwork/a") == entry())
        #expect(folder.problems.codes.isEmpty)
    }

    /// The next start evicts the remaining entries.
    @Test func aCacheCanBeClosedDuringEviction() {
        let folder = CacheFolder()
        let cache = folder.open()
        for number in 0..<2_000 {
            cache.store(entry(key: "/artwork/\(number)", body: String(repeating: "x", count: 2_000)))
        }
        cache.entries.state.withLock { $0.diskCapacity = 1 << 18 }
        cache.close()
        #expect(folder.open().currentDiskUsage > 0)
        #expect(folder.problems.codes.isEmpty)
    }

    @Test func cacheEntriesAreReadAfterTheCacheIsReopened() {
        let folder = CacheFolder()
        let entries = (0..<3000).map {
            entry(["ETag": "\"\($0)\""], key: "/artwork/\($0)", body: "body \($0)")
        }
        do {
            let cache = folder.open()
            entries.forEach(cache.store)
        }
        let reopened = folder.open()
        for entry in entries { #expect(reopened.entry(for: entry.key) == entry) }
        #expect(folder.problems.codes.isEmpty)
    }

    /// The journal of the killed process still exists.
    @Test func cacheEntriesWrittenByAKilledProcessAreFound() throws {
        let folder = CacheFolder(), copy = CacheFolder()
        let cache = folder.open()
        for body in ["1", "2"] {
            cache.store(entry(body: body))
            cache.flush()
        }
        try FileManager.default.createDirectory(
            at: copy.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.file.path + suffix, toPath: copy.file.path + suffix)
        }
        #expect(bodies(copy.open(), ["/artwork/a"]) == ["2"])
        #expect(copy.problems.codes.isEmpty)
        cache.close()
    }

    @Test func noOlderResponseReappearsAfterARemovalByTime() {
        let folder = CacheFolder()
        let cache = folder.open()
        cache.store(entry(body: "old"))
        cache.store(entry(key: "/artwork/b", body: "other"))
        cache.flush()
        cache.store(entry(body: "new", at: epoch + 10))
        cache.flush()
        cache.removeCachedResponses(since: Date(timeIntervalSince1970: epoch + 5))
        #expect(bodies(cache, ["/artwork/a", "/artwork/b"]) == [nil, "other"])
    }

    /// Neither is allowed in a header field (RFC 9110, section 5.5).
    @Test func lineBreaksAndNULInHeadersAreStoredAsSpaces() throws {
        let folder = CacheFolder()
        let cache = folder.open()
        let vary: HeaderFields = ["Vary": "A\0C, X-A"]
        let requested: HeaderFields = ["X-A": "a\n\u{301}b\0c"]
        let key = try #require(VaryKey(response: vary, request: requested))
        cache.store(entry(["X": "1\02\n\u{301}3", "Y": "4"], vary: key))
        cache.flush()
        let found = try #require(cache.entry(for: "/artwork/a", requested))
        #expect(found.headers == ["X": "1 2 \u{301}3", "Y": "4"] && found.vary == key)
        #expect(cache.entry(for: "/artwork/a", ["X-A": "a"]) == nil)
    }

    @Test func cacheEntriesStoredAfterRemovingAllAreKept() {
        let folder = CacheFolder()
        let cache = folder.open()
        cache.store(entry(body: "1"))
        cache.removeAllCachedResponses()
        cache.store(entry(body: "2"))
        cache.close()
        #expect(bodies(folder.open(), ["/artwork/a"]) == ["2"])
    }

    @Test func cacheEntriesAreFoundFromAnotherPortOfTheOrigin() {
        let folder = CacheFolder()
        do {
            let cache = folder.open(base: "http://127.0.0.1:4001/api/v1")
            let url = "http://127.0.0.1:4001/api/v1/artwork/a?size=all&ids=1"
            cache.store(entry(key: cache.key(for: url)))
        }
        let moved = folder.open(base: "HTTP://127.0.0.1:4002/api/v1/")
        #expect(
            moved.entry(for: moved.key(for: "http://127.0.0.1:4002/api/v1/artwork/a?ids=1&size=all")) != nil)
        #expect(moved.key(for: "http://127.0.0.1:4001/x") == "http://127.0.0.1:4001/x")
    }

    @Test func aNewerResponseReplacesTheOlderCacheEntry() {
        let folder = CacheFolder()
        let cache = folder.open()
        for body in ["one", "two", "three"] {
            cache.store(entry(body: body))
            if body == "two" { cache.flush() }
            #expect(bodies(cache, ["/artwork/a"]) == [body])
        }
        cache.flush()
        #expect(bodies(cache, ["/artwork/a"]) == ["three"])
    }

    @Test func cacheEntriesForDifferentVaryHeadersAreStoredTogether() {
        let folder = CacheFolder()
        let cache = folder.open()
        let vary: HeaderFields = ["Vary": "Accept"]
        let keys = ["en", "de"].map { VaryKey(response: vary, request: ["Accept": $0])! }
        cache.store(entry(vary, body: "english", vary: keys[0]))
        cache.flush()
        cache.store(entry(vary, body: "deutsch", vary: keys[1]))
        for _ in 0..<2 {
            #expect(cache.entry(for: "/artwork/a", ["Accept": "en"])?.body == [UInt8]("english".utf8))
            #expect(cache.entry(for: "/artwork/a", ["Accept": "de"])?.body == [UInt8]("deutsch".utf8))
            #expect(cache.entry(for: "/artwork/a", ["Accept": "fr"]) == nil)
            cache.flush()
        }
        // The newer one of two matching entries.
        cache.store(entry(body: "for all", at: epoch + 5))
        cache.flush()
        #expect(cache.entry(for: "/artwork/a", ["Accept": "de"])?.body == [UInt8]("for all".utf8))
        cache.remove("/artwork/a")
        for _ in 0..<2 {
            #expect(cache.entry(for: "/artwork/a", ["Accept": "en"]) == nil)
            cache.flush()
        }
    }

    /// Updates come from a 304 or a response to HEAD.
    @Test func anUpdateChangesHeadersAndTimesButNeverBringsBackARemovedEntry() {
        let folder = CacheFolder()
        let cache = folder.open()
        cache.store(entry(["X": "1"]))
        cache.flush()
        var updated = entry(["X": "2"], at: epoch + 100)
        cache.update(updated, of: entry())
        for _ in 0..<2 {
            #expect(cache.entry(for: "/artwork/a") == updated)
            cache.flush()
        }
        cache.remove("/artwork/a")
        updated.headers["X"] = "3"
        cache.update(updated, of: updated)
        for _ in 0..<2 {
            #expect(cache.entry(for: "/artwork/a") == nil)
            cache.flush()
        }
        cache.update(entry(key: "/never/stored"), of: entry())
        cache.flush()
        #expect(cache.entry(for: "/never/stored") == nil)
        cache.store(entry(body: "again"))
        cache.update(entry(["X": "4"], body: "again"), of: entry())
        cache.flush()
        #expect(cache.entry(for: "/artwork/a") == entry(["X": "4"], body: "again"))
    }

    @Test func theLeastRecentlyUsedCacheEntriesAreEvictedFirst() {
        let folder = CacheFolder()
        let cache = folder.open(diskCapacity: 4 << 20)
        let body = String(repeating: "x", count: 8000)
        let keys = (0..<300).map { "/artwork/\($0)" }
        for (index, key) in keys.enumerated() {
            folder.clock.now = epoch + Double(index)
            cache.store(entry(key: key, body: body))
        }
        cache.flush()
        folder.clock.now = epoch + 7200
        for key in keys.prefix(50) { #expect(cache.entry(for: key) != nil) }
        cache.flush()
        cache.diskCapacity = 2 << 20
        #expect(cache.currentDiskUsage <= 2 << 20)
        let remaining = keys.map { cache.entry(for: $0) != nil }
        #expect(remaining.prefix(50).allSatisfy { $0 })
        #expect(remaining[50] == false && remaining[299])
        // The remaining entries are exactly the most recently used ones.
        let rest = remaining.dropFirst(50)
        #expect(rest.drop { !$0 }.allSatisfy { $0 })
        #expect(rest.contains(true))
        #expect(fileSize(folder.file) <= 3 << 20)
    }

    @Test func cacheEvictionRunsInTheBackground() {
        let folder = CacheFolder()
        let cache = folder.open(memoryCapacity: 64 << 10, diskCapacity: 1 << 20)
        let body = String(repeating: "x", count: 8000)
        for index in 0..<1000 { cache.store(entry(key: "/artwork/\(index)", body: body)) }
        // Each step is queued after the previous one, and a flush waits for it.
        var steps = 0
        repeat {
            cache.flush()
            steps += 1
        } while cache.currentDiskUsage > 1 << 20 && steps < 1000
        #expect(cache.currentDiskUsage <= 1 << 20)
        #expect(cache.entry(for: "/artwork/999") != nil)
        #expect(cache.entry(for: "/artwork/0") == nil)
        #expect(folder.problems.codes.isEmpty)
    }

    @Test func aTooLargeResponseIsNotCachedAndRemovesTheOlderCacheEntry() {
        let folder = CacheFolder()
        let cache = folder.open(diskCapacity: 1 << 20)
        cache.store(entry(body: "small"))
        cache.store(entry(body: String(repeating: "x", count: (1 << 20) / 20)))
        for _ in 0..<2 {
            #expect(cache.entry(for: "/artwork/a") == nil)
            cache.flush()
        }
        let nothing = CacheFolder().open(diskCapacity: 0)
        nothing.store(entry())
        #expect(nothing.entry(for: "/artwork/a") == nil)
    }

    @Test func concurrentTasksSeeTheirOwnCacheWrites() async {
        let folder = CacheFolder()
        let cache = folder.open(memoryCapacity: 32 << 10)
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var wrong = 0
                    for index in 0..<200 {
                        let key = "/artwork/\(task)-\(index)"
                        cache.store(
                            entry(["X": "1"], key: key, body: String(repeating: "b", count: index * 10)))
                        if cache.entry(for: key)?.body.count != index * 10 { wrong += 1 }
                        if index % 3 == 0 { cache.remove(key) }
                        if (cache.entry(for: key) == nil) != (index % 3 == 0) { wrong += 1 }
                        if index % 50 == 0 { cache.flush() }
                        // A key that all tasks write.
                        cache.store(entry(body: "\(task)"))
                        if cache.entry(for: "/artwork/a") == nil { wrong += 1 }
                    }
                    return wrong
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
        cache.flush()
        for task in 0..<16 {
            for index in 0..<200 {
                let isThere = cache.entry(for: "/artwork/\(task)-\(index)") != nil
                #expect(isThere == (index % 3 != 0))
            }
        }
        #expect(folder.problems.codes.isEmpty)
    }

    @Test func noCredentialIsWrittenToTheCacheFile() throws {
        let folder = CacheFolder()
        do {
            let cache = folder.open()
            let requested = request("GET", ["Cookie": "AuthSession=s3cret", "X-Access-Token": "s3cret"])
            let answer = response(
                200,
                [
                    "Cache-Control": "max-age=60", "Vary": "Cookie, X-Access-Token",
                    "Set-Cookie": "AuthSession=s3cret",
                ])
            cache.store(try #require(stored(answer, for: requested)))
            cache.flush()
            #expect(cache.entry(for: "/artwork/a", requested.headers) != nil)
        }
        let data = try Data(contentsOf: folder.file)
        #expect(data.range(of: Data("/artwork/a".utf8)) != nil)
        #expect(data.range(of: Data("s3cret".utf8)) == nil)
    }

    private func fileSize(_ url: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
    }
}
