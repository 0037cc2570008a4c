/// One request of the Partner API as a value: what it is sent to and with, without any host.
public struct Route: Sendable, Hashable {
    public enum Method: String, Sendable, Hashable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    /// What the path is relative to.
    public enum Anchor: Sendable, Hashable {
        /// The base, which ends in `/api/v1`.
        case base
        /// The place beside `/api/v1`, where `_session` and `status` are.
        case beside
    }

    public enum Body: Sendable, Hashable {
        /// `application/x-www-form-urlencoded`.
        case form([NameValue])
        /// `application/json`.
        case json(JSONObject)
    }

    public let method: Method
    public let anchor: Anchor
    /// Percent-encoded and relative to the anchor; begins with `/`, or is empty for the base itself.
    public let path: String
    /// Decoded and sorted by name.
    public let query: [NameValue]
    public let headers: [NameValue]
    public let body: Body?
    /// The list that is requested: the same for every way of requesting it (`validators`, pages). `nil` if it is none.
    public let listURL: String?

    /// - Parameters:
    ///   - path: encoded, relative to the anchor.
    ///   - listURL: which list this requests: the same for every way of requesting it.
    public init(
        _ path: String, _ method: Method = .get, anchor: Anchor = .base, query: [NameValue] = [],
        headers: [NameValue] = [], body: Body? = nil, listURL: String? = nil
    ) {
        self.method = method
        self.anchor = anchor
        self.path = path
        self.query = Self.sorted(query)
        self.headers = headers
        self.body = body
        self.listURL = listURL
    }

    /// The path with its encoded query, relative to the anchor: the canonical URL of what a `GET` requests.
    public var canonicalURL: String { Self.url(path, query) }

    /// The whole URL under a base that ends in `/api/v1`.
    public func url(base: String) -> String {
        var root = base[...]
        while root.hasSuffix("/") { root.removeLast() }
        if anchor == .beside, root.hasSuffix(Router.baseSuffix) { root.removeLast(Router.baseSuffix.count) }
        return root + canonicalURL
    }

    static func sorted(_ query: [NameValue]) -> [NameValue] {
        query.sorted { UTF8Order.precedes($0.name, $1.name) }
    }

    static func url(_ path: String, _ query: [NameValue]) -> String {
        query.isEmpty ? path : path + "?" + FormBody.encode(query)
    }
}

/// A name and its value: an item of a query or form, or a header.
public struct NameValue: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
