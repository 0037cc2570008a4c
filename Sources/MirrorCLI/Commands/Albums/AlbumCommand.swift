import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Edits of albums: here at once, on the server with the next sync.
struct AlbumCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album", abstract: "Make, change and delete albums here; the next sync pushes that.",
        discussion: """
            An album is named by its id, its slug, or a name that no other album has. All of this works offline, and while \
            a sync runs. In a catalogue that was made by mirror import an edit is done at once.

              mirror album create Summer --description Favourites
              mirror album add Summer the-great-wave
            """,
        subcommands: [
            AlbumListCommand.self, AlbumCreateCommand.self, AlbumRenameCommand.self,
            AlbumDescribeCommand.self,
            AlbumAddCommand.self, AlbumRemoveCommand.self, AlbumDeleteCommand.self,
        ])
}

/// What an edit of an album works with, and how it tells what it did.
struct AlbumWork {
    let editor: AlbumEditor
    let choice: Switchboard
    let output: LineOutput
    let isJSON: Bool

    /// Opens the mirror that is meant, for one edit.
    static func perform(
        _ mirror: MirrorOptions, _ options: OutputOptions, _ body: (AlbumWork) throws -> Void
    ) async throws {
        try await options.printing { output in
            try mirror.writing { store, folder in
                try body(
                    AlbumWork(
                        editor: try AlbumEditor(store),
                        choice: Switchboard(store: store, mirror: folder.name),
                        output: output, isJSON: options.json))
            }
        }
    }

    /// - Parameter sentence: for a person; what comes of it is added.
    func tell(_ id: String, _ action: String, _ sentence: String, isPushed: Bool? = nil) {
        guard isJSON else {
            let waits = isPushed ?? !editor.isCatalogue
            return output.line("\(sentence)\(waits ? "; the next sync pushes it." : ".")")
        }
        output.json(["type": "item", "kind": "album", "id": .string(id), "action": .string(action)])
        output.summary(("albums", 1))
    }

    /// - Throws: ``CommandError`` if an album went between being found and being edited.
    func check(_ isThere: Bool, _ id: String) throws {
        guard !isThere else { return }
        throw CommandError(.notFound, "The album \(id.printable) is no longer here.")
    }
}

/// Whether an album is private.
enum Privacy: String, EnumerableFlag {
    case `private`, `public`

    static func help(for value: Privacy) -> ArgumentHelp? {
        switch value {
        case .private: "Only for those who work here."
        case .public: "For everybody."
        }
    }
}
