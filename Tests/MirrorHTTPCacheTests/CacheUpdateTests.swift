import Foundation
import GRDB
import Testing

@testable import MirrorHTTP

/// Updates of entries' headers and times, and the recording of their use.
struct CacheUpdateTests {
    private let folder = CacheFolder()
    private static let tagged: HeaderFields = ["ETag": "\"a\"", "X": "1"]

    @Test func updatingACacheEntryKeepsItsBody() throws {
        let cache = folder.open()
        cache.store(entry(Self.tagged))
        cache.flush()
        var head = entry(Self.tagged, body: "")
        head.headers["X"] = "2"
        cache.update(head, of: head)
        for _ in 0..<2 {
            let found = try #require(cache.entry(for: "/artwork/a"))
            #expect(found.body == [UInt8]("body".utf8) && found.headers["X"] == "2")
            cache.flush()
        }
        // With a newer body pending.
        cache.store(entry(Self.tagged, body: "newer"))
        head.headers["X"] = "3"
        cache.update(head, of: head)
        for _ in 0..<2 {
            let found = try #require(cache.entry(for: "/artwork/a"))
            #expect(found.body == [UInt8]("newer".utf8) && found.headers["X"] == "3")
            cache.flush()
        }
    }

    @Test func aBatchContainsPendingChangesAndTheirSize() {
        var batch = EntryBatch()
        #expect(batch.isEmpty && batch.slots.isEmpty)
        for body in ["body", "longer body"] {
            let stored = entry(Self.tagged, body: body)
            batch.store(stored, at: 1)
            guard case .found(let found) = batch.lookup("/artwork/a", [:]) else {
                Issue.record("not found")
                return
            }
            #expect(found == stored && batch.bytes == stored.cost)
        }
        batch.remove("/artwork/a")
        guard case .removed = batch.lookup("/artwork/a", [:]) else {
            Issue.record("not removed")
            return
        }
        #expect(batch.bytes == 0 && batch.slots.count == 1 && !batch.isEmpty)
    }

    @Test(arguments: [(100 << 10, true), (64 << 20, false)])
    func usesOfCacheEntriesAreRecordedOnceTheCacheFileIsHalfFull(_ capacity: Int, _ isNoted: Bool) throws {
        do {
            let cache = folder.open(diskCapacity: capacity)
            (0..<20).forEach {
                cache.store(entry(key: "/artwork/\($0)", body: String(repeating: "x", count: 1500)))
            }
            cache.flush()
            folder.clock.now = epoch + 7200
            #expect(cache.entry(for: "/artwork/7") != nil)
        }
        let used = try DatabaseQueue(path: folder.file.path).read {
            try Double.fetchOne($0, sql: "SELECT used FROM entry WHERE key = '/artwork/7'")
        }
        #expect(used == (isNoted ? epoch + 7200 : epoch))
    }

    /// Header fields of a `304` that need not be written (RFC 9111, section 4.3.4).
    @Test(
        arguments: [
            ("no-cache", ["Date": date(9)], false), ("no-cache", ["Date": date(9), "Age": "3"], false),
            ("no-cache", ["Date": date(9), "X": "1"], false), ("no-cache", ["X": "2"], true),
            ("no-cache", ["Y": "1"], true), ("no-cache", ["Cache-Control": "max-age=9"], true),
            ("no-cache", ["Content-Length": "0", "Connection": "close"], false),
            ("max-age=0, must-revalidate", ["Date": date(9)], false), ("max-age=0", ["Date": date(9)], true),
            ("max-age=9, must-revalidate", ["Date": date(9)], true), ("private", ["Date": date(9)], true),
        ] as [(String, HeaderFields, Bool)])
    func aNotModifiedIsWrittenOnlyIfItChangesLaterResponses(
        _ control: String, _ answer: HeaderFields, _ isWritten: Bool
    ) {
        let existing = entry(["ETag": "\"a\"", "Cache-Control": control, "X": "1", "Date": date(0)])
        #expect(CachePolicy.isWorthStoring(answer, over: existing) == isWritten)
    }

    @Test func headerLinesOfOneNameAreComparedInOrder() {
        let existing = entry([("Cache-Control", "no-cache"), ("X", "1"), ("Y", "0"), ("x", "2")])
        for (lines, isWritten) in [
            (["1", "2"], false), (["2", "1"], true), (["1"], true), (["1", "2", "3"], true),
        ] {
            let answer = HeaderFields(lines.map { ("X", $0) })
            #expect(CachePolicy.isWorthStoring(answer, over: existing) == isWritten)
        }
    }

    private func entry(_ pairs: [(String, String)]) -> CacheEntry {
        CacheEntry(
            key: "/a", status: 200, headers: HeaderFields(pairs), body: [], requestTime: 0, responseTime: 0)
    }

    private func entry(
        _ headers: HeaderFields = [:], key: String = "/artwork/a", body: String = "body"
    ) -> CacheEntry {
        MirrorHTTPCacheTests.entry(headers, key: key, body: body)
    }
}
