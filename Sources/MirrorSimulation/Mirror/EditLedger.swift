import Catalogue
import MirrorStore

/// What people edited in the mirror, in order, so that it can be asked what became of each edit.
struct EditLedger: Sendable {
    struct Edit: Sendable {
        enum Deed: Sendable, Hashable {
            /// Made, or given another name: names are used once.
            case named(String)
            case deleted
            case artwork(String, isPresent: Bool)
        }

        /// The album: by the id under which it was made here, else by the server's.
        let album: String
        let deed: Deed
        /// Whether the server has to hear of it: not if it only takes back what it hadn't heard of.
        let isToBePushed: Bool
    }

    private(set) var edits: [Edit] = []
    /// The server's ids of albums that were made here.
    private(set) var ids: [String: String] = [:]
    /// Texts of notes that are to be there.
    var notes: [String] = []
    private var names = 0

    mutating func nextName() -> String {
        names += 1
        return "here \(names)."
    }

    mutating func note(_ album: String, _ deed: Edit.Deed, isToBePushed: Bool = true) {
        edits.append(Edit(album: album, deed: deed, isToBePushed: isToBePushed))
    }

    mutating func learn(_ local: String, is id: String) { ids[local] = id }

    /// The album's id on the server, as far as one is known.
    func server(_ album: String) -> String { ids[album] ?? album }

    /// Whether a later edit made this one void.
    func isVoid(_ place: Int) -> Bool {
        let edit = edits[place]
        return edits[(place + 1)...].contains { later in
            guard server(later.album) == server(edit.album) else { return false }
            return switch (edit.deed, later.deed) {
            case (_, .deleted), (.named, .named): true
            // What was deleted is edited no more, but under the id of the row that it was made with: the later edit holds.
            case (.deleted, _): true
            case (.artwork(let one, _), .artwork(let other, _)): one == other
            default: false
            }
        }
    }
}
