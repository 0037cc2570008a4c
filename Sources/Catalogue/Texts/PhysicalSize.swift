/// The size of an artwork as it is seen from the front, in centimetres.
package struct PhysicalSize: Sendable, Hashable {
    /// The height in centimetres.
    package let height: Double
    /// The width in centimetres.
    package let width: Double
    /// The depth in centimetres; `nil` if it isn't known.
    package let depth: Double?
    /// The diameter in centimetres; `nil` if the catalogue names none.
    package let diameter: Double?

    /// The greatest length in centimetres. What is longer is a typing error, or a work that no wall can show.
    package static let longest = 10_000.0

    /// Creates a size; `nil` if a length isn't positive, or longer than ``longest``.
    package init?(height: Double, width: Double, depth: Double? = nil, diameter: Double? = nil) {
        for length in [height, width, depth, diameter].compactMap(\.self) {
            guard length > 0, length <= Self.longest else { return nil }
        }
        (self.height, self.width, self.depth, self.diameter) = (height, width, depth, diameter)
    }

    /// The size of an artwork; `nil` unless its height and width are known, or if a text contradicts itself or is about several
    /// objects.
    ///
    /// The first of these that has both:
    /// 1. `dimensions.cm` or `dimensions.in`, if the text itself names a unit, which is right whatever the field's name says
    ///    (`dimensions.in` may be in centimetres);
    /// 2. the numbers `height`, `width`, `depth` and `diameter` in the unit of `metric` (or `units` in a catalogue);
    /// 3. `dimensions.cm` or `dimensions.in` in the unit of the field's name.
    ///
    /// The text comes first because its order, height by width, is known, while the numbers are sometimes interchanged.
    package init?(of artwork: Artwork) { self.init(SizeFields(artwork)) }

    /// The size that an artwork's fields tell, by the rules of ``init(of:)``.
    package init?(_ fields: SizeFields) {
        let texts = [(fields.centimetres, LengthUnit.centimetre), (fields.inches, .inch)]
        for case (let text?, _) in texts {
            switch DimensionReading(text, unit: nil) {
            case .size(let size):
                self = size
                return
            case .unclear: return nil
            case .none: break
            }
        }
        if let size = Self.fromNumbers(fields) {
            self = size
            return
        }
        for case (let text?, let unit) in texts {
            guard let size = PhysicalSize(parsing: text, unit: unit) else { continue }
            self = size
            return
        }
        return nil
    }

    private static func fromNumbers(_ fields: SizeFields) -> PhysicalSize? {
        guard let unit = fields.unit.flatMap({ LengthUnit(word: $0) }) else { return nil }
        var lengths = Lengths()
        for (number, side) in [
            (fields.height, Side.height), (fields.width, .width), (fields.depth, .depth),
            (fields.diameter, .diameter),
        ] {
            // 0 is how some forms write "not known".
            guard let number, number != 0 else { continue }
            lengths[side] = number * unit.centimetres
        }
        return lengths.size
    }

    // MARK: - Texts

    /// Height by width, as on a label: `25.7 × 37.9 cm`.
    package var caption: String { "\(Self.decimal(height)) × \(Self.decimal(width)) cm" }

    /// A number of centimetres with at most one decimal, and never 0: `25`, `25.7`, `0.1`.
    package static func decimal(_ centimetres: Double) -> String {
        guard centimetres.isFinite else { return "0.1" }
        let tenths = Int(min(max((centimetres * 10).rounded(), 1), 1e15))
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

/// The fields of an artwork that tell its size.
package struct SizeFields: Sendable, Hashable {
    /// The texts of `dimensions.cm` and `dimensions.in`.
    package var centimetres: String?, inches: String?
    /// The unit of the numbers: `metric`, or `units` in a catalogue.
    package var unit: String?
    package var height: Double?, width: Double?, depth: Double?, diameter: Double?

    package init() {}

    init(_ artwork: Artwork) {
        (centimetres, inches) = (artwork.dimensionsCm, artwork.dimensionsIn)
        unit = artwork.text("metric") ?? artwork.json["units"]?.stringValue
        (height, width) = (artwork.real("height"), artwork.real("width"))
        (depth, diameter) = (artwork.real("depth"), artwork.real("diameter"))
    }
}

/// A side of an artwork that a text can name.
enum Side: Hashable {
    case height, width, depth, length, diameter
}

/// The named lengths of an artwork, in centimetres.
struct Lengths: Hashable {
    private var values: [Side: Double] = [:]

    subscript(side: Side) -> Double? {
        get { values[side] }
        set { values[side] = newValue }
    }

    /// The size as seen from the front; `nil` if these lengths don't tell.
    ///
    /// - What is round and has no width is as wide as its diameter; a disc has no height either.
    /// - A length beside a height is the width. Without a height, or beside a width, it may be any side.
    var size: PhysicalSize? {
        let diameter = values[.diameter]
        var height = values[.height], width = values[.width]
        if let length = values[.length] {
            guard height != nil, width == nil, diameter == nil else { return nil }
            width = length
        }
        if let diameter, width == nil {
            width = diameter
            height = height ?? diameter
        }
        guard let height, let width else { return nil }
        return PhysicalSize(height: height, width: width, depth: values[.depth], diameter: diameter)
    }
}
