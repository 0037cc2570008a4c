import Catalogue
import MirrorStore

/// The figures of the history page: the last complete sync, the objects, the files, and references to nothing.
struct HistoryFigures {
    struct Figure: Equatable {
        let label: String
        let value: String
        var detail: String?
        /// A link of the detail.
        var href: String?
    }

    let figures: [Figure]

    /// - Parameters:
    ///   - counts: the numbers of objects that the face may see; `nil` before the first index, from which they are read.
    ///   - ghostHref: the path of the page of an object that is only referred to.
    init(
        lastComplete: CatalogueStore.RunRecord?, counts: [(kind: Kind, count: Int)]?, facts: HistoryFacts,
        ghostHref: (HistoryFacts.Ghost) -> String, now: Timestamp
    ) {
        let moments = MomentText(now: now)
        var figures = [
            Figure(
                label: lastComplete?.command == "import" ? "Last complete import" : "Last complete sync",
                value: lastComplete?.endedAt.map(moments.moment) ?? "None yet",
                detail: lastComplete.map { Self.effort($0.details) })
        ]
        if let shown = counts?.filter({ $0.count > 0 }) {
            figures.append(
                Figure(
                    label: "Objects", value: CountText(shown.reduce(0) { $0 + $1.count }).digits,
                    detail: shown.map { CountText($0.count).of($0.kind) }.joined(separator: ", ")))
        }
        if let files = facts.files, files.wanted > 0 {
            figures.append(
                Figure(
                    label: "Pictures and documents",
                    value: "\(CountText(files.here).digits) of \(CountText(files.wanted).digits)"))
        }
        // Until the first complete run, these objects may still be fetched.
        if let ghosts = facts.ghosts, lastComplete != nil {
            figures.append(
                Figure(
                    label: "Referred to, not there",
                    value: ghosts.isEmpty ? "0" : CountText(ghosts.count).digits,
                    detail: Self.asked(ghosts, moments), href: ghosts.count == 1 ? ghostHref(ghosts[0]) : nil)
            )
        }
        self.figures = figures
    }

    /// `10 requests, 1.6 kB, 0.04 s`
    private static func effort(_ details: RunDetails) -> String {
        let requests = details.requests.flatMap {
            $0 > 0 ? "\(CountText($0).digits) \($0 == 1 ? "request" : "requests")" : nil
        }
        let bytes = details.bytes.flatMap { $0 > 0 ? ByteText.text(Int64($0)) : nil }
        let seconds = details.seconds.map { seconds in
            seconds < 60
                ? "\(seconds.decimalText(places: seconds < 1 ? 2 : 1)) s"
                : "\(CountText(Int(min(seconds, 1e9) / 60)).digits) min"
        }
        return [requests, bytes, seconds].compactMap(\.self).joined(separator: ", ")
    }

    /// `an artist, last asked for on 26 November`, `2 artists and 1 location`
    private static func asked(_ ghosts: [HistoryFacts.Ghost], _ moments: MomentText) -> String? {
        guard let first = ghosts.first else { return nil }
        let groups = Dictionary(grouping: ghosts, by: \.kind).sorted { $0.key.name < $1.key.name }
        let words = groups.map { CountText($0.value.count).of($0.key) }
        guard ghosts.count == 1 else { return words.listed }
        let asked = first.triedAt.map { "last asked for on \(moments.day($0))" } ?? "not asked for yet"
        return "\(AbsentPage.article(first.kind).lowercased()), \(asked)"
    }

    var shown: Shown.Value {
        .many(
            figures.map { figure in
                [
                    "label": .string(figure.label), "value": .string(figure.value),
                    "detail": .text(figure.detail),
                    "href": .text(figure.href),
                ]
            })
    }
}
