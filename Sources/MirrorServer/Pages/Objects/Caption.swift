import Catalogue
import MirrorStore

/// An artwork in a grid: its picture and a caption, which together are one link.
struct Caption {
    /// What a caption says besides artist, title and date.
    enum Detail {
        case none
        /// The medium.
        case medium
        /// Medium and dimensions, as in a checklist.
        case full
    }

    /// Longer titles are cut, so that a grid of 60 stays small. In characters.
    private static let longestTitle = 160

    let item: ArtworkItem
    let href: String
    var place: PictureBox.Place = .grid
    var detail = Detail.none
    /// Whether the artists are named.
    var namesArtists = true
    /// The words to mark; `nil` for none.
    var words: SearchWords?
    /// Whether the picture is requested only when it comes into view; all but the first row's.
    var isLazy = true

    /// What the template shows.
    ///
    /// - Parameter base: the path of the mirror, with which the paths of pictures begin.
    func shown(base: String) -> Shown {
        let names = item.artists.map { LongText.cut($0, to: 100).text }
        let others = item.otherArtists > 0 ? ["\(CountText(item.otherArtists).digits) more"] : []
        let by = names.isEmpty ? "Unknown artist" : (names + others).listed
        var shown: Shown = [
            "href": .string(href), "isLazy": .flag(isLazy),
            "title": .part(
                item.title.map { MarkedText(LongText.cut($0, to: Self.longestTitle).text, words).shown }),
            "date": .text(item.date.map { LongText.cut($0, to: 100).text }),
            "artists": .part(namesArtists ? MarkedText(by, words).shown : nil),
        ]
        let lines = lines
        shown["more"] = .part(
            lines.isEmpty
                ? nil
                : [
                    "lines": .many(
                        lines.enumerated().map { index, line in
                            ["text": .string(line), "isLast": .flag(index == lines.count - 1)]
                        })
                ])
        if let picture = picture(base: base) {
            shown["picture"] = .part(picture)
            // Both are always given: the page around a grid may have a picture of its own.
            shown["absence"] = false
        } else {
            shown["picture"] = false
            shown["absence"] = .part([
                "text": .string(absence), "shape": .text(Self.shape(item.picture.ratio)),
            ])
        }
        return shown
    }

    private func picture(base: String) -> Shown? {
        item.picture.choice.flatMap { Self.picture($0, in: place, base: base) }
    }

    /// A picture on the page; `nil` if its shape is unknown.
    static func picture(_ choice: PictureChoice, in place: PictureBox.Place, base: String) -> Shown? {
        // Without the file's size, the ratio of the catalogue keeps the place.
        let width = choice.width ?? 1_000
        let height = choice.height ?? choice.ratio.map { Int((1_000 / $0).rounded()) }
        guard let height, let box = PictureBox(pixelWidth: width, pixelHeight: height, in: place) else {
            return nil
        }
        return [
            "src": .string(base + PageAddress.picture(choice.file.hash).path), "width": .number(box.width),
            "height": .number(box.height),
        ]
    }

    /// The class of the place of a picture that isn't here: `tall`, `broad`, or `nil` for a square.
    ///
    /// - Parameter ratio: the picture's width divided by its height; `nil` if it is unknown.
    static func shape(_ ratio: Double?) -> String? {
        guard let ratio else { return nil }
        return ratio < 0.85 ? "tall" : ratio > 1.18 ? "broad" : nil
    }

    /// Why there is no picture.
    private var absence: String {
        switch item.picture {
        case .here, .missing: "The file is missing here"
        case .notHere: "Picture not here yet"
        case .unreadable: WorkPictures.unreadable
        case .processing: "The server is still processing this picture"
        case .none: "No picture"
        }
    }

    private var lines: [String] {
        let lines =
            switch detail {
            case .none: [String?]()
            case .medium: [item.medium]
            case .full: [item.medium, item.dimensions]
            }
        // Only the staff's lists have such works.
        let state = item.isHidden ? ["Unpublished"] : []
        let reason = [reason].compactMap(\.self)
        return (lines.compactMap(\.self) + reason).map { LongText.cut($0, to: 200).text } + state
    }

    /// Where a search found the artwork, if neither title, artists nor date have a word of it: its medium, or else some other field.
    private var reason: String? {
        guard let words,
            (item.artists + [item.title ?? "", item.date ?? ""]).allSatisfy({ words.marks(in: $0).isEmpty })
        else { return nil }
        return item.medium.flatMap { words.marks(in: $0).isEmpty ? nil : $0 } ?? "Found in the record"
    }
}
