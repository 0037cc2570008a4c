/// One stored response, and what is needed to use it again (RFC 9111, section 3).
package struct CacheEntry: Sendable, Equatable {
    /// Canonical, relative to the base of the cache's origin: what ``CanonicalURLCache/key(for:)`` gives.
    package var key: String
    package var status: Int
    /// As they were stored: without the fields of the connection, and without cookies.
    package var headers: HeaderFields
    package var body: [UInt8]
    /// When the request was sent, in seconds since 1970 by the own clock.
    package var requestTime: Double
    /// When the response came, in seconds since 1970 by the own clock.
    package var responseTime: Double
    /// What the request said in the fields that the response's `Vary` names.
    package var vary: VaryKey

    package init(
        key: String, status: Int, headers: HeaderFields, body: [UInt8], requestTime: Double,
        responseTime: Double,
        vary: VaryKey = .none
    ) {
        self.key = key
        self.status = status
        self.headers = headers
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.vary = vary
    }

    package var etag: String? { headers.values(of: "ETag").first }

    /// The headers of a response that is made from this entry at `now`: the stored ones with the current `Age`
    /// (section 4).
    package func servedHeaders(now: Double) -> HeaderFields {
        var served = headers
        served["Age"] = String(Int(Freshness(self, now: now).age))
        return served
    }

    /// About how many bytes it takes in memory and in the file.
    var cost: Int {
        headers.lines.reduce(body.count + key.utf8.count + vary.text.utf8.count + 64) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
    }
}
