import MirrorSync
import OperationTree

/// The progress of a sync for display: a row for each kind, and totals.
struct ProgressState: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        let label: String
        let count: Int
        /// `nil` until the list has arrived: a total that may still grow is not shown.
        let total: Int?
        let failed: Int
        /// An estimate of ``total`` while that is `nil`.
        var about: Int?

        /// `2,900`, `about 2,900`
        var of: String? { total.map { Wording.count($0) } ?? about.map { "about \(Wording.count($0))" } }
    }

    var rows: [Row] = []
    var requests = 0
    var bytes: Int64 = 0
    /// Bytes per second, smoothed.
    var rate: Double = 0
    /// Seconds since the sync began.
    var elapsed: Double = 0
    /// The time left; `nil` while there is no estimate.
    var left: TimeLeft.Range?
    /// The object that is being fetched, for a terminal.
    var current: String?
    /// The wait that delays the whole run, as text.
    var waiting: String?
    /// The rate that a source allows, as text.
    var limit: String?

    /// The last line: the wait, or what is fetched and how fast it may be.
    var activity: String? {
        if let waiting { return waiting }
        guard let limit else { return current.map { "fetching \($0)" } }
        return current.map { "\(limit); fetching \($0)" } ?? "\(limit), as the source allows"
    }

    /// Bytes, bytes per second and requests.
    var moved: [String] {
        let pace = "\(Wording.bytes(Int64(rate)))/s"
        return [Wording.bytes(bytes), pace, Wording.count(requests, "request")]
    }
}

/// Renders progress as a block of lines for a terminal:
///
/// ```
/// artworks   ━━━━━━━━━━━━━━━────────────────  1,240 / 2,900   42 %
/// pictures                                    320
/// 14.2 MB, 1.8 MB/s, 1,602 requests, 0:12, about 30 s left (25 s to 40 s)
/// fetching artwork water-lilies
/// ```
struct ProgressBlock: Sendable {
    let width: Int
    /// Whether the bar is coloured. The text is the same with and without colours.
    var hasColour = false

    func lines(_ state: ProgressState) -> [String] {
        let labels = state.rows.map(\.label.columns).max() ?? 0
        let counts = state.rows.map(Self.count)
        let countWidth = counts.map(\.columns).max() ?? 0
        // The last column stays empty: some terminals wrap as soon as it is written.
        let failures = state.rows.map { Self.failures($0).columns }.max() ?? 0
        let rest = width - 1 - labels - countWidth - " 100 %".count - failures - 4
        let bar = min(rest, 40)
        let rows = zip(state.rows, counts).map { row, count in
            line(row, count.paddedLeft(to: countWidth), label: labels, bar: bar)
        }
        return rows + Self.foot(state, width: width)
    }

    private func line(_ row: ProgressState.Row, _ count: String, label: Int, bar width: Int) -> String {
        var head = row.label.padded(to: label)
        var tail = "  " + count
        if let share = Self.share(row) { tail += "\(share) %".paddedLeft(to: 6) }
        tail += Self.failures(row)
        guard width >= 8 else { return (head + tail).truncated(to: self.width - 1) }
        head += "  "
        // Only the bar has colours. Their escape sequences take no columns.
        tail = tail.truncated(to: max(0, self.width - 1 - head.columns - width))
        guard let total = row.total else { return head + String(repeating: " ", count: width) + tail }
        let full = total == 0 ? width : min(width, row.count * width / total)
        return head + Self.bar(full, of: width, hasColour: hasColour) + tail
    }

    static func bar(_ full: Int, of width: Int, hasColour: Bool) -> String {
        let done = String(repeating: "━", count: full), left = String(repeating: "─", count: width - full)
        return hasColour ? "\u{1B}[32m\(done)\u{1B}[0m\u{1B}[2m\(left)\u{1B}[0m" : done + left
    }

    private static func failures(_ row: ProgressState.Row) -> String {
        row.failed > 0 ? "  \(Wording.count(row.failed)) failed" : ""
    }

    private static func count(_ row: ProgressState.Row) -> String {
        Wording.count(row.count) + (row.of.map { " / \($0)" } ?? "")
    }

    /// The percentage, rounded down: 100 % is shown only when everything is done.
    static func share(_ row: ProgressState.Row) -> Int? {
        row.total.map { $0 == 0 ? 100 : min(100, row.count * 100 / $0) }
    }

    /// The footer, then the wait or the object that is being fetched.
    static func foot(_ state: ProgressState, width: Int) -> [String] {
        let full = footer(state)
        let fitting = full.columns < width ? full : footer(state, hasRange: false)
        let lines = [fitting] + (state.activity.map { [$0] } ?? [])
        return lines.map { $0.truncated(to: width - 1) }
    }

    static func footer(_ state: ProgressState, hasRange: Bool = true) -> String {
        let left = state.left.map { [Wording.left($0, hasRange: hasRange)] } ?? []
        return (state.moved + [Wording.clock(state.elapsed)] + left).joined(separator: ", ")
    }
}

/// Renders progress as one line, for logs and pipes: `0:20  artworks 1,240 of 2,900, pictures 320; 14.2 MB, 1.8 MB/s, …`.
enum ProgressLine {
    static func text(_ state: ProgressState) -> String {
        let rows = state.rows.map { row in
            var text = "\(row.label) \(Wording.count(row.count))"
            if let all = row.of { text += " of \(all)" }
            if row.failed > 0 { text += " (\(Wording.count(row.failed)) failed)" }
            return text
        }
        let left = state.left.map { [Wording.left($0)] } ?? []
        let waiting = (state.waiting ?? state.limit).map { "; \($0)" } ?? ""
        return "\(Wording.clock(state.elapsed))  " + (rows.isEmpty ? "" : rows.joined(separator: ", ") + "; ")
            + (state.moved + left).joined(separator: ", ") + waiting
    }
}

/// Renders progress as the tree of the sync, with the counts of every node.
struct ProgressTree: Sendable {
    let width: Int
    /// The available rows. If they are not enough, the last lines of the tree are left out; the footer is kept.
    var height = Int.max

    func lines(_ counts: [String: NodeCounts], footer state: ProgressState) -> [String] {
        let hasTiles = counts["image tiles"] != nil
        let tree = TextTree(hasTiles ? SyncTree.tiledTree : SyncTree.tree) { node in
            Self.note(counts[node.name] ?? NodeCounts())
        }
        let lines = tree.text.split(separator: "\n").map { String($0).truncated(to: width - 1) }
        let foot = ProgressBlock.foot(state, width: width)
        return lines.prefix(max(0, height - foot.count)) + foot
    }

    /// A node's counts; a dot for a node that has no work yet.
    static func note(_ counts: NodeCounts) -> String {
        guard counts.items > 0 || counts.lists > 0 else { return "·" }
        let waiting = counts.items - counts.done - counts.failed - counts.repeated - counts.running
        var parts = ["\(Wording.count(counts.done)) done"]
        if counts.running > 0 { parts.append("\(Wording.count(counts.running)) running") }
        if waiting > 0 { parts.append("\(Wording.count(waiting)) waiting") }
        if counts.failed > 0 { parts.append("\(Wording.count(counts.failed)) failed") }
        return parts.joined(separator: ", ")
    }
}
