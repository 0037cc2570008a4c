import Catalogue
import MirrorStore

/// One object as a person reads it: labelled fields, then what belongs to it.
struct ObjectPage {
    let title: String
    let subtitle: String
    /// Label and text, in the order in which they are shown.
    let fields: [(label: String, text: String)]
    /// Heading and lines.
    let sections: [(heading: String, lines: [String])]
    /// Entries of a section that are shown.
    static let most = 50

    init(
        title: String, subtitle: String, fields: [(label: String, text: String)],
        sections: [(heading: String, lines: [String])]
    ) {
        self.title = title
        self.subtitle = subtitle
        self.fields = fields
        self.sections = sections
    }

    init(_ detail: ObjectDetail, store: CatalogueStore, folder: MirrorFolder) throws {
        let summary = detail.summary
        let body = try detail.json.map { try JSONValue(parsing: $0).objectValue ?? [:] } ?? [:]
        var fields = ObjectFields(body).fields
        let names = try body.references("artists", single: "artist").map { id in
            try store.fetch(Artist.self, id: id)?.name?.printable ?? id.printable
        }
        if !names.isEmpty { fields.insert(("artists", Wording.list(names)), at: 0) }
        if summary.kind == .show,
            let place = body.references("locations", single: "location").first ?? body["location_id"]?.idText
        {
            fields.append(
                ("location", try store.fetch(Location.self, id: place)?.name?.printable ?? place.printable))
        }
        var sections: [(heading: String, lines: [String])] = []
        let artworks = try Self.artworks(of: detail, store)
        if !artworks.isEmpty {
            sections.append(
                (
                    "artworks (\(Wording.count(artworks.count)))",
                    try Self.shortened(artworks) { id in
                        let found = try store.find(.artwork, id)?.summary
                        return found?.line ?? id.printable
                    }
                ))
        }
        if let editions = body["edition_sets"]?.arrayValue, !editions.isEmpty {
            sections.append(
                (
                    "edition sets (\(editions.count))",
                    Self.shortened(editions.map(ObjectFields.withoutID)) { $0 }
                )
            )
        }
        let pictures = body["images"]?.arrayValue?.count ?? 0
        if !detail.files.isEmpty {
            sections.append(
                (
                    "files (\(Wording.count(detail.files.count))) in \(folder.path.printable)",
                    Self.shortened(detail.files) { $0.printable }
                ))
        } else if pictures > 0 {
            fields.append(("pictures", "\(Wording.count(pictures)), none fetched yet"))
        }
        let notes = try store.notes(of: summary.kind, summary.id)
        if !notes.isEmpty {
            sections.append(
                (
                    "notes (\(Wording.count(notes.count)))",
                    notes.flatMap { NoteText(note: $0).lines(width: 90) }
                ))
        }
        self.init(
            title: summary.title,
            subtitle: "\(summary.kind.name) \(summary.id.printable)"
                + (summary.slug.map { $0 == summary.id ? "" : " (\($0.printable))" } ?? ""),
            fields: summary.kept
                ? fields + [("kept", "restored; the server has not listed it since")] : fields,
            sections: sections)
    }

    func lines(width: Int) -> [String] {
        let label = min(fields.map(\.label.columns).max() ?? 0, 28)
        var lines = [title, subtitle]
        if !fields.isEmpty { lines.append("") }
        for field in fields {
            let text = field.text.wrapped(to: max(20, width - label - 4))
            for (index, part) in text.enumerated() {
                let head = index == 0 ? field.label.truncated(to: label) : ""
                lines.append("  \(head.padded(to: label))  \(part)")
            }
        }
        for section in sections { lines += ["", "  \(section.heading)"] + section.lines.map { "    \($0)" } }
        return lines
    }

    private static func artworks(of detail: ObjectDetail, _ store: CatalogueStore) throws -> [String] {
        guard detail.summary.kind == .artist else { return detail.artworks }
        return try store.snapshot { try $0.artworks(of: Owner(.artist, detail.summary.id)) }
    }

    private static func shortened<Entry>(_ entries: [Entry], _ line: (Entry) throws -> String) rethrows
        -> [String]
    {
        let shown = try entries.prefix(most).map(line)
        let more = entries.count - shown.count
        return shown + (more > 0 ? ["and \(Wording.count(more)) more"] : [])
    }
}

extension ObjectDetail {
    /// The object for `--json`.
    func page(_ notes: [Note]) throws -> JSONObject {
        var object = summary.json
        object["object"] = try json.map { try JSONValue(parsing: $0) } ?? .null
        object["artworks"] = .array(artworks.map(JSONValue.string))
        object["files"] = .array(files.map(JSONValue.string))
        object["notes"] = .array(notes.map { .object(NoteText(note: $0).json) })
        return object
    }
}
