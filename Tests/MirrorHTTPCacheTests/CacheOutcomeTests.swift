import Testing

@testable import MirrorHTTP

/// The cache's decision after a response.
struct CacheOutcomeTests {
    private let url = "https://example.org/api/v1/artwork/a"

    private func after(
        _ response: CacheResponse, _ request: CacheRequest = request(), existing entry: CacheEntry?,
        isConditional: Bool = false
    ) -> CachePolicy.Outcome {
        CachePolicy.afterResponse(
            response, to: request, entry: entry, isConditional: isConditional, key: "/artwork/a")
    }

    /// `update304`.
    @Test(arguments: [
        "Test-Header", "X-Test-Header", "Content-Foo", "Content-Type", "Content-Location", "Expires",
        "Content-Security-Policy", "Cache-Control", "Content-MD5", "Last-Modified", "Date", "Age",
    ])
    func aNotModifiedReplacesStoredFields(_ name: String) {
        let existing = entry([name: "old", "ETag": "\"a\"", "X-Other": "kept", "Date": date(-50)])
        let answer = response(304, ["ETag": "\"a\"", name: "new"], body: "", at: epoch + 9)
        guard case .update(let updated) = after(answer, existing: existing, isConditional: true) else {
            Issue.record("not updated")
            return
        }
        #expect(updated.headers.values(of: name) == ["new"])
        #expect(updated.headers["X-Other"] == "kept")
        #expect(updated.body == existing.body && updated.status == 200)
        #expect(updated.requestTime == epoch + 9 && updated.responseTime == epoch + 9)
    }

    @Test(arguments: ["Content-Length", "Content-Encoding", "Content-Range", "Set-Cookie", "Connection"])
    func a304NeverChangesHeaderFieldsThatDescribeTheBody(_ name: String) {
        let existing = entry(["ETag": "\"a\"", "Content-Length": "4"])
        let answer = response(304, ["ETag": "\"a\"", name: "new"], body: "")
        guard case .update(let updated) = after(answer, existing: existing, isConditional: true) else {
            Issue.record("not updated")
            return
        }
        #expect(updated.headers[name] == existing.headers[name])
    }

    @Test func a304ResetsTheAgeOfACacheEntry() {
        let existing = entry([
            "ETag": "\"a\"", "Age": "500", "Date": date(-500), "Cache-Control": "max-age=60",
        ])
        let answer = response(304, ["ETag": "\"a\""], body: "", at: epoch + 100)
        guard case .update(let updated) = after(answer, existing: existing, isConditional: true) else {
            Issue.record("not updated")
            return
        }
        #expect(updated.headers["Age"] == nil && updated.headers["Date"] == date(100))
        #expect(Freshness(updated, now: epoch + 110).age == 10)
    }

    @Test(
        arguments: [
            (["ETag": "\"a\""], true), (["ETag": "W/\"a\""], true), (["ETag": "\"b\""], false), ([:], true),
            (["Last-Modified": date(-9)], true), (["Last-Modified": date(-8)], false),
            (["ETag": "\"a\"", "Last-Modified": date(-8)], true),
        ] as [(HeaderFields, Bool)])
    func aNotModifiedMustReferToTheEntry(_ headers: HeaderFields, _ isConfirmed: Bool) {
        let existing = entry(["ETag": "\"a\"", "Last-Modified": date(-9)])
        let outcome = after(response(304, headers, body: ""), existing: existing, isConditional: true)
        if case .update = outcome { #expect(isConfirmed) } else { #expect(!isConfirmed) }
        #expect((outcome == .repeatUnconditionally) == !isConfirmed)
    }

    @Test func a304ToTheCallersConditionUpdatesOnlyACacheEntryWithTheSameETag() {
        let existing = entry(["ETag": "\"a\""])
        let own = request("GET", ["If-None-Match": "\"a\", \"b\""])
        if case .update = after(response(304, ["ETag": "\"a\""], body: ""), own, existing: existing) {
        } else {
            Issue.record("not updated")
        }
        #expect(after(response(304, ["ETag": "\"b\""], body: ""), own, existing: existing) == .pass)
        #expect(after(response(304, [:], body: ""), own, existing: existing) == .pass)
        #expect(after(response(304, ["ETag": "\"a\""], body: ""), own, existing: nil) == .pass)
    }

    /// `updateHEAD`.
    @Test(
        arguments: [
            (200, ["ETag": "\"a\"", "X": "2"], "update"), (200, ["X": "2", "Content-Length": "4"], "update"),
            (200, ["X": "2", "Content-Length": "5"], "invalidate"), (200, ["ETag": "\"b\""], "invalidate"),
            (200, ["Content-Length": "9", "Content-Encoding": "gzip"], "update"), (410, ["X": "2"], "pass"),
            (500, ["X": "2"], "pass"),
        ] as [(Int, HeaderFields, String)])
    func aHeadResponseUpdatesAnEntryOfTheSameRepresentation(
        _ status: Int, _ headers: HeaderFields, _ expected: String
    ) {
        let existing = entry(["ETag": "\"a\"", "X": "1"])
        switch after(response(status, headers, body: ""), request("HEAD"), existing: existing) {
        case .update(let updated):
            #expect(expected == "update")
            #expect(updated.body == existing.body && updated.headers["X"] == headers["X"] ?? "1")
        case .invalidate(let urls): #expect(expected == "invalidate" && urls == [url])
        case let other: #expect(expected == "pass" && other == .pass)
        }
    }

    /// `invalidation`.
    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
    func unsafeMethodsInvalidateCacheEntries(_ method: String) {
        let headers: HeaderFields = [
            "Location": "/api/v1/artwork/b", "Content-Location": "https://EXAMPLE.org/api/v1/x?b=1&a=2",
        ]
        let urls = [url, "https://example.org/api/v1/artwork/b", "https://example.org/api/v1/x?a=2&b=1"]
        #expect(after(response(201, headers), request(method), existing: nil) == .invalidate(urls))
        #expect(after(response(303, [:]), request(method), existing: nil) == .invalidate([url]))
        #expect(after(response(500, headers), request(method), existing: nil) == .pass)
        #expect(after(response(404, headers), request(method), existing: nil) == .pass)
        let elsewhere: HeaderFields = ["Location": "https://other.example/a", "Content-Location": "//o/x"]
        #expect(after(response(200, elsewhere), request(method), existing: nil) == .invalidate([url]))
        let otherPort: HeaderFields = ["Location": "https://example.org:8443/a", "Content-Location": ""]
        #expect(after(response(200, otherPort), request(method), existing: nil) == .invalidate([url]))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE"])
    func safeMethodsInvalidateNoCacheEntries(_ method: String) {
        #expect(after(response(200, ["Location": "/api/v1/x"]), request(method), existing: nil) == .pass)
    }

    /// `stale`, RFC 5861.
    @Test(arguments: [
        ("max-age=2, stale-if-error=60", "", 30, true), ("max-age=2, stale-if-error=60", "", 63, false),
        ("max-age=2", "", 5, false), ("max-age=2", "stale-if-error=60", 30, true),
        ("max-age=2, stale-if-error=60", "stale-if-error=5", 30, false),
        ("max-age=2, stale-if-error=60, must-revalidate", "", 30, false),
        ("max-age=2, stale-if-error=60, no-cache", "", 30, false),
        ("max-age=2, stale-if-error=60", "no-cache", 30, false),
        ("max-age=2, stale-if-error=60", "no-store", 30, false),
        ("max-age=2, stale-if-error=60, proxy-revalidate", "", 30, true),
    ])
    func staleIfErrorAllowsAStaleEntryAfterAnError(
        _ control: String, _ requested: String, _ seconds: Double, _ isServed: Bool
    ) {
        let existing = entry(["Cache-Control": control, "ETag": "\"a\""])
        let request = request("GET", requested.isEmpty ? [:] : ["Cache-Control": requested])
        let now = epoch + seconds
        for status in [500, 502, 503, 504] {
            #expect(
                (after(response(status, at: now), request, existing: existing) == .serveStale(existing))
                    == isServed)
        }
        #expect(
            after(response(501, ["Cache-Control": "no-store"], at: now), request, existing: existing) == .pass
        )
        #expect((CachePolicy.afterFailure(request, entry: existing, now: now) == existing) == isServed)
    }

    @Test func noStaleCacheEntryIsUsedAfterAFailureWithoutStaleIfError() {
        let existing = entry(["Cache-Control": "max-age=2, stale-if-error=60"])
        #expect(CachePolicy.afterFailure(request(), entry: nil, now: epoch + 5) == nil)
        #expect(CachePolicy.afterFailure(request("POST"), entry: existing, now: epoch + 5) == nil)
        #expect(
            CachePolicy.afterFailure(request("GET", ["Range": "bytes=0-"]), entry: existing, now: epoch + 5)
                == nil)
        #expect(
            CachePolicy.afterFailure(
                request("GET", ["If-None-Match": "\"x\""]), entry: existing, now: epoch + 5)
                == nil)
    }

    @Test func anErrorNeverReplacesASuccessfulCacheEntry() {
        let existing = entry(["ETag": "\"a\""])
        let error = response(503, ["Cache-Control": "max-age=600"])
        #expect(after(error, existing: existing) == .pass)
        if case .store = after(error, existing: nil) {} else { Issue.record("explicitly fresh, not stored") }
    }

    @Test func aNewerResponseThatCannotBeStoredRemovesTheCacheEntry() {
        let existing = entry(["ETag": "\"a\""])
        for status in [200, 301, 404, 410] {
            let answer = response(status, ["Cache-Control": "no-store"])
            #expect(after(answer, existing: existing) == .invalidate([url]))
            #expect(after(answer, existing: nil) == .pass)
        }
        for status in [206, 304, 401, 403, 429] {
            #expect(after(response(status, ["Cache-Control": "no-store"]), existing: existing) == .pass)
        }
    }

    /// `partial`.
    @Test func partialContentIsNotStored() {
        let headers: HeaderFields = [
            "Cache-Control": "max-age=3600", "Content-Range": "bytes 0-1/9", "ETag": "\"a\"",
        ]
        let ranged = request("GET", ["Range": "bytes=0-1"])
        #expect(after(response(206, headers), ranged, existing: nil) == .pass)
        #expect(after(response(206, headers), ranged, existing: entry(["ETag": "\"a\""])) == .pass)
        #expect(after(response(416, headers), ranged, existing: entry(["ETag": "\"a\""])) == .pass)
    }
}
