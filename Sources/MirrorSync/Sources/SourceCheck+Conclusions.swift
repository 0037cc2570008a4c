import Catalogue
import CatalogueSources

extension SourceCheck {
    /// What follows from a report, as sentences: what to correct first, then what the check didn't try.
    static func conclusions(_ report: Report) -> [String] {
        var sentences: [String] = []
        for kind in report.kinds { sentences += conclusions(kind) }
        let refused = report.hosts.filter { if case .refused = $0.use { true } else { false } }
        if !refused.isEmpty {
            let names = list(refused.map(\.name))
            sentences.append(
                "Pictures on \(names) are not fetched, because the description doesn't list \(refused.count == 1 ? "this host" : "these hosts"). If they are the museum's, add them: hosts: [\(refused.map(\.name).joined(separator: ", "))]"
            )
        }
        for kind in report.kinds {
            guard let described = report.description[kind.kind] else { continue }
            let parts = untried(described, kind)
            if !parts.isEmpty { sentences.append("Not tried for \(kind.kind.plural): \(list(parts)).") }
        }
        sentences.append(
            report.failures.isEmpty
                ? "The description fits these answers. Nothing was written."
                : "\(report.failures.count == 1 ? "One thing" : "\(report.failures.count) things") couldn't be read; see above. Nothing was written."
        )
        return sentences
    }

    private static func conclusions(_ report: KindReport) -> [String] {
        var sentences: [String] = []
        let misspelt = report.columns.filter { $0.isUnknown && $0.nearestField != nil }
        for column in misspelt {
            sentences.append(
                "The column \"\(column.column)\" of \(place(column, report)) is no field of \(report.kind.plural) and is kept only in the JSON. Did you mean \"\(column.nearestField ?? "")\"?"
            )
        }
        let empty = report.columns.filter { $0.isEmpty && !optional.contains($0.query) }
        if !empty.isEmpty {
            let rows = empty.allSatisfy { $0.rows == 1 }
            sentences.append(
                "Empty in \(rows ? "this one \(report.kind.name)" : "every row"): \(list(empty.map { "\($0.query).\($0.column)" })). \(rows ? "Try another with --id, or compare" : "Compare") the description with the paths that were not read."
            )
        }
        for query in ["artists", "images", "members"] {
            let columns = report.columns.filter { $0.query == query }
            guard let first = columns.first, first.rows == 0 else { continue }
            let reason = report.conditions[query].map { " Its rows depend on \(list($0))." } ?? ""
            sentences.append(
                "The query \"\(query)\" of \(report.kind.plural) gave no row.\(reason) Try another \(report.kind.name) with --id."
            )
        }
        if let unusable = report.object?.object.refusedPictures.unusable, unusable > 0 {
            sentences.append(
                "\(unusable.grouped) of the pictures' addresses \(unusable == 1 ? "is no HTTP or HTTPS URL" : "are no HTTP or HTTPS URLs"). The columns \"url\" and \"iiif\" must be whole addresses, such as https://images.museum.org/1.jpg."
            )
        }
        if let page = report.page, page.rows == 0 {
            sentences.append(
                "The list of \(report.kind.plural) is empty. If it shouldn't be, compare \"rows\" with the paths that were not read."
            )
        }
        return sentences
    }

    /// Values that a server may leave out.
    private static let optional: Set = ["total", "pages"]

    private static func place(_ column: ColumnReport, _ report: KindReport) -> String {
        "\(report.kind.plural).\(column.query == "rows" ? "list" : "object").\(column.query)"
    }

    /// What the description contains and the check didn't request.
    private static func untried(_ described: KindDescription, _ report: KindReport) -> [String] {
        var parts: [String] = []
        if report.object?.isFromList == true { parts.append("object.get (give an --id)") }
        var later: [String] = []
        if described.object.batch != nil { later.append("object.batch") }
        if described.list?.thin.isEmpty == false { later.append("list.thin") }
        if case .parameter? = described.list?.since { later.append("list.since") }
        let tried = report.trials.map(\.key)
        return parts + later.filter { !tried.contains($0) }
    }

    /// `a`, `a and b`, `a, b and c`
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}
