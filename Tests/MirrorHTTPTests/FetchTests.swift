import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct FetchRuleTests {
    static let tagged: HeaderFields = ["If-None-Match": "\"E\""]
    static let dated: HeaderFields = ["If-Modified-Since": "D"]
    /// Longer than servers accept.
    private static let long = "\"" + String(repeating: "e", count: 100_000) + "\""

    static let conditions: [(known: String?, stored: HeaderFields, sent: HeaderFields)] = [
        (nil, [:], [:]),
        ("\"K\"", [:], ["If-None-Match": "\"K\""]),
        ("\"E\"", tagged, ["If-None-Match": "\"E\""]),
        (nil, tagged, ["If-None-Match": "\"E\""]),
        ("\"K\"", tagged, ["If-None-Match": "\"K\", \"E\""]),
        ("W/\"E\"", tagged, ["If-None-Match": "W/\"E\""]),
        (nil, dated, ["If-Modified-Since": "D"]),
        ("\"K\"", dated, ["If-None-Match": "\"K\""]),
        (long, tagged, ["If-None-Match": "\"E\""]),
        (long, ["If-None-Match": long], [:]),
        ("\"K\"", ["If-None-Match": long], ["If-None-Match": "\"K\""]),
    ]

    @Test(arguments: conditions)
    func aRequestIsConditionalOnTheCallersCopyAndTheEntry(
        known: String?, stored: HeaderFields, sent: HeaderFields
    ) {
        #expect(FetchRule.conditions(known: known, stored: stored) == sent)
    }

    @Test(
        arguments: [(nil, false), ("\"K\"", false), ("\"E\"", true), ("W/\"E\"", true)] as [(String?, Bool)])
    func aFreshEntryWithTheKnownETagMakesTheCopyCurrent(known: String?, isCurrent: Bool) {
        for status in [200, 404] {
            let entry = CacheEntry(
                key: "/a", status: status, headers: ["ETag": "\"E\""], body: [], requestTime: 0,
                responseTime: 0)
            #expect(FetchRule.isCurrent(known, entry) == (isCurrent && status == 200))
        }
    }

    typealias Confirmed = FetchRule.Confirmed
    static let confirmations: [(String?, String?, HeaderFields, Confirmed)] = [
        ("\"K\"", "\"K\"", [:], .known(entry: false)), (nil, "\"K\"", [:], .known(entry: false)),
        ("\"X\"", "\"K\"", [:], .nothing), (nil, nil, [:], .nothing), ("\"X\"", nil, [:], .nothing),
        ("\"E\"", nil, tagged, .entry), (nil, nil, tagged, .entry), ("\"X\"", nil, tagged, .nothing),
        ("\"E\"", "\"E\"", tagged, .known(entry: true)), (nil, "\"E\"", tagged, .known(entry: true)),
        ("W/\"E\"", "\"E\"", tagged, .known(entry: true)),
        ("\"K\"", "\"K\"", tagged, .known(entry: false)), ("\"E\"", "\"K\"", tagged, .entry),
        (nil, "\"K\"", tagged, .nothing), (nil, nil, dated, .entry),
    ]

    @Test(arguments: confirmations)
    func aNotModifiedConfirmsTheCopyTheEntryOrNeither(
        answered: String?, known: String?, stored: HeaderFields, result: Confirmed
    ) {
        #expect(FetchRule.confirmed(by: answered, known: known, stored: stored) == result)
    }
}

/// Fetching with a known ETag and a cache: every row of ``FetchRule``'s table, through a session.
@Suite struct FetchTests {
    let folder: TemporaryFolder
    let clock = VirtualClock(.jumping)
    let test: TestSession

    init() throws {
        folder = try TemporaryFolder()
        let cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { [clock] in clock.now.timeIntervalSince1970 })
        test = try TestSession(clock: clock, cache: cache)
    }

    static let freshFor60: HeaderFields = ["Cache-Control": "max-age=60"]
    static let mustAsk: HeaderFields = ["Cache-Control": "no-cache"]

    /// Stores a response in the cache and writes it to the file.
    func store(_ answer: ScriptedAnswer) async throws {
        test.transport.expect("GET", "/a", answer)
        _ = try await test.session.response(for: Request(.relative("/a")))
        test.session.cache?.flush()
    }

    /// `current …` or `body … source`, and the condition of the last request sent for it.
    func fetch(_ known: String?, cache: Request.CacheUse = .use) async throws -> String {
        let before = test.transport.requests.count
        let fetched = try await test.session.fetch(Request(.relative("/a"), cache: cache), known: known)
        let sent = test.transport.requests.dropFirst(before).map { $0.headers["If-None-Match"] ?? "-" }
        try test.transport.verify()
        let what =
            switch fetched {
            case .current(let how, _): "current \(how)"
            case .body(let response):
                "body \(String(decoding: response.body, as: UTF8.self)) \(response.source)"
            }
        return sent.isEmpty ? what : "\(what), sent \(sent.joined(separator: " then "))"
    }

    @Test func aFreshEntryWithTheKnownETagNeedsNoRequest() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.freshFor60))
        #expect(try await fetch("\"1\"") == "current fresh")
        #expect(test.session.statistics.fromCache == 1)
    }

    @Test(arguments: [nil, "\"0\""])
    func aFreshEntryWithAnotherETagIsReturnedWithoutARequest(known: String?) async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.freshFor60))
        #expect(try await fetch(known) == "body 1 fresh")
    }

    @Test func aFreshEntryIsValidatedIfTheRequestHasNoCache() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.freshFor60))
        test.transport.expect("GET", "/a", .notModified(etag: "\"1\""))
        #expect(try await fetch("\"1\"", cache: .noCache) == "current notModified, sent \"1\"")
        #expect(test.transport.requests.last?.headers["Cache-Control"] == "no-cache")
    }

    @Test func aKnownETagIsConfirmedWithoutACacheEntry() async throws {
        test.transport.expect("GET", "/a", .notModified(etag: "\"1\""))
        #expect(try await fetch("\"1\"") == "current notModified, sent \"1\"")
        #expect(test.session.statistics.notModified == 1)
    }

    @Test func aStaleEntryIsConfirmedForACallerWithoutACopy() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.mustAsk))
        test.transport.expect("GET", "/a", .notModified(etag: "\"1\""))
        #expect(try await fetch(nil) == "body 1 revalidated, sent \"1\"")
    }

    @Test func anEntryNewerThanTheCallersCopySavesTheTransfer() async throws {
        try await store(.text("2", etag: "\"2\"", headers: Self.mustAsk))
        test.transport.expect("GET", "/a", .notModified(etag: "\"2\""))
        #expect(try await fetch("\"1\"") == "body 2 revalidated, sent \"1\", \"2\"")
    }

    @Test func aNotModifiedMakesAStaleEntryFresh() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.freshFor60))
        clock.advance(by: .seconds(61))
        test.transport.expect("GET", "/a", .notModified(etag: "\"1\"", headers: Self.freshFor60))
        #expect(try await fetch("\"1\"") == "current notModified, sent \"1\"")
        #expect(try await fetch("\"1\"") == "current fresh")
    }

    @Test func aChangedBodyIsStoredAndReturned() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.mustAsk))
        test.transport.expect("GET", "/a", .text("2", etag: "\"2\"", headers: Self.freshFor60))
        #expect(try await fetch("\"1\"") == "body 2 network, sent \"1\"")
        #expect(try await fetch("\"2\"") == "current fresh")
    }

    @Test func aRequestIsRepeatedUnconditionallyIfItsNotModifiedConfirmsNothing() async throws {
        // The server answers an unconditional request with 304.
        test.transport.expect("GET", "/a", .notModified(), .text("1"))
        #expect(try await fetch(nil) == "body 1 network, sent - then -")
        // The server confirms an ETag that was not sent.
        test.transport.expect("GET", "/a", .notModified(etag: "\"9\""), .text("2", etag: "\"9\""))
        #expect(try await fetch("\"1\"") == "body 2 network, sent \"1\" then -")
    }

    @Test func aRequestIsRepeatedUnconditionallyIfItsNotModifiedIsAmbiguous() async throws {
        try await store(.text("2", etag: "\"2\"", headers: Self.mustAsk))
        test.transport.expect("GET", "/a", .notModified(), .text("2", etag: "\"2\""))
        #expect(try await fetch("\"1\"") == "body 2 network, sent \"1\", \"2\" then -")
    }

    @Test func aServerThatAlwaysAnswersNotModifiedIsAnError() async throws {
        test.transport.expect("GET", "/a", .notModified(etag: "\"9\""), .notModified(etag: "\"9\""))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a")), known: "\"1\"")
        }
        #expect(error?.code == .badResponse)
        try test.transport.verify()
    }

    @Test func anEntryIsConfirmedByItsDateAlone() async throws {
        let headers: HeaderFields = [
            "Last-Modified": "Mon, 13 Nov 2023 00:00:00 GMT", "Cache-Control": "no-cache",
        ]
        try await store(.text("1", headers: headers))
        test.transport.expect("GET", "/a", .notModified())
        #expect(try await fetch(nil) == "body 1 revalidated, sent -")
        #expect(test.transport.requests.last?.headers["If-Modified-Since"] == "Mon, 13 Nov 2023 00:00:00 GMT")
    }

    @Test func aRequestThatBypassesTheCacheNeitherReadsNorStores() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.freshFor60))
        test.transport.expect("GET", "/a", .text("2", etag: "\"2\"", headers: Self.freshFor60))
        #expect(try await fetch(nil, cache: .bypass) == "body 2 network, sent -")
        #expect(try await fetch(nil) == "body 1 fresh")
    }

    @Test func aStaleEntryReplacesAFailedResponseOnlyIfAllowed() async throws {
        try await store(
            .text("1", etag: "\"1\"", headers: ["Cache-Control": "max-age=1, stale-if-error=600"]))
        clock.advance(by: .seconds(10))
        test.transport.expect("GET", "/a", .response(500), .failure(.connectionLost))
        let first = try await test.session.fetch(Request(.relative("/a")), known: nil)
        #expect(first.head.source == .stale)
        let second = try await test.session.fetch(Request(.relative("/a")), known: nil)
        #expect(second.head.source == .stale)
        // Lists are always requested with no-cache, so no stale entry may be used.
        test.transport.expect("GET", "/a", .response(500))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a"), cache: .noCache), known: nil)
        }
        #expect(error?.code == .serverError)
        try test.transport.verify()
    }

    @Test func anUnsafeRequestInvalidatesItsCacheEntry() async throws {
        try await store(.text("1", etag: "\"1\"", headers: Self.freshFor60))
        test.transport.expect("PUT", "/a", .text("{}"))
        _ = try await test.session.response(for: Request(method: "PUT", .relative("/a"), body: [1]))
        test.transport.expect("GET", "/a", .text("2", etag: "\"2\""))
        #expect(try await fetch(nil) == "body 2 network, sent -")
    }

    @Test func theCallersOwnConditionsAreAnsweredByTheServer() async throws {
        test.transport.expect("GET", "/a", .notModified(etag: "\"1\""))
        let request = Request(.relative("/a"), headers: ["If-None-Match": "\"1\""])
        #expect(try await test.session.response(for: request).status == 304)
        try test.transport.verify()
    }

    @Test func redirectedResponsesAreStoredUnderTheirFinalAddress() async throws {
        test.transport.expect(
            "GET", "/a", .response(302, headers: ["Location": "b"]),
            .response(302, headers: ["Location": "b"]))
        test.transport.expect("GET", "/b", .text("b", etag: "\"b\"", headers: Self.freshFor60))
        _ = try await test.session.fetch(Request(.relative("/a")), known: "\"b\"")
        let again = try await test.session.fetch(Request(.relative("/a")), known: "\"b\"")
        #expect(again == .current(.fresh, again.head))
        try test.transport.verify()
    }

    @Test func httpErrorsHaveStatusReasonAndRetryAfter() async throws {
        test.transport.expect(
            "GET", "/a", .text(#"{"error":"since_too_old"}"#, status: 400),
            .text(#"{"error":"bad \u0000 words <b>"}"#, status: 409), .response(410),
            .response(503, headers: ["Retry-After": "7"]))
        let errors = try await [0, 1, 2, 3].asyncMap { _ in
            try await httpError { _ = try await test.session.fetch(Request(.relative("/a")), known: nil) }
        }
        #expect(errors.map { $0?.status } == [400, 409, 410, 503])
        #expect(errors.map { $0?.reason } == ["since_too_old", nil, nil, nil])
        #expect(errors[3]?.retryAfter == .seconds(7))
        #expect(errors.allSatisfy { $0?.isNotSupported == false })
    }
}

extension Array {
    func asyncMap<T>(_ change: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await change(element)) }
        return result
    }
}
