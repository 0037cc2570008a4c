/// A measured part of an artwork in a text on dimensions: `sheet: 10 x 8 in. (25.4 x 20.3 cm)`.
struct MeasuredPart {
    /// The words that name the part, in lower case; empty for the work itself.
    var words: [String] = []
    /// The same lengths in one or more units.
    var groups: [MeasureGroup] = []
    /// The sides named behind the lengths, in their order: `(h. x diam.)`.
    var sidesBehind: [Side] = []
    /// Whether words have followed the lengths, so that further lengths are another part's.
    var isNamedBehind = false

    private static let surroundings: Set<String> = [
        "frame", "framed", "frames", "mount", "mounts", "mounted", "mounting", "mat", "matted", "base",
        "pedestal", "stand",
        "plinth", "box", "case", "crate", "slipcase", "packed", "backboard", "tang", "margins",
    ]
    private static let wholes: Set<String> = ["overall", "total", "unframed"]
    private static let details: Set<String> = [
        "image", "images", "composition", "comp", "plate", "block", "sight", "bezel", "hoop", "handle",
        "blade", "lid",
        "detail", "knees", "motif", "stone", "printed", "text", "inner", "mouth", "foot", "rim",
    ]

    /// How well the part stands for the work: 0 the whole, 1 any other, 2 a part that is smaller than the work; `nil` for what
    /// is around it, such as a frame.
    var rank: Int? {
        var rank = words.contains(where: Self.wholes.contains) ? 0 : 1
        for (index, word) in words.enumerated() {
            if index > 0, ["excluding", "without", "excl", "not"].contains(words[index - 1]) { continue }
            if Self.surroundings.contains(word) { return nil }
            if rank == 1, Self.details.contains(word), index == 0 || words[index - 1] != "with" { rank = 2 }
        }
        return rank
    }

    /// The size; `nil` if it isn't clear which length is which.
    /// - Parameter unit: the unit of plain numbers; `nil` to ignore them.
    func size(unit: LengthUnit?) -> PhysicalSize? {
        guard !isContradictory, let main = groups.first, let best = best ?? (unit == nil ? nil : main) else {
            return nil
        }
        var sides = best.sides
        if sides.allSatisfy({ $0 == nil }) {
            if main.sides.count == sides.count {
                sides = main.sides
            } else if main.sides.contains(where: { $0 != nil }), !main.sides.starts(with: [.height, .width]) {
                return nil
            }
            if sidesBehind.count == sides.count { sides = sidesBehind }
        }
        return Self.size(best.centimetres(unit: unit ?? .centimetre), sides)
    }

    /// The lengths with a unit, metric ones if there are any.
    private var best: MeasureGroup? {
        let known = groups.filter { $0.unit != nil }
        return known.first { $0.unit?.isMetric == true } ?? known.first
    }

    /// Whether the part has lengths, and not only a count: `2 panels`.
    func isMeasured(unit: LengthUnit?) -> Bool {
        best != nil
            || (unit != nil && groups.contains { $0.values.count > 1 || $0.sides.contains { $0 != nil } })
    }

    /// Whether its lengths in two units aren't the same lengths.
    var isContradictory: Bool {
        guard let best else { return false }
        return groups.contains { $0.unit != nil && $0.contradicts(best) }
    }

    /// Lengths without a name are height, width and depth in this order, which is the custom of museums.
    private static func size(_ values: [Double], _ sides: [Side?]) -> PhysicalSize? {
        let isUnnamed = sides.allSatisfy { $0 == nil }
        if isUnnamed && !(2...3).contains(values.count) { return nil }
        let usual: [Side] = [.height, .width, .depth]
        var lengths = Lengths()
        for (index, value) in values.enumerated() {
            guard let side = sides[index] ?? (index < usual.count ? usual[index] : nil), lengths[side] == nil
            else { return nil }
            lengths[side] = value
        }
        return lengths.size
    }
}

/// Lengths that are joined by `×`, with the sides that the text names.
struct MeasureGroup {
    var values: [Double] = []
    var units: [LengthUnit?] = []
    var sides: [Side?] = []

    /// A unit of the text; `nil` if it names none.
    var unit: LengthUnit? { units.lazy.compactMap(\.self).first }

    /// A number without a unit has that of the next, or else of the one before: `20 x 30 cm`.
    func centimetres(unit: LengthUnit) -> [Double] {
        var result = values, last = units.last.flatMap(\.self) ?? self.unit ?? unit
        for index in values.indices.reversed() {
            last = units[index] ?? last
            result[index] = values[index] * last.centimetres
        }
        return result
    }

    /// Whether the same lengths in another unit differ by more than rounding.
    func contradicts(_ other: MeasureGroup) -> Bool {
        guard values.count == other.values.count else { return false }
        return zip(centimetres(unit: .centimetre), other.centimetres(unit: .centimetre)).contains {
            left, right in
            abs(left - right) > max(0.15 * max(left, right), 0.3)
        }
    }
}

/// What a text on dimensions says about the size of an artwork.
enum DimensionReading: Hashable {
    case size(PhysicalSize)
    /// It contradicts itself, or is about several objects. Other sources aren't more certain.
    case unclear
    /// It names no height and width.
    case none

    /// - Parameter unit: the unit of plain numbers; `nil` to ignore them.
    init(_ text: String, unit: LengthUnit?) {
        var reader = DimensionTextReader(DimensionToken.tokens(of: text))
        let parts = reader.parts().compactMap { part in
            part.isMeasured(unit: unit) ? part.rank.map { (rank: $0, part: part) } : nil
        }
        guard let best = parts.min(by: { $0.rank < $1.rank })?.part else {
            self = .none
            return
        }
        guard !best.isContradictory else {
            self = .unclear
            return
        }
        guard let size = best.size(unit: unit) else {
            self = .none
            return
        }
        let namesakes = parts.filter { $0.part.words == best.words }.compactMap { $0.part.size(unit: unit) }
        self = namesakes.allSatisfy { $0 == size } ? .size(size) : .unclear
    }
}

extension PhysicalSize {
    /// Reads a text on dimensions; `nil` unless it names one height and one width.
    ///
    /// - Metric lengths are preferred, if the text has them too. A text whose units contradict each other has no size.
    /// - Of several parts, the one for the whole counts (`overall`), or else the first that isn't smaller (`image`, `plate`) or
    ///   around the work (`frame`, `mount`). Several parts of one name are several objects, which have no size.
    /// - Parameter unit: the unit of plain numbers. Default: none, a text without a unit has no size.
    package init?(parsing text: String, unit: LengthUnit? = nil) {
        guard case .size(let size) = DimensionReading(text, unit: unit) else { return nil }
        self = size
    }
}
