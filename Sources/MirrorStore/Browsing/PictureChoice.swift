import Catalogue

/// The file of a picture that a list shows.
package struct PictureChoice: Sendable, Hashable {
    /// The picture's id.
    package let image: String
    /// The format, such as `medium`.
    package let format: String
    /// The file, of a type that browsers show.
    package let file: StoredFile
    /// In pixels; `nil` if the size wasn't read from the file yet.
    package let width: Int?
    /// In pixels; `nil` if the size wasn't read from the file yet.
    package let height: Int?
    /// The width divided by the height, from the file or from the catalogue; `nil` if it is unknown.
    package let ratio: Double?
}

/// What a list shows in the place of an artwork's picture.
package enum PictureState: Sendable, Hashable {
    case here(PictureChoice)
    /// Its file was not fetched yet.
    case notHere(ratio: Double?)
    /// The server is still processing it, and offers no format.
    case processing(ratio: Double?)
    /// The server didn't have the file when it was last requested.
    case missing(ratio: Double?)
    /// Its file is stored, and is no picture that browsers show.
    case unreadable(ratio: Double?)
    /// The artwork has no picture.
    case none

    /// The picture that is shown; `nil` if there is none.
    package var choice: PictureChoice? { if case .here(let choice) = self { choice } else { nil } }

    /// The width divided by the height, for the picture or for its place; `nil` if it is unknown.
    package var ratio: Double? {
        switch self {
        case .here(let choice): choice.ratio
        case .notHere(let ratio), .processing(let ratio), .missing(let ratio), .unreadable(let ratio): ratio
        case .none: nil
        }
    }
}

/// Chooses a picture and its file for a list, among an artwork's pictures.
struct PictureChooser {
    /// A stored or wanted file of a picture.
    struct Candidate: Sendable, Hashable {
        let format: String
        /// `nil` if it isn't stored.
        let file: StoredFile?
        /// In pixels; `nil` if unknown, 0 if the file is no picture.
        let width: Int?
        let height: Int?
        let isUnavailable: Bool
    }

    /// A picture with its files.
    struct Picture: Sendable, Hashable {
        let id: String
        /// The width divided by the height, by the catalogue.
        let ratio: Double?
        /// Whether the server offers no format.
        let isProcessing: Bool
        var files: [Candidate] = []
    }

    /// The least longer side of a picture in a list, in pixels.
    static let leastSide = 400
    /// The types of files that browsers show.
    static let types: Set<String> = ["image/jpeg", "image/png", "image/gif", "image/webp"]

    /// The number of an artwork's first pictures that are considered.
    static let mostPictures = 20

    /// SQL: whether the artwork `o` has a file that ``choose(among:)`` may choose.
    static let hasChoice = """
        EXISTS (SELECT 1 FROM image i CROSS JOIN image_file f ON f.image = i.pk CROSS JOIN file h ON h.hash = f.hash
          WHERE i.artwork_id = o.id AND i.role = 'picture' AND i.position < \(mostPictures)
            AND f.format <> 'square' AND NOT (\(ImageTile.isTile("f.format")))
            AND coalesce(h.type, 'image/jpeg') IN (\(types.sorted().map { "'\($0)'" }.joined(separator: ", ")))
            AND h.width IS NOT 0 AND h.height IS NOT 0)
        """

    /// The first picture that has a file to show. Without one, why the first picture has none.
    static func choose(among pictures: [Picture]) -> PictureState {
        for picture in pictures {
            if let choice = choice(for: picture) { return .here(choice) }
        }
        guard let first = pictures.first else { return .none }
        if first.isProcessing { return .processing(ratio: first.ratio) }
        let wanted = first.files.filter { $0.format != "square" }
        // What is stored and was not chosen.
        if wanted.contains(where: { $0.file != nil }) { return .unreadable(ratio: first.ratio) }
        return wanted.contains { $0.isUnavailable }
            ? .missing(ratio: first.ratio) : .notHere(ratio: first.ratio)
    }

    /// The smallest file of at least 400 pixels on the longer side, or else the largest.
    ///
    /// The format `square` is never chosen, because it is cropped. Files whose size is unknown are ordered by their format,
    /// and count as large enough.
    static func choice(for picture: Picture) -> PictureChoice? {
        let shown = picture.files.filter { candidate in
            candidate.file.map { types.contains($0.type ?? "image/jpeg") } ?? false
                && candidate.format != "square" && candidate.width != 0 && candidate.height != 0
        }.sorted { (side($0), rank($0.format), $0.format) < (side($1), rank($1.format), $1.format) }
        let best = shown.first { $0.width == nil || side($0) >= leastSide } ?? shown.last
        guard let best, let file = best.file else { return nil }
        let measured = best.width.flatMap { width in best.height.map { Double(width) / Double($0) } }
        return PictureChoice(
            image: picture.id, format: best.format, file: file, width: best.width, height: best.height,
            ratio: measured ?? picture.ratio)
    }

    /// The longer side. Files of unknown size are between those that are too small and those that are large enough.
    private static func side(_ candidate: Candidate) -> Int {
        guard let width = candidate.width, let height = candidate.height else { return leastSide }
        return max(width, height)
    }

    private static func rank(_ format: String) -> Int {
        ImageEntry.formats.firstIndex(of: format) ?? ImageEntry.formats.count
    }
}
