import Catalogue
import MirrorStore

/// The notes that were written in the mirror about an object. Only the staff sees them.
struct ObjectNotes {
    private let notes: [Note]
    private let jsonHref: String

    /// The page shows at most this number of notes, the latest ones. The JSON has all.
    private static let most = 20
    /// The page shows at most this number of characters of each.
    private static let mostText = 500

    /// `nil` if there are none, or the face may not see them.
    init?(about object: ObjectSummary, _ context: PageContext) throws {
        guard context.face.showsNotes else { return nil }
        notes = try context.store.notes(of: object.kind, object.id)
        jsonHref = context.href(object) + PageAddress.suffix
        if notes.isEmpty { return nil }
    }

    /// The section of the page: each note after the day on which it was written.
    var text: LongText {
        let cuts = notes.suffix(Self.most).map { note in
            let day = Timestamp(note.madeAt).map { "\(PageDates.day($0)): " } ?? ""
            let cut = LongText.cut(note.text, to: Self.mostText)
            return (text: day + cut.text, isCut: cut.isCut)
        }
        return LongText(
            field: "notes", heading: "Notes", paragraphs: cuts.flatMap { LongText.paragraphs(of: $0.text) },
            isCut: notes.count > Self.most || cuts.contains { $0.isCut }, jsonHref: jsonHref)
    }

    var json: JSONValue {
        .array(
            notes.map { note in
                var json = JSONObject([
                    ("number", .number(JSONNumber(Int(note.number)))), ("text", .string(note.text)),
                    ("made_at", .string(note.madeAt)),
                ])
                json["edited_at"] = note.editedAt.map(JSONValue.string)
                return .object(json)
            })
    }
}
