import Foundation

/// The head of a response, and its source.
public struct ResponseHead: Sendable, Hashable {
    /// The source of a response. The raw values are common `X-Cache` values.
    public enum Source: String, Sendable, Hashable {
        /// The server sent this response.
        case network = "miss"
        /// The cache's entry, after the server confirmed it with a 304.
        case revalidated
        /// A fresh entry of the cache; no request was sent.
        case fresh = "hit"
        /// A stale entry of the cache, because the server failed (`stale-if-error`, RFC 5861) or the request allows it.
        case stale
    }

    /// The HTTP status.
    public var status: Int
    /// The header fields.
    public var headers: HeaderFields
    /// The source of the response.
    public var source: Source
    /// Seconds since the origin generated or validated the response (RFC 9111, section 4.2.3).
    public var age: Int
    /// The `Age` of the received response in seconds: the time it was stored in a cache between server and session.
    ///
    /// 0 if the response came directly from the server, or no request was sent.
    public var ageOnArrival: Int
    /// The bytes received over the network for this response, head and body.
    public var receivedBytes: Int

    /// Creates a head. `age` defaults to the `Age` field, `ageOnArrival` to `age` for a response from the network, otherwise 0.
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

    /// The time of the response by the server's clock; `nil` without a `Date`.
    public var date: Date? { headers.date }
    /// The ETag, including quotes and `W/`; `nil` without one.
    public var etag: String? { headers["ETag"] }
    /// The `Last-Modified` value; `nil` without one.
    public var lastModified: String? { headers["Last-Modified"] }
    /// Whether the status is 2xx.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A complete response with its body in memory.
public struct Response: Sendable, Hashable {
    /// The head.
    public var head: ResponseHead
    /// The decoded body.
    public var body: [UInt8]

    /// Creates a response; the body is empty by default.
    public init(head: ResponseHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// The HTTP status.
    public var status: Int { head.status }
    /// The header fields.
    public var headers: HeaderFields { head.headers }
    /// The source of the response.
    public var source: ResponseHead.Source { head.source }
    /// The ETag, including quotes and `W/`; `nil` without one.
    public var etag: String? { head.etag }
    /// The bytes received over the network for this response, head and body.
    public var receivedBytes: Int { head.receivedBytes }

    /// Whether the body is HTML or XML.
    ///
    /// The body's first character decides, because some servers send JSON as `text/html`; if it is neither that of markup nor of
    /// JSON, or if there is no body, the media type decides.
    package var isMarkup: Bool {
        switch body.first(where: { !" \t\r\n\u{FEFF}".utf8.contains($0) }) {
        case UInt8(ascii: "<"): return true
        case UInt8(ascii: "{"), UInt8(ascii: "["): return false
        default:
            let type = headers.firstValue(of: "Content-Type")?.prefix { $0 != ";" }.lowercased().trimmed
            return type.map {
                ["text/html", "text/xml", "application/xml"].contains($0) || $0.hasSuffix("+xml")
            }
                ?? false
        }
    }
}

/// The result of ``InterceptableSession/fetch(_:known:)``.
public enum Fetched: Sendable, Hashable {
    /// The caller's copy with the known ETag is current.
    case current(Confirmation, ResponseHead)
    /// The representation, from the server or the cache.
    case body(Response)

    /// Why a copy is current.
    public enum Confirmation: Sendable, Hashable {
        /// The server confirmed it with a 304.
        case notModified
        /// The cache has a fresh entry with the same ETag; no request was sent.
        case fresh
    }

    /// The head of the response.
    public var head: ResponseHead {
        switch self {
        case .current(_, let head): head
        case .body(let response): response.head
        }
    }
}

extension HeaderFields {
    /// The value of `Date`, by the server's clock; `nil` without a valid one.
    package var date: Date? { firstValue(of: "Date").flatMap(HTTPDate.date) }
}

extension HTTPDate {
    /// Parses a field's value; `nil` if it isn't an HTTP date.
    package static func date(_ text: String) -> Date? {
        parse(text.trimmed, now: Date().timeIntervalSince1970).map { Date(timeIntervalSince1970: $0) }
    }
}
