/// A property by which lists of artworks can be filtered.
package struct Facet: Sendable, Hashable {
    /// The name in the index. Those of fields without a column begin with a dot.
    package let name: String

    init(_ name: String) { self.name = name }

    package static let category = Facet("category")
    /// The century of the date: `19` is 1801–1900, `-5` is 500–401 BC.
    package static let century = Facet("century")
    /// The decade of the date by its first year: `1830`. Offered within a century.
    package static let decade = Facet("decade")
    /// The artist's id.
    package static let artist = Facet("artist")
    package static let medium = Facet("medium")
    /// The id of the location where the artwork is; empty for artworks that are not on view.
    package static let place = Facet("place")
    /// Whether a picture of the artwork is in the mirror: `here` or `none`.
    package static let pictures = Facet("pictures")
    /// Whether the artwork has edition sets: `yes` or `no`.
    package static let editions = Facet("editions")
    /// The number of days within which the artwork changed: `7`, `30` or `100`.
    package static let changed = Facet("changed")
    /// The availability, for the staff only.
    package static let availability = Facet("availability")

    /// A text field of the artworks' JSON that has no column, such as `department`.
    package static func field(_ name: String) -> Facet { Facet(".\(name)") }

    /// The name of the field; `nil` for the other facets.
    package var field: String? { name.hasPrefix(".") ? String(name.dropFirst()) : nil }

    // MARK: - In the index only

    /// The letter of the first artist or of the title: `A` to `Z`, `#` for other characters.
    static let artistLetter = Facet("artist letter")
    static let titleLetter = Facet("title letter")
    /// The day of the latest change, such as `2026-11-27`, if it was at most 100 days ago when the artwork was indexed.
    static let day = Facet("day")
    /// `visitors` for artworks that visitors may see, `hidden` for the others.
    static let face = Facet("face")
    /// The kind of an object that isn't an artwork, for searches.
    static let kind = Facet("kind")
    /// One value, empty, which all artworks have.
    static let all = Facet("all")

    /// The facets that every mirror may have, in the order in which they are offered.
    static let standard: [Facet] = [
        .category, .century, .decade, .artist, .medium, .place, .availability, .pictures, .editions, .changed,
    ]

    /// The numbers of days of ``changed``.
    package static let periods = [7, 30, 100]

    /// Whether this is a facet that a list can be filtered by.
    private var isOffered: Bool { Self.standard.contains(self) || field?.isEmpty == false }

    /// Reads the name of a facet; `nil` if it can't be one. A field needn't exist.
    package init?(named name: String) {
        guard name.utf8.count <= 64, !name.utf8.contains(0) else { return nil }
        self.init(name)
        guard isOffered else { return nil }
    }
}

extension Facet {
    /// Whether an artwork has one of two values, so that a list with both has no other.
    var hasTwoValues: Bool { self == .pictures || self == .editions }
}

/// One value of a facet, as a list offers it.
package struct FacetValue: Sendable, Hashable {
    /// What a filter contains: an id for artists and places.
    package let value: String
    /// What people read, if it isn't the value itself: the name of an artist or place; `nil` for "not on view".
    package let label: String?
    /// The number of artworks that the list would have with this filter; `nil` if it is unknown.
    package let count: Int?
    /// Whether the list is filtered by it.
    package let isChosen: Bool
    /// Its place among the values of the facet, from 0 for the chosen or the most common one.
    package let rank: Int
}

/// A facet that a list offers, with its values.
package struct OfferedFacet: Sendable, Hashable {
    package let facet: Facet
    /// The most common values, at most 100. Centuries and decades are in order of time, periods from the shortest.
    package let values: [FacetValue]
    /// Whether the facet has more values than these.
    package let hasMore: Bool
}
