/// Whether a private cache may store a response, and whether storing it is useful (RFC 9111, section 3).
enum Storability {
    static func mayStore(
        _ response: CacheResponse, to request: CacheRequest, responseControl: CacheControl
    ) -> Bool {
        // A request with `Authorization` doesn't prevent storing, as the cache is private (section 3.5).
        guard request.method == "GET", !isExcluded(response.status), !CacheControl(request.headers).noStore
        else { return false }
        if responseControl.mustUnderstand {
            // A cache that understands the status may ignore a `no-store` beside `must-understand` (section 5.2.2.3).
            guard isUnderstood(response.status) else { return false }
        } else if responseControl.noStore {
            return false
        }
        let isAllowed =
            responseControl.isPublic || responseControl.isPrivate
            || Freshness.isExplicit(response.headers, responseControl)
            || Freshness.isHeuristicallyCacheable(response.status)
        return isAllowed && isUseful(response, responseControl)
    }

    /// Whether responses with this status are never stored, because they don't represent the resource.
    ///
    /// These are interim and partial responses, `304`, responses about authentication or rate (RFC 6585 forbids storing
    /// 428, 429, 431 and 511), and an unsatisfiable range.
    private static func isExcluded(_ status: Int) -> Bool {
        switch status {
        case ..<200, 206, 304, 401, 407, 416, 428, 429, 431, 511, 600...: true
        default: false
        }
    }

    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300...303, 305, 307, 308, 400, 402...406, 408...415, 417, 421, 422, 426,
            500...505:
            true
        default: false
        }
    }

    /// Whether the response can be reused or validated later; otherwise storing it would only use space.
    private static func isUseful(_ response: CacheResponse, _ control: CacheControl) -> Bool {
        if response.headers.has("ETag") || response.headers.has("Last-Modified") { return true }
        if (control.staleIfError ?? 0) > 0 || (control.staleWhileRevalidate ?? 0) > 0 { return true }
        guard !control.noCache else { return false }
        return Freshness(
            status: response.status, headers: response.headers, control: control,
            requestTime: response.requestTime, responseTime: response.responseTime, now: response.responseTime
        ).isFresh
    }
}

/// Selects the header fields to store, and updates them by a newer response (RFC 9111, sections 3.1 and 3.2).
enum StoredHeaders {
    /// The header fields of a response to store in the cache.
    ///
    /// Connection-specific fields, fields that `Connection` or a qualified `no-cache` lists, and cookies are left out:
    /// cookies belong in the session's cookie jar, never in a file. A missing `Date` is set to the time of receipt
    /// (RFC 9110, section 6.6.1).
    static func stored(_ response: HeaderFields, control: CacheControl, responseTime: Double) -> HeaderFields
    {
        let isUnstored = unstoredFields(of: response, control)
        return addingDate(filtered(response) { !isUnstored($0) }, responseTime)
    }

    /// The stored fields after a `304`, or a `200` to a `HEAD`.
    ///
    /// Each field of the new response replaces the stored ones of its name. Exceptions are fields that are never
    /// stored, and fields that describe the stored bytes (`Content-Length`, `Content-Encoding`, `Content-Range`),
    /// because the body is stored decoded. A stored `Age` is dropped unless the new response has one.
    static func updated(
        _ stored: HeaderFields, by response: HeaderFields, responseTime: Double
    ) -> HeaderFields {
        let control = CacheControl(response)
        let isUnstored = unstoredFields(of: response, control)
        var updated = filtered(stored) { name in
            !isOne(of: timeFields, name) && !isOne(of: control.noCacheFields, name)
                && (!response.has(name) || isUnstored(name) || isOne(of: bodyFields, name))
        }
        for line in response.lines where !isUnstored(line.name) && !isOne(of: bodyFields, line.name) {
            updated.append(line.name, line.value)
        }
        return addingDate(updated, responseTime)
    }

    /// Whether ``updated(_:by:responseTime:)`` would change nothing but `Date` and `Age`.
    static func changesOnlyTime(_ stored: HeaderFields, by response: HeaderFields) -> Bool {
        let control = CacheControl(response)
        guard control.noCacheFields.isEmpty else { return false }
        let isUnstored = unstoredFields(of: response, control)
        return response.lines.allSatisfy { line in
            isOne(of: timeFields + bodyFields, line.name) || isUnstored(line.name)
                || stored.values(of: line.name) == response.values(of: line.name)
        }
    }

    /// The header fields without `Set-Cookie` and `Set-Cookie2`.
    static func withoutCookies(_ headers: HeaderFields) -> HeaderFields {
        filtered(headers) { !isOne(of: ["Set-Cookie", "Set-Cookie2"], $0) }
    }

    private static func filtered(_ headers: HeaderFields, _ isKept: (String) -> Bool) -> HeaderFields {
        HeaderFields(headers.lines.filter { isKept($0.name) }.map { ($0.name, $0.value) })
    }

    private static func addingDate(_ headers: HeaderFields, _ time: Double) -> HeaderFields {
        var headers = headers
        if !headers.has("Date") { headers.append("Date", HTTPDate.format(time)) }
        return headers
    }

    private static let timeFields = ["Date", "Age"]
    private static let bodyFields = ["Content-Range", "Content-Length", "Content-Encoding"]
    private static let neverStored = [
        "TE", "Upgrade", "Connection", "Keep-Alive", "Set-Cookie", "Set-Cookie2", "Proxy-Connection",
        "Transfer-Encoding", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info",
    ]

    private static func isOne(of names: [String], _ name: String) -> Bool {
        names.contains { HeaderFields.same(name, $0) }
    }

    /// Returns a function that tells whether a header field of a response is left out of the cache.
    private static func unstoredFields(of response: HeaderFields, _ control: CacheControl) -> (String) -> Bool
    {
        let names =
            neverStored + FieldList.members(response.values(of: "Connection")) + control.noCacheFields
        return { isOne(of: names, $0) }
    }
}
