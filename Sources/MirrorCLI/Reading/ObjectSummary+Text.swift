import Catalogue
import MirrorStore

extension ObjectSummary {
    /// Its id and name; columns line up as long as ids are of usual length.
    var line: String {
        "\(id.printable.padded(to: 28))  \(title)\(kept ? "  \(Self.keptWords)" : "")".trimmingTrailingSpaces
    }

    /// What is said of an object that was restored and that the server doesn't list.
    static let keptWords = "(restored, kept)"

    var title: String { ghost ? "(referred to, not stored)" : name?.printable ?? "(without a name)" }

    var json: JSONObject {
        var object: JSONObject = [
            "type": "object", "kind": .string(kind.name), "id": .string(id), "ghost": .bool(ghost),
            "kept": .bool(kept),
        ]
        object["slug"] = slug.map(JSONValue.string)
        object["name"] = name.map(JSONValue.string)
        return object
    }
}
