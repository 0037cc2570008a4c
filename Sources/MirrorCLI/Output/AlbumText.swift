import Catalogue
import MirrorStore

/// An album as `mirror album list` shows it.
struct AlbumText {
    let album: AlbumSummary

    var line: String {
        let parts = [
            album.id.printable.padded(to: 28),
            (album.fields.name?.printable ?? "(without a name)").truncated(to: 60),
            Wording.count(album.artworks, "artwork"),
        ]
        return (parts + (state.isEmpty ? [] : ["(\(state.joined(separator: "; ")))"])).joined(separator: "  ")
    }

    private var state: [String] {
        var words: [String] = []
        if album.fields.isPrivate == true { words.append("private") }
        if !album.isAcknowledged {
            words.append("made here, not on the server yet")
        } else if album.isPending {
            words.append("edited here, for the next sync")
        }
        return words + album.failures.map { "refused: \($0.printable)" }
    }

    var json: JSONObject {
        var object: JSONObject = [
            "type": "object", "kind": "album", "id": .string(album.id), "artworks": .integer(album.artworks),
            "pending": .bool(album.isPending), "acknowledged": .bool(album.isAcknowledged),
            "refused": .array(album.failures.map(JSONValue.string)),
        ]
        object["slug"] = album.slug.map(JSONValue.string)
        object["name"] = album.fields.name.map(JSONValue.string)
        object["private"] = album.fields.isPrivate.map(JSONValue.bool)
        return object
    }
}
