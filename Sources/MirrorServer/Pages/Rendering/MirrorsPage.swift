import Catalogue

/// The list of all mirrors of a server.
struct MirrorsPage: RenderedPage {
    struct Entry: Sendable {
        let href: String
        let title: String
        /// When its last complete sync ended, or why there is nothing to see.
        let summary: String

        init(_ frame: PageFrame) {
            href = frame.base
            title = frame.museum
            summary = frame.asOf.map { "As of \(PageDates.moment($0))" } ?? "Not complete yet"
        }

        /// A mirror that can't be read. Its page says the rest.
        init(unreadable name: String) {
            href = "/" + PercentEncoding.encode(name)
            title = name
            summary = "Can’t be read"
        }
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
                        "summary": .string(entry.summary),
                    ]
                })
        ]
    }
}
