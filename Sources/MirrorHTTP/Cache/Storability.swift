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

    /// Statuses that are no whole answer of the resource: interim and partial ones, `304`, those that speak of the
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
