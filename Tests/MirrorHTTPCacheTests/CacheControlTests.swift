import Testing

@testable import MirrorHTTP

/// `cc-parse`.
struct CacheControlTests {
    @Test(
        arguments: [
            ([], nil), (["max-age=60"], 60), (["MAX-AGE=60"], 60), (["max-age=\"60\""], 60),
            (["max-age=0060"], 60),
            (["  max-age=60 , public"], 60), (["public,max-age=60"], 60), ([",, ,max-age=60,"], 60),
            (["public", "max-age=60"], 60), (["max-age=1800, max-age=1"], 1800),
            (["max-age=1", "max-age=1800"], 1),
            (["max-age =60"], 0), (["max-age= 60"], 0), (["max-age='60'"], 0), (["max-age=60.0"], 0),
            (["max-age=60a"], 0), (["max-age=a60"], 0), (["max-age=-1"], 0), (["max-age"], 0),
            (["max-age="], 0),
            (["max-age=\"60"], 0), (["max-age=\"60\"x"], 0), (["max-age=6 0"], 0), (["xmax-age=60"], nil),
            (["ext=\"max-age=60\", max-age=1"], 1), (["max-age=1, ext=\"max-age=60\""], 1),
            (["ext=\"a\\\"b, max-age=60\", max-age=2"], 2), (["ext=\"max-age=60"], nil),
            (["max-age=99999999999999999999"], 2_147_483_648), (["max-age=x, max-age=60"], 0),
        ] as [([String], Double?)])
    func maxAgeIsParsed(_ values: [String], _ expected: Double?) {
        #expect(CacheControl(values).maxAge == expected)
    }

    @Test func everyCacheControlDirectiveIsParsed() {
        let control = CacheControl([
            "No-StOrE, no-cache, must-revalidate, must-understand, public, private, immutable, only-if-cached",
            "max-stale=5, min-fresh=6, stale-if-error=7, stale-while-revalidate=8, s-maxage=9, proxy-revalidate",
        ])
        #expect(control.noStore && control.noCache && control.mustRevalidate && control.mustUnderstand)
        #expect(control.isPublic && control.isPrivate && control.immutable && control.onlyIfCached)
        #expect(control.maxStale == 5 && control.minFresh == 6)
        #expect(control.staleIfError == 7 && control.staleWhileRevalidate == 8)
        #expect(control.maxAge == nil && control.isPresent)
        #expect(!CacheControl([]).isPresent)
    }

    @Test(
        arguments: [
            ("max-stale", Double.infinity), ("max-stale=10", 10), ("max-stale=x", nil),
            ("max-stale=\"10\"", 10),
        ] as [(String, Double?)])
    func maxStaleWithoutAValueIsUnlimited(_ value: String, _ expected: Double?) {
        #expect(CacheControl([value]).maxStale == expected)
    }

    @Test func aQualifiedNoCacheListsHeaderFields() {
        let qualified = CacheControl(["no-cache=\"Set-Cookie, X-A\", max-age=5"])
        #expect(!qualified.noCache)
        #expect(qualified.noCacheFields == ["set-cookie", "x-a"])
        #expect(qualified.maxAge == 5)
        #expect(CacheControl(["no-cache=\"\""]).noCache)
        #expect(CacheControl(["no-cache, no-cache=\"a\""]).noCache)
    }

    @Test func unexpectedArgumentsDoNotWeakenDirectives() {
        #expect(CacheControl(["no-store=1"]).noStore)
        #expect(CacheControl(["no-store x"]).noStore)
        #expect(CacheControl(["\"no-store\""]).noStore == false)
        #expect(CacheControl(["no-store;max-age=5"]).noStore == false)
    }
}
