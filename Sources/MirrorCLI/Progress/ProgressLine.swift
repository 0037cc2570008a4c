/// Progress as one line, for logs and pipes: `0:20  artworks 1,240 of 2,900, pictures 320; 14.2 MB, 1.8 MB/s, …`.
enum ProgressLine {
    static func text(_ state: ProgressState) -> String {
        let rows = state.rows.map { row in
            var text = "\(row.label) \(Wording.count(row.count))"
            if let total = row.total {
                text += " of \(Wording.count(total))"
            } else if let about = row.about {
                text += " of about \(Wording.count(about))"
            }
            if row.failed > 0 { text += " (\(Wording.count(row.failed)) failed)" }
            return text
        }
        let moved = [
            Wording.bytes(state.bytes), "\(Wording.bytes(Int64(state.rate)))/s",
            Wording.count(state.requests, "request"),
        ]
        let left = state.left.map { [Wording.left($0)] } ?? []
        let waiting = state.waiting.map { "; \($0)" } ?? ""
        return "\(Wording.clock(state.elapsed))  " + (rows.isEmpty ? "" : rows.joined(separator: ", ") + "; ")
            + (moved + left).joined(separator: ", ") + waiting
    }
}
