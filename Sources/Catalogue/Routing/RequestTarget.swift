/// A request's target as a server received it, decoded: the inverse of what ``Router`` writes.
public struct RequestTarget: Sendable, Hashable {
    /// The path's segments, each decoded by itself, so that an encoded slash stays inside its id.
    public let segments: [String]
    /// The query's items in their order.
    public let query: [NameValue]

    public init(segments: [String], query: [NameValue] = []) {
        self.segments = segments
        self.query = query
    }

    /// Decodes a raw path and query as they stand on the request line.
    ///
    /// Segments are split before they are decoded, and dot segments are plain segments here: nothing is resolved.
    /// - Parameters:
    ///   - path: begins with `/`; one slash at the end is ignored. An empty path has no segments.
    ///   - query: what follows the `?`. A `+` is a plus.
    /// - Returns: `nil` for a broken escape, bytes that are not UTF-8, or a path that is not absolute.
    public static func parse(path: String, query: String? = nil) -> RequestTarget? {
        var path = path
        guard let segments = path.withUTF8({ segments(of: $0) }) else { return nil }
        var query = query ?? ""
        guard let items = query.withUTF8({ FormBody.parse($0, plusIsSpace: false) }) else { return nil }
        return RequestTarget(segments: segments, query: items)
    }

    private static func segments(of path: UnsafeBufferPointer<UInt8>) -> [String]? {
        let slash = UInt8(ascii: "/")
        let path = path.last == slash ? UnsafeBufferPointer(rebasing: path.dropLast()) : path
        if path.isEmpty { return [] }
        guard path.first == slash else { return nil }
        var segments: [String] = []
        for raw in path.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            let bytes = UnsafeBufferPointer(rebasing: raw)
            guard let segment = PercentEncoding.decode(bytes, plusIsSpace: false) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// Decodes a whole target such as a ``Route/canonicalURL``.
    public static func parse(_ target: String) -> RequestTarget? {
        let path = target.prefix { $0 != "?" }
        return parse(path: String(path), query: String(target[path.endIndex...].dropFirst()))
    }

    /// The last value of a name in the query.
    public subscript(name: String) -> String? { query.last { UTF8Order.equal($0.name, name) }?.value }
}
