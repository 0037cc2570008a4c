import ArgumentParser
import Catalogue
import MirrorStore

struct NoteAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Write a note about an object, and print its number.")

    @Argument(help: "Its kind: artwork, artist, show, album, location, document, partner or user.")
    var kind: KindArgument

    @Argument(help: "Its id or slug.")
    var id: String

    @Argument(help: "The note; words are joined by spaces.")
    var text: [String]

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextCheck.note(text.joined(separator: " ")) }

    func run() async throws {
        try await output.printing { output in
            try mirror.writing { store, folder in
                let switchboard = Switchboard(store: store, mirror: folder.name)
                let found = try switchboard.detail(.object(kind.kind, id)).summary.id
                let text = text.joined(separator: " ")
                guard let number = try store.addNote(text, to: kind.kind, found) else {
                    throw CommandError(
                        .notFound,
                        "\(folder.name) doesn't have the \(kind.kind.name) \(id.printable.truncated(to: 60)) itself: something only refers to it."
                    )
                }
                guard self.output.json else { return output.line(String(number)) }
                for note in try store.notes(of: kind.kind, found) where note.number == number {
                    output.json(note.json)
                }
                output.summary(("notes", 1))
            }
        }
    }
}

struct NoteEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Give a note another text.")

    @Argument(help: "The note's number.")
    var number: Int64

    @Argument(help: "Its new text; words are joined by spaces.")
    var text: [String]

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextCheck.note(text.joined(separator: " ")) }

    func run() async throws {
        try await output.printing { output in
            try mirror.writing { store, _ in
                guard try store.editNote(number, text: text.joined(separator: " ")) else {
                    throw NoteCommand.missing(number)
                }
            }
            if self.output.json { output.summary(("notes", 1)) }
        }
    }
}

struct NoteRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a note.")

    @Argument(help: "The note's number.")
    var number: Int64

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.printing { output in
            try mirror.writing { store, _ in
                guard try store.removeNote(number) else { throw NoteCommand.missing(number) }
            }
            if self.output.json { output.summary(("notes", 1)) }
        }
    }
}
