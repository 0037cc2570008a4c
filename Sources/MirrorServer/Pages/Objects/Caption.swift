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

    let item: ArtworkItem
    let href: String
    var place: PictureBox.Place = .grid
    var detail = Detail.none
    /// Whether the artists are named.
    var namesArtists = true
    /// Whether the picture is requested only when it comes into view; all but the first row's.
    var isLazy = true

    /// The path of the picture's file, given the mirror's base.
    func shown(base: String) -> Shown {
        var shown: Shown = [
            "href": .string(href), "title": .text(item.title.map { LongText.cut($0, to: 300).text }),
            "date": .text(item.date.map { LongText.cut($0, to: 100).text }), "isLazy": .flag(isLazy),
        ]
        let names = item.artists.map { $0.name ?? $0.id }
        shown["artists"] = .text(
            namesArtists
                ? (names.isEmpty ? "Unknown artist" : names.map { LongText.cut($0, to: 100).text }.listed)
                : nil)
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
        switch item.picture {
        case .file(let file, let size):
            guard let box = PictureBox(pixelWidth: size.width, pixelHeight: size.height, in: place) else {
                fallthrough
            }
            shown["picture"] = .part([
                "src": .string(base + PageAddress.picture(file.hash).path), "width": .number(box.width),
                "height": .number(box.height),
            ])
        default:
            shown["absence"] = .part(["text": .string(item.absence), "isTall": .flag(item.isTall)])
        }
        return shown
    }

    private var lines: [String] {
        let lines =
            switch detail {
            case .none: [String?]()
            case .medium: [item.medium]
            case .full: [item.medium, item.dimensions]
            }
        return lines.compactMap(\.self).map { LongText.cut($0, to: 200).text }
    }
}
