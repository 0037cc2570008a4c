import Catalogue

/// The list of all mirrors of a server.
struct MirrorsPage: RenderedPage {
    struct Entry: Sendable {
        let href: String
        /// The mirror's own name.
        let name: String
        fileprivate(set) var title: String
        /// When its last complete sync ended, or why there is nothing to see.
        let summary: String

        init(_ frame: PageFrame, name: String) {
            self.name = name
            href = frame.base
            title = frame.museum
            summary = frame.asOf.map { "As of \(PageDates.moment($0))" } ?? "Not complete yet"
        }

        /// A mirror that can't be read. Its page says the rest.
        init(unreadable name: String) {
            href = "/" + PercentEncoding.encode(name)
            self.name = name
            title = name
            summary = "Can’t be read"
        }
    }

    static let template = "mirrors"

    let entries: [Entry]

    /// Where several mirrors have one title, their own names follow it.
    init(_ entries: [Entry]) {
        let counts = Dictionary(entries.map { (ExactText($0.title), 1) }, uniquingKeysWith: +)
        self.entries = entries.map { entry in
            var entry = entry
            if counts[ExactText(entry.title)] != 1 { entry.title += " (\(entry.name))" }
            return entry
        }
    }

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
