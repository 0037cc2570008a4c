import Foundation

/// A response's head and where it came from.
public struct ResponseHead: Sendable, Hashable {
    /// Where the answer came from. Raw values are the words that caches put into `X-Cache`.
    public enum Source: String, Sendable, Hashable {
        /// The server, with this very response.
        case network = "miss"
        /// The cache, after the server had confirmed the entry with a 304.
        case revalidated
        /// The cache, without a request: the server had declared it fresh.
        case fresh = "hit"
        /// The cache, with an entry past its time, because the server failed (RFC 5861, `stale-if-error`).
        case stale
    }

    public var status: Int
    public var headers: HeaderFields
    public var source: Source
    /// Seconds since the origin made or confirmed it (RFC 9111, section 4.2.3).
    public var age: Int
    /// Seconds for which a cache between server and session had stored the received response: its `Age`. 0 if the response
    /// came straight from the server, or no request was sent.
    public var ageOnArrival: Int
    /// Bytes that came over the wire for it, head and body.
    public var receivedBytes: Int

    public init(
        status: Int, headers: HeaderFields = [:], source: Source = .network, age: Int? = nil,
        ageOnArrival: Int? = nil, receivedBytes: Int = 0
    ) {
        self.status = status
        self.headers = headers
        self.source = source
        self.age = age ?? Self.age(headers)
        self.ageOnArrival = ageOnArrival ?? (source == .network ? self.age : 0)
        self.receivedBytes = receivedBytes
    }

    static func age(_ headers: HeaderFields) -> Int { Int(Freshness.age(headers)) }

    /// The server's clock when it answered; `nil` without a `Date`.
    public var date: Date? { headers.date }
    /// The entity tag as it was sent, quotes and `W/` included.
    public var etag: String? { headers["ETag"] }
    public var lastModified: String? { headers["Last-Modified"] }
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A whole response, its body in memory.
public struct Response: Sendable, Hashable {
    public var head: ResponseHead
    public var body: [UInt8]

    public init(head: ResponseHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    public var status: Int { head.status }
    public var headers: HeaderFields { head.headers }
    public var source: ResponseHead.Source { head.source }
    public var etag: String? { head.etag }
    public var receivedBytes: Int { head.receivedBytes }
}

/// What ``InterceptableSession/fetch(_:known:)`` found about a representation of which the caller may hold a copy.
public enum Fetched: Sendable, Hashable {
    /// The caller's copy, made from the known entity tag, is current.
    case current(Confirmation, ResponseHead)
    /// The representation itself, from the server or the cache.
    case body(Response)

    public enum Confirmation: Sendable, Hashable {
        /// The server has just confirmed it.
        case notModified
        /// The server had declared it fresh; no request was sent.
        case fresh
    }

    public var head: ResponseHead {
        switch self {
        case .current(_, let head): head
        case .body(let response): response.head
        }
    }
}

extension HeaderFields {
    /// The server's time of the answer (`Date`); `nil` if it has none.
    package var date: Date? { firstValue(of: "Date").flatMap(HTTPDate.date) }
}

extension HTTPDate {
    /// The moment that a field's value names; `nil` for what is no HTTP date.
    package static func date(_ text: String) -> Date? {
        parse(text.trimmed, now: Date().timeIntervalSince1970).map { Date(timeIntervalSince1970: $0) }
    }
}
