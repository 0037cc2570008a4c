import Catalogue
import MirrorStore

/// All local edits of a history, in order, so that the effect of each edit can be checked.
struct EditLedger: Sendable {
    struct Edit: Sendable {
        enum Change: Sendable, Hashable {
            /// The album was created or renamed. No name is used twice.
            case named(String)
            case deleted
            case artwork(String, isPresent: Bool)
        }

        /// The album's id: the local one if it was created locally, else the server's.
        let album: String
        let change: Change
        /// Whether the next sync has to push the edit. `false` for an edit that undoes an edit before it was pushed.
        let isToBePushed: Bool
    }

    private(set) var edits: [Edit] = []
    /// The server's ids of albums that were created locally, by local id.
    private(set) var ids: [String: String] = [:]
    /// The texts of all notes.
    var notes: [String] = []
    private var names = 0

    /// A name or text that no other edit has.
    mutating func nextName() -> String {
        names += 1
        return "local \(names)."
    }

    mutating func append(_ album: String, _ change: Edit.Change, isToBePushed: Bool = true) {
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
            // A deleted album has no row that could be edited. It can only be edited again if the push of its creation was
            // answered later and created a new row. Then the later edit is the valid one.
            case (.deleted, _): true
            case (.artwork(let one, _), .artwork(let other, _)): one == other
            default: false
            }
        }
    }
}
