import Catalogue

/// Reads the answers of a described server: pages of lists, and objects in the Partner API's form.
///
/// All queries are compiled when the reader is created. Reading is pure: nothing is requested or stored. One reader may be used
/// from several tasks.
package final class SourceReader: Sendable {
    package let description: SourceDescription
    /// The name of the description's file, for messages.
    package let file: String
    let sandbox: SourceSandbox
    private let readings: [Kind: KindReading]
    private let hosts: PictureHosts

    /// Compiles the queries of a description.
    ///
    /// - Throws: ``SourceDescriptionError`` with line and column, for SQL that can't be compiled and for columns that are missing.
    package init(_ description: SourceDescription, file: String) throws(SourceDescriptionError) {
        do { sandbox = try SourceSandbox(language: description.language) } catch {
            throw SourceDescriptionError("SQLite can't be used: \(error.message)", file: file)
        }
        let check = QueryCheck(sandbox: sandbox, file: file)
        var readings: [Kind: KindReading] = [:]
        for kind in description.kinds { readings[kind.kind] = try check.reading(of: kind) }
        self.description = description
        self.file = file
        self.readings = readings
        hosts = PictureHosts(base: description.base, others: description.hosts)
    }

    /// Reads a page of a list, or the whole list.
    ///
    /// - Parameter thin: whether the page is of the list of ids and versions, whose entries contain no objects. Default: `false`.
    /// - Throws: ``SourceReadingError``, if the answer isn't JSON, a query fails on it, or it has another form than the
    ///   description expects, so that every entry lacks a required column.
    package func page(_ body: [UInt8], of kind: Kind, thin: Bool = false) throws -> SourcePage {
        try page(AnswerText.read(body), of: kind, thin: thin)
    }

    func page(_ answer: JSONValue, of kind: Kind, thin: Bool) throws -> SourcePage {
        let reading = try reading(of: kind)
        guard let list = reading.description.list else { throw undescribed("list of \(kind.plural)") }
        var page = SourcePage()
        page.text = answer.canonicalText
        page.form = AnswerForm(answer)
        let values = values(page.text, page: page.text)
        var count = 0, isNull = false
        try run("rows", list.rows, values) { row in
            count += 1
            isNull = count == 1 && row.values.allSatisfy { $0 == .null }
            if var row = SourceRow(row, needsChanged: reading.needsChanged) {
                if thin { row.object = nil }
                page.rows.append(row)
            } else {
                page.skipped += 1
            }
        }
        // `json_each` reads null in place of a list as one element.
        if count == 1, isNull { (count, page.skipped) = (0, 0) }
        guard count == 0 || !page.rows.isEmpty else {
            throw SourceReadingError(
                .shape,
                "None of the \(count) entries in the list of \(kind.plural) has \(reading.needsChanged ? "an id and a time of change" : "an id"). The form of the answer may have changed: compare the query \"rows\" (\(place(list.rows))) with it."
            )
        }
        page.total = try number("total", list.total, values)
        page.pages = try number("pages", list.pages, values)
        if page.rows.isEmpty, let total = list.total, page.total == nil {
            throw SourceReadingError(
                .shape,
                "The list of \(kind.plural) has neither entries nor a total. The form of the answer may have changed: compare the query \"total\" (\(place(total))) with it."
            )
        }
        return page
    }

    /// Whether the rows of a kind's list contain its objects; `false` for a kind without a list.
    package func listHasObjects(of kind: Kind) -> Bool { readings[kind]?.listHasObjects ?? false }

    // MARK: - Queries

    func reading(of kind: Kind) throws(SourceReadingError) -> KindReading {
        guard let reading = readings[kind] else { throw undescribed(kind.plural) }
        return reading
    }

    func builder(_ reading: KindReading) -> ObjectBuilder { ObjectBuilder(reading: reading, hosts: hosts) }

    func undescribed(_ what: String) -> SourceReadingError {
        SourceReadingError(.undescribed, "The description \(file) has no \(what).")
    }

    func values(_ body: String, page: String? = nil, id: String? = nil) -> SourceValues {
        SourceValues(body: body, page: page, id: id, base: description.base)
    }

    /// Runs a query on an answer.
    func run(
        _ name: String, _ query: SourceQuery, _ values: SourceValues, _ take: (SQLRow) throws -> Void
    ) throws {
        do { try sandbox.rows(query, values, take) } catch let failure as SQLFailure {
            throw SourceReadingError(failure, query: name, place: place(query))
        }
    }

    /// The first value of a query.
    func value(_ name: String, _ query: SourceQuery, _ values: SourceValues) throws -> SQLValue {
        do { return try sandbox.value(query, values) } catch let failure as SQLFailure {
            throw SourceReadingError(failure, query: name, place: place(query))
        }
    }

    /// A number that the server states; `nil` without a query, and if the answer lacks it.
    private func number(_ name: String, _ query: SourceQuery?, _ values: SourceValues) throws -> Int? {
        guard let query else { return nil }
        let value = try value(name, query, values)
        if value.isAbsent { return nil }
        guard let number = value.wholeNumber, number >= 0 else {
            throw SourceReadingError(
                .shape,
                "The query \"\(name)\" (\(place(query))) gave something else than a number. The form of the answer may have changed: compare the query with it."
            )
        }
        return number
    }

    func place(_ query: SourceQuery) -> String { "\(file):\(query.position.line):\(query.position.column)" }
}

extension SourceRow {
    /// Reads an entry; `nil` if it lacks what is required.
    init?(_ row: SQLRow, needsChanged: Bool) {
        guard let id = row["id"].idText else { return nil }
        let changed = row["changed"].filledText.map { text in Timestamp(text)?.text ?? text }
        if needsChanged, changed.flatMap({ Timestamp($0) }) == nil { return nil }
        self.init(
            id: id, version: row["version"].filledText, changed: changed, object: row["object"].filledText,
            isGone: row["gone"].isTrue)
    }
}
