/// What the cache's rules look at of a request.
package struct CacheRequest: Sendable {
    package var method: String
    /// Absolute.
    package var url: String
    package var headers: HeaderFields

    package init(method: String = "GET", url: String, headers: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// Whether the caller itself asks conditionally: then a `304` is an answer to the caller.
    package var hasOwnConditions: Bool {
        headers.has("If-None-Match") || headers.has("If-Modified-Since") || headers.has("If-Match")
            || headers.has("If-Unmodified-Since") || headers.has("If-Range")
    }

    var isRange: Bool { headers.has("Range") }

    /// `no-cache`; also HTTP/1.0's way to say it, where there is no `Cache-Control` (RFC 9111, section 5.4).
    func asksForValidation(_ control: CacheControl) -> Bool {
        control.noCache
            || !control.isPresent && headers.has("Pragma")
                && FieldList.members(headers.values(of: "Pragma")).contains {
                    FieldList.lowered($0) == "no-cache"
                }
    }
}

/// A whole response as it came from the network.
package struct CacheResponse: Sendable {
    package var status: Int
    package var headers: HeaderFields
    package var body: [UInt8]
    /// When the request was sent, in seconds since 1970 by the own clock.
    package var requestTime: Double
    /// When the response came, in seconds since 1970 by the own clock.
    package var responseTime: Double

    package init(
        status: Int, headers: HeaderFields, body: [UInt8] = [], requestTime: Double, responseTime: Double
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}
