import Catalogue

/// The table of an artwork's edition sets, with the columns that have a value.
struct EditionTable {
    private let columns: [String]
    private let rows: [[String]]
    /// The number of all edition sets, of which ``rows`` are the first.
    private let count: Int
    private let jsonHref: String

    private static let maximumRows = 100

    private static let known = [
        ("editions", "Editions"), ("edition_size", "Edition size"), ("available_editions", "Available"),
        ("artist_proofs", "Artist’s proofs"), ("prototypes", "Prototypes"), ("availability", "Availability"),
        ("dimensions", "Dimensions"), ("duration", "Duration"), ("prices", "Price"),
    ]
    private static let omitted: Set<String> = ["id", "price_hidden"]

    /// `nil` if the artwork has no edition sets, or they say nothing.
    init?(_ body: JSONObject, jsonHref: String) {
        let all = body["edition_sets"]?.arrayValue ?? []
        let sets = all.prefix(Self.maximumRows).compactMap(\.objectValue)
        let others = sets.flatMap(\.keys).reduce(into: [String]()) { names, key in
            guard !Self.omitted.contains(key), !Self.known.contains(where: { $0.0 == key }),
                !names.contains(key),
                names.count < 8
            else { return }
            names.append(key)
        }
        let possible = others.map { ($0, Fact.label($0)) } + Self.known
        let used = possible.filter { column in sets.contains { $0[column.0].map(Self.text)?.isEmpty == false }
        }
        guard !used.isEmpty else { return nil }
        columns = used.map(\.1)
        rows = sets.map { set in used.map { set[$0.0].map(Self.text) ?? "" } }
        count = all.count
        self.jsonHref = jsonHref
    }

    private static func text(_ value: JSONValue) -> String {
        if case .object(let object) = value, let centimetres = object["cm"]?.stringValue, !centimetres.isEmpty
        {
            return LongText.cut(centimetres, to: 300).text
        }
        return LongText.cut(Fact.text(value), to: 300).text
    }

    var shown: Shown {
        [
            "columns": .texts(columns), "rows": .many(rows.map { ["cells": .texts($0)] }),
            "all": .part(
                CutList.link("edition sets", count, shown: Self.maximumRows, jsonHref).map {
                    ["href": .string($0.href), "text": .string($0.text)]
                }),
        ]
    }
}
