/// A unit of length in texts on dimensions.
package enum LengthUnit: String, Sendable, Hashable, CaseIterable {
    case millimetre, centimetre, metre, inch, foot

    /// The length of one unit in centimetres.
    package var centimetres: Double {
        switch self {
        case .millimetre: 0.1
        case .centimetre: 1
        case .metre: 100
        case .inch: 2.54
        case .foot: 30.48
        }
    }

    /// Whether the unit is metric. A museum that gives both measured in these.
    var isMetric: Bool { self != .inch && self != .foot }

    /// Reads an abbreviation or a name: `cm`, `in`, `inches`, `centimeter`; `nil` for another word. Ignores case.
    package init?(word: String) {
        switch word.lowercased() {
        case "mm", "millimetre", "millimetres", "millimeter", "millimeters": self = .millimetre
        case "cm", "cms", "centimetre", "centimetres", "centimeter", "centimeters": self = .centimetre
        case "m", "metre", "metres", "meter", "meters": self = .metre
        case "in", "ins", "inch", "inches": self = .inch
        case "ft", "foot", "feet": self = .foot
        default: return nil
        }
    }
}
