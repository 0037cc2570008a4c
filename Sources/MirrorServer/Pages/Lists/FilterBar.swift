import Catalogue
import MirrorStore

/// The filters above a list: chips of the chosen ones, menus of the others, and the orders.
struct FilterBar {
    private let choice: ListChoice
    private let facets: [OfferedFacet]
    private let path: String
    private let orders: [(text: String, href: String?)]

    /// A menu has at most this number of values, so that a page stays small.
    private static let mostValues = 10

    init(_ choice: ListChoice, _ facets: [OfferedFacet], path: String) {
        (self.choice, self.facets, self.path) = (choice, facets, path)
        let sorts: [(ArtworkSort, String)] = [
            (.artist, "artist"), (.title, "title"), (.year, "date"), (.change, "latest change"),
        ]
        let isSearch = choice.words != nil
        orders =
            isSearch
            ? []
            : sorts.map { sort, text in
                (text, sort == choice.query.sort ? nil : Self.href(path, choice.sorted(by: sort)))
            }
    }

    /// The address of the list with other filters. It is relative, because a page has a hundred of them.
    private static func href(_ path: String, _ items: [NameValue]) -> String {
        items.isEmpty ? path : "?" + FormBody.encode(items)
    }

    var shown: Shown {
        let chips = choice.query.filters.sorted { $0.key.name < $1.key.name }.map { facet, value -> Shown in
            let label = facets.first { $0.facet == facet }?.values.first { UTF8Order.equal($0.value, value) }?
                .label
            return [
                "text": .string(FacetText.text(value, label: label, of: facet)),
                "href": .string(Self.href(path, choice.without(facet))),
            ]
        }
        let menus = facets.compactMap(menu)
        return [
            "hasFilters": .flag(!chips.isEmpty || !menus.isEmpty), "chips": .many(chips),
            "menus": .many(menus),
            "orders": .part(
                orders.isEmpty
                    ? nil
                    : ["items": .many(orders.map { ["text": .string($0.text), "href": .text($0.href)] })]),
        ]
    }

    private func menu(_ offered: OfferedFacet) -> Shown? {
        let others = offered.values.filter { !$0.isChosen }
        // The commonest values in their own order: the first centuries of a long list may have the fewest works.
        let common = others.indices.sorted { first, second in
            let counts = (others[first].count ?? 0, others[second].count ?? 0)
            return counts.0 == counts.1 ? first < second : counts.0 > counts.1
        }
        let values = common.prefix(Self.mostValues).sorted().map { others[$0] }
        guard !values.isEmpty else { return nil }
        return [
            "name": .string(FacetText.name(offered.facet)),
            "values": .many(
                values.map { value in
                    [
                        "text": .string(FacetText.value(value, of: offered.facet)),
                        "href": .string(Self.href(path, choice.with(offered.facet, value.value))),
                        "count": .text(value.count.map { CountText($0).digits }),
                    ]
                }),
        ]
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
