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
    /// Whether ``body`` is there. If not it is empty, and only the head was read: enough to ask whether the entry still
    /// holds. ``CanonicalURLCache/whole(_:_:)`` reads the rest.
    package var hasBody = true

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

    package var etag: String? { headers.firstValue(of: "ETag") }

    /// The headers of a response that is made from this entry at `now`: the stored ones with the current `Age`
    /// (section 4).
    package func servedHeaders(now: Double) -> HeaderFields {
        var served = headers
        served["Age"] = String(Int(Freshness(self, now: now).age))
        return served
    }

    /// Whether two entries hold the same representation, as far as their validators say; without one, only if both are
    /// the same answer.
    package func isSameRepresentation(as other: CacheEntry) -> Bool {
        guard status == other.status, vary == other.vary else { return false }
        let modified = headers.firstValue(of: "Last-Modified")
        guard etag == other.etag, modified == other.headers.firstValue(of: "Last-Modified") else {
            return false
        }
        return etag != nil || modified != nil
            || (requestTime == other.requestTime && responseTime == other.responseTime)
    }

    /// Tells one stored response from another of the same key and request: when it was asked for and came.
    struct Version: Sendable, Hashable {
        let requestTime: Double
        let responseTime: Double
    }

    var version: Version { Version(requestTime: requestTime, responseTime: responseTime) }

    var withoutBody: CacheEntry {
        var head = self
        head.body = []
        head.hasBody = false
        return head
    }

    /// With the status, fields and times of `head`, and its own body.
    func with(head: CacheEntry) -> CacheEntry {
        var whole = head
        whole.body = body
        whole.hasBody = hasBody
        return whole
    }

    /// About how many bytes it takes in memory and in the file.
    var cost: Int {
        var cost = body.count + key.utf8.count + vary.text.utf8.count + 64
        for index in headers.lines.indices {
            cost += headers.lines[index].name.utf8.count + headers.lines[index].value.utf8.count + 4
        }
        return cost
    }
}
