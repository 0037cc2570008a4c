import Foundation
import GRDB
import Synchronization
import Testing

@testable import MirrorHTTP

/// Entries that several tasks use at the same time.
struct CacheConcurrencyTests {
    private let folder = CacheFolder()

    private func version(_ number: Int) -> CacheEntry {
        entry(["ETag": "\"\(number)\""], body: "body \(number)", at: epoch + Double(number))
    }

    private func confirmed(_ entry: CacheEntry, _ field: String = "1") -> CacheEntry {
        var confirmed = entry
        confirmed.headers["X-Confirmed"] = field
        confirmed.requestTime += 1000
        confirmed.responseTime += 1000
        return confirmed
    }

    /// A delayed 304 must not update an entry that was replaced in the meantime.
    @Test(arguments: [0, 1, 2])
    func a304NeverUpdatesANewerCacheEntry(flushes: Int) {
        let cache = folder.open()
        let old = version(1)
        cache.store(old)
        cache.flush()
        cache.store(version(2))
        if flushes > 0 { cache.flush() }
        cache.update(confirmed(old), of: old)
        #expect(cache.entry(for: "/artwork/a") == version(2))
        if flushes > 1 { cache.flush() }
        #expect(cache.entry(for: "/artwork/a") == version(2))
        cache.flush()
        #expect(cache.entry(for: "/artwork/a") == version(2))
    }

    @Test func each304UpdatesTheCacheEntry() {
        let cache = folder.open()
        for isWritten in [false, true] {
            let first = version(1)
            cache.store(first)
            if isWritten { cache.flush() }
            let second = confirmed(first, "1")
            cache.update(second, of: first)
            if isWritten { cache.flush() }
            cache.update(confirmed(second, "2"), of: second)
            for _ in 0..<2 {
                let found = cache.entry(for: "/artwork/a")
                #expect(found?.headers["X-Confirmed"] == "2" && found?.body == first.body)
                cache.flush()
            }
        }
    }

    /// Two requests are confirmed at the same time.
    @Test func oneOfTwoConcurrent304sUpdatesTheCacheEntry() {
        let cache = folder.open()
        let first = version(1)
        cache.store(first)
        cache.flush()
        cache.update(confirmed(first, "1"), of: first)
        cache.update(confirmed(first, "2"), of: first)
        for _ in 0..<2 {
            let found = cache.entry(for: "/artwork/a")
            #expect(found?.headers["X-Confirmed"] != nil && found?.body == first.body)
            cache.flush()
        }
    }

    private final class Tally: Sendable {
        let time = Mutex(0)
        let wrong = Mutex(0)
        let read = Mutex(0)
    }

    /// ETag and body always have the same number, although many tasks store, confirm, read and remove in any order.
    @Test func headersAndBodiesStayConsistentUnderLoad() async {
        let cache = folder.open(diskCapacity: 4 << 20)
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for turn in 0..<800 {
                        let key = "/artwork/\(Int.random(in: 0..<6, using: &generator))"
                        let time = tally.time.withLock { time in
                            time += 1
                            return time
                        }
                        switch Int.random(in: 0..<10, using: &generator) {
                        case 0...2:
                            var new = entry(
                                ["ETag": "\"\(time)\""], key: key, body: "\(time)", at: epoch + Double(time))
                            if time % 3 == 0 { new.body += [UInt8](repeating: 0x20, count: 20_000) }
                            cache.store(new)
                        case 3...5:
                            guard let found = cache.entry(for: key) else { continue }
                            if turn % 5 == 0 { await Task.yield() }
                            var confirmed = found
                            confirmed.headers["X"] = String(time)
                            confirmed.requestTime = epoch + Double(time)
                            confirmed.responseTime = epoch + Double(time)
                            cache.update(confirmed, of: found)
                        case 6...8:
                            guard let found = cache.entry(for: key) else { continue }
                            tally.read.withLock { $0 += 1 }
                            let body = String(decoding: found.body.prefix { $0 != 0x20 }, as: UTF8.self)
                            if found.etag != "\"\(body)\"" { tally.wrong.withLock { $0 += 1 } }
                        default:
                            switch turn % 40 {
                            case 0: cache.removeAllCachedResponses()
                            case 1...4: cache.remove(key)
                            case 5: cache.entries.evict()
                            default: cache.flush()
                            }
                        }
                    }
                }
            }
        }
        #expect(tally.wrong.withLock { $0 } == 0)
        #expect(tally.read.withLock { $0 } > 500)
        #expect(folder.problems.codes.isEmpty)
    }

    /// Reads at every commit, as happens when many tasks look up entries all the time.
    private final class Reading: TransactionObserver {
        let read: () -> Void
        init(_ read: @escaping () -> Void) { self.read = read }
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { read() }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func theJournalStaysSmallDuringPermanentReads() throws {
        let cache = folder.open()
        cache.store(entry(["ETag": "\"0\""], key: "/0"))
        cache.flush()
        let file = try #require(cache.entries.state.withLock { $0.file })
        let reads = Mutex(0)
        let observer = Reading {
            let found = try? file.find("/0", [:])
            reads.withLock { $0 += found == nil ? 0 : 1 }
        }
        file.writer.add(transactionObserver: observer, extent: .observerLifetime)
        for number in 1...96 {
            var large = entry(["ETag": "\"1\""], key: "/\(number % 8)")
            large.body = [UInt8](repeating: UInt8(number), count: 1 << 20)
            cache.store(large)
            if number % 4 == 0 { cache.flush() }
        }
        let journal = try FileManager.default.attributesOfItem(atPath: folder.file.path + "-wal")[.size]
        #expect(try #require(journal as? Int) < 40 << 20)
        #expect(reads.withLock { $0 } >= 24)
        withExtendedLifetime(observer) {}
    }
}
