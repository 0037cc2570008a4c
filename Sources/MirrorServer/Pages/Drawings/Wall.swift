/// A wall on which works hang at their true sizes, in order, beside a person: the numbers and texts of one SVG.
///
/// The unit is a centimetre. The middle of a work is 1.55 m above the floor; a work higher than 2.4 m begins 35 cm above it. The
/// style sheet sets the height of the drawing, at least 240 pixels.
struct Wall: Sendable, Equatable {
    /// A work that may hang on the wall.
    struct Work: Sendable, Equatable {
        /// Artist, title and date, cut to a length for reading aloud; the size is added.
        var label: String
        var href: String
        /// The address of the picture. Without one, a blank frame is drawn.
        var picture: String?
        /// In centimetres.
        var width: Double?
        /// In centimetres.
        var height: Double?
        /// The width of the picture divided by its height, if known.
        var pictureRatio: Double?
    }

    /// A work on the wall.
    struct Item: Sendable, Equatable {
        /// The text of `title`, its name and tooltip: "Albrecht Dürer, Young Hare, 1502, 25.1 by 22.6 cm".
        let label: String
        let href: String
        let picture: String?
        /// The place of the picture.
        let image: DrawnBox
        /// The invisible rectangle that can be clicked: the work, or at least 24 pixels square.
        let hit: DrawnBox
        /// The outline, 1 cm outside the picture.
        let edge: DrawnBox
    }

    /// The largest number of works on a wall, so that a page stays below 60 kB; the list below the wall has all.
    static let maximumWorks = 40

    /// The largest number of works on a wall beside a list of works, views and artists. In the list, a work with a picture takes
    /// about 530 bytes.
    static func most(beside listed: Int) -> Int { listed > maximumWorks ? 24 : maximumWorks }

    /// Fewer works make no wall.
    static let minimumWorks = 3

    /// The attributes of the `svg` element.
    let width: String
    let height: String
    /// "0 0 2073 470".
    let viewBox: String
    /// The floor, which continues beyond both ends of the drawing.
    let ground: DrawnBox
    let person: DrawnPerson
    let items: [Item]
    /// The text of the region's `aria-label`.
    let label: String
    /// The text below the wall.
    let caption: String

    /// - Parameters:
    ///   - works: in the order in which they hang.
    ///   - total: the number of works of the subject, where `works` doesn't contain all of them.
    ///   - most: only this number of the first works that can be drawn is used. Default: ``maximumWorks``.
    /// - Returns: `nil` if fewer than three works can be drawn.
    init?(
        _ works: some Sequence<Work>, of subject: WallSubject, total: Int? = nil,
        most: Int = Wall.maximumWorks
    ) {
        var hung: [(work: Work, size: HungSize)] = [], count = 0
        for work in works {
            count += 1
            guard hung.count < most,
                let size = HungSize(width: work.width, height: work.height, pictureRatio: work.pictureRatio)
            else { continue }
            hung.append((work, size))
        }
        guard hung.count >= Self.minimumWorks else { return nil }

        let spacing = WallSpacing(hung.map(\.size))
        let ground = spacing.ground
        items = zip(hung, spacing.lefts).map { hung, left in
            let size = hung.size, work = hung.work
            return Item(
                label: work.label.isEmpty ? size.text : "\(work.label), \(size.text)", href: work.href,
                picture: work.picture, image: size.box(left: left, ground: ground),
                hit: spacing.hit(of: size, left: left), edge: size.box(left: left, ground: ground, margin: 1))
        }
        width = spacing.width.tenths
        height = spacing.height.tenths
        viewBox = "0 0 \(width) \(height)"
        self.ground = DrawnBox(
            x: -spacing.groundMargin, y: ground, width: spacing.width + 2 * spacing.groundMargin, height: 60)
        person = DrawnPerson(ground: ground)

        let all = max(total ?? count, hung.count)
        label =
            subject.phrase(hung: hung.count, total: all)
            + " at their true sizes, beside a person of 1.65 metres"
        caption =
            hung.count == all
            ? "At their true sizes, beside a person of 1.65 m."
            : WallSubject.works(hung: hung.count, total: all)
                + ", at their true sizes, beside a person of 1.65 m."
    }
}
