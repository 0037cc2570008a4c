import Catalogue

/// What became of a column when an answer was read: for people who write a description.
package struct ColumnReport: Sendable, Hashable {
    /// The query, as it is called in the description: `row`, `artists`.
    package var query: String
    /// The column's name.
    package var column: String
    /// The paths in the answer from which the column was read, such as `$.constituents[].name`, in the order of the answer.
    package var origins: [String] = []
    /// The number of rows that the query gave.
    package var rows = 0
    /// The number of rows in which the column has a value.
    package var filled = 0
    /// A value of the column; `nil` if it has none.
    package var example: SQLValue?
    /// Whether the kind has no such field, so that the column is only kept in the object's JSON.
    package var isUnknown = false
    /// The field with the nearest name, if the column is unknown and a field has a similar name.
    package var nearestField: String?

    /// Whether the column is empty in every row, although there are rows.
    package var isEmpty: Bool { rows > 0 && filled == 0 }
}

/// Which parts of an answer each column was read from.
///
/// This is found out by reading variations of the answer that differ in one leaf each. So it includes conditions, and finds what
/// functions and inner queries read; it doesn't find an alternative (`coalesce`) that this answer doesn't need.
package struct ColumnOrigins: Sendable, Hashable {
    /// All columns, in the order of the description.
    package var columns: [ColumnReport] = []
    /// The paths that decide which rows a query gives, by the query's name: conditions, such as that of a licence.
    package var conditions: [String: [String]] = [:]
    /// The paths that no query read, in the order of their keys: what a description could read, too.
    package var unread: [String] = []
    /// Whether the answer is so large, or its queries take so long, that only a part of it was varied.
    package var isCut = false
}

/// The values that the queries gave for an answer.
struct ColumnSample: Hashable {
    /// The rows of one query.
    struct Query: Hashable {
        let name: String
        let columns: [String]
        var rows: [[SQLValue]]
    }

    /// In the order in which they ran. A query that failed is missing.
    var queries: [Query] = []

    subscript(_ name: String) -> Query? { queries.first { $0.name == name } }
}

extension SourceReader {
    /// How long the variations of an answer are read. Each of them runs each query, and there may be thousands.
    static let originsLimit = Duration.seconds(10)

    /// Finds what each column of an object was read from.
    ///
    /// - Parameters:
    ///   - body: the answer to the request of the object.
    ///   - id: the object's id.
    ///   - now: a monotonic clock for ``originsLimit``. Default: the processor time of the thread.
    /// - Throws: ``SourceReadingError``, if the answer can't be read.
    package func origins(
        ofObject body: [UInt8], id: String, of kind: Kind,
        now: @escaping @Sendable () -> Duration = QueryDeadline.threadTime
    ) throws -> ColumnOrigins {
        let reading = try reading(of: kind), answer = try AnswerText.read(body)
        return try origins(in: answer, of: reading, now) { answer, _ in sample(answer, id: id, reading) }
    }

    /// Finds what each column of a page was read from, and each column of the objects in it.
    ///
    /// - Parameter now: a monotonic clock for ``originsLimit``. Default: the processor time of the thread.
    /// - Throws: ``SourceReadingError``, if the answer can't be read.
    package func origins(
        ofPage body: [UInt8], of kind: Kind,
        now: @escaping @Sendable () -> Duration = QueryDeadline.threadTime
    ) throws -> ColumnOrigins {
        let reading = try reading(of: kind), answer = try AnswerText.read(body)
        guard let list = reading.description.list else { throw undescribed("list of \(kind.plural)") }
        return try origins(in: answer, of: reading, now) { samplePage($0, list, reading, $1) }
    }

    /// The time that is left for an answer.
    private struct Time {
        let end: Duration
        let now: @Sendable () -> Duration

        var isOver: Bool { now() >= end }
    }

    private func origins(
        in answer: JSONValue, of reading: KindReading, _ now: @escaping @Sendable () -> Duration,
        _ read: (JSONValue, Time) -> ColumnSample
    ) throws -> ColumnOrigins {
        let time = Time(end: now() + Self.originsLimit, now: now)
        let variations = AnswerVariations(of: answer), usual = read(variations.sample, time)
        var found: [String: [String: [String]]] = [:], origins = ColumnOrigins(isCut: variations.isCut)
        func add(_ path: String, to paths: inout [String]) {
            if paths.last != path, !paths.contains(path) { paths.append(path) }
        }
        var paths: [String] = [], known: Set<String> = [], used: Set<String> = []
        variations.forEach { variation in
            let varied = read(variation.answer, time)
            // What was read in part doesn't show what differs.
            if time.isOver { return false }
            if known.insert(variation.path).inserted { paths.append(variation.path) }
            for query in usual.queries {
                guard let other = varied[query.name], other.columns == query.columns else {
                    used.insert(variation.path)
                    continue
                }
                guard other.rows.count == query.rows.count else {
                    used.insert(variation.path)
                    add(variation.path, to: &origins.conditions[query.name, default: []])
                    continue
                }
                for (index, column) in query.columns.enumerated()
                where zip(query.rows, other.rows).contains(where: { $0[index] != $1[index] }) {
                    // An object in a list contains all that the server says of it, whether a query reads it or not.
                    if (query.name, column) != ("rows", "object") { used.insert(variation.path) }
                    add(variation.path, to: &found[query.name, default: [:]][column, default: []])
                }
            }
            return true
        }
        origins.unread = paths.filter { !used.contains($0) }
        // The counts are of the whole answer, or else of the sample.
        let all = time.isOver ? usual : read(answer, time)
        origins.isCut = origins.isCut || time.isOver
        origins.columns = all.queries.flatMap { query in
            query.columns.enumerated().map { index, column in
                var report = ColumnReport(query: query.name, column: column)
                report.origins = found[query.name]?[column] ?? []
                report.rows = query.rows.count
                let values = query.rows.map { $0[index] }.filter { !$0.isAbsent }
                (report.filled, report.example) = (values.count, values.first)
                if let fields = reading.fields(of: query.name), !fields.contains(column) {
                    report.isUnknown = true
                    report.nearestField = NearestName(of: column, in: fields).name
                }
                return report
            }
        }
        return origins
    }

    // MARK: - Samples

    /// Runs the queries of an object, each on its own, so that one that fails doesn't hide the others.
    private func sample(_ answer: JSONValue, id: String, _ reading: KindReading) -> ColumnSample {
        let whole = answer.canonicalText
        guard let body = (reading.root.map { $0.value(in: answer)?.canonicalText } ?? whole) else {
            return ColumnSample()
        }
        let values = values(body, page: whole, id: id)
        var sample = ColumnSample()
        for (name, query) in [("is", reading.object.identity)] + reading.object.queries {
            add(name, query, values, to: &sample)
        }
        return sample
    }

    /// - Parameter time: when it is over, no further objects are read.
    private func samplePage(
        _ answer: JSONValue, _ list: ListDescription, _ reading: KindReading, _ time: Time
    ) -> ColumnSample {
        let text = answer.canonicalText
        var sample = ColumnSample()
        let lists: [(String, SourceQuery?)] = [
            ("rows", list.rows), ("total", list.total), ("pages", list.pages),
        ]
        for case (let name, let query?) in lists { add(name, query, values(text, page: text), to: &sample) }
        guard let rows = sample["rows"], let id = rows.columns.firstIndex(of: "id"),
            let object = rows.columns.firstIndex(of: "object")
        else { return sample }
        for row in rows.rows where !time.isOver {
            guard let body = row[object].filledText else { continue }
            for (name, query) in reading.object.queries {
                add(name, query, values(body, page: text, id: row[id].idText ?? ""), to: &sample)
            }
        }
        return sample
    }

    /// Runs a query and adds its rows to those of the same name.
    private func add(
        _ name: String, _ query: SourceQuery, _ values: SourceValues, to sample: inout ColumnSample
    ) {
        var rows: [[SQLValue]] = []
        guard let columns = try? sandbox.columns(of: query),
            (try? sandbox.rows(query, values, { rows.append($0.values) })) != nil
        else { return }
        if let index = sample.queries.firstIndex(where: { $0.name == name }) {
            sample.queries[index].rows += rows
        } else {
            sample.queries.append(ColumnSample.Query(name: name, columns: columns, rows: rows))
        }
    }
}

extension ObjectDescription {
    /// The queries for an object's columns, by the names that they have in a description.
    fileprivate var queries: [(String, SourceQuery)] {
        [("row", row), ("artists", artists), ("images", images), ("members", members)]
            .compactMap { name, query in query.map { (name, $0) } }
    }
}

extension KindReading {
    /// The columns that a query may have besides ones that are only kept in JSON; `nil` if its columns have no fixed names.
    fileprivate func fields(of query: String) -> [String]? {
        switch query {
        case "rows": ["id", "version", "changed", "object", "gone"]
        case "row": kind.columns.map(\.name) + Self.rowSpecial.sorted()
        case "artists": Kind.artist.columns.map(\.name) + Self.artistSpecial.sorted()
        case "images": ImageEntry.columns.map(\.name) + Self.imageSpecial.sorted() + ["rights"]
        default: nil
        }
    }
}
