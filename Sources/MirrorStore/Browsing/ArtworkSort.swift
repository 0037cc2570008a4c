import Catalogue

/// An order of lists of artworks. Artworks without the key are last; equal keys are ordered by id.
package enum ArtworkSort: String, Sendable, Hashable, CaseIterable {
    /// By the first artist's name, then by year and title.
    case artist
    /// By title.
    case title
    /// By the first year of the date, then by artist and title.
    case year
    /// By the latest change, the latest first.
    case change

    /// The order with a name in an address; `nil` if there is none.
    package init?(named name: String) {
        guard let found = Self.allCases.first(where: { UTF8Order.equal($0.name, name) }) else { return nil }
        self = found
    }

    /// The name in an address: what people read on the page.
    package var name: String { self == .year ? "date" : rawValue }

    /// The table of the artworks' places in this order.
    var places: String { "artwork_place_\(rawValue)" }

    /// The full-text index whose row ids are the places in this order.
    var table: String { "artwork_by_\(rawValue)" }

    /// The columns of `artwork_entry` that decide the order, the most important first. The last, the id, makes it total.
    var keys: [String] {
        switch self {
        case .artist: ["artist", "year", "title", "id"]
        case .title: ["title", "id"]
        case .year: ["year", "artist", "title", "id"]
        case .change: ["recency", "title", "id"]
        }
    }

    /// The facet whose values are the letters of this order; `nil` if it has none.
    var letters: Facet? {
        switch self {
        case .artist: .artistLetter
        case .title: .titleLetter
        case .year, .change: nil
        }
    }

    /// The columns of `artwork_entry` that contain numbers.
    static let numbers: Set<String> = ["year", "recency"]

    /// The `year` of an artwork without a date: after all years.
    static let undated = 9_999_999
    /// The key of an artwork or name without a sort key: after all keys.
    package static let untitled = "\u{10FFFF}"
}
