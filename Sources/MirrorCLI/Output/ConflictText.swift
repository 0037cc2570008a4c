import Catalogue
import MirrorStore
import MirrorSync

/// A conflict as `mirror log` shows it: what it is about, what became of it, and both versions where they differ.
struct ConflictText {
    let lines: [String]

    init(_ conflict: CatalogueConflict, width: Int = 100) {
        let logged = conflict.conflict
        let name = conflict.name.map { "  \($0.printable.truncated(to: 60))" } ?? ""
        lines =
            [
                "  ! \(logged.kind.printable.padded(to: 8))  \(logged.id.printable.padded(to: 28))\(name)"
                    .trimmingTrailingSpaces
            ]
            + ["      \(conflict.sentence.printable)"]
            + conflict.fields.map { field in
                let label = field.name.printable.replacing("_", with: " ")
                let room = max(20, (width - 24 - label.columns) / 2)
                let (here, there) = ChangeText.fitted(Self.text(field.old), Self.text(field.new), to: room)
                return "      \(label): \(here) here, \(there) on the server"
            }
    }

    private static func text(_ value: JSONValue?) -> String {
        let text = value.map(ObjectFields.inline) ?? ""
        return text.isEmpty ? "(none)" : text
    }
}

extension CatalogueConflict {
    /// The conflict for `--json`: fields as they were here, then as they are on the server.
    var json: JSONObject {
        [
            "type": "conflict", "run": conflict.run.map { .integer(Int($0)) } ?? .null,
            "at": .string(conflict.at), "kind": .string(conflict.kind), "id": .string(conflict.id),
            "resolution": .string(conflict.resolution.rawValue),
            "fields": .object(
                JSONObject(fields.map { ($0.name, .array([$0.old ?? .null, $0.new ?? .null])) })),
            "local": local.map(JSONValue.object) ?? .null, "server": server.map(JSONValue.object) ?? .null,
        ]
    }
}
