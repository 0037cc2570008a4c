import Catalogue

/// The table of an artwork's edition sets, with the columns that have a value.
struct EditionTable {
    private let columns: [String]
    private let rows: [[String]]
    /// The number of all edition sets, of which ``rows`` are the first.
    private let count: Int
    /// Whether a cell has only the beginning of its text.
    private let isCut: Bool
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
        isCut = sets.contains { set in
            used.contains { column in
                set[column.0].map { LongText.cut(Self.whole($0), to: Self.longestCell).isCut } ?? false
            }
        }
        count = all.count
        self.jsonHref = jsonHref
    }

    /// In characters.
    private static let longestCell = 300

    private static func text(_ value: JSONValue) -> String {
        LongText.cut(whole(value), to: longestCell).text
    }

    private static func whole(_ value: JSONValue) -> String {
        if case .object(let object) = value, let centimetres = object["cm"]?.stringValue, !centimetres.isEmpty
        {
            return centimetres
        }
        return Fact.text(value)
    }

    var shown: Shown {
        let all = CutList.link("edition sets", count, shown: Self.maximumRows, jsonHref)
        let link = all ?? (isCut ? (text: "The whole texts, in the JSON", href: jsonHref) : nil)
        return [
            "columns": .texts(columns), "rows": .many(rows.map { ["cells": .texts($0)] }),
            "all": .part(link.map { ["href": .string($0.href), "text": .string($0.text)] }),
        ]
    }
}
