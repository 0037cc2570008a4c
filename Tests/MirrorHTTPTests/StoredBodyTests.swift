import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

/// Cache entries, written or pending, for a caller that has its own copy.
@Suite struct StoredBodyTests {
    let folder: TemporaryFolder
    let clock = VirtualClock(.jumping)
    let cache: CanonicalURLCache

    init() throws {
        folder = try TemporaryFolder()
        cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { [clock] in clock.now.timeIntervalSince1970 })
    }

    /// A session whose cache has body 1 with ETag 1, written to the file or pending.
    func session(_ headers: HeaderFields, written: Bool, then answer: @escaping ScriptedTransport.Handler)
        async throws -> TestSession
    {
        let test = try TestSession(clock: clock, cache: cache, handler: answer)
        test.transport.expect("GET", "/a", .text("1", etag: "\"1\"", headers: headers))
        _ = try await test.session.response(for: Request(.relative("/a")))
        if written { cache.flush() }
        return test
    }

    @Test(arguments: [true, false])
    func aConfirmedCacheEntryWithAnotherETagIsReturnedWithItsBody(written: Bool) async throws {
        let test = try await session(["Cache-Control": "no-cache"], written: written) { _ in
            .notModified(etag: "\"1\"")
        }
        let fetched = try await test.session.fetch(Request(.relative("/a")), known: "\"0\"")
        guard case .body(let response) = fetched else { throw TestSession.UnknownHost() }
        #expect(response.source == .revalidated && response.body == Array("1".utf8))
    }

    @Test(arguments: [true, false])
    func aStaleCacheEntryIsReturnedWithItsBodyAfterAnError(written: Bool) async throws {
        let headers: HeaderFields = ["Cache-Control": "max-age=1, stale-if-error=600"]
        let test = try await session(headers, written: written) { _ in .response(500) }
        clock.advance(by: .seconds(10))
        let fetched = try await test.session.fetch(Request(.relative("/a")), known: "\"1\"")
        guard case .body(let response) = fetched else { throw TestSession.UnknownHost() }
        #expect(response.source == .stale && response.body == Array("1".utf8))
    }

    @Test(arguments: [true, false])
    func a304ThatUpdatesHeaderFieldsKeepsTheBody(written: Bool) async throws {
        let test = try await session(["Cache-Control": "no-cache"], written: written) { _ in
            .notModified(etag: "\"1\"", headers: ["Cache-Control": "max-age=60", "X-New": "1"])
        }
        let confirmed = try await test.session.fetch(Request(.relative("/a")), known: "\"1\"")
        #expect(confirmed == .current(.notModified, confirmed.head))
        for _ in 0..<2 {
            let fresh = try await test.session.response(for: Request(.relative("/a")))
            #expect(fresh.source == .fresh && fresh.headers["X-New"] == "1")
            #expect(fresh.body == Array("1".utf8))
            cache.flush()
        }
    }

    @Test(arguments: [true, false])
    func aCacheEntryRemovedDuringItsValidationIsReturnedButNotStoredAgain(written: Bool) async throws {
        let cache = cache
        let test = try await session(["Cache-Control": "no-cache"], written: written) { _ in
            cache.remove("/a")
            if written { cache.flush() }
            return .notModified(etag: "\"1\"", headers: ["Cache-Control": "no-cache", "X-New": "1"])
        }
        let fetched = try await test.session.fetch(Request(.relative("/a")), known: "\"0\"")
        guard case .body(let response) = fetched else { throw TestSession.UnknownHost() }
        #expect(response.source == .revalidated && response.body == Array("1".utf8))
        #expect(cache.entry(for: "/a") == nil)
    }
}
