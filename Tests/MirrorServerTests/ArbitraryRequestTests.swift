import Catalogue
import MirrorSimulation
import MirrorStore
import Testing

@testable import MirrorServer

/// Random request data: parsing it never traps, and the results stay within their limits.
struct ArbitraryRequestTests {
    private static func texts(_ corpus: [String], words: [String], count: UInt64 = 10_000) -> [String] {
        let mutator = FuzzMutator(corpus: corpus.map { Array($0.utf8) }, words: words.map { Array($0.utf8) })
        return (0..<count).map { String(decoding: mutator.input($0, seed: 7), as: UTF8.self) }
    }

    @Test func arbitraryRequestTargetsNeverTrap() {
        let texts = Self.texts(
            [
                "/api/v1/partner/p/artworks?ids=1&size=all&validators=1", "/p/api/v1/artwork/a?x=%2Fy",
                "/p/api/v1/partner/p/shows?page=2&size=20", "/_session", "/p/status",
                "/api/v1/partner/p/show/s/document/d/file/../../etc/passwd",
                "/api/v1/artwork/a/image/i/larger.jpg",
                "/api/v1/partner/p/artworks?since=2026-11-21T00:00:00Z",
            ], words: ["%00", "%2e%2e", "..", "//", "?", "&", "=", "%", "+", "page=", "size=", "ids=1"])
        var found = 0
        for text in texts {
            guard let destination = try? Destination.parse(text) else { continue }
            #expect(destination.segments.allSatisfy { !$0.utf8.contains(0) })
            if let page = try? Page(destination.query) {
                #expect(page.number >= 1 && (1...Page.maximalSize).contains(page.size))
                let range = page.range(of: 100)
                #expect(range.lowerBound >= 0 && range.upperBound <= 100 && range.count <= page.size)
            }
            _ = try? ListQuery(destination.query)
            if Endpoint.parse(destination.segments) != nil { found += 1 }
        }
        #expect(found > 100, "the inputs get that far")
    }

    @Test func arbitraryRangeHeadersNeverExceedTheFile() {
        let etag = "\"e\""
        var parts = 0
        for text in Self.texts(
            ["bytes=0-99", "bytes=-5", "bytes=7-", "bytes=0-0,2-3", "items=1-2"], words: ["-", ",", "bytes="])
        {
            for size: Int64 in [0, 1, 100, .max] {
                guard
                    case .part(let range) = ByteRange.decide(
                        range: text, condition: nil, etag: etag, size: size)
                else { continue }
                #expect(range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= size, "\(text)")
                parts += 1
            }
            #expect(ByteRange.decide(range: text, condition: "\"f\"", etag: etag, size: 9) == .whole)
        }
        #expect(parts > 100)
    }

    @Test func arbitraryConditionHeadersNeverTrap() {
        var found = (weak: 0, strong: 0)
        for text in Self.texts(
            ["\"a\", W/\"b\"", "*", "W/\"e\"", "\"e\"", "\"a,\\\"b\""],
            words: ["\"", "W/", ",", "*", "\"e\""])
        {
            let weakly = EntityTag.isListedWeakly("\"e\"", in: text)
            let strongly = EntityTag.isListedStrongly("\"e\"", in: text)
            if weakly { found.weak += 1 }
            if strongly { found.strong += 1 }
            #expect(weakly || !strongly, "\(text)")
            let isNamed = text.utf8.firstRange(of: "\"e\"".utf8) != nil
            #expect(!weakly || isNamed || text.utf8.contains(UInt8(ascii: "*")), "\(text)")
        }
        #expect(found.weak > found.strong && found.strong > 100)
    }

    @Test func arbitrarySinceTimesNeverTrap() throws {
        let now = try #require(Timestamp("2026-11-22T09:00:00Z")),
            first = now.earlier(months: SinceQuery.months)
        var found = 0
        for text in Self.texts(
            ["2026-11-21T00:00:00Z", "2026-11-21T00:00:00.123456+01:00", "9999-12-31T23:59:59Z"],
            words: ["Z", "+", ":", "-", "T"])
        {
            guard let time = try? SinceQuery.time(text, now: now) else { continue }
            found += 1
            let read = try #require(Timestamp(time), "\(text)")
            #expect(read >= first && time.utf8.count == first.text.utf8.count, "\(text)")
        }
        #expect(found > 100)
    }

    @Test func arbitraryUsersFilesNeverTrap() {
        var found = 0
        for text in Self.texts(["name:password\n# one\nother:with:colon\n"], words: [":", "\n", "#"]) {
            guard let users = try? ServedUser.parse(text, path: "users") else { continue }
            found += 1
            #expect(!users.isEmpty && users.allSatisfy { !$0.name.isEmpty && !$0.password.isEmpty })
        }
        #expect(found > 100)
    }
}
