import MirrorSync

/// Renders the progress of a verification, as a block for a terminal or as one line for a log:
///
/// ```
/// database   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━      8 / 8  100 %
/// files      ━━━━━━━━━━━━────────────────────  320 / 900   35 %
/// 2 findings, 0:03
/// ```
struct VerifyProgress: Sendable {
    /// The parts of the verification that have work; `share` is from 0 to 1.
    private let rows: [(label: String, done: String, total: String, share: Double)]
    private let footer: String

    init(_ progress: VerifyMonitor.Progress, elapsed: Double) {
        let count = { (number: Int) in Wording.count(number) }
        let parts: [(label: String, done: Int, total: Int, text: (Int) -> String)] = [
            ("database", progress.checks, progress.checksTotal, count),
            ("files", progress.files, progress.filesTotal, count),
            ("read", Int(progress.bytes), Int(progress.bytesTotal), { Wording.bytes(Int64($0)) }),
            ("server's lists", progress.lists, progress.listsTotal, count),
        ]
        rows = parts.filter { $0.total > 0 }.map {
            ($0.label, $0.text($0.done), $0.text($0.total), min(1, Double($0.done) / Double($0.total)))
        }
        footer =
            (progress.pass > 1 ? "checking again after the repair, " : "")
            + "\(Wording.count(progress.findings, "finding")), \(Wording.clock(elapsed))"
    }

    /// - Parameter width: columns of the terminal; the last one stays empty.
    func block(width: Int, hasColour: Bool) -> [String] {
        let label = rows.map(\.label.columns).max() ?? 0
        let counts = rows.map { "\($0.done) / \($0.total)" }
        let count = counts.map(\.columns).max() ?? 0
        let bar = min(40, width - 1 - label - count - "  100 %".count - 4)
        let lines = zip(rows, counts).map { row, text in
            let tail = "  \(text.paddedLeft(to: count))" + "\(Int(row.share * 100)) %".paddedLeft(to: 7)
            guard bar >= 8 else { return (row.label.padded(to: label) + tail).truncated(to: width - 1) }
            let full = Int(row.share * Double(bar))
            let line = ProgressBlock.bar(full, of: bar, hasColour: hasColour)
            return row.label.padded(to: label) + "  " + line + tail
        }
        return lines + [footer.truncated(to: width - 1)]
    }

    var line: String {
        rows.map { "\($0.label) \($0.done) of \($0.total)" }.joined(separator: ", ") + "; " + footer
    }
}
