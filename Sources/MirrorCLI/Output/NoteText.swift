import Catalogue
import MirrorStore

/// A note as a person reads it: its number and day, then its text.
struct NoteText {
    let note: Note

    /// `  3  2026-11-21  text`, the text in lines of so many columns.
    func lines(width: Int, isNamed: Bool = false) -> [String] {
        let head = "\(String(note.number).paddedLeft(to: 3))  \(note.madeAt.prefix(10).description.printable)"
        let gone = note.isHere ? "" : " (no longer here)"
        let subject = isNamed ? ["\(note.kind.name) \(note.id.printable)\(gone)"] : []
        let text = note.text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            String($0).printable.wrapped(to: max(20, width - head.columns - 2))
        }
        return (subject + text).enumerated().map { index, line in
            "\(index == 0 ? head : head.blank)  \(line)".trimmingTrailingSpaces
        }
    }

    var json: JSONObject {
        var object: JSONObject = [
            "type": "note", "number": .integer(Int(note.number)), "kind": .string(note.kind.name),
            "id": .string(note.id), "text": .string(note.text), "made_at": .string(note.madeAt),
            "here": .bool(note.isHere),
        ]
        object["edited_at"] = note.editedAt.map(JSONValue.string)
        return object
    }
}

extension String {
    fileprivate var blank: String { String(repeating: " ", count: columns) }
}
