import Catalogue
import MirrorStore

/// The text of one object: labelled fields, then the objects and files that belong to it.
struct ObjectPage {
    private let head: [String]
    /// The labels and texts, in the order in which they are shown.
    private var fields: [(label: String, text: String)]
    private var sections: [(heading: String, lines: [String])] = []
    /// The largest number of entries that are shown in a section.
    private static let maximumEntries = 50
    /// The width in columns.
    private static let width = 100

    var lines: [String] {
        let label = min(fields.map(\.label.columns).max() ?? 0, 28)
        var lines = head + (fields.isEmpty ? [] : [""])
        for field in fields {
            let text = field.text.wrapped(to: max(20, Self.width - label - 4))
            for (index, part) in text.enumerated() {
                let head = index == 0 ? field.label.truncated(to: label) : ""
                lines.append("  \(head.padded(to: label))  \(part)")
            }
        }
        for section in sections { lines += ["", "  \(section.heading)"] + section.lines.map { "    \($0)" } }
        return lines
    }

    init(_ detail: ObjectDetail, store: CatalogueStore, folder: MirrorFolder) throws {
        let summary = detail.summary
        let body = try detail.json.map { try JSONValue(parsing: $0).objectValue ?? [:] } ?? [:]
        let slug = summary.slug.flatMap { $0 == summary.id ? nil : " (\($0.printable))" } ?? ""
        head = [summary.title, "\(summary.kind.name) \(summary.id.printable)\(slug)"]
        fields = ObjectFields.of(body)
        let artists = try body.references("artists", single: "artist").map { id in
            try store.fetch(Artist.self, id: id)?.name?.printable ?? id.printable
        }
        if !artists.isEmpty { fields.insert(("artists", Wording.list(artists)), at: 0) }
        if summary.kind == .show,
            let place = body.references("locations", single: "location").first ?? body["location_id"]?.idText
        {
            fields.append(
                ("location", try store.fetch(Location.self, id: place)?.name?.printable ?? place.printable))
        }
        try add("artworks", Self.artworks(of: detail, store)) {
            try store.find(.artwork, $0)?.summary.line ?? $0.printable
        }
        add("edition sets", body["edition_sets"]?.arrayValue ?? [], line: ObjectFields.withoutID)
        add("files", detail.files, in: " in \(folder.path.printable)", line: \.printable)
        let pictures = body["images"]?.arrayValue?.count ?? 0
        if detail.files.isEmpty, pictures > 0 {
            fields.append(("pictures", "\(Wording.count(pictures)), none downloaded yet"))
        }
        let withdrawn = body["images"]?.arrayValue?.count { $0.objectValue?["withdrawn"] == .bool(true) } ?? 0
        if withdrawn > 0 {
            fields.append(
                ("withdrawn", "\(Wording.count(withdrawn, "picture")), no longer offered by the source"))
        }
        let notes = try store.notes(of: summary.kind, summary.id)
        if !notes.isEmpty {
            let lines = notes.flatMap { $0.lines(width: 90) }
            sections.append(("notes (\(Wording.count(notes.count)))", lines))
        }
        if summary.kept { fields.append(("kept", "restored; the server has not listed it since")) }
    }

    private mutating func add<Entry>(
        _ heading: String, _ entries: [Entry], in place: String = "", line: (Entry) throws -> String
    ) rethrows {
        guard !entries.isEmpty else { return }
        let more = entries.count - Self.maximumEntries
        let lines = try entries.prefix(Self.maximumEntries).map(line)
        sections.append(
            (
                "\(heading) (\(Wording.count(entries.count)))\(place)",
                lines + (more > 0 ? ["and \(Wording.count(more)) more"] : [])
            ))
    }

    private static func artworks(of detail: ObjectDetail, _ store: CatalogueStore) throws -> [String] {
        guard detail.summary.kind == .artist else { return detail.artworks }
        return try store.snapshot { try $0.artworks(of: Owner(.artist, detail.summary.id)) }
    }
}

extension ObjectDetail {
    /// The object for `--json`.
    func page(_ notes: [Note]) throws -> JSONObject {
        var object = summary.json
        object["object"] = try json.map { try JSONValue(parsing: $0) } ?? .null
        object["artworks"] = .array(artworks.map(JSONValue.string))
        object["files"] = .array(files.map(JSONValue.string))
        object["notes"] = .array(notes.map { .object($0.json) })
        return object
    }
}

/// Turns the fields of an object's JSON into labels and texts.
enum ObjectFields {
    /// Fields that other parts of the page show.
    private static let shownElsewhere: Set<String> = [
        "id", "slug", "title", "name", "images", "artist", "artists", "edition_sets", "location",
        "location_id",
        "partner", "artwork_ids", CatalogueMapping.originalsKey,
    ]
    /// The most useful fields, which are shown first. The others follow in their own order.
    private static let first = [
        "display", "date", "medium", "category", "dimensions", "nationality", "years", "birthday", "deathday",
        "start_at", "end_at", "status", "description", "price", "availability",
    ]

    static func of(_ body: JSONObject) -> [(label: String, text: String)] {
        let shown = body.members.filter { !shownElsewhere.contains($0.key) }
        let ranked = shown.enumerated().sorted { left, right in
            (rank(left.element.key), left.offset) < (rank(right.element.key), right.offset)
        }
        return ranked.compactMap { _, member in
            let text = inline(member.value)
            guard !text.isEmpty else { return nil }
            return (member.key.printable.replacing("_", with: " "), text)
        }
    }

    private static func rank(_ key: String) -> Int { first.firstIndex(of: key) ?? first.count }

    /// A nested object in one line, without its id, which is of no use to a reader.
    static func withoutID(_ value: JSONValue) -> String {
        guard case .object(var object) = value else { return inline(value) }
        object.removeValue(forKey: "id")
        return inline(.object(object))
    }

    /// A value in one line; empty for `null` and for empty values.
    static func inline(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .number(let number): number.lexeme
        case .string(let text): text.printable
        case .array(let elements): elements.map(inline).filter { !$0.isEmpty }.joined(separator: ", ")
        case .object(let object):
            object.members.compactMap { member in
                let text = inline(member.value)
                return text.isEmpty ? nil : "\(member.key.printable.replacing("_", with: " ")) \(text)"
            }.joined(separator: ", ")
        }
    }
}

extension JSONObject {
    /// The ids in a list of references and in a single reference, without duplicates.
    func references(_ list: String, single: String) -> [String] {
        let entries = (self[list]?.arrayValue ?? []) + (self[single].map { [$0] } ?? [])
        var ids: [String] = []
        for id in entries.compactMap({ $0.objectValue?["id"]?.idText ?? $0.idText }) where !ids.contains(id) {
            ids.append(id)
        }
        return ids
    }
}
