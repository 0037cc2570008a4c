import Testing

@testable import MirrorHTTP

struct StorabilityTests {
    /// `status`: with explicit freshness.
    @Test(arguments: [
        (200, true), (203, true), (204, true), (299, true), (301, true), (302, true), (303, true),
        (307, true),
        (308, true), (400, true), (404, true), (410, true), (499, true), (500, true), (502, true),
        (503, true),
        (504, true), (599, true), (100, false), (206, false), (304, false), (401, false), (407, false),
        (416, false), (428, false), (429, false), (431, false), (511, false),
    ])
    func mostStatusesAreReusableWithExplicitFreshness(_ status: Int, _ isStored: Bool) {
        let fresh = response(status, ["Cache-Control": "max-age=3600"])
        #expect(isReused(fresh, after: 10) == isStored)
        #expect(!isReused(fresh, after: 3601))
    }

    /// `method`, `authorization`, `cc-request`.
    @Test func aRequestMayForbidStoringItsResponse() {
        let fresh = response(200, ["Cache-Control": "max-age=3600"])
        for method in ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "M-SEARCH"] {
            #expect(stored(fresh, for: request(method)) == nil)
        }
        #expect(stored(fresh, for: request("GET", ["Cache-Control": "no-store"])) == nil)
        #expect(stored(fresh, for: request("GET", ["Cache-Control": "no-cache"])) != nil)
        #expect(isReused(fresh, after: 1, first: request("GET", ["Authorization": "Bearer x"])))
        #expect(isReused(fresh, after: 1, first: request("GET", ["Range": "bytes=0-1"])))
    }

    /// `cc-response`.
    @Test(arguments: [
        ("no-store", false), ("No-StOrE", false), ("max-age=100, no-store", false),
        ("private, max-age=100", true),
        ("public, max-age=100", true), ("max-age=100, must-revalidate", true),
        ("max-age=100, immutable", true),
        ("max-age=100, no-cache", false), ("max-age=100, No-CaChE", false),
        ("max-age=100, no-cache=\"x\"", true),
        ("max-age=100, must-understand, no-store", true), ("s-maxage=100", false),
        ("max-age=100, ext=1", true),
        ("max-age=100, proxy-revalidate", true), ("max-age=100, stale-if-error=x", true),
    ])
    func cacheControlOfAResponseDecidesItsReuse(_ control: String, _ isReusable: Bool) {
        #expect(isReused(response(200, ["Cache-Control": control]), after: 1) == isReusable)
    }

    @Test func mustUnderstandRequiresAKnownStatus() {
        #expect(stored(response(599, ["Cache-Control": "max-age=100, must-understand"])) == nil)
        #expect(stored(response(404, ["Cache-Control": "max-age=100, must-understand, no-store"])) != nil)
    }

    /// `pragma`: it has no meaning in a response.
    @Test func pragmaInAResponseIsIgnored() {
        #expect(isReused(response(200, ["Cache-Control": "max-age=100", "Pragma": "no-cache"]), after: 1))
        #expect(isReused(response(200, ["Last-Modified": date(-10_000), "Pragma": "no-cache"]), after: 1))
    }

    @Test func aResponseThatCanNeverBeReusedIsNotStored() {
        #expect(stored(response(200, [:])) == nil)
        #expect(stored(response(200, ["Cache-Control": "no-cache"])) == nil)
        #expect(stored(response(200, ["Cache-Control": "max-age=0"])) == nil)
        #expect(stored(response(200, ["Cache-Control": "no-cache", "ETag": "\"a\""])) != nil)
        #expect(stored(response(200, ["Last-Modified": date(-1)])) != nil)
        #expect(stored(response(200, ["Cache-Control": "max-age=0, stale-if-error=60"])) != nil)
        #expect(stored(response(503, ["ETag": "\"a\""])) == nil)
        #expect(stored(response(200, ["Cache-Control": "max-age=100", "Age": "200"])) == nil)
    }

    /// `headers`, `other`.
    @Test func connectionFieldsAndCookiesAreNotStored() throws {
        let headers: HeaderFields = [
            "Cache-Control": "max-age=100, no-cache=\"X-Once\"", "Connection": "X-Hop, close", "X-Hop": "1",
            "x-once": "2", "Keep-Alive": "5", "Proxy-Authenticate": "a", "Transfer-Encoding": "chunked",
            "Upgrade": "h2c", "Set-Cookie": "a=b", "X-Kept": "3", "Content-Type": "text/plain",
            "WWW-Authenticate": "x", "X-Twice": "1", "x-twice": "2",
        ]
        let entry = try #require(stored(response(200, headers)))
        #expect(
            entry.headers.lines.map(\.name) == [
                "Cache-Control", "X-Kept", "Content-Type", "WWW-Authenticate", "X-Twice", "x-twice", "Date",
            ])
        #expect(entry.headers["Date"] == date(0))
    }
}
