import Testing

@testable import MirrorHTTP

struct FreshnessTests {
    /// `cc-freshness`, `expires-freshness`, `expires-parse`.
    @Test(
        arguments: [
            ([("Cache-Control", "max-age=60")], 60), ([], 0), ([("Cache-Control", "max-age=0")], 0),
            ([("Expires", date(60)), ("Date", date(0))], 60), ([("Expires", date(60))], 60),
            ([("Expires", date(60)), ("Date", date(-10))], 70),
            ([("Expires", date(-60)), ("Date", date(0))], 0),
            ([("Expires", "0"), ("Date", date(0))], 0), ([("Expires", "-1")], 0), ([("Expires", "")], 0),
            ([("Expires", "Thu, 18 Aug 2050 02:01:18 UTC"), ("Last-Modified", date(-1000))], 0),
            ([("Expires", date(60)), ("Expires", date(3600)), ("Date", date(0))], 60),
            ([("Expires", date(3600)), ("Cache-Control", "max-age=5")], 5),
            ([("Expires", date(3600)), ("Cache-Control", "max-age=nonsense")], 0),
            ([("Expires", date(3600)), ("Cache-Control", "s-maxage=5"), ("Date", date(0))], 3600),
            ([("Cache-Control", "s-maxage=5")], 0),
            ([("Last-Modified", date(-1000)), ("Date", date(0))], 100),
            ([("Last-Modified", date(-1000))], 100),
            ([("Last-Modified", date(-100_000_000)), ("Date", date(0))], 7 * 86400),
            ([("Last-Modified", date(1000)), ("Date", date(0))], 0), ([("Last-Modified", "yesterday")], 0),
        ] as [([(String, String)], Double)])
    func theFreshnessLifetimeComesFromTheFirstExplicitField(_ headers: [(String, String)], _ lifetime: Double)
    {
        #expect(Freshness(entry(HeaderFields(headers)), now: epoch).lifetime == lifetime)
    }

    /// `heuristic-*`: only statuses that are heuristically cacheable, or `public`.
    @Test(arguments: [
        (200, true), (201, false), (202, false), (203, true), (204, true), (302, false), (301, true),
        (308, true),
        (403, false), (404, true), (405, true), (410, true), (414, true), (501, true), (502, false),
        (503, false),
        (504, false), (599, false),
    ])
    func heuristicFreshnessDependsOnTheStatus(_ status: Int, _ isAllowed: Bool) {
        let headers: HeaderFields = ["Last-Modified": date(-86400), "Date": date(0)]
        #expect(Freshness(entry(headers, status: status), now: epoch).isFresh == isAllowed)
        var isPublic = headers
        isPublic.append("Cache-Control", "public")
        #expect(Freshness(entry(isPublic, status: status), now: epoch).isFresh)
    }

    /// `age-parse`.
    @Test(
        arguments: [
            (["30"], 30), (["7200, 0"], 7200), (["0, 7200"], 0), (["7200", "0"], 7200), (["0", "7200"], 0),
            (["abc"], 0), (["-7200"], 0), (["7200.0"], 0), ([""], 0), ([" 30 "], 30), ([], 0),
            (["99999999999999"], 2_147_483_648),
        ] as [([String], Double)])
    func theAgeFieldsFirstNumberCounts(_ values: [String], _ age: Double) {
        var headers: HeaderFields = ["Date": date(0)]
        for value in values { headers.append("Age", value) }
        #expect(Freshness(entry(headers), now: epoch).age == age)
    }

    /// Section 4.2.3.
    @Test(
        arguments: [
            // Date, Age, request time, response time, now: age
            (0, nil, 0, 0, 0, 0), (0, nil, 0, 0, 5, 5), (-100, nil, 0, 0, 5, 105), (100, nil, 0, 0, 5, 5),
            (0, 30, 0, 0, 0, 30), (0, 30, -4, 0, 0, 34), (-100, 30, -4, 0, 0, 100), (0, nil, -4, 0, 0, 4),
            (nil, nil, 0, 0, 7, 7), (0, nil, 0, 0, -30, 0),
        ] as [(Double?, Int?, Double, Double, Double, Double)])
    func theAgeIncludesTransitAndStorageTime(
        _ date: Double?, _ age: Int?, _ sent: Double, _ received: Double, _ now: Double, _ expected: Double
    ) {
        var headers = HeaderFields()
        if let date { headers.append("Date", HTTPDate.format(epoch + date)) }
        if let age { headers.append("Age", "\(age)") }
        let entry = CacheEntry(
            key: "", status: 200, headers: headers, body: [], requestTime: epoch + sent,
            responseTime: epoch + received)
        #expect(Freshness(entry, now: epoch + now).age == expected)
    }

    @Test func aCacheEntryWithATimeInTheFutureIsStale() {
        let entry = entry(["Cache-Control": "max-age=3600"])
        #expect(!Freshness(entry, now: epoch - 86400).isFresh)
        #expect(Freshness(entry, now: epoch - 5).isFresh)
    }

    @Test func aCacheEntryIsStaleWhenItsAgeReachesItsLifetime() {
        let entry = entry(["Cache-Control": "max-age=60"])
        #expect(Freshness(entry, now: epoch + 59.9).isFresh)
        #expect(!Freshness(entry, now: epoch + 60).isFresh)
    }

    @Test func aResponseFromTheCacheHasItsCurrentAge() {
        let entry = entry(["Age": "10", "X": "y", "Date": date(0)])
        let served = entry.servedHeaders(now: epoch + 5.7)
        #expect(served.values(of: "Age") == ["15"])
        #expect(served["X"] == "y" && served["Date"] == date(0))
    }
}
