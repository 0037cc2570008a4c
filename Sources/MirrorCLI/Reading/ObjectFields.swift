import Catalogue

/// The fields of an object's JSON that stand on its page, as label and text.
struct ObjectFields {
    let fields: [(label: String, text: String)]

    /// What stands elsewhere on the page.
    private static let elsewhere: Set<String> = [
        "id", "slug", "title", "name", "images", "artist", "artists", "edition_sets", "location",
        "location_id",
        "partner", "artwork_ids", CatalogueMapping.parkingKey,
    ]
    /// What people look for first; the rest follows in order of the names.
    private static let first = [
        "display", "date", "medium", "category", "dimensions", "nationality", "years", "birthday", "deathday",
        "start_at", "end_at", "status", "description", "price", "availability",
    ]

    init(_ body: JSONObject) {
        let shown = body.members.filter { !Self.elsewhere.contains($0.key) }
        let ranked = shown.enumerated().sorted { left, right in
            (Self.rank(left.element.key), left.offset) < (Self.rank(right.element.key), right.offset)
        }
        fields = ranked.compactMap { _, member in
            let text = Self.inline(member.value)
            guard !text.isEmpty else { return nil }
            return (member.key.printable.replacing("_", with: " "), text)
        }
    }

    private static func rank(_ key: String) -> Int { first.firstIndex(of: key) ?? first.count }

    /// A part of an object in one line; its id tells people nothing.
    static func withoutID(_ value: JSONValue) -> String {
        guard case .object(var object) = value else { return inline(value) }
        object.removeValue(forKey: "id")
        return inline(.object(object))
    }

    /// A value in one line; empty for what says nothing.
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
    /// Ids of the objects that a list of references, or a single one, names; each once.
    func references(_ list: String, single: String) -> [String] {
        let entries = (self[list]?.arrayValue ?? []) + (self[single].map { [$0] } ?? [])
        var ids: [String] = []
        for id in entries.compactMap({ $0.objectValue?["id"]?.idText ?? $0.idText }) where !ids.contains(id) {
            ids.append(id)
        }
        return ids
    }
}
