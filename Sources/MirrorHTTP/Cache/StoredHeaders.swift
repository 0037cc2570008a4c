/// Which header fields are stored, and how a newer response updates them (RFC 9111, sections 3.1 and 3.2).
enum StoredHeaders {
    /// The fields of a response that go into the cache.
    ///
    /// Left out: fields of the connection, those that `Connection` or a qualified `no-cache` names, and cookies,
    /// which belong to the session's jar and never to a file. Without a `Date` the time of receipt is put in
    /// (RFC 9110, section 6.6.1).
    static func stored(_ response: HeaderFields, control: CacheControl, responseTime: Double) -> HeaderFields
    {
        let left = leftOut(response, control)
        var stored = HeaderFields(
            response.lines.lazy.filter { !left.contains(FieldList.lowered($0.name)) }.map {
                ($0.name, $0.value)
            })
        date(&stored, responseTime)
        return stored
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
        let left = leftOut(response, control)
        var replaced: Set<String> = ["age", "date"]
        var fresh: [(String, String)] = []
        for line in response.lines {
            let name = FieldList.lowered(line.name)
            guard !left.contains(name), !ofBody.contains(name) else { continue }
            replaced.insert(name)
            fresh.append((line.name, line.value))
        }
        replaced.formUnion(control.noCacheFields)
        var updated = HeaderFields(
            stored.lines.lazy.filter { !replaced.contains(FieldList.lowered($0.name)) }.map {
                ($0.name, $0.value)
            })
        for (name, value) in fresh { updated.append(name, value) }
        date(&updated, responseTime)
        return updated
    }

    /// The fields without those that set cookies.
    static func withoutCookies(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(
            headers.lines.lazy.filter {
                !HeaderFields.same($0.name, "Set-Cookie") && !HeaderFields.same($0.name, "Set-Cookie2")
            }.map { ($0.name, $0.value) })
    }

    private static func date(_ headers: inout HeaderFields, _ time: Double) {
        if headers.values(of: "Date").isEmpty { headers.append("Date", HTTPDate.format(time)) }
    }

    private static func leftOut(_ response: HeaderFields, _ control: CacheControl) -> Set<String> {
        let named = FieldList.members(response.values(of: "Connection"))
        guard !named.isEmpty || !control.noCacheFields.isEmpty else { return never }
        return never.union(named.map(FieldList.lowered)).union(control.noCacheFields)
    }

    private static let never: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "set-cookie", "set-cookie2", "te", "transfer-encoding", "upgrade",
    ]
    private static let ofBody: Set<String> = ["content-encoding", "content-length", "content-range"]
}
