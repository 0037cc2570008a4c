/// A request's decoded path and query: the inverse of ``Router``.
public struct RequestTarget: Sendable, Hashable {
    /// The path's segments, decoded separately, so that an encoded slash remains part of its id.
    public let segments: [String]
    /// The query's items in their order.
    public let query: [NameValue]

    /// Creates a target from decoded segments and query items.
    public init(segments: [String], query: [NameValue] = []) {
        self.segments = segments
        self.query = query
    }

    /// Decodes a raw path and query from a request line.
    ///
    /// Segments are split before they are decoded. The segments `.` and `..` are not resolved.
    /// - Parameters:
    ///   - path: begins with `/`; one slash at the end is ignored. An empty path has no segments.
    ///   - query: the text after the `?`. A `+` is a plus sign.
    /// - Returns: `nil` for a broken escape, bytes that are not UTF-8, or a path that is not absolute.
    public static func parse(path: String, query: String? = nil) -> RequestTarget? {
        let slash = UInt8(ascii: "/")
        let path = path.utf8.last == slash ? path.utf8.dropLast() : path.utf8[...]
        guard path.isEmpty || path.first == slash,
            let query = FormBody.parse((query ?? "").utf8, plusIsSpace: false)
        else { return nil }
        let parts = path.split(separator: slash, omittingEmptySubsequences: false).dropFirst()
        let segments = parts.compactMap { PercentEncoding.decode($0, plusIsSpace: false) }
        return segments.count == parts.count ? RequestTarget(segments: segments, query: query) : nil
    }

    /// Decodes a complete target, such as a ``Route/canonicalURL``.
    public static func parse(_ target: String) -> RequestTarget? {
        let path = target.prefix { $0 != "?" }
        return parse(path: String(path), query: String(target[path.endIndex...].dropFirst()))
    }

    /// The value of a query item; of several items with one name, the last.
    public subscript(name: String) -> String? { query.last { UTF8Order.equal($0.name, name) }?.value }
}
