import Catalogue
import MirrorStore

/// What is assumed where neither the server nor the mirror nor a sample says anything. Each counts as one measurement:
/// the margin is as large as the number.
enum PlanDefaults {
    static func json(_ kind: Kind) -> SizeHistory.Sizes { guess(kind.typicalBytes) }
    static func picture(_ format: String) -> SizeHistory.Sizes { guess(pictures[format] ?? 250_000) }
    static let document = guess(1_000_000)
    /// Pictures of an artwork, documents of a show or artist that has any, installation shots of a show that has any.
    static let picturesPerArtwork = 1.2, documentsPerOwner = 2.0, picturesPerList = 5.0
    /// Of the artworks that change, those whose pictures change too.
    static let changedPictures = 0.1
    /// Bytes of an answer's head where none was seen, and of a short list's members.
    static let head = 250.0, list = 50.0
    /// Of a snapshot's bytes, those that gzip leaves: 0.20 to 0.29 in eight catalogues.
    static let compressed = Estimate(0.25, margin: 0.06)
    /// Bytes in the database for a byte of JSON: the row with its columns, what is served, indexes, search, the cache.
    static let diskPerJSON = 4.5
    /// More than is needed by so much.
    static let diskReserve = 1.1

    private static let pictures = [
        "square": 20_000.0, "medium": 60_000, "larger": 250_000, "normalized": 1_000_000,
    ]

    private static func guess(_ mean: Double) -> SizeHistory.Sizes {
        SizeHistory.Sizes(count: 1, mean: mean, variance: 0)
    }
}
