import Catalogue
import MirrorStore

/// The filters and the order of a list of artworks, as the query of its address.
///
/// A filter is an item with the name of its facet. A field without a column begins with a dot:
/// `category=Print&.department=Photographs`.
struct ListChoice {
    let query: ArtworkQuery
    /// The words of a search; `nil` in a list.
    let words: String?
    /// The filters in the order of the address.
    private let filters: [NameValue]
    /// The order that the address names; `nil` for none.
    let sort: ArtworkSort?

    /// At most this number of filters is read.
    private static let mostFilters = 12
    private static let notFilters: Set<String> = ["q", "sort", "after", "before", "in", "menu", "picture"]

    init(_ items: [NameValue], for face: Face) {
        var values: [Facet: String] = [:], filters: [NameValue] = []
        for item in items where !Self.notFilters.contains(item.name) && filters.count < Self.mostFilters {
            guard let facet = Facet(named: item.name), face.offers(facet), values[facet] == nil,
                item.value.utf8.count <= 2_000
            else { continue }
            values[facet] = item.value
            filters.append(item)
        }
        self.filters = filters
        sort = items.last { $0.name == "sort" }.flatMap { ArtworkSort(named: $0.value) }
        words = items.last { $0.name == "q" }.map { LongText.cut($0.value, to: 400).text }
        query = ArtworkQuery(face: face, filters: values, sort: sort ?? .artist)
    }

    /// The query of an address with these filters and this order.
    var items: [NameValue] {
        (words.map { [NameValue("q", $0)] } ?? []) + filters
            + (sort.map { [NameValue("sort", $0.name)] } ?? [])
    }

    /// With a filter instead of any other by the same facet.
    func with(_ facet: Facet, _ value: String) -> [NameValue] {
        without(facet) + [NameValue(facet.name, value)]
    }

    /// Without the filter by a facet. Without the century, there is no decade.
    func without(_ facet: Facet) -> [NameValue] {
        items.filter { item in
            item.name != facet.name && !(facet == .century && item.name == Facet.decade.name)
        }
    }

    /// In another order; `nil` for the usual one.
    func sorted(by sort: ArtworkSort?) -> [NameValue] {
        items.filter { $0.name != "sort" } + (sort.map { [NameValue("sort", $0.name)] } ?? [])
    }
}

/// The names of facets and of their values.
enum FacetText {
    static func name(_ facet: Facet) -> String {
        if let field = facet.field { return Fact.label(field) }
        return switch facet {
        case .category: "Category"
        case .century: "Date"
        case .decade: "Decade"
        case .artist: "Artist"
        case .medium: "Medium"
        case .place: "Place"
        case .pictures: "Pictures"
        case .editions: "Editions"
        case .changed: "Changed"
        case .availability: "Availability"
        default: Fact.label(facet.name)
        }
    }

    static func value(_ value: FacetValue, of facet: Facet) -> String {
        text(value.value, label: value.label, of: facet)
    }

    static func text(_ value: String, label: String?, of facet: Facet) -> String {
        let text =
            switch facet {
            case .century: Int(value).map(YearSpan.name(ofCentury:)) ?? value
            case .decade: Int(value).map(YearSpan.name(ofDecade:)) ?? value
            case .place: label ?? (value.isEmpty ? "Not on view" : value)
            case .pictures: value == "here" ? "With pictures here" : "Without pictures here"
            case .editions: value == "yes" ? "With editions" : "Without editions"
            case .changed: "Changed in the last \(value) days"
            default: label ?? value
            }
        return LongText.cut(text, to: 80).text
    }

    /// The text of a value among those of other facets: `Department: Photographs`, `With editions`.
    static func named(_ text: String, _ facet: Facet) -> String {
        switch facet {
        case .century, .decade, .pictures, .editions, .changed: text
        default: "\(name(facet)): \(text)"
        }
    }
}
