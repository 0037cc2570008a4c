import Catalogue

/// Compiles the queries of a kind, and checks that they have the columns that are required.
struct QueryCheck {
    let sandbox: SourceSandbox
    let file: String

    func reading(of description: KindDescription) throws(SourceDescriptionError) -> KindReading {
        let object = description.object, name = description.kind.plural
        var hasObjects = false
        if let list = description.list {
            let columns = try columns(of: list.rows)
            try require("id", in: columns, of: "rows", list.rows, "It identifies the object.")
            if list.needsChanged {
                try require(
                    "changed", in: columns, of: "rows", list.rows,
                    "The list is read by the time of change, so that each entry must contain it.")
            }
            if description.gone.rule == .signal {
                try require(
                    "gone", in: columns, of: "rows", list.rows,
                    "With \"gone: { by: signal }\" it says which objects don't exist any more.")
            }
            hasObjects = columns.contains("object")
            for query in [list.total, list.pages].compactMap(\.self) { try checkValue(query) }
        }
        try checkValue(object.identity)
        if let condition = object.absent.condition { try checkValue(condition) }
        if let rows = object.batch?.rows {
            let columns = try columns(of: rows)
            try require("id", in: columns, of: "batch: rows", rows, "It identifies the object.")
            try require("object", in: columns, of: "batch: rows", rows, "It is the object.")
        } else if object.batch != nil, !hasObjects {
            throw SourceDescriptionError(
                "The batch of \(name) has no rows, and the list's rows have no column \"object\". "
                    + "Add \"rows\" with \"id\" and \"object\" to \"batch\".",
                file: file, at: object.row.position)
        }
        let row = try rowColumns(object, of: description.kind)
        let artists = try artistColumns(object, of: description.kind)
        let images = try imageColumns(object, of: description.kind)
        if let members = object.members {
            guard description.kind.hasMembers else { throw misplaced("members", members, name, "artworks") }
            _ = try columns(of: members)
        }
        return KindReading(
            description: description, row: row, artists: artists, images: images, root: try root(object),
            listHasObjects: hasObjects,
            readsPage: [object.identity, object.row, object.artists, object.images, object.members]
                .contains { $0?.sql.contains(":page") == true })
    }

    private func rowColumns(_ object: ObjectDescription, of kind: Kind) throws(SourceDescriptionError)
        -> ColumnPlan
    {
        let columns = try columns(of: object.row)
        let parts: [String: String] = ["artists": "artists", "images": "images", "artwork_ids": "members"]
        for (column, query) in parts where columns.contains(column) {
            throw SourceDescriptionError(
                "\"row\" has a column \"\(column)\". Read it with a query of its own: \"\(query)\".",
                file: file,
                at: object.row.position)
        }
        if let unknown = object.volatile.first(where: { !columns.contains($0) }) {
            throw SourceDescriptionError(
                "\"volatile\" names the column \"\(unknown)\", but \"row\" has only \(columns.joined(separator: ", ")).",
                file: file, at: object.row.position)
        }
        return ColumnPlan(columns, of: kind.columns, special: KindReading.rowSpecial)
    }

    private func artistColumns(
        _ object: ObjectDescription, of kind: Kind
    ) throws(SourceDescriptionError) -> ColumnPlan? {
        guard let query = object.artists else { return nil }
        guard kind.hasArtists else { throw misplaced("artists", query, kind.plural, "artists") }
        let columns = try columns(of: query)
        guard columns.contains("id") || columns.contains("name") else {
            throw SourceDescriptionError(
                "\"artists\" has neither a column \"id\" nor a column \"name\". Add one of them: SELECT … AS name.",
                file: file, at: query.position)
        }
        return ColumnPlan(columns, of: Kind.artist.columns, special: KindReading.artistSpecial)
    }

    private func imageColumns(
        _ object: ObjectDescription, of kind: Kind
    ) throws(SourceDescriptionError) -> ColumnPlan? {
        guard let query = object.images else { return nil }
        guard kind.imageRoles.contains(.picture) else {
            throw misplaced("images", query, kind.plural, "pictures in their JSON")
        }
        let columns = try columns(of: query)
        guard columns.contains("url") || columns.contains("iiif") else {
            throw SourceDescriptionError(
                "\"images\" has neither a column \"url\" nor a column \"iiif\". Add one of them: SELECT … AS url.",
                file: file, at: query.position)
        }
        return ColumnPlan(columns, of: ImageEntry.columns, special: KindReading.imageSpecial)
    }

    private func root(_ object: ObjectDescription) throws(SourceDescriptionError) -> AnswerPath? {
        guard let text = object.root else { return nil }
        guard let path = AnswerPath(text) else {
            throw SourceDescriptionError(
                "The root \"\(text)\" is no path. Write it as $.data or $.items[0].", file: file,
                at: object.row.position)
        }
        return path
    }

    // MARK: -

    /// Compiles a query.
    private func columns(of query: SourceQuery) throws(SourceDescriptionError) -> [String] {
        let columns: [String]
        do { columns = try sandbox.columns(of: query) } catch {
            throw SourceDescriptionError(
                "The query can't be used: \(error.message)", file: file,
                at: error.offset.map { query.position(at: $0) } ?? query.position)
        }
        if let twice = columns.indices.first(where: { columns[..<$0].contains(columns[$0]) }) {
            throw SourceDescriptionError(
                "The query has two columns \"\(columns[twice])\". Remove one of them, or rename it.",
                file: file,
                at: query.position)
        }
        return columns
    }

    /// Compiles a query that gives one value.
    private func checkValue(_ query: SourceQuery) throws(SourceDescriptionError) {
        let columns = try columns(of: query)
        guard columns.count != 1 else { return }
        throw SourceDescriptionError(
            "The query must give one value, but it has \(columns.count) columns.", file: file,
            at: query.position)
    }

    private func require(
        _ column: String, in columns: [String], of name: String, _ query: SourceQuery, _ reason: String
    ) throws(SourceDescriptionError) {
        guard !columns.contains(column) else { return }
        throw SourceDescriptionError(
            "\"\(name)\" has no column \"\(column)\". \(reason) Add it: SELECT … AS \(column).", file: file,
            at: query.position)
    }

    private func misplaced(
        _ name: String, _ query: SourceQuery, _ kind: String, _ parts: String
    ) -> SourceDescriptionError {
        SourceDescriptionError(
            "The \(kind) of a mirror have no \(parts). Remove \"\(name)\".", file: file, at: query.position)
    }
}
