import Catalogue
import MirrorStore
import MirrorSync

/// The text of a summary of a sync or import.
enum SummaryText {
    /// The largest number of problems that are listed.
    static let problems = 10

    static func lines(_ summary: SyncSummary, place: String) -> [String] {
        // The error message is printed separately.
        guard summary.outcome != .failed || summary.hasChanges else { return [headline(summary)] }
        return [headline(summary)] + table(summary).lines
            + ["", traffic(summary), "The files are in \(place.printable)"]
            + (summary.partner == "demo" && summary.outcome == .complete
                ? ["Look at them with: mirror open demo"] : [])
            + [
                UnavailableText.sentence(summary.unavailable), UnavailableText.sentence(summary.absent),
                untiled(summary),
            ].compactMap(\.self)
            + problemLines(summary)
    }

    static func headline(_ summary: SyncSummary) -> String {
        let (name, verb) = subject(summary)
        var words = objectChanges(summary)
        if summary.relocated > 0 { words.append(relocated(summary.relocated)) }
        let files = [("image", "picture"), ("tile", "tile")].compactMap { kind, word in
            let count = summary.objects[kind]?.created ?? 0
            return count > 0 ? Wording.count(count, word) : nil
        }
        if !files.isEmpty { words.append("\(Wording.list(files)) fetched") }
        func and(_ separator: String) -> String {
            words.isEmpty ? "." : "\(separator) \(words.joined(separator: ", "))."
        }
        switch summary.outcome {
        case .complete: return "\(name) \(verb) up to date\(and(":"))"
        case .partial: return "\(name) \(verb) only partly up to date\(and(":"))"
        case .guarded:
            let removal =
                summary.hasDeletions ? "the delete guard stopped the removal" : "nothing was removed"
            return "\(name): \(removal)\(and(";"))"
        case .failed: return "\(name) could not be brought up to date."
        case .cancelled: return "\(summary.partner.printable): the run was interrupted."
        }
    }

    /// The subject of a sentence about the run, with its verb: the partner, or the kinds of `--only`.
    static func subject(_ summary: SyncSummary) -> (name: String, verb: String) {
        let name = summary.partner.printable
        return summary.only.isEmpty ? (name, "is") : ("\(kinds(summary.only)) of \(name)", "are")
    }

    /// A list of kinds in the plural, from their names.
    static func kinds(_ names: [String]) -> String {
        Wording.list(names.map { Kinds.standard[$0]?.plural ?? $0.printable })
    }

    static func objectChanges(_ summary: SyncSummary) -> [String] {
        let objects = summary.objects.filter { Kinds.standard[$0.key] != nil }.values
        return Wording.changes(
            created: objects.reduce(0) { $0 + $1.created }, updated: objects.reduce(0) { $0 + $1.updated },
            deleted: objects.reduce(0) { $0 + $1.deleted })
    }

    /// Unchanged locations whose artworks changed.
    static func relocated(_ count: Int) -> String {
        "\(Wording.count(count, "location")) with other artworks"
    }

    private static func table(_ summary: SyncSummary) -> TextTable {
        var table = TextTable(header: ["", "listed", "new", "changed", "gone", "failed"])
        let names =
            Kinds.standard.all.map { ($0.name, label($0)) } + [("image", "pictures"), ("tile", "tiles")]
        for (name, label) in names {
            guard let count = summary.objects[name], count != .zero else { continue }
            let numbers = [count.listed, count.created, count.updated, count.deleted, count.failed]
            table.rows.append([label] + numbers.map(TextTable.number))
        }
        return table
    }

    /// The label of a kind's row: singular for partner and user, of which there is one each.
    static func label(_ kind: Kind) -> String {
        kind == .partner || kind == .user ? kind.name : kind.plural
    }

    private static func traffic(_ summary: SyncSummary) -> String {
        let requests = summary.requests
        let notes =
            [
                (requests.notModified, "not modified"), (requests.fromCache, "more from the cache"),
                (requests.retried, "retried"),
            ].filter { $0.0 > 0 }.map { "\(Wording.count($0.0)) \($0.1)" }
            + (requests.concurrency > 1 ? ["up to \(requests.concurrency) at a time"] : [])
        let sent =
            Wording.count(requests.sent, "request") + (notes.isEmpty ? "" : " (\(Wording.list(notes)))")
        let waited = requests.waited / .seconds(1)
        let took =
            Wording.duration(summary.seconds)
            + (waited < 1 ? "" : ", of which \(Wording.duration(waited)) waiting for the server")
        guard requests.sent + requests.fromCache > 0 else { return took }
        return "\(sent), \(Wording.bytes(Int64(requests.bytesReceived))), \(took)"
    }

    /// A sentence about pictures that get no tiles although tiles are on; `nil` if there are none.
    static func untiled(_ summary: SyncSummary) -> String? {
        guard summary.untiled > 0 else { return nil }
        let have = summary.untiled == 1 ? "has" : "have"
        return
            "\(Wording.count(summary.untiled, "picture")) \(have) no tiles, because the server describes too many tiles or none that can be fetched. List the pictures with --json."
    }

    static func problemLines(_ summary: SyncSummary) -> [String] {
        // The error that ended the run is printed separately.
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

/// The text about pictures, tiles and documents that are missing because the server doesn't have them.
enum UnavailableText {
    /// A sentence about the missing files; `nil` if there are none.
    static func sentence(_ files: UnavailableFiles) -> String? {
        guard !files.isEmpty else { return nil }
        let isOne = files.sum == 1
        return
            "\(words(files)) \(isOne ? "is" : "are") missing because the server did not have \(isOne ? "it" : "them") when last requested; a sync with media requests \(isOne ? "it" : "them") again after a day."
    }

    /// A sentence about listed objects that the server doesn't have; `nil` if there are none.
    static func sentence(_ objects: [Kind: Int]) -> String? {
        let words = Kinds.standard.all.compactMap { kind in objects[kind].map { Wording.count($0, kind) } }
        guard !words.isEmpty else { return nil }
        let isOne = objects.values.reduce(0, +) == 1
        return
            "\(Wording.list(words)) in the server's list \(isOne ? "is" : "are") missing because the server did not have \(isOne ? "it" : "them") when last requested; a sync requests \(isOne ? "it" : "them") again after a day."
    }

    /// `30 pictures, 28 tiles and 2 documents`.
    static func words(_ files: UnavailableFiles) -> String {
        let words = [(files.images, "picture"), (files.tiles, "tile"), (files.documents, "document")]
            .filter { $0.0 > 0 }
        return Wording.list(words.map { Wording.count($0.0, $0.1) })
    }
}

/// A text table: columns of text are aligned left, those of numbers are aligned right.
struct TextTable {
    let header: [String]
    var rows: [[String]] = []
    /// The columns of text. Default: the first.
    var textColumns: Set<Int> = [0]

    /// The number; a dot for 0.
    static func number(_ number: Int) -> String { number == 0 ? "·" : Wording.count(number) }

    /// The indented lines, after an empty line; no lines if there are no rows.
    var lines: [String] {
        guard !rows.isEmpty else { return [] }
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        return [""]
            + all.map { row in
                let cells = row.enumerated().map { column, text in
                    textColumns.contains(column)
                        ? text.padded(to: widths[column]) : text.paddedLeft(to: widths[column])
                }
                return "  " + cells.joined(separator: "  ").trimmingTrailingSpaces
            }
    }
}

extension String {
    var trimmingTrailingSpaces: String {
        lastIndex { $0 != " " }.map { String(self[...$0]) } ?? ""
    }
}
