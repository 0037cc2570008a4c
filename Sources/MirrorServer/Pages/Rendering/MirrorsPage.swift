import Catalogue

/// The list of all mirrors of a server.
struct MirrorsPage: WebPage {
    struct Entry: Sendable {
        let href: String
        let title: String
        let asOf: Timestamp?
    }

    static let template = "mirrors"

    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    var title: String { "Mirrors" }

    var shown: Shown {
        [
            "mirrors": .many(
                entries.map { entry in
                    [
                        "href": .string(entry.href), "title": .string(entry.title),
                        "summary": .string(
                            entry.asOf.map { "as of \(PageDates.moment($0))" } ?? "not complete yet"),
                    ]
                })
        ]
    }

    var json: JSONObject {
        JSONObject([
            (
                "mirrors",
                .array(
                    entries.map { entry in
                        .object(
                            JSONObject([
                                ("href", .string(entry.href)), ("title", .string(entry.title)),
                                ("as_of", entry.asOf.map { .string($0.text) } ?? .null),
                            ]))
                    })
            )
        ])
    }
}
