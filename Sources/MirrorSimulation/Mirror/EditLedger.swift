import Catalogue
import MirrorStore

/// All edits that people made in the mirror, in order, so that the effect of each can be checked.
struct EditLedger: Sendable {
    struct Edit: Sendable {
        enum Change: Sendable, Hashable {
            /// Created or renamed. No name is used twice.
            case named(String)
            case deleted
            case artwork(String, isPresent: Bool)
        }

        /// The album's id: the local one if it was created locally, else the server's.
        let album: String
        let change: Change
        /// Whether the edit has to be pushed. Not if it only undoes an edit that was not pushed yet.
        let isToBePushed: Bool
    }

    private(set) var edits: [Edit] = []
    /// The server's ids of albums that were created locally, by local id.
    private(set) var ids: [String: String] = [:]
    /// The texts of all notes.
    var notes: [String] = []
    private var names = 0

    mutating func nextName() -> String {
        names += 1
        return "here \(names)."
    }

    mutating func note(_ album: String, _ change: Edit.Change, isToBePushed: Bool = true) {
        edits.append(Edit(album: album, change: change, isToBePushed: isToBePushed))
    }

    mutating func record(_ local: String, serverID id: String) { ids[local] = id }

    /// The album's id on the server, if known; else the given one.
    func server(_ album: String) -> String { ids[album] ?? album }

    /// Whether a later edit supersedes this one.
    func isSuperseded(_ index: Int) -> Bool {
        let edit = edits[index]
        return edits[(index + 1)...].contains { later in
            guard server(later.album) == server(edit.album) else { return false }
            return switch (edit.change, later.change) {
            case (_, .deleted), (.named, .named): true
            // A deleted album can be edited again only if the push of its creation gave it a new row. Then the later edit
            // counts.
            case (.deleted, _): true
            case (.artwork(let one, _), .artwork(let other, _)): one == other
            default: false
            }
        }
    }
}
