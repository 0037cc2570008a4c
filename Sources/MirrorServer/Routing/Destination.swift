import Catalogue

/// Where a request is headed: which mirror, and what of it. Made from the raw target, so that whatever an id holds stays
/// inside its segment.
struct Destination: Hashable {
    enum Place: Hashable {
        /// Under `/{mirror}/api/v1`, or under `/api/v1` (`nil`).
        case base(mirror: String?)
        /// `_session`, beside a base.
        case session
        /// `status`, beside a base.
        case status
    }

    let place: Place
    /// What is behind the base.
    let segments: ArraySlice<String>
    let query: RequestTarget

    /// The longest target that is taken, in bytes: three ids of 10 kB, percent-encoded, fit.
    static let maximalLength = 96 * 1024

    /// Reads a request's target.
    ///
    /// - Throws: ``Refusal``: 414, 400 for what can't be decoded, 404 for what is under no base.
    static func parse(_ target: String) throws(Refusal) -> Destination {
        let bytes = target.utf8
        guard bytes.count <= maximalLength else { throw .targetTooLong }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        let query =
            path.endIndex == bytes.endIndex ? nil : String(target[bytes.index(after: path.endIndex)...])
        guard let parsed = RequestTarget.parse(path: String(target[..<path.endIndex]), query: query) else {
            throw .badRequest
        }
        // Nothing that is stored has an id with a NUL in it, and SQLite would take such a text for the one before it.
        guard parsed.segments.allSatisfy({ !$0.utf8.contains(0) }) else { throw .notFound }
        let segments = parsed.segments
        if segments.count >= 2, segments[0] == "api", segments[1] == "v1" {
            return Destination(place: .base(mirror: nil), segments: segments[2...], query: parsed)
        }
        if segments.count >= 3, segments[1] == "api", segments[2] == "v1" {
            return Destination(place: .base(mirror: segments[0]), segments: segments[3...], query: parsed)
        }
        guard let last = segments.last, segments.count <= 2, let place = beside[last] else {
            throw .notFound
        }
        return Destination(place: place, segments: [], query: parsed)
    }

    private static let beside: [String: Place] = ["_session": .session, "status": .status]
}
