import Catalogue

/// Where a request is headed: which mirror, and what of it. Made from the raw target, so that whatever an id holds stays
/// inside its segment.
struct Destination: Hashable {
    enum Place: Hashable {
        /// Under `/{mirror}/api/v1`, or under `/api/v1` (`nil`).
        case base(mirror: String?)
        /// `_session` or `status`, beside a base.
        case session, status
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
        guard target.utf8.count <= maximalLength else { throw .targetTooLong }
        guard let parsed = RequestTarget.parse(target) else { throw .badRequest }
        // Nothing that is stored has an id with a NUL in it, and SQLite would take such a text for the one before it.
        guard parsed.segments.allSatisfy({ !$0.utf8.contains(0) }) else { throw .notFound }
        let segments = parsed.segments
        for (start, mirror) in [(0, nil), (1, segments.first)]
        where segments.dropFirst(start).starts(with: ["api", "v1"]) {
            return Destination(
                place: .base(mirror: mirror), segments: segments[(start + 2)...], query: parsed)
        }
        let places: [String: Place] = ["_session": .session, "status": .status]
        guard segments.count <= 2, let place = segments.last.flatMap({ places[$0] }) else { throw .notFound }
        return Destination(place: place, segments: [], query: parsed)
    }
}
