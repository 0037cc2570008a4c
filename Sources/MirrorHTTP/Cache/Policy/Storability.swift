/// Whether a private cache may store a response, and whether it gains by it (RFC 9111, section 3).
enum Storability {
    static func mayStore(
        _ response: CacheResponse, to request: CacheRequest, responseControl: CacheControl
    ) -> Bool {
        // `Authorization` on the request is no hindrance: the cache is private (section 3.5).
        guard request.method == "GET", !isExcluded(response.status), !CacheControl(request.headers).noStore
        else { return false }
        if responseControl.mustUnderstand {
            // A cache that knows the status may ignore the `no-store` beside it (section 5.2.2.3).
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

    /// Statuses that are no complete answer of the resource: interim and partial ones, `304`, those about the
    /// client's rights or pace (RFC 6585 forbids storing 428, 429, 431 and 511), and a range that wasn't there.
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

    /// What can neither be reused nor validated later would only take room.
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

/// Which header fields are stored, and how a newer response updates them (RFC 9111, sections 3.1 and 3.2).
enum StoredHeaders {
    /// The fields of a response that go into the cache.
    ///
    /// Left out: fields of the connection, those that `Connection` or a qualified `no-cache` names, and cookies,
    /// which belong to the session's jar and never to a file. Without a `Date` the time of receipt is put in
    /// (RFC 9110, section 6.6.1).
    static func stored(_ response: HeaderFields, control: CacheControl, responseTime: Double) -> HeaderFields
    {
        let isLeftOut = leftOut(of: response, control)
        return dated(kept(response) { !isLeftOut($0) }, responseTime)
    }

    /// The stored fields after a `304`, or a `200` to a `HEAD`.
    ///
    /// Every field that the new response has replaces the stored ones of its name, but for those that are never
    /// stored and those that describe the stored bytes (`Content-Length`, `Content-Encoding`, `Content-Range`): the
    /// body was stored as it was decoded. An `Age` that the new response doesn't repeat is over.
    static func updated(
        _ stored: HeaderFields, by response: HeaderFields, responseTime: Double
    ) -> HeaderFields {
        let control = CacheControl(response)
        let isLeftOut = leftOut(of: response, control)
        var updated = kept(stored) { name in
            !isOne(of: ofTime, name) && !isOne(of: control.noCacheFields, name)
                && (!response.has(name) || isLeftOut(name) || isOne(of: ofBody, name))
        }
        for line in response.lines where !isLeftOut(line.name) && !isOne(of: ofBody, line.name) {
            updated.append(line.name, line.value)
        }
        return dated(updated, responseTime)
    }

    /// Whether ``updated(_:by:responseTime:)`` would change nothing but `Date` and `Age`.
    static func changesOnlyTime(_ stored: HeaderFields, by response: HeaderFields) -> Bool {
        let control = CacheControl(response)
        guard control.noCacheFields.isEmpty else { return false }
        let isLeftOut = leftOut(of: response, control)
        return response.lines.allSatisfy { line in
            isOne(of: ofTime + ofBody, line.name) || isLeftOut(line.name)
                || stored.values(of: line.name) == response.values(of: line.name)
        }
    }

    /// The fields without those that set cookies.
    static func withoutCookies(_ headers: HeaderFields) -> HeaderFields {
        kept(headers) { !isOne(of: ["Set-Cookie", "Set-Cookie2"], $0) }
    }

    private static func kept(_ headers: HeaderFields, _ isKept: (String) -> Bool) -> HeaderFields {
        HeaderFields(headers.lines.filter { isKept($0.name) }.map { ($0.name, $0.value) })
    }

    private static func dated(_ headers: HeaderFields, _ time: Double) -> HeaderFields {
        var headers = headers
        if !headers.has("Date") { headers.append("Date", HTTPDate.format(time)) }
        return headers
    }

    private static let ofTime = ["Date", "Age"]
    private static let ofBody = ["Content-Range", "Content-Length", "Content-Encoding"]
    private static let neverStored = [
        "TE", "Upgrade", "Connection", "Keep-Alive", "Set-Cookie", "Set-Cookie2", "Proxy-Connection",
        "Transfer-Encoding", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info",
    ]

    private static func isOne(of names: [String], _ name: String) -> Bool {
        names.contains { HeaderFields.same(name, $0) }
    }

    /// Tells which fields of a response are not stored.
    private static func leftOut(of response: HeaderFields, _ control: CacheControl) -> (String) -> Bool {
        let names =
            neverStored + FieldList.members(response.values(of: "Connection")) + control.noCacheFields
        return { isOne(of: names, $0) }
    }
}
