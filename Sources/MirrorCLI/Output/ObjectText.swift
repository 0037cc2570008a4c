import Catalogue
import MirrorStore

extension ObjectSummary {
    /// The object's id and name, in columns; an id of more than 28 columns moves the name to the right.
    var line: String {
        "\(id.printable.padded(to: 28))  \(title)\(kept ? "  \(Self.keptMark)" : "")".trimmingTrailingSpaces
    }

    /// The mark of an object that was restored and that the server has not listed since.
    static let keptMark = "(restored, kept)"

    var title: String { ghost ? "(referred to, not stored)" : name?.printable ?? "(without a name)" }

    var json: JSONObject {
        JSONObject(known: [
            "type": "object", "kind": .string(kind.name), "id": .string(id), "ghost": .bool(ghost),
            "kept": .bool(kept), "slug": slug.map(JSONValue.string), "name": name.map(JSONValue.string),
        ])
    }
}

extension GhostSummary {
    var line: String {
        let tried = triedAt.map { "requested \($0.printable)" } ?? "not requested yet"
        let names = referrers.prefix(3).map { "\($0.kind.name) \($0.id.printable)" }
        let more = references - names.count
        let from = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return "\(id.printable.padded(to: 28))  \(tried.padded(to: 34))  in \(from)"
    }

    var json: JSONObject {
        JSONObject(known: [
            "type": "object", "kind": .string(kind.name), "id": .string(id), "ghost": true, "kept": false,
            "references": .integer(references),
            "referrers": .array(
                referrers.map { .object(["kind": .string($0.kind.name), "id": .string($0.id)]) }),
            "tried_at": triedAt.map(JSONValue.string),
        ])
    }
}

extension MissingObject {
    var line: String {
        let answer = isAbsent ? "; the server doesn't have it" : ""
        let lists = lists == 1 ? "one list" : "\(Wording.count(lists)) lists"
        return "\(summary.line)  (missing since \(firstAt.prefix(10)), from \(lists)\(answer))"
    }

    var json: JSONObject {
        var json = summary.json
        json["missing_since"] = .string(firstAt)
        json["missing_at"] = .string(lastAt)
        json["lists"] = .integer(lists)
        json["absent"] = .bool(isAbsent)
        return json
    }
}

extension AlbumSummary {
    /// - Parameter isPushed: whether the next sync pushes edits. A source accepts none, so they stay in the mirror.
    func line(isPushed: Bool) -> String {
        let state = state(isPushed: isPushed)
        let parts = [
            id.printable.padded(to: 28),
            (fields.name?.printable ?? "(without a name)").truncated(to: 60),
            Wording.count(artworks, .artwork),
        ]
        return (parts + (state.isEmpty ? [] : ["(\(state.joined(separator: "; ")))"])).joined(separator: "  ")
    }

    private func state(isPushed: Bool) -> [String] {
        let edits: String? =
            switch (isAcknowledged, isPushed) {
            case (false, true): "new, not pushed yet"
            case (false, false): "only in this mirror"
            case (true, true): isPending ? "edited, not pushed yet" : nil
            case (true, false): isPending ? "edited in this mirror" : nil
            }
        return [fields.isPrivate == true ? "private" : nil, edits].compactMap(\.self)
            + failures.map { "refused: \($0.printable)" }
    }

    var json: JSONObject {
        JSONObject(known: [
            "type": "object", "kind": "album", "id": .string(id), "artworks": .integer(artworks),
            "pending": .bool(isPending), "acknowledged": .bool(isAcknowledged),
            "refused": .array(failures.map(JSONValue.string)), "slug": slug.map(JSONValue.string),
            "name": fields.name.map(JSONValue.string),
            "private": fields.isPrivate.map(JSONValue.bool),
        ])
    }
}

extension Note {
    /// The note's number, date and text, wrapped to a width in columns: `  3  2026-11-21  text`.
    func lines(width: Int, isNamed: Bool = false) -> [String] {
        let head = "\(String(number).paddedLeft(to: 3))  \(madeAt.prefix(10).description.printable)"
        let blank = String(repeating: " ", count: head.columns)
        let state = objectExists ? "" : " (no longer stored)"
        let subject = isNamed ? ["\(kind.name) \(id.printable)\(state)"] : []
        let text = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            String($0).printable.wrapped(to: max(20, width - head.columns - 2))
        }
        return (subject + text).enumerated().map { index, line in
            "\(index == 0 ? head : blank)  \(line)".trimmingTrailingSpaces
        }
    }

    var json: JSONObject {
        JSONObject(known: [
            "type": "note", "number": .integer(Int(number)), "kind": .string(kind.name), "id": .string(id),
            "text": .string(text), "made_at": .string(madeAt), "here": .bool(objectExists),
            "edited_at": editedAt.map(JSONValue.string),
        ])
    }
}
