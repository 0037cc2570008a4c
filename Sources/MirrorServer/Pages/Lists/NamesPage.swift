import Catalogue
import MirrorStore

/// The list of all artists, shows, albums or locations.
struct NamesPage: WebPage {
    static let template = "object"

    /// Names take little space, so a page has many.
    private static let pageSize = 200
    private static let rowsPageSize = 60

    private let kind: Kind
    private let listing: NameListing
    /// The number of objects in the list; `nil` before the first index.
    private let total: Int?
    /// Why the list is empty; `nil` if it isn't.
    private let nothing: String?
    private let blocks: [PageBlock]
    private let ownHref: String
    private let paths: (previous: String?, next: String?)
    private let context: PageContext

    init(_ kind: Kind, _ context: PageContext) throws {
        self.kind = kind
        self.context = context
        ownHref = context.href(.list(kind))
        let isIndex = kind == .artist
        listing = try context.store.names(
            kind, for: context.face, from: PagePosition(context.target, namesOf: kind),
            limit: isIndex ? Self.pageSize : Self.rowsPageSize)
        paths = ListPaging.paths(previous: listing.previous, next: listing.next, ownHref)
        let paging = ListPaging.shown(
            count: listing.items.count, total: listing.total, of: kind, start: nil, paths)
        let items = listing.items
        total = try items.isEmpty && EmptyList.isBeforeIndex(context) ? nil : listing.total
        nothing = try items.isEmpty && listing.previous == nil ? EmptyList.text(kind, context) : nil
        let isOnePage = listing.next == nil && listing.previous == nil
        if items.isEmpty {
            blocks = []
        } else if isIndex {
            let letters = try isOnePage ? nil : Self.letters(of: kind, context)
            blocks =
                [letters].compactMap(\.self)
                + [.names(nil, id: "names", items.map { NameRow.name($0, context) }, paging: paging)]
        } else {
            blocks = [
                .rows(
                    nil, id: "names",
                    items.map { item in
                        PageBlock.Row(
                            href: NameRow.href(item, context),
                            text: LongText.cut(item.name ?? item.id, to: 200).text,
                            detail: Self.detail(item))
                    }, paging: paging)
            ]
        }
    }

    /// The letters under which the list has names.
    static func letters(of kind: Kind, _ context: PageContext) throws -> PageBlock {
        let path = context.href(.list(kind))
        let hrefs = try context.store.letters(kind, for: context.face).map {
            ($0.letter, "\(path)?" + PageQuery.encode([NameValue("after", $0.before.text)]))
        }
        return .letters(
            "\(kind.plural.capitalized) by first letter",
            Dictionary(hrefs, uniquingKeysWith: { first, _ in first }))
    }

    /// A show's dates, a location's address, and the number of artworks.
    private static func detail(_ item: NameItem) -> String {
        func text(_ field: String) -> String? {
            item.json[field]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        let first: String? =
            switch item.kind {
            case .show: PageDates.span(from: text("start_at"), to: text("end_at"))
            case .location:
                ["address", "city"].compactMap(text).map { LongText.cut($0, to: 100).text }.joined(
                    separator: ", ")
            default: nil
            }
        let works = item.artworks.map { CountText($0).of(.artwork) }
        return [first, works, item.isHidden ? "Private" : nil].compactMap { $0 }.filter { !$0.isEmpty }
            .joined(separator: ". ")
    }

    var title: String { kind.plural.capitalized }
    var description: String? { "All \(kind.plural) of \(context.frame.museum)." }
    var section: PageSection? { .list(kind) }
    var neighbours: (previous: String?, next: String?) { paths }

    var shown: Shown {
        [
            "heading": .string(title),
            "headingCount": .text(nothing == nil ? CountText(listing.total).digits : nil),
            "subtitle": .part(nothing.map { ["parts": .many([Fact.Part(text: $0).shown])] }),
            "intro": false, "blocks": .many(blocks.map(\.shown)),
        ]
    }

    var json: JSONObject {
        JSONObject([
            (
                "items",
                .array(
                    listing.items.map { item in
                        var json = JSONObject([
                            ("id", .string(item.id)), ("href", .string(NameRow.href(item, context))),
                        ])
                        json["name"] = item.name.map(JSONValue.string)
                        json["artworks"] = item.artworks.map { .number(JSONNumber($0)) }
                        return .object(json)
                    })
            ),
            ("total", total.map { .number(JSONNumber($0)) } ?? .null),
            ("next", paths.next.map { .string($0) } ?? .null),
            ("previous", paths.previous.map { .string($0) } ?? .null),
        ])
    }
}
