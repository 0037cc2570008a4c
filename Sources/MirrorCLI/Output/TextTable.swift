/// A table of text: the first column to the left, the others, which are numbers, to the right.
struct TextTable {
    let header: [String]
    private(set) var rows: [[String]] = []

    init(_ header: [String]) { self.header = header }

    mutating func add(_ row: [String]) { rows.append(row) }

    var lines: [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        return all.map { row in
            row.enumerated().map { column, text in
                column == 0 ? text.padded(to: widths[0]) : text.paddedLeft(to: widths[column])
            }.joined(separator: "  ").trimmingTrailingSpaces
        }
    }
}

extension String {
    var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
