import Catalogue

/// The mirror and the path below its base that a request addresses.
///
/// It is parsed from the raw target, so that an encoded slash in an id remains part of its segment.
struct Destination: Hashable {
    enum Place: Hashable {
        /// Under `/{mirror}/api/v1`, or under `/api/v1` (`nil`).
        case base(mirror: String?)
        /// `_session` or `status`, beside a base.
        case session, status
        /// Beside the API: a page.
        case page
    }

    let place: Place
    /// The segments after the base.
    let segments: ArraySlice<String>
    let query: RequestTarget

    /// The maximum length of a target in bytes. It permits three percent-encoded ids of 10 kB.
    static let maximalLength = 96 * 1024

    /// Reads a request's target.
    ///
    /// - Throws: ``Refusal``: 414 for a too long target, 400 if it can't be decoded, 404 if it is under another version of the
    ///   API.
    static func parse(_ target: String) throws(Refusal) -> Destination {
        guard target.utf8.count <= maximalLength else { throw .targetTooLong }
        guard let parsed = RequestTarget.parse(target) else { throw .badRequest }
        // No stored id contains a NUL, and SQLite would read such a text only up to the NUL.
        guard parsed.segments.allSatisfy({ !$0.utf8.contains(0) }) else { throw .notFound }
        let segments = parsed.segments
        for (start, mirror) in [(0, nil), (1, segments.first)]
        where segments.dropFirst(start).starts(with: ["api", "v1"]) {
            return Destination(
                place: .base(mirror: mirror), segments: segments[(start + 2)...], query: parsed)
        }
        let places: [String: Place] = ["_session": .session, "status": .status]
        let place = segments.count <= 2 ? segments.last.flatMap { places[$0] } : nil
        // Clients of another version of the API expect JSON.
        if place == nil, segments.prefix(2).contains("api") { throw .notFound }
        return Destination(place: place ?? .page, segments: [], query: parsed)
    }

    /// Whether a target is the address of a page, so that people read its errors. Those of the API and of the JSON beside
    /// pages are for programs.
    static func isPage(_ target: String) -> Bool {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard !path.suffix(PageAddress.suffix.utf8.count).elementsEqual(PageAddress.suffix.utf8) else {
            return false
        }
        if let destination = try? parse(target) { return destination.place == .page }
        // It can't be read, or it is of another version of the API.
        let start = path.prefix(1_000).split(separator: UInt8(ascii: "/")).prefix(2)
        return !start.contains {
            ["api", "status", "_session"].contains(String(decoding: $0, as: UTF8.self))
        }
    }
}
