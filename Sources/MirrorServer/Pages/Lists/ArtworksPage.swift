import Catalogue
import MirrorStore

/// The list of artworks: a grid with filters, orders, letters or centuries, and pages.
struct ArtworksPage: WebPage {
    static let template = "artworks"

    private let choice: ListChoice
    private let listing: ArtworkListing
    private let grid: WorksGrid
    private let bar: FilterBar
    private let letters: Shown?
    private let paths: (previous: String?, next: String?)
    private let museum: String
    /// The number of artworks in the list; `nil` if it is unknown.
    private let total: Int?
    /// Why the list is empty; `nil` if it isn't.
    private let nothing: String?

    init(_ context: PageContext) throws {
        let store = context.store, path = context.href(.list(.artwork))
        choice = ListChoice(context.target.query, for: context.face)
        museum = context.frame.museum
        listing = try store.artworks(choice.query, from: PagePosition(context.target, in: choice.query.sort))
        grid = WorksGrid(items: listing.items, within: Self.within(choice), context: context)
        let menu = context.target[FilterBar.menu]
        let guide = try store.guide(choice.query, isThorough: menu != nil)
        bar = FilterBar(choice, guide.facets, path: path, orders: FilterBar.listOrders, menu: menu)
        paths = ListPaging.paths(previous: listing.previous, next: listing.next, path, choice.items)
        letters =
            listing.next == nil && listing.previous == nil ? nil : Self.letters(choice, guide)
        total = try listing.items.isEmpty && EmptyList.isBeforeIndex(context) ? nil : listing.total
        nothing = try listing.items.isEmpty ? Self.nothing(choice, context) : nil
    }

    /// The query that leads back to the list: `all` for the list of all artworks, so that it is never empty and each artwork's
    /// page knows its list.
    private static func within(_ choice: ListChoice) -> String {
        choice.items.isEmpty ? "all" : PageQuery.nested(choice.items)
    }

    private static func nothing(_ choice: ListChoice, _ context: PageContext) throws -> String {
        if !choice.query.filters.isEmpty { return "No artwork has all of these." }
        let isFirst = context.target["after"] == nil && context.target["before"] == nil
        return try isFirst ? EmptyList.text(.artwork, context) : "No artwork is on this page of the list."
    }

    /// Letters, or centuries in the order of dates. Their addresses are relative, as those of filters.
    private static func letters(_ choice: ListChoice, _ guide: ArtworkGuide) -> Shown? {
        func href(_ key: PageKey) -> String {
            "?" + PageQuery.encode(choice.items + [NameValue("after", key.text)])
        }
        switch choice.query.sort {
        case .artist, .title:
            let hrefs = Dictionary(
                guide.letters.map { ($0.letter, href($0.before)) }, uniquingKeysWith: { first, _ in first })
            // A single letter leads nowhere else.
            guard hrefs.count > 1 else { return nil }
            let label = choice.query.sort == .artist ? "Artists by first letter" : "Titles by first letter"
            return PageBlock.letters(label, hrefs).content
        case .year:
            let entries = guide.centuries.map {
                (text: YearSpan.name(ofCentury: $0.century), href: Optional(href($0.before)))
            }
            return entries.count < 2 ? nil : PageBlock.letters("Centuries", entries).content
        case .change: return nil
        }
    }

    var title: String { "Artworks" }
    var description: String? { "Artworks of \(museum)." }
    var section: PageSection? { .list(.artwork) }
    var neighbours: (previous: String?, next: String?) { paths }

    var shown: Shown {
        let count = Shown.Value.text(total.map { CountText($0).digits })
        if let values = bar.values {
            return [
                "count": count, "filters": .part(bar.shown), "letters": false,
                "values": .part(["blocks": .many([values.shown])]), "nothing": false, "grid": false,
                "paging": false,
            ]
        }
        let items = grid.captions()
        return [
            "count": count, "filters": .part(bar.shown), "letters": .part(letters), "values": false,
            "nothing": .text(nothing),
            "grid": .part(items.isEmpty ? nil : ["label": "Artworks", "items": .many(items)]),
            "paging": .part(
                ListPaging.shown(count: listing.items.count, total: listing.total, start: nil, paths)),
        ]
    }

    var json: JSONObject {
        JSONObject([
            ("items", grid.json), ("filters", bar.json),
            ("total", total.map { .number(JSONNumber($0)) } ?? .null),
            ("next", paths.next.map { .string($0) } ?? .null),
            ("previous", paths.previous.map { .string($0) } ?? .null),
        ])
    }
}
