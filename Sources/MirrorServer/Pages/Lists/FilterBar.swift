import Catalogue
import MirrorStore

/// The filters above a list: chips of the chosen ones, menus of the others, and the orders.
struct FilterBar {
    private let choice: ListChoice
    private let facets: [OfferedFacet]
    private let path: String
    private let orders: [(text: String, href: String?)]

    /// The facet of which all values are shown; `nil` for none.
    private let opened: OfferedFacet?

    /// A menu has at most this number of values, so that a page stays small. A link leads to all of them.
    private static let mostValues = 5
    /// At most this number of facets have a menu each. The others share one.
    private static let mostMenus = 6
    /// The item of an address that names the facet of which all values are shown.
    static let menu = "menu"

    /// The orders of a list and of a search; `nil` is that of the best match.
    static let listOrders: [ArtworkSort?] = [.artist, .title, .year, .change]
    static let searchOrders: [ArtworkSort?] = [nil, .artist, .year]

    /// - Parameters:
    ///   - orders: the orders to choose from.
    ///   - menu: the name of the facet of which all values are shown.
    init(
        _ choice: ListChoice, _ facets: [OfferedFacet], path: String, orders: [ArtworkSort?], menu: String?
    ) {
        (self.choice, self.facets, self.path) = (choice, facets, path)
        opened = menu.flatMap { name in facets.first { UTF8Order.equal($0.facet.name, name) } }
        let chosen = choice.words == nil ? choice.query.sort : choice.sort
        self.orders = orders.map { sort in
            (Self.name(sort), sort == chosen ? nil : Self.href(path, choice.sorted(by: sort)))
        }
    }

    private static func name(_ sort: ArtworkSort?) -> String {
        switch sort {
        case nil: "best match"
        case .artist: "artist"
        case .title: "title"
        case .year: "date"
        case .change: "latest change"
        }
    }

    /// The address of the list with other filters. It is relative, because a page has a hundred of them.
    private static func href(_ path: String, _ items: [NameValue]) -> String {
        items.isEmpty ? path : "?" + PageQuery.encode(items)
    }

    /// Whether there are filters to choose from.
    var hasMenus: Bool { facets.contains { facet in facet.values.contains { !$0.isChosen } } }

    var shown: Shown {
        let chips = choice.query.filters.sorted { $0.key.name < $1.key.name }.map { facet, value -> Shown in
            let label = facets.first { $0.facet == facet }?.values.first { UTF8Order.equal($0.value, value) }?
                .label
            return [
                "text": .string(FacetText.text(value, label: label, of: facet)),
                "href": .string(Self.href(path, choice.without(facet))),
            ]
        }
        let offered = facets.filter { facet in facet.values.contains { !$0.isChosen } }
        let own = offered.count > Self.mostMenus ? Self.mostMenus - 1 : offered.count
        let rest = offered.dropFirst(own)
        let menus =
            offered.prefix(own).map { Self.menu(FacetText.name($0.facet), entries(of: $0, isAlone: true)) }
            + (rest.isEmpty ? [] : [Self.menu("More", rest.flatMap { entries(of: $0, isAlone: false) })])
        return [
            "isShown": .flag(!chips.isEmpty || !menus.isEmpty || !orders.isEmpty), "chips": .many(chips),
            "menus": .many(menus),
            "orders": .part(
                orders.isEmpty
                    ? nil
                    : ["items": .many(orders.map { ["text": .string($0.text), "href": .text($0.href)] })]),
        ]
    }

    private static func menu(_ name: String, _ entries: [Shown]) -> Shown {
        ["name": .string(name), "entries": .many(entries)]
    }

    /// The commonest values of a facet that aren't chosen, and a link to all of them.
    ///
    /// - Parameter isAlone: whether the menu is the facet's own, so that nothing else has to name it.
    private func entries(of offered: OfferedFacet, isAlone: Bool) -> [Shown] {
        let others = offered.values.filter { !$0.isChosen }
        // In their own order: the first centuries of a long list may have the fewest works.
        let common = others.indices.sorted { others[$0].rank < others[$1].rank }
        let values = common.prefix(Self.mostValues).sorted().map { others[$0] }
        var entries = values.map { value -> Shown in
            let text = FacetText.value(value, of: offered.facet)
            return [
                "text": .string(isAlone ? text : FacetText.named(text, offered.facet)),
                "href": .string(Self.href(path, choice.with(offered.facet, value.value))),
                "count": .text(value.count.map { CountText($0).digits }),
            ]
        }
        if offered.hasMore || others.count > values.count {
            let all = offered.hasMore ? "The most common" : "All \(CountText(offered.values.count).digits)"
            let items = choice.items + [NameValue(Self.menu, offered.facet.name)]
            entries.append([
                "text": .string(isAlone ? all : FacetText.named(all, offered.facet)),
                "href": .string(Self.href(path, items)), "count": false,
            ])
        }
        return entries
    }

    /// All values of the facet that the address names, instead of the list; `nil` if it names none.
    var values: PageBlock? {
        guard let opened else { return nil }
        let name = FacetText.name(opened.facet)
        return .names(
            opened.hasMore ? "\(name): the \(CountText(opened.values.count).digits) most common" : name,
            id: "values", count: opened.hasMore ? nil : opened.values.count,
            opened.values.map { value in
                PageBlock.Name(
                    href: Self.href(path, choice.with(opened.facet, value.value)),
                    text: FacetText.value(value, of: opened.facet), number: value.count)
            }, after: ("Back to the list", Self.href(path, choice.items)))
    }

    var json: JSONValue {
        .array(
            facets.map { offered in
                .object(
                    JSONObject([
                        ("name", .string(offered.facet.name)),
                        (
                            "values",
                            .array(
                                offered.values.map { value in
                                    .object(
                                        JSONObject([
                                            ("value", .string(value.value)),
                                            ("text", .string(FacetText.value(value, of: offered.facet))),
                                            ("count", value.count.map { .number(JSONNumber($0)) } ?? .null),
                                        ]))
                                })
                        ),
                    ]))
            })
    }
}
