/// Which header fields are stored, and how a newer response updates them (RFC 9111, sections 3.1 and 3.2).
enum StoredHeaders {
    /// The fields of a response that go into the cache.
    ///
    /// Left out: fields of the connection, those that `Connection` or a qualified `no-cache` names, and cookies,
    /// which belong to the session's jar and never to a file. Without a `Date` the time of receipt is put in
    /// (RFC 9110, section 6.6.1).
    static func stored(_ response: HeaderFields, control: CacheControl, responseTime: Double) -> HeaderFields
    {
        let filter = Filter(response, control)
        var stored = kept(response) { !filter.leavesOut($0) }
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
        let filter = Filter(response, control)
        var updated = kept(stored) { name in
            !isOfTime(name) && !control.noCacheFields.contains { HeaderFields.same(name, $0) }
                && (!response.has(name) || filter.leavesOut(name) || isOfBody(name))
        }
        for line in response.lines where !filter.leavesOut(line.name) && !isOfBody(line.name) {
            updated.append(line.name, line.value)
        }
        date(&updated, responseTime)
        return updated
    }

    /// Whether ``updated(_:by:responseTime:)`` would change nothing but `Date` and `Age`.
    static func changesOnlyTime(_ stored: HeaderFields, by response: HeaderFields) -> Bool {
        let control = CacheControl(response)
        guard control.noCacheFields.isEmpty else { return false }
        let filter = Filter(response, control)
        return response.lines.allSatisfy { line in
            if isOfTime(line.name) || filter.leavesOut(line.name) || isOfBody(line.name) { return true }
            return stored.hasSameLines(as: response, of: line.name)
        }
    }

    /// The fields without those that set cookies.
    static func withoutCookies(_ headers: HeaderFields) -> HeaderFields {
        kept(headers) {
            !HeaderFields.same($0, "Set-Cookie") && !HeaderFields.same($0, "Set-Cookie2")
        }
    }

    private static func kept(_ headers: HeaderFields, _ isKept: (String) -> Bool) -> HeaderFields {
        var kept = HeaderFields()
        for line in headers.lines where isKept(line.name) { kept.append(line.name, line.value) }
        return kept
    }

    private static func date(_ headers: inout HeaderFields, _ time: Double) {
        if !headers.has("Date") { headers.append("Date", HTTPDate.format(time)) }
    }

    private static func isOfTime(_ name: String) -> Bool {
        HeaderFields.same(name, "Date") || HeaderFields.same(name, "Age")
    }

    private static func isOfBody(_ name: String) -> Bool {
        ["Content-Range", "Content-Length", "Content-Encoding"].contains { HeaderFields.same(name, $0) }
    }

    /// The fields of one response that are not stored.
    private struct Filter {
        /// What the response itself names, in lower case.
        private let named: [String]

        init(_ response: HeaderFields, _ control: CacheControl) {
            let connection =
                response.has("Connection") ? FieldList.members(response.values(of: "Connection")) : []
            named = connection.map(FieldList.lowered) + control.noCacheFields
        }

        func leavesOut(_ name: String) -> Bool {
            Self.isNeverStored(name) || named.contains { HeaderFields.same(name, $0) }
        }

        private static func isNeverStored(_ name: String) -> Bool {
            neverStored.contains { HeaderFields.same(name, $0) }
        }

        private static let neverStored = [
            "TE", "Upgrade", "Connection", "Keep-Alive", "Set-Cookie", "Set-Cookie2", "Proxy-Connection",
            "Transfer-Encoding", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info",
        ]
    }
}

extension HeaderFields {
    /// Whether both have the same values of a name, in the same order.
    fileprivate func hasSameLines(as other: HeaderFields, of name: String) -> Bool {
        var index = other.lines.startIndex
        for line in lines where Self.same(line.name, name) {
            while index < other.lines.endIndex, !Self.same(other.lines[index].name, name) { index += 1 }
            guard index < other.lines.endIndex, other.lines[index].value == line.value else { return false }
            index += 1
        }
        return !other.lines[index...].contains { Self.same($0.name, name) }
    }
}
