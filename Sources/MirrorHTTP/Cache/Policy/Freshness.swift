import Catalogue

/// The age and the freshness lifetime of a stored response (RFC 9111, section 4.2).
package struct Freshness: Sendable, Equatable {
    /// Seconds since the origin generated or validated the response (section 4.2.3).
    package let age: Double
    /// The `age`, in seconds, at which the response becomes stale (section 4.2.1).
    package let lifetime: Double

    package var isFresh: Bool { lifetime > age }
    /// Seconds since the response became stale; negative while it is fresh.
    package var staleness: Double { age - lifetime }

    /// The limit of heuristic lifetimes: seven days, in seconds.
    package static let longestHeuristic: Double = 7 * 86400

    package init(_ entry: CacheEntry, now: Double) {
        self.init(
            status: entry.status, headers: entry.headers, control: CacheControl(entry.headers),
            requestTime: entry.requestTime, responseTime: entry.responseTime, now: now)
    }

    package init(
        status: Int, headers: HeaderFields, control: CacheControl, requestTime: Double, responseTime: Double,
        now: Double
    ) {
        let date = headers.firstValue(of: "Date").flatMap { HTTPDate.parse($0, now: responseTime) }
        lifetime = Self.lifetime(
            status: status, headers: headers, control: control, date: date ?? responseTime,
            responseTime: responseTime)
        let apparent = max(0, responseTime - (date ?? responseTime))
        let corrected = Self.age(headers) + max(0, responseTime - requestTime)
        // A response time in the future means that the clock was set back by an unknown amount. A minute is tolerated.
        let resident = now - responseTime
        age = resident < -60 ? max(lifetime, 2_147_483_648) : max(apparent, corrected) + max(0, resident)
    }

    /// Whether the origin sent an explicit expiration time.
    package static func isExplicit(_ headers: HeaderFields, _ control: CacheControl) -> Bool {
        control.maxAge != nil || headers.has("Expires")
    }

    private static func lifetime(
        status: Int, headers: HeaderFields, control: CacheControl, date: Double, responseTime: Double
    ) -> Double {
        if let maxAge = control.maxAge { return maxAge }
        if let expires = headers.firstValue(of: "Expires") {
            // An invalid date, in particular `0`, counts as expired (section 5.3).
            return HTTPDate.parse(expires, now: responseTime).map { max(0, $0 - date) } ?? 0
        }
        guard control.isPublic || isHeuristicallyCacheable(status),
            let modified = headers.firstValue(of: "Last-Modified"),
            let lastModified = HTTPDate.parse(modified, now: responseTime)
        else { return 0 }
        return min(max(0, (date - lastModified) / 10), longestHeuristic)
    }

    /// The value of `Age` in seconds, at most 2^31; 0 without a valid one (section 5.1).
    ///
    /// Only the first member of the first line counts.
    static func age(_ headers: HeaderFields) -> Double {
        guard let value = headers.firstValue(of: "Age") else { return 0 }
        let member = value.utf8.prefix { $0 != 0x2C }
        return FieldList.deltaSeconds(EntityTag.trimmed(member)) ?? 0
    }

    /// Whether a status is heuristically cacheable (RFC 9110, section 15.1).
    package static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
