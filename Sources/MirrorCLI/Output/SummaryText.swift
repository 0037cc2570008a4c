import Catalogue
import MirrorStore
import MirrorSync

/// What a person reads when a sync or import has ended.
struct SummaryText {
    let lines: [String]
    /// Problems that are told one by one.
    static let problems = 10

    init(_ summary: SyncSummary, place: String) {
        var lines = [Self.headline(summary)]
        guard summary.outcome != .failed || summary.hasChanges else {
            // The error says the rest.
            self.lines = lines
            return
        }
        let table = Self.table(summary)
        if !table.rows.isEmpty { lines += [""] + table.lines.map { "  " + $0 } }
        lines += ["", Self.traffic(summary)]
        lines.append("The files are in \(place.printable)")
        lines += [UnavailableText.sentence(summary.unavailable)].compactMap(\.self)
        lines += Self.problemLines(summary)
        self.lines = lines
    }

    static func headline(_ summary: SyncSummary) -> String {
        let name = summary.partner.printable
        let changes = changeWords(summary)
        switch summary.outcome {
        case .complete:
            return changes.isEmpty
                ? "\(name) is up to date." : "\(name) is up to date: \(changes.joined(separator: ", "))."
        case .partial:
            return "\(name) is not complete"
                + (changes.isEmpty ? "." : ": \(changes.joined(separator: ", ")).")
        case .guarded:
            return
                "\(name): \(summary.hasDeletions ? "the delete guard stopped the removal" : "nothing was removed")"
                + (changes.isEmpty ? "." : "; \(changes.joined(separator: ", ")).")
        case .failed: return "\(name) could not be brought up to date."
        case .cancelled: return "\(name) was interrupted."
        }
    }

    /// `41 new`, `3 changed`, `1 gone`: of objects, and new pictures beside them.
    private static func changeWords(_ summary: SyncSummary) -> [String] {
        let objects = summary.objects.filter { Kinds.standard[$0.key] != nil }.values
        let sums = [
            (objects.reduce(0) { $0 + $1.created }, "new"),
            (objects.reduce(0) { $0 + $1.updated }, "changed"),
            (objects.reduce(0) { $0 + $1.deleted }, "gone"),
        ]
        var words = sums.filter { $0.0 > 0 }.map { "\(Wording.count($0.0)) \($0.1)" }
        if summary.relocated > 0 { words.append(relocated(summary.relocated)) }
        let pictures = summary.objects["image"]?.created ?? 0
        if pictures > 0 { words.append("\(Wording.count(pictures, "picture")) fetched") }
        return words
    }

    /// Locations with other artworks, which themselves are as they were.
    static func relocated(_ count: Int) -> String {
        "\(Wording.count(count, "location")) with other artworks"
    }

    private static func table(_ summary: SyncSummary) -> TextTable {
        var table = TextTable(["", "listed", "new", "changed", "gone", "failed"])
        for kind in Kinds.standard.all.map(\.name) + ["image"] {
            guard let count = summary.objects[kind], count != SyncSummary.Count() else { continue }
            let numbers = [count.listed, count.created, count.updated, count.deleted, count.failed]
            let plural = kind == "image" ? "pictures" : Kinds.standard[kind]?.plural
            let name = kind == "partner" || kind == "user" ? kind : plural ?? kind
            table.add([name] + numbers.map { $0 == 0 ? "·" : Wording.count($0) })
        }
        return table
    }

    private static func traffic(_ summary: SyncSummary) -> String {
        let requests = summary.requests
        var notes: [String] = []
        if requests.notModified > 0 { notes.append("\(Wording.count(requests.notModified)) not modified") }
        if requests.fromCache > 0 { notes.append("\(Wording.count(requests.fromCache)) more from the cache") }
        if requests.retried > 0 { notes.append("\(Wording.count(requests.retried)) repeated") }
        let sent =
            Wording.count(requests.sent, "request") + (notes.isEmpty ? "" : " (\(Wording.list(notes)))")
        let waited = requests.waited / .seconds(1)
        let took =
            Wording.duration(summary.seconds)
            + (waited < 1 ? "" : ", of which \(Wording.duration(waited)) waiting for the server")
        guard requests.sent + requests.fromCache > 0 else { return took }
        return "\(sent), \(Wording.bytes(Int64(requests.bytesReceived))), \(took)"
    }

    static func problemLines(_ summary: SyncSummary) -> [String] {
        // What ended the run is said on its own.
        let problems = summary.problems.filter { $0.message != summary.failure }
        guard !problems.isEmpty else { return [] }
        let shown = problems.prefix(Self.problems).map { problem in
            let subject = [problem.kind, problem.id.map { $0.printable.truncated(to: 60) }].compactMap { $0 }
            return "  \(problem.what) \(subject.joined(separator: " ")): \(problem.message)".printable
        }
        let more = problems.count - shown.count + summary.furtherProblems
        return ["", "Problems:"] + shown + (more > 0 ? ["  and \(Wording.count(more)) more"] : [])
    }
}
