/// A request of the Partner API as a value: method, path, query, headers and body, without a host.
public struct Route: Sendable, Hashable {
    /// The HTTP method.
    public enum Method: String, Sendable, Hashable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    /// The URL that the path is relative to.
    public enum Anchor: Sendable, Hashable {
        /// The base, which ends in `/api/v1`.
        case base
        /// The base without its `/api/v1`. The paths `_session` and `status` are relative to it.
        case beside
        /// None: the path is a complete URL.
        case absolute
    }

    /// The request's body.
    public enum Body: Sendable, Hashable {
        /// `application/x-www-form-urlencoded`.
        case form([NameValue])
        /// `application/json`.
        case json(JSONObject)
    }

    /// The HTTP method.
    public let method: Method
    /// The URL that the path is relative to.
    public let anchor: Anchor
    /// The percent-encoded path, relative to the anchor. It begins with `/`, or is empty for the base itself; without an anchor it
    /// is a complete URL.
    public let path: String
    /// The decoded query items, sorted by name.
    public let query: [NameValue]
    /// The request's own headers, without those that the session adds.
    public let headers: [NameValue]
    /// The body; `nil` if there is none.
    public let body: Body?
    /// The canonical URL of the requested list; `nil` if the route doesn't request a list.
    ///
    /// It is the same for all forms in which the list can be requested: ids, `validators`, pages.
    public let listURL: String?

    /// Creates a route. Default: a `GET` relative to the base.
    ///
    /// - Parameters:
    ///   - path: percent-encoded and relative to the anchor.
    ///   - query: decoded items in any order.
    ///   - listURL: the canonical URL of the requested list, the same for all forms of the list.
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

    /// The path with its encoded query, relative to the anchor. For a `GET`, it is the resource's canonical URL.
    public var canonicalURL: String { Self.url(path, query) }

    /// The absolute URL.
    /// - Parameter base: an absolute URL that ends in `/api/v1`.
    public func url(base: String) -> String {
        guard anchor != .absolute else { return canonicalURL }
        var root = base[...]
        while root.hasSuffix("/") { root.removeLast() }
        if anchor == .beside, root.hasSuffix(Router.baseSuffix) { root.removeLast(Router.baseSuffix.count) }
        return root + canonicalURL
    }

    /// Creates a route to a URL as it is, with its query: a complete URL, or a path relative to the base.
    package init(url: String) {
        self.init(url, anchor: url.hasPrefix("https://") || url.hasPrefix("http://") ? .absolute : .base)
    }

    static func sorted(_ query: [NameValue]) -> [NameValue] {
        query.sorted { UTF8Order.precedes($0.name, $1.name) }
    }

    static func url(_ path: String, _ query: [NameValue]) -> String {
        query.isEmpty ? path : path + "?" + FormBody.encode(query)
    }
}

/// A name and a value: an item of a query or form, or a header.
public struct NameValue: Sendable, Hashable {
    /// The name, decoded.
    public let name: String
    /// The value, decoded.
    public let value: String

    /// Creates an item.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
