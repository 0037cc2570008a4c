import Catalogue
import MirrorStore

/// What a search finds: artists, artworks with filters, and shows, albums and places by name.
struct SearchPage: WebPage {
    static let template = "search"

    /// The item of an address that holds the number of artworks before the page.
    private static let after = "after"

    private static let mostByText = 5
    private static let manyArtworks = "more than 5,000 artworks"

    /// The store finds at most this number of artists. With that many, others may have been left out.
    private static let mostFound = 20

    private let choice: ListChoice
    private let found: SearchResult
    private let grid: WorksGrid
    private let bar: FilterBar
    private let context: PageContext
    /// Whether nothing can be found yet, because no first sync has made the index.
    private let isBeforeIndex: Bool

    init(_ context: PageContext) throws {
        self.context = context
        choice = ListChoice(context.target.query, for: context.face)
        let words = SearchWords(choice.words ?? "")
        let start = context.target[Self.after].flatMap { $0.utf8.count < 6 ? Int($0) : nil } ?? 0
        let menu = context.target[FilterBar.menu]
        found = try context.store.search(
            words, choice.query, by: choice.sort, from: max(0, start), limit: CatalogueStore.pageSize,
            isThorough: menu != nil)
        grid = WorksGrid(
            items: found.artworks, within: PageQuery.nested(choice.items), words: words, context: context)
        bar = FilterBar(
            choice, found.facets, path: context.href(.search),
            orders: found.isOrdered && found.artworks.count > 1 ? FilterBar.searchOrders : [],
            menu: menu)
        isBeforeIndex = try found.isEmpty && EmptyList.isBeforeIndex(context)
    }

    /// The number of artworks; `nil` before the first index, and if there are too many to count.
    private var total: Int? { isBeforeIndex ? nil : found.total }

    /// The number of artworks that can be looked through, page by page.
    private var reachable: Int { min(found.total ?? 0, CatalogueStore.mostResults) }

    var neighbours: (previous: String?, next: String?) {
        func link(_ start: Int) -> String {
            let items = choice.items + (start > 0 ? [NameValue(Self.after, "\(start)")] : [])
            return context.href(.search, items)
        }
        let first = found.first, end = first + CatalogueStore.pageSize
        return (
            first > 0 ? link(max(0, first - CatalogueStore.pageSize)) : nil,
            end < reachable ? link(end) : nil
        )
    }

    private var asked: String { LongText.cut(choice.words ?? "", to: 100).text }

    var title: String { asked.isEmpty ? "Search" : "“\(asked)”" }
    var section: PageSection? { .search }
    var words: String? { choice.words }

    /// What was found, in one sentence.
    private var summary: String {
        guard !found.words.words.isEmpty else { return "Search for titles, artists, media and dates." }
        if isBeforeIndex { return EmptyList.beforeIndex }
        guard !found.isEmpty else { return SearchText.nothing(found.words.words, unknown: found.unknown) }
        let parts = [artistsText, worksText].compactMap(\.self)
        guard !parts.isEmpty else { return "Only shows, albums or places were found." }
        let all = found.words.words.count == 1 ? "" : " with all these words"
        let text = parts.listed + all
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// `3 artists`; `nil` for none.
    private var artistsText: String? {
        let count = found.artists.count
        guard count > 0 else { return nil }
        return (count < Self.mostFound ? "" : "at least ") + CountText(count).of(.artist)
    }

    /// `10 artworks`; `nil` for none.
    private var worksText: String? {
        guard let total = found.total else { return Self.manyArtworks }
        return total == 0 ? nil : CountText(total).of(.artwork)
    }

    var shown: Shown {
        var blocks: [PageBlock] = []
        if !found.artists.isEmpty, found.first == 0 {
            let shown = shownArtists, all = found.artists.count
            let isComplete = shown.count == all && all < Self.mostFound
            let rest = CutList.link("artists found", all, shown: shown.count, context.jsonPath)
            blocks.append(
                .rows(
                    "Artists", id: "artists", count: isComplete ? all : nil, shown.map(row), after: rest))
        }
        if !found.alone.isEmpty {
            blocks.append(
                .rows(
                    "One word alone", id: "alone",
                    found.alone.map { found in
                        PageBlock.Row(
                            href: context.href(.search, [NameValue("q", found.word)]),
                            text: LongText.cut(found.word, to: 60).text,
                            detail: found.total.map { CountText($0).of(.artwork) } ?? Self.manyArtworks)
                    }))
        }
        let others =
            found.others.isEmpty || found.first > 0
            ? nil : PageBlock.rows("Shows, albums and places", id: "others", found.others.map(row))
        let shownCount = grid.items.count, paths = neighbours
        let count = found.total.map { CountText($0).digits }
        let works: Shown = [
            "count": .text(count), "filters": .part(bar.shown),
            "values": .part(bar.values.map { ["blocks": .many([$0.shown])] }),
            "items": .many(grid.captions()),
            "isEmpty": .flag(found.artworks.isEmpty),
            "order": .text(order),
            "paging": .part(
                ListPaging.shown(count: shownCount, total: found.total, start: found.first + 1, paths)),
        ]
        let isShown = !found.artworks.isEmpty || !choice.query.filters.isEmpty
        return [
            "heading": .string(title), "summary": .string(summary), "blocks": .many(blocks.map(\.shown)),
            "works": .part(isShown ? works : nil),
            "others": .part(others.map { ["blocks": .many([$0.shown])] }),
        ]
    }

    /// What a reader has to know of the artworks' order and number; `nil` if all are there, in order.
    private var order: String? {
        guard let total = found.total else {
            let count = CountText(grid.items.count).digits
            return "Too many to rank: the first \(count), in no particular order. Add \(narrower)."
        }
        guard total > reachable else { return nil }
        return "The first \(CountText(reachable).digits) are here. To find the others, add \(narrower)."
    }

    /// What makes a search find less.
    private var narrower: String { bar.hasMenus ? "a word or a filter" : "a word" }

    /// Artists with a word in their name, and few of those whose texts alone have the words.
    private var shownArtists: [NameItem] {
        let named = found.artists.filter { !found.words.marks(in: $0.name ?? "").isEmpty }
        let others = found.artists.filter { found.words.marks(in: $0.name ?? "").isEmpty }
        return named + others.prefix(Self.mostByText)
    }

    private func row(_ item: NameItem) -> PageBlock.Row {
        let life = item.kind == .artist ? ArtistLife.text(of: item.json) : item.kind.name.capitalized
        let works = item.artworks.map { CountText($0).of(.artwork) }
        // Without a marked word, a reader can't see why the artist is here.
        let isNamed = !found.words.marks(in: item.name ?? "").isEmpty
        let reason = item.kind == .artist && !isNamed ? "Found in the record" : nil
        let state = item.isHidden ? "Private" : nil
        return PageBlock.Row(
            href: NameRow.href(item, context), text: LongText.cut(item.name ?? item.id, to: 200).text,
            detail: [life, works, reason, state].compactMap(\.self).joined(separator: ". "),
            words: found.words)
    }

    var json: JSONObject {
        func names(_ items: [NameItem]) -> JSONValue {
            .array(
                items.map { item in
                    .object(
                        JSONObject([
                            ("kind", .string(item.kind.name)), ("id", .string(item.id)),
                            ("name", item.name.map { .string($0) } ?? .null),
                            ("href", .string(NameRow.href(item, context))),
                        ]))
                })
        }
        return JSONObject([
            ("artists", names(found.artists)), ("items", grid.json), ("others", names(found.others)),
            ("total", total.map { .number(JSONNumber($0)) } ?? .null),
            ("next", neighbours.next.map { .string($0) } ?? .null),
            ("previous", neighbours.previous.map { .string($0) } ?? .null),
        ])
    }
}

/// The sentence for a search that found nothing.
enum SearchText {
    /// - Parameter unknown: the words that nothing contains.
    static func nothing(_ words: [String], unknown: [String]) -> String {
        func quoted(_ words: [String]) -> String { words.map { "“\(LongText.cut($0, to: 60).text)”" }.listed }
        if words.count == 1 { return "Nothing here has \(quoted(words))." }
        if unknown.count == words.count { return "Nothing here has any of these words." }
        let which = unknown.isEmpty ? "" : " Nothing here has \(quoted(unknown))."
        return "Nothing has \(words.count == 2 ? "both" : "all of") \(quoted(words)).\(which)"
    }
}
