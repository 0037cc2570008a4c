/// Progress as a small block of lines for a terminal:
///
/// ```
/// artworks   ━━━━━━━━━━━━━━━────────────────  1,240 / 2,900   42 %
/// pictures                                    320
/// 14.2 MB, 1.8 MB/s, 1,602 requests, 0:12, about 30 s left (25 s to 40 s)
/// fetching artwork water-lilies
/// ```
struct ProgressBlock: Sendable {
    let width: Int
    /// Whether the bar is coloured; the text is the same.
    var hasColour = false

    func lines(_ state: ProgressState) -> [String] {
        let labels = state.rows.map(\.label.columns).max() ?? 0
        let counts = state.rows.map(Self.count)
        let countWidth = counts.map(\.columns).max() ?? 0
        // The last column stays free: some terminals wrap as soon as it is written.
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
        // The bar is the only part with colours, which take no columns.
        tail = tail.truncated(to: max(0, self.width - 1 - head.columns - width))
        return head + bar(row, width) + tail
    }

    private func bar(_ row: ProgressState.Row, _ width: Int) -> String {
        guard let total = row.total else { return String(repeating: " ", count: width) }
        let full = total == 0 ? width : min(width, row.count * width / total)
        let done = String(repeating: "━", count: full), left = String(repeating: "─", count: width - full)
        return hasColour ? "\u{1B}[32m\(done)\u{1B}[0m\u{1B}[2m\(left)\u{1B}[0m" : done + left
    }

    private static func failures(_ row: ProgressState.Row) -> String {
        row.failed > 0 ? "  \(Wording.count(row.failed)) failed" : ""
    }

    private static func count(_ row: ProgressState.Row) -> String {
        Wording.count(row.count)
            + (row.total.map { " / \(Wording.count($0))" } ?? row.about.map {
                " / about \(Wording.count($0))"
            } ?? "")
    }

    /// Rounded down: 100 % is said only when all is done.
    static func share(_ row: ProgressState.Row) -> Int? {
        row.total.map { $0 == 0 ? 100 : min(100, row.count * 100 / $0) }
    }

    /// The footer, and what is waited for, else what is being fetched.
    static func foot(_ state: ProgressState, width: Int) -> [String] {
        let full = footer(state)
        let fitting = full.columns < width ? full : footer(state, hasRange: false)
        let last = state.waiting ?? state.underWay.map { "fetching \($0)" }
        let lines = [fitting] + (last.map { [$0] } ?? [])
        return lines.map { $0.truncated(to: width - 1) }
    }

    static func footer(_ state: ProgressState, hasRange: Bool = true) -> String {
        let moved = [
            Wording.bytes(state.bytes), "\(Wording.bytes(Int64(state.rate)))/s",
            Wording.count(state.requests, "request"), Wording.clock(state.elapsed),
        ]
        let left = state.left.map { [Wording.left($0, hasRange: hasRange)] } ?? []
        return (moved + left).joined(separator: ", ")
    }
}
