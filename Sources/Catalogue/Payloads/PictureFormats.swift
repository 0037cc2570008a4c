/// The formats in which the pictures of a mirror are stored: what is wanted of each picture.
///
/// This is the only place that decides it (``chosen(among:isFirst:)``). The store has the same rule in SQL.
public enum PictureFormats: Sendable, Hashable {
    /// `larger` of every picture, or else the largest format that is offered. The default of mirrors made by earlier versions.
    case largest
    /// As ``largest``, and `medium` as well of the first picture of each object, so that lists of pictures are light. The
    /// default of new mirrors.
    case standard
    /// Exactly these formats of every picture, as far as they are offered.
    case named([String])

    /// The format that ``standard`` adds to the first picture.
    package static let firstFormat = "medium"

    /// Whether it is ``named(_:)``.
    package var isNamed: Bool { if case .named = self { true } else { false } }

    /// The formats to fetch of a picture.
    ///
    /// - Parameters:
    ///   - offered: the formats that the server offers; `nil` if it doesn't send them. Then named formats and `larger` are
    ///     tried, and no other.
    ///   - isFirst: whether it is the first picture of its object (``ImageEntry/isDefault``).
    /// - Returns: the wanted formats that are offered, each once.
    public func chosen(among offered: [String]?, isFirst: Bool) -> [String] {
        switch self {
        case .largest: return Self.largest(of: offered)
        case .standard:
            let largest = Self.largest(of: offered)
            let adds = isFirst && offered?.contains(Self.firstFormat) == true
            return adds && !largest.contains(Self.firstFormat) ? largest + [Self.firstFormat] : largest
        case .named(let wanted):
            return wanted.reduce(into: []) { chosen, format in
                if !chosen.contains(format), offered?.contains(format) ?? true { chosen.append(format) }
            }
        }
    }

    /// At most one format.
    private static func largest(of offered: [String]?) -> [String] {
        guard let offered, !offered.contains(ImageEntry.defaultFormat) else {
            return [ImageEntry.defaultFormat]
        }
        // Unknown formats rank lowest, because their size is unknown.
        return [offered.max { rank($0) < rank($1) }].compactMap(\.self)
    }

    private static func rank(_ format: String) -> Int { ImageEntry.formats.firstIndex(of: format) ?? -1 }
}

/// The text by which a mirror remembers its formats.
extension PictureFormats {
    private static let largestText = "default", standardText = "standard"

    /// `default` for ``largest``, `standard`, or the sorted names, separated by commas.
    package var text: String {
        switch self {
        case .largest: Self.largestText
        case .standard: Self.standardText
        case .named(let names): names.sorted().joined(separator: ",")
        }
    }

    /// Parses a ``text``.
    package init(text: String) {
        self =
            switch text {
            case Self.largestText: .largest
            case Self.standardText: .standard
            default: .named(text.split(separator: ",").map(String.init))
            }
    }
}

extension PictureFormats: ExpressibleByArrayLiteral {
    /// ``named(_:)``.
    public init(arrayLiteral names: String...) { self = .named(names) }
}
