import Foundation
import GRDB
import Testing

@testable import MirrorHTTP

/// Heads that are read, and written, without their bodies.
struct CacheHeadTests {
    private let folder = CacheFolder()
    private static let tagged: HeaderFields = ["ETag": "\"a\"", "X": "1"]

    @Test func aWrittenHeadComesWithoutItsBody() throws {
        let cache = folder.open()
        let stored = entry(Self.tagged)
        cache.store(stored)
        #expect(cache.head(for: "/artwork/a", [:]) == stored)
        cache.flush()
        let head = try #require(cache.head(for: "/artwork/a", [:]))
        #expect(!head.hasBody && head.body.isEmpty && head.headers == stored.headers)
        #expect(cache.whole(head, [:]) == stored)
    }

    @Test func aHeadWhoseEntryGaveWayHasNoBody() throws {
        let cache = folder.open()
        for change in ["none", "another tag", "removed"] {
            cache.store(entry(Self.tagged))
            cache.flush()
            let head = try #require(cache.head(for: "/artwork/a", [:]))
            switch change {
            case "another tag": cache.store(entry(["ETag": "\"b\""], body: "other"))
            case "removed": cache.remove("/artwork/a")
            default: break
            }
            for _ in 0..<2 {
                #expect((cache.whole(head, [:]) != nil) == (change == "none"))
                cache.flush()
            }
        }
    }

    @Test func anUpdateByAHeadKeepsTheBody() throws {
        let cache = folder.open()
        cache.store(entry(Self.tagged))
        cache.flush()
        var head = try #require(cache.head(for: "/artwork/a", [:]))
        head.headers["X"] = "2"
        cache.update(head, of: head)
        for _ in 0..<2 {
            let whole = try #require(cache.entry(for: "/artwork/a"))
            #expect(whole.body == [UInt8]("body".utf8) && whole.headers["X"] == "2")
            #expect(cache.head(for: "/artwork/a", [:])?.hasBody == false)
            cache.flush()
        }
        // On top of a newer body that waits.
        cache.store(entry(Self.tagged, body: "newer"))
        head.headers["X"] = "3"
        cache.update(head, of: head)
        for _ in 0..<2 {
            let whole = try #require(cache.entry(for: "/artwork/a"))
            #expect(whole.body == [UInt8]("newer".utf8) && whole.headers["X"] == "3")
            cache.flush()
        }
    }

    @Test func aBatchKeepsBodiesApartFromHeads() {
        var batch = EntryBatch()
        let key = EntryKey("/artwork/a")
        batch.update(entry(Self.tagged), of: entry().version, key, at: 1)
        guard case .changed(let head, _) = batch.lookup(key, [:]) else {
            Issue.record("not a head")
            return
        }
        #expect(!head.hasBody && batch.bytes == head.cost)
        batch.store(entry(Self.tagged), key, at: 2)
        guard case .found(let whole) = batch.lookup(key, [:]) else {
            Issue.record("not whole")
            return
        }
        #expect(whole.body == [UInt8]("body".utf8) && batch.bytes == whole.cost)
        batch.remove(key)
        batch.update(head, of: head.version, key, at: 3)
        guard case .removed = batch.lookup(key, [:]) else {
            Issue.record("not removed")
            return
        }
        #expect(batch.bytes == 0 && batch.slots.count == 1)
    }

    @Test(arguments: [(100 << 10, true), (64 << 20, false)])
    func usesAreNotedOnceTheFileIsHalfFull(_ capacity: Int, _ isNoted: Bool) throws {
        do {
            let cache = folder.open(diskCapacity: capacity)
            (0..<20).forEach {
                cache.store(entry(key: "/artwork/\($0)", body: String(repeating: "x", count: 1500)))
            }
            cache.flush()
            folder.clock.now = epoch + 7200
            #expect(cache.head(for: "/artwork/7", [:]) != nil)
        }
        let used = try DatabaseQueue(path: folder.file.path).read {
            try Double.fetchOne($0, sql: "SELECT used FROM entry WHERE key = '/artwork/7'")
        }
        #expect(used == (isNoted ? epoch + 7200 : epoch))
    }

    /// Section 4.3.4: what need not be written after a `304`.
    @Test(
        arguments: [
            ("no-cache", ["Date": date(9)], false), ("no-cache", ["Date": date(9), "Age": "3"], false),
            ("no-cache", ["Date": date(9), "X": "1"], false), ("no-cache", ["X": "2"], true),
            ("no-cache", ["Y": "1"], true), ("no-cache", ["Cache-Control": "max-age=9"], true),
            ("no-cache", ["Content-Length": "0", "Connection": "close"], false),
            ("max-age=0, must-revalidate", ["Date": date(9)], false), ("max-age=0", ["Date": date(9)], true),
            ("max-age=9, must-revalidate", ["Date": date(9)], true), ("private", ["Date": date(9)], true),
        ] as [(String, HeaderFields, Bool)])
    func onlyWhatIsEverSeenIsWritten(_ control: String, _ answer: HeaderFields, _ isWritten: Bool) {
        let held = entry(["ETag": "\"a\"", "Cache-Control": control, "X": "1", "Date": date(0)])
        #expect(CachePolicy.isWorthStoring(answer, over: held) == isWritten)
    }

    @Test func linesOfOneNameCompareInTheirOrder() {
        let held = entry([("Cache-Control", "no-cache"), ("X", "1"), ("Y", "0"), ("x", "2")])
        for (lines, isWritten) in [
            (["1", "2"], false), (["2", "1"], true), (["1"], true), (["1", "2", "3"], true),
        ] {
            let answer = HeaderFields(lines.map { ("X", $0) })
            #expect(CachePolicy.isWorthStoring(answer, over: held) == isWritten)
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
