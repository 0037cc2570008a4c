import Catalogue
import MirrorStore

/// A line about something that is referred to and not stored.
enum GhostText {
    /// How many referrers a line names.
    private static let named = 3

    static func line(_ ghost: GhostSummary) -> String {
        let tried = ghost.triedAt.map { "tried \($0.printable)" } ?? "not tried yet"
        let names = ghost.referrers.prefix(named).map { "\($0.kind.name) \($0.id.printable)" }
        let more = ghost.references - names.count
        let from = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return "\(ghost.id.printable.padded(to: 28))  \(tried.padded(to: 30))  in \(from)"
    }

    static func json(_ ghost: GhostSummary) -> JSONObject {
        var object: JSONObject = [
            "type": "object", "kind": .string(ghost.kind.name), "id": .string(ghost.id),
            "ghost": .bool(true), "kept": .bool(false), "references": .integer(ghost.references),
            "referrers": .array(
                ghost.referrers.map {
                    .object(["kind": .string($0.kind.name), "id": .string($0.id)])
                }),
        ]
        object["tried_at"] = ghost.triedAt.map(JSONValue.string)
        return object
    }
}
