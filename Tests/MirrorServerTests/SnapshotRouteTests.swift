import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("The snapshot") struct SnapshotRouteTests {
    private let test: TestServer
    private let router = Router(partner: TestServer.partner)
    private var store: CatalogueStore { test.store }

    init() throws {
        test = try TestServer()
        try store.put(.user, "u")
        for id in ["a/b", "a", "a-1", "a b", "é", "w3"] + (0..<30).map({ "n\($0)" }) {
            try store.put(.artwork, id)
        }
        try store.put(.artist, "x", #"{"id":"x","name":"X"}"#)
        for id in ["s", "s-1", "s 1"] { try store.put(show: id, start: nil, end: nil) }
    }

    private struct Line {
        let url, etag: String
        let body: JSONValue
    }

    private static func count(_ line: JSONObject) -> Int? { line["count"]?.numberValue?.intValue }

    private func lines(_ url: String? = nil, event: String? = nil) async throws -> (
        head: JSONObject, lines: [Line], end: JSONObject
    ) {
        let answer = try await test.get(router.snapshot(after: url, event: event))
        #expect(answer.status == 200)
        let values = try answer.text.split(separator: "\n").map {
            try #require(try JSONValue(parsing: String($0)).objectValue)
        }
        let lines = try values.dropFirst().dropLast().map { value in
            Line(
                url: try #require(value["url"]?.stringValue), etag: try #require(value["etag"]?.stringValue),
                body: try #require(value["body"]))
        }
        return (try #require(values.first), lines, try #require(values.last))
    }

    @Test func eachSnapshotLineEqualsTheAnswerOfItsURL() async throws {
        let (head, lines, end) = try await lines()
        #expect(Self.count(head) == lines.count && Self.count(end) == lines.count)
        #expect(end["end"] == .bool(true))
        #expect(head["event_id"]?.stringValue == (try store.latestEvent()?.text))
        for line in lines where !line.url.contains("/images?") {
            let answer = try await test.get(line.url)
            #expect(answer.status == 200 && answer.etag == line.etag, "\(line.url)")
            #expect(try answer.json() == line.body, "\(line.url)")
        }
    }

    @Test func aSnapshotContainsTheURLsOfTheDigestAndTheOwnLists() async throws {
        let urls = try await lines().lines.map(\.url)
        #expect(urls == urls.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let leaves = try store.digestLeaves(.root, .served).map(\.url)
        let own = Kinds.standard.listed.compactMap { router.list($0).listURL }
        #expect(Set(urls) == Set(leaves + own) && urls.count == leaves.count + own.count)
    }

    /// The size before compression. For a resumed snapshot, of the remaining lines.
    @Test func theFirstSnapshotLineEstimatesTheSizeWithinTenPercent() async throws {
        try store.put(.album, "m", #"{"id":"m","name":"Long"}"#)
        try store.put((0..<30).map { "n\($0)" }, in: Owner(.album, "m"))
        try store.put(
            .artwork, "large", #"{"id":"large","title":"\#(String(repeating: "x", count: 5_000))"}"#)
        func check(_ route: Route) async throws {
            let text = try await test.get(route).text
            let head = try #require(try JSONValue(parsing: String(text.prefix { $0 != "\n" })).objectValue)
            let bytes = try #require(head["bytes"]?.numberValue?.doubleValue)
            #expect(abs(bytes - Double(text.utf8.count)) <= Double(text.utf8.count) * 0.1)
        }
        try await check(router.snapshot())
        let (head, whole, _) = try await lines()
        let event = try #require(head["event_id"]?.stringValue)
        try await check(router.snapshot(after: whole[whole.count / 2].url, event: event))
    }

    @Test func aSampleOfASnapshotHasSpecialAndOtherEntriesInOrder() throws {
        let source = try #require(try ServedLeaves(store))
        let instant = try #require(try store.servedSnapshot(from: source, and: source.ownLists))
        defer { instant.close() }
        let sample = try instant.sample(after: 2, where: "url LIKE '%?%'", limit: 6)
        #expect(sample.special.count + sample.others.count == (try instant.count()) - 2)
        for part in [sample.special, sample.others] {
            #expect((1...6).contains(part.entries.count) && part.entries.allSatisfy { $0.number > 2 })
            #expect(part.entries.map(\.number) == part.entries.map(\.number).sorted())
        }
        #expect(sample.special.entries.allSatisfy { $0.url.contains("?") })
        #expect(sample.others.entries.allSatisfy { !$0.url.contains("?") })
    }

    @Test func aSnapshotIsCompressedForClientsThatAcceptGzip() async throws {
        let url = router.snapshot().canonicalURL
        let plain = try await test.get(url)
        #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
        let packed = try await test.get(url, [.acceptEncoding: "br, gzip"])
        #expect(packed.headers[.contentEncoding] == "gzip" && packed.headers[.vary] == "Accept-Encoding")
        #expect(packed.body.starts(with: [0x1F, 0x8B]) && packed.body.count < plain.body.count)
    }

    @Test func anInterruptedSnapshotIsResumedAfterTheLastLine() async throws {
        let (head, whole, _) = try await lines()
        let event = try #require(head["event_id"]?.stringValue)
        for place in [0, 7, whole.count - 1] {
            let (_, rest, end) = try await lines(whole[place].url, event: event)
            #expect(rest.map(\.url) == whole[(place + 1)...].map(\.url))
            #expect(Self.count(end) == rest.count)
        }
        try store.put(.artwork, "zz")
        let (later, rest, _) = try await lines(whole[7].url, event: event)
        #expect(later["event_id"] != head["event_id"])
        #expect(rest.map(\.url).contains("/artwork/zz"))
    }

    @Test(arguments: [
        ("/partner/p1/snapshot?after=%2Fartwork%2Fa", 400),
        ("/partner/p1/snapshot?after=%2Fartwork%2Fa&event_id=nonsense", 409),
        ("/partner/p1/snapshot?after=%2Fartwork%2Fa&event_id=abcdef-1-0", 409),
        ("/partner/other/snapshot", 404),
    ]) func invalidSnapshotRequestsAreRejected(_ url: String, _ status: Int) async throws {
        #expect(try await test.get(url).status == status)
    }

    @Test func aSnapshotCannotBeResumedAfterTheLogWasTruncated() async throws {
        let event = try #require(try await lines().head["event_id"]?.stringValue)
        test.pass(200 * 86_400)
        try store.put(.artwork, "zz")
        test.pass()
        try store.trimHistory(olderThan: store.timestamp())
        #expect(try await test.get(router.snapshot(after: "/artwork/a", event: event)).status == 409)
    }
}
