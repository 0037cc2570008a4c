import Testing

@testable import MirrorHTTP

/// The cache's decision before a request is sent.
struct CacheDecisionTests {
    private func decide(
        _ headers: HeaderFields, _ second: CacheRequest = request(), after seconds: Double = 0,
        status: Int = 200
    ) -> CachePolicy.Decision {
        CachePolicy.decide(second, entry: entry(headers, status: status), now: epoch + seconds)
    }

    private func use(
        _ control: String, _ requested: String, after seconds: Double = 0, age: Int = 0
    ) -> CachePolicy.Use? {
        let headers: HeaderFields = ["Cache-Control": control, "Age": "\(age)"]
        let decision = decide(headers, request("GET", ["Cache-Control": requested]), after: seconds)
        if case .fresh(_, let use) = decision { return use }
        return nil
    }

    /// `cc-request`, `stale`.
    @Test(
        arguments: [
            ("max-age=3600", "max-age=0", 0, 0, nil), ("max-age=3600", "max-age=1", 5, 0, nil),
            ("max-age=3600", "max-age=600", 0, 1800, nil), ("max-age=3600", "max-age=600", 5, 0, .fresh),
            ("max-age=3600", "max-age=x", 0, 0, nil),
            ("max-age=1", "max-stale=1000", 5, 0, .stale),
            ("max-age=1500", "max-stale=1000", 0, 2000, .stale),
            ("max-age=1", "max-stale=1000", 2000, 0, nil), ("max-age=1", "max-stale", 99_999, 0, .stale),
            ("max-age=1", "max-stale=x", 5, 0, nil),
            ("max-age=1, must-revalidate", "max-stale=1000", 5, 0, nil),
            ("max-age=1, no-cache", "max-stale=1000", 5, 0, nil),
            ("max-age=1", "max-stale=1000, max-age=3", 5, 0, nil),
            ("max-age=1500", "min-fresh=2000", 0, 0, nil), ("max-age=1500", "min-fresh=1000", 0, 1000, nil),
            ("max-age=1500", "min-fresh=1000", 0, 100, .fresh),
            ("max-age=1500", "min-fresh=1500", 0, 0, .fresh),
            ("max-age=3600", "no-cache", 0, 0, nil), ("max-age=3600", "no-store", 0, 0, nil),
            ("max-age=3600", "only-if-cached", 0, 0, .fresh), ("max-age=3600", "unknown=1", 0, 0, .fresh),
            ("max-age=3600, immutable", "max-age=0", 5, 0, .fresh),
            ("max-age=3600, immutable", "no-cache", 5, 0, nil),
            ("max-age=2, immutable", "max-age=0", 5, 0, nil),
            ("max-age=1, stale-while-revalidate=10", "x", 5, 0, .whileRevalidating),
            ("max-age=1, stale-while-revalidate=10", "x", 12, 0, nil),
            ("max-age=1, stale-while-revalidate=10", "max-age=0", 5, 0, nil),
            ("max-age=1, stale-while-revalidate=10", "only-if-cached", 5, 0, .stale),
            ("max-age=1, stale-while-revalidate=10, must-revalidate", "x", 5, 0, nil),
            ("max-age=10, must-revalidate", "x", 5, 0, .fresh),
            ("max-age=10, proxy-revalidate", "x", 5, 0, .fresh),
        ] as [(String, String, Double, Int, CachePolicy.Use?)])
    func directivesOfRequestAndResponseDecideOnReuse(
        _ control: String, _ requested: String, _ seconds: Double, _ age: Int, _ expected: CachePolicy.Use?
    ) {
        #expect(use(control, requested, after: seconds, age: age) == expected)
    }

    @Test func onlyIfCachedIsUnsatisfiableWithoutAUsableCacheEntry() {
        let requested = request("GET", ["Cache-Control": "only-if-cached"])
        #expect(CachePolicy.decide(requested, entry: nil, now: epoch) == .unsatisfiable)
        #expect(
            decide(["Cache-Control": "max-age=1", "ETag": "\"a\""], requested, after: 5) == .unsatisfiable)
    }

    /// `pragma`.
    @Test func pragmaInARequestCountsWithoutCacheControl() {
        let fresh: HeaderFields = ["Cache-Control": "max-age=3600", "ETag": "\"a\""]
        let conditions: HeaderFields = ["If-None-Match": "\"a\""]
        #expect(
            decide(fresh, request("GET", ["Pragma": "no-cache"])) == .revalidate(entry(fresh), conditions))
        #expect(decide(fresh, request("GET", ["Pragma": "other"])) == .fresh(entry(fresh), .fresh))
        #expect(
            decide(fresh, request("GET", ["Pragma": "no-cache", "Cache-Control": "max-age=9"]))
                == .fresh(entry(fresh), .fresh))
    }

    /// `conditional-etag`, `conditional-lm`: the conditions for validation.
    @Test func aStaleCacheEntryIsValidatedByItsValidators() {
        func conditions(_ headers: HeaderFields, status: Int = 200) -> HeaderFields? {
            var stale = headers
            stale.append("Cache-Control", "no-cache")
            guard case .revalidate(_, let added) = decide(stale, status: status) else { return nil }
            return added
        }
        let day = date(-86400)
        #expect(conditions(["ETag": "\"a\""]) == ["If-None-Match": "\"a\""])
        #expect(conditions(["ETag": "W/\"a\""]) == ["If-None-Match": "W/\"a\""])
        #expect(conditions(["Last-Modified": day]) == ["If-Modified-Since": day])
        #expect(
            conditions(["ETag": "\"a\"", "Last-Modified": day]) == [
                "If-None-Match": "\"a\"", "If-Modified-Since": day,
            ])
        #expect(conditions(["Last-Modified": "yesterday"]) == nil)
        #expect(conditions([:]) == nil)
        #expect(conditions(["ETag": "\"a\""], status: 404) == nil)
    }

    /// `conditional-*`: the caller's own request is conditional.
    @Test(arguments: [
        ("If-None-Match", "\"a\"", true), ("If-None-Match", "\"x\", \"a\"", true),
        ("If-None-Match", "*", true),
        ("If-None-Match", "W/\"a\"", true), ("If-None-Match", "\"x\"", false),
        ("If-Modified-Since", date(-100), true), ("If-Modified-Since", date(0), true),
        ("If-Modified-Since", date(-101), false), ("If-Modified-Since", "0", false),
    ])
    func theCallersConditionsAreAnsweredFromAFreshEntry(
        _ name: String, _ value: String, _ isNotModified: Bool
    ) {
        let headers: HeaderFields = [
            "Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": date(-100),
        ]
        let decision = decide(headers, request("GET", [name: value]))
        #expect(decision == .fresh(entry(headers), isNotModified ? .notModified : .fresh))
    }

    @Test func ifNoneMatchTakesPrecedenceOverIfModifiedSince() {
        let headers: HeaderFields = [
            "Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": date(-100),
        ]
        let requested = request("GET", ["If-None-Match": "\"x\"", "If-Modified-Since": date(0)])
        #expect(decide(headers, requested) == .fresh(entry(headers), .fresh))
    }

    @Test func theCallersConditionsAreNotMixedWithThoseOfTheCacheEntry() {
        let headers: HeaderFields = ["Cache-Control": "no-cache", "ETag": "\"a\""]
        for name in ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"] {
            #expect(decide(headers, request("GET", [name: "\"b\""])) == .miss)
        }
    }

    /// `partial`, `method`.
    @Test func rangeConditionalAndPostRequestsAreNotAnsweredFromTheCache() {
        let fresh: HeaderFields = ["Cache-Control": "max-age=60"]
        #expect(decide(fresh, request("GET", ["Range": "bytes=0-1"])) == .miss)
        #expect(decide(fresh, request("POST")) == .miss)
        #expect(decide(fresh, request("GET", ["If-Match": "\"a\""])) == .miss)
        #expect(decide(fresh, request("HEAD")) == .fresh(entry(fresh), .fresh))
        #expect(decide(["ETag": "\"a\""], request("HEAD")) == .miss)
    }

    @Test func aCacheEntryForOtherVaryHeadersIsNeverUsed() {
        let vary: HeaderFields = ["Vary": "Accept", "Cache-Control": "max-age=60", "ETag": "\"a\""]
        let key = VaryKey(response: vary, request: ["Accept": "a/b"])!
        let existing = entry(vary, vary: key)
        #expect(CachePolicy.decide(request("GET", ["Accept": "c/d"]), entry: existing, now: epoch) == .miss)
        #expect(
            CachePolicy.decide(request("GET", ["Accept": "a/b"]), entry: existing, now: epoch)
                == .fresh(existing, .fresh))
    }
}
