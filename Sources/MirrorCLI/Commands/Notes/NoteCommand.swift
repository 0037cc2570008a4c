import ArgumentParser
import Catalogue
import MirrorStore

/// Notes: a person's own words about objects. They stay here.
struct NoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Write notes about objects; they stay here, and no server hears of them.",
        discussion: """
            A note has a number, by which it is edited and removed. mirror show has the notes of an object. Exports leave \
            notes out.

              mirror note add artwork the-great-wave Ask for the loan
              mirror note list
            """,
        subcommands: [
            NoteListCommand.self, NoteAddCommand.self, NoteEditCommand.self, NoteRemoveCommand.self,
        ])

    static func missing(_ number: Int64) -> CommandError {
        CommandError(.notFound, "There is no note \(number). See mirror note list.")
    }
}

struct NoteListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List notes, the oldest first.")

    @Argument(
        help: "Only about this kind: artwork, artist, show, album, location, document, partner or user.")
    var kind: KindArgument?

    @Argument(help: "Only about the object of that kind with this id or slug.")
    var id: String?

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.printing { output in
            let notes = try mirror.reading { store, _ in
                // What is no longer here is found by its id alone.
                let id = try id.map { id in try kind.flatMap { try store.find($0.kind, id)?.summary.id } ?? id
                }
                return try store.notes(of: kind?.kind, id)
            }
            for note in notes {
                if self.output.json {
                    output.json(note.json)
                } else {
                    for line in note.lines(width: 100, isNamed: true) { output.line(line) }
                }
            }
            if self.output.json {
                output.summary(("notes", notes.count))
            } else if notes.isEmpty {
                output.line("There is no note\(kind == nil ? "" : " there").")
            }
        }
    }
}
