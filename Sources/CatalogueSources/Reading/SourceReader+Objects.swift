import Catalogue

extension SourceReader {
    /// Reads the answer to the request of one object.
    ///
    /// - Parameters:
    ///   - id: the id that was requested. An answer about another object is an error, never an absence.
    ///   - status: the status of the answer.
    /// - Throws: ``SourceReadingError``.
    package func object(_ body: [UInt8], id: String, status: Int, of kind: Kind) throws -> SourceAnswer {
        let reading = try reading(of: kind)
        if reading.object.absent.statuses.contains(status) {
            // Firewalls answer with pages of their own, with any status.
            guard !AnswerText.isMarkup(body) else {
                throw SourceReadingError(
                    .notJSON,
                    "The answer is an HTML page with status \(status), which doesn't prove that \(kind.name) \(id.quoted) doesn't exist. Try again later."
                )
            }
            return .absent
        }
        guard (200..<300).contains(status) else {
            throw SourceReadingError(
                .status,
                "The server answered with status \(status) for \(kind.name) \(id.quoted). Try again later."
            )
        }
        return try object(AnswerText.read(body), id: id, reading)
    }

    func object(_ answer: JSONValue, id: String, _ reading: KindReading) throws -> SourceAnswer {
        let object = reading.object
        let needsWhole = reading.root == nil || reading.readsPage || object.absent.condition != nil
        let whole = needsWhole ? answer.canonicalText : nil
        if let condition = object.absent.condition, let whole,
            try value("absent: where", condition, values(whole, page: whole, id: id)).isTrue
        {
            return .absent
        }
        let body = try text(at: reading.root, of: answer, whole, reading)
        let values = values(body, page: whole, id: id)
        let found = try value("is", object.identity, values)
        guard let foundID = found.idText else {
            throw SourceReadingError(
                .identity,
                "The answer doesn't say which \(reading.kind.name) it is about; \(id.quoted) was requested. The form of the answer may have changed: compare the query \"is\" (\(place(object.identity))) with it."
            )
        }
        guard foundID == id else {
            throw SourceReadingError(
                .identity,
                "The answer is about \(reading.kind.name) \(foundID.quoted), but \(id.quoted) was requested."
            )
        }
        return .object(try builder(reading).object(id, from: rows(values, reading)))
    }

    /// Reads the answer to a request of several objects.
    ///
    /// A batch's own `rows` read what stands at `root`; the list's rows, which it uses otherwise, read the whole answer.
    /// - Parameter ids: the ids that were requested. Others in the answer are ignored.
    /// - Returns: the objects by id. An object that is missing, or can't be read, must be requested singly.
    /// - Throws: ``SourceReadingError``, if the answer as a whole can't be read.
    package func objects(_ body: [UInt8], ids: [String], of kind: Kind) throws -> [ExactText: SourceAnswer] {
        let reading = try reading(of: kind)
        guard let batch = reading.object.batch, let rows = batch.rows ?? reading.description.list?.rows else {
            throw undescribed("batch of \(kind.plural)")
        }
        let answer = try AnswerText.read(body), whole = answer.canonicalText
        let text = batch.rows == nil ? whole : try text(at: reading.root, of: answer, whole, reading)
        let wanted = Set(ids.map(ExactText.init))
        // Collected first: the queries of the objects use the same connection.
        var entries: [(id: String, version: String?, body: String)] = []
        var seen: Set<ExactText> = []
        try run("batch: rows", rows, values(text, page: whole)) { row in
            guard let id = row["id"].idText, wanted.contains(ExactText(id)),
                let body = row["object"].filledText,
                seen.insert(ExactText(id)).inserted
            else { return }
            entries.append((id, row["version"].filledText, body))
        }
        var answers: [ExactText: SourceAnswer] = [:]
        for entry in entries {
            do {
                let found = try self.rows(values(entry.body, page: whole, id: entry.id), reading)
                var object = try builder(reading).object(entry.id, from: found)
                object.version = entry.version
                answers[ExactText(entry.id)] = .object(object)
            } catch is SourceReadingError {
                // The single request of the object reports the error.
            }
        }
        return answers
    }

    /// Reads the object in an entry of a list.
    ///
    /// - Returns: `absent` if the server says that the object doesn't exist any more.
    /// - Throws: ``SourceReadingError``, if the entry has no object, or a query fails on it.
    package func object(of row: SourceRow, in page: SourcePage, of kind: Kind) throws -> SourceAnswer {
        let reading = try reading(of: kind)
        if row.isGone { return .absent }
        guard let body = row.object else {
            throw SourceReadingError(
                .shape,
                "The list has no object for \(kind.name) \(row.id.quoted); it must be requested.")
        }
        let rows = try rows(values(body, page: page.text, id: row.id), reading)
        return .object(try builder(reading).object(row.id, from: rows))
    }

    // MARK: -

    /// The text of the object in an answer.
    private func text(
        at root: AnswerPath?, of answer: JSONValue, _ whole: String?, _ reading: KindReading
    ) throws(SourceReadingError) -> String {
        guard let root else { return whole ?? answer.canonicalText }
        guard let inner = root.value(in: answer) else {
            throw SourceReadingError(
                .shape,
                "The answer has nothing at \(reading.rootText), the root of \(reading.kind.name). The form of the answer may have changed: compare \"root\" in \(file) with it."
            )
        }
        return inner.canonicalText
    }

    /// Runs the queries of an object.
    func rows(_ values: SourceValues, _ reading: KindReading) throws -> ObjectRows {
        let object = reading.object
        var rows = ObjectRows()
        try run("row", object.row, values) { row in if rows.row == nil { rows.row = row } }
        if let artists = object.artists { try run("artists", artists, values) { rows.artists.append($0) } }
        if let images = object.images { try run("images", images, values) { rows.images.append($0) } }
        if let members = object.members {
            var ids: [String] = [], seen: Set<String> = []
            try run("members", members, values) { row in
                guard let id = row.values.first?.idText, seen.insert(id).inserted else { return }
                ids.append(id)
            }
            rows.members = ids
        }
        return rows
    }
}
