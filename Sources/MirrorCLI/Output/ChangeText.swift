import Catalogue
import MirrorStore
import MirrorSync

/// The text of one object's change: a line, and a further line for each field or list.
enum ChangeText {
    static func lines(_ change: CatalogueChange) -> [String] {
        let kind = change.object.kind.name.padded(to: 8)
        var lines = [
            "  \(change.words.sign) \(kind)  \(change.subject.padded(to: 28))\(change.title)"
                .trimmingTrailingSpaces
        ]
        for field in change.fields {
            lines.append("      \(label(field.name)): \(text(field))")
        }
        for list in change.lists {
            lines.append("      \(listName(list.name)): \(text(list.members))")
        }
        if let evidence = change.evidence, change.action == .delete || change.lists.isEmpty {
            lines.append("      \(evidence.printable)")
        }
        return lines
    }

    /// The change in one line: `~ artwork  the-wave  The Great Wave (title, artworks)`.
    static func line(_ change: CatalogueChange) -> String {
        let parts = change.fields.map { label($0.name) } + change.lists.map { listName($0.name) }
        let detail = change.action == .update && !parts.isEmpty ? " (\(parts.joined(separator: ", ")))" : ""
        return "\(change.words.sign) \(change.object.kind.name)  \(change.subject)\(change.title)\(detail)"
    }

    static func label(_ name: String) -> String { name.printable.replacing("_", with: " ") }

    private static func listName(_ name: String) -> String {
        switch ObjectList(rawValue: name) {
        case .cover: "cover"
        case let list?: list.title
        case nil: name.printable
        }
    }

    // MARK: - Values

    private static func text(_ field: FieldChanges.Change) -> String {
        if let old = members(field.old), let new = members(field.new) {
            let changes = MemberChanges(old: old, new: new)
            if !changes.isEmpty { return text(changes) }
        }
        let old = value(field.old), new = value(field.new)
        let (left, right) = fitted(old, new, to: max(20, (90 - label(field.name).columns - 3) / 2))
        return "\(left) → \(right)"
    }

    /// The entries of a list in which every entry has an id; `nil` for any other value. A missing value is an empty list.
    private static func members(_ value: JSONValue?) -> [JSONValue]? {
        guard let entries = value?.arrayValue else { return value == nil ? [] : nil }
        return entries.allSatisfy { $0.objectValue?["id"]?.idText != nil } ? entries : nil
    }

    static func value(_ value: JSONValue?, empty: String = "(empty)") -> String {
        guard let value else { return "(none)" }
        let text = ObjectFields.inline(value)
        return text.isEmpty ? empty : text
    }

    /// Both texts, cut to a width so that their first difference is visible.
    static func fitted(_ old: String, _ new: String, to width: Int) -> (String, String) {
        guard old.columns > width || new.columns > width else { return (old, new) }
        let common = zip(old, new).prefix { $0 == $1 }.count
        let skipped = common > 12 ? common - 8 : 0
        func part(_ text: String) -> String {
            ((skipped > 0 ? "…" : "") + text.dropFirst(skipped)).truncated(to: width)
        }
        return (part(old), part(new))
    }

    static func text(_ members: MemberChanges) -> String {
        var parts: [String] = []
        for (sign, ids) in [("+", members.added), ("-", members.removed), ("~", members.changed)]
        where !ids.isEmpty {
            let shown = ids.prefix(4).map(\.printable).joined(separator: ", ")
            parts.append(
                "\(sign) \(shown)" + (ids.count > 4 ? " and \(Wording.count(ids.count - 4)) more" : ""))
        }
        if members.isReordered { parts.append("in another order") }
        return parts.isEmpty ? "unchanged" : parts.joined(separator: "; ")
    }
}

extension CatalogueChange {
    /// The change for `--json`.
    var json: JSONObject {
        JSONObject(known: [
            "type": "change", "run": run.map { .integer(Int($0)) } ?? .null, "at": .string(at),
            "kind": .string(object.kind.name), "id": .string(object.id), "action": .string(words.action),
            "fields": fields.json, "name": name.map(JSONValue.string),
            "evidence": evidence.map(JSONValue.string),
            "owner": object.owner.map { .string("\($0.kind.name)/\($0.id)") },
            "lists": lists.isEmpty
                ? nil : .object(JSONObject(lists.map { ($0.name, .object($0.members.json)) })),
        ])
    }

    /// The value of `action`, which a sync's items use too, and the sign in a line.
    fileprivate var words: (action: String, sign: String) {
        switch action {
        case .create: ("created", "+")
        case .update: ("updated", "~")
        case .delete: ("deleted", "-")
        }
    }

    /// The object's id and its owner.
    fileprivate var subject: String {
        object.id.printable + (object.owner.map { " of \($0.kind.name) \($0.id.printable)" } ?? "")
    }

    fileprivate var title: String { name.map { "  \($0.printable.truncated(to: 60))" } ?? "" }
}

extension [FieldChanges.Change] {
    fileprivate var json: JSONValue {
        .object(JSONObject(map { ($0.name, .array([$0.old ?? .null, $0.new ?? .null])) }))
    }
}

extension MemberChanges {
    fileprivate var json: JSONObject {
        func ids(_ ids: [String]) -> JSONValue { .array(ids.map(JSONValue.string)) }
        return [
            "added": ids(added), "removed": ids(removed), "changed": ids(changed),
            "reordered": .bool(isReordered),
        ]
    }
}

/// A conflict in `mirror log`: the object, the resolution, and both versions of the fields that differ.
enum ConflictText {
    static func lines(_ conflict: CatalogueConflict) -> [String] {
        let logged = conflict.conflict
        let name = conflict.name.map { "  \($0.printable.truncated(to: 60))" } ?? ""
        return
            [
                "  ! \(logged.kind.printable.padded(to: 8))  \(logged.id.printable.padded(to: 28))\(name)"
                    .trimmingTrailingSpaces
            ]
            + ["      \(conflict.sentence.printable)"]
            + conflict.fields.map { field in
                let label = ChangeText.label(field.name)
                let width = max(20, (76 - label.columns) / 2)
                let (local, remote) = ChangeText.fitted(
                    ChangeText.value(field.old, empty: "(none)"),
                    ChangeText.value(field.new, empty: "(none)"),
                    to: width)
                return "      \(label): \(local) locally, \(remote) on the server"
            }
    }
}

extension CatalogueConflict {
    /// The conflict for `--json`: each field's value in the mirror, then on the server.
    var json: JSONObject {
        [
            "type": "conflict", "run": conflict.run.map { .integer(Int($0)) } ?? .null,
            "at": .string(conflict.at), "kind": .string(conflict.kind), "id": .string(conflict.id),
            "resolution": .string(conflict.resolution.rawValue),
            "fields": fields.json,
            "local": local.map(JSONValue.object) ?? .null, "server": server.map(JSONValue.object) ?? .null,
        ]
    }
}
