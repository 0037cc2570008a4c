import Catalogue
import CatalogueSources
import MirrorSync

/// What each column of a description was read from.
enum SourceColumnText {
    static func lines(_ kind: SourceCheck.KindReport) -> [String] {
        var lines: [String] = []
        if !kind.columns.isEmpty {
            var table = TextTable(
                header: ["query", "column", "read from", "filled", "example"], textColumns: [0, 1, 2, 4])
            var query = ""
            for column in kind.columns {
                table.rows.append(row(column, repeats: column.query == query))
                query = column.query
            }
            lines += table.lines
        }
        for (query, paths) in kind.conditions.sorted(by: { $0.key < $1.key }) {
            lines += wrapped("Rows of \(query) depend on: \(paths.joined(separator: ", "))")
        }
        if !kind.unread.isEmpty { lines += wrapped("Not read: \(kind.unread.joined(separator: ", "))") }
        if kind.isCut {
            lines += wrapped(
                "The answer is large, or its queries are slow. Only a part of it was examined for this table."
            )
        }
        return lines
    }

    private static func row(_ column: ColumnReport, repeats: Bool) -> [String] {
        // A query for one value has no name for its column.
        let name = ["is", "total", "pages"].contains(column.query) ? "" : column.column.printable
        let isObject = (column.query, column.column) == ("rows", "object")
        return [
            repeats ? "" : column.query.printable, name.truncated(to: 24),
            isObject ? "the entry of the list" : origins(column.origins),
            column.rows == 0
                ? "no rows" : "\(Wording.count(column.filled)) of \(Wording.count(column.rows))",
            isObject && !column.isEmpty ? "" : note(column),
        ]
    }

    /// The first paths, as far as they fit.
    private static func origins(_ paths: [String]) -> String {
        guard let first = paths.first else { return "–" }
        let more = paths.count > 1 ? " and \(Wording.count(paths.count - 1)) more" : ""
        let second = paths.count == 2 ? "\(first), \(paths[1])".printable : nil
        if let second, second.columns <= 48 { return second }
        return first.printable.truncated(to: 48 - more.columns) + more
    }

    private static func note(_ column: ColumnReport) -> String {
        if column.isEmpty { return "EMPTY" }
        let example = column.example?.text?.printable.truncated(to: 28) ?? ""
        guard column.isUnknown else { return example }
        let nearest = column.nearestField.map { "; did you mean \($0)?" } ?? ""
        return "\(example)  [only in the JSON\(nearest)]"
    }

    private static func wrapped(_ text: String) -> [String] {
        text.printable.wrapped(to: 96).enumerated().map { "  \($0 == 0 ? "" : "  ")\($1)" }
    }
}
