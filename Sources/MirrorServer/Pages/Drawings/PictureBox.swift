/// The size of a picture on the page, for its `width` and `height` attributes, which keep its place until it is loaded.
///
/// Pictures of one row have one height, and the style sheet makes wide ones narrower than their column at the same ratio.
struct PictureBox: Sendable, Equatable {
    /// Where a picture stands.
    enum Place: Sendable, CaseIterable {
        /// A grid of works.
        case grid
        /// A grid of few works, as on an artist's page.
        case few
        /// Covers of albums.
        case albums
        /// Views of a show.
        case views
        /// The work's own page.
        case work

        /// In pixels.
        var height: Int {
            switch self {
            case .grid: 208
            case .few: 272
            case .albums: 180
            case .views: 240
            case .work: 736
            }
        }

        /// In pixels: more than the widest column in which the style sheet ever puts the picture (300 in a grid, 535 with few
        /// works, the whole page for a work). So the limit changes nothing that is seen; it only bounds the attribute.
        var maximumWidth: Int { self == .work ? 1344 : 640 }

        /// How far a picture may be enlarged beyond its pixels. In a grid rows need one height; the work's own page would show a
        /// small picture blurred.
        var maximumEnlargement: Double { self == .work ? 1.25 : .infinity }
    }

    let width: Int
    let height: Int
    /// The class that limits the picture to the height of the window: "r14" for a ratio from 1.4 to below 1.5.
    let ratioClass: String

    /// - Parameters: the picture's size in pixels.
    /// - Returns: `nil` if a side isn't positive: the size is unknown, or the file is no picture.
    init?(pixelWidth: Int, pixelHeight: Int, in place: Place) {
        guard pixelWidth > 0, pixelHeight > 0 else { return nil }
        let ratio = Double(pixelWidth) / Double(pixelHeight)
        var height = min(Double(place.height), (Double(pixelHeight) * place.maximumEnlargement).rounded())
        if height * ratio > Double(place.maximumWidth) { height = Double(place.maximumWidth) / ratio }
        var width = max(1, (height * ratio).rounded())
        // The width of a narrow picture is a few pixels: rounding it changes the ratio, and the page would move when the picture
        // is loaded.
        if (width / ratio - height).magnitude >= 2 {
            width = max(1, (height * ratio).rounded(.down))
            height = min(height, width / ratio)
        }
        self.width = Int(width)
        self.height = max(1, Int(height.rounded()))
        ratioClass = Self.ratioClass(of: ratio)
    }

    /// The ratios, in tenths, for which the style sheet has a class.
    static let ratioClasses = Array(1...20) + [25, 30, 40]

    /// The largest class that isn't larger than the ratio; "r3" also for smaller ones.
    private static func ratioClass(of ratio: Double) -> String {
        let tenths = ratio * 10 + 1e-9
        return "r\(ratioClasses.last { Double($0) <= tenths } ?? ratioClasses[0])"
    }
}
