import ArgumentParser
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

    /// Reports that a note was edited or removed.
    ///
    /// - Throws: ``CommandError`` if there is no note with that number.
    fileprivate static func finish(_ wasThere: Bool, _ number: Int64, _ results: Results) throws {
        guard wasThere else {
            throw CommandError(.notFound, "There is no note \(number). See mirror note list.")
        }
        results.summary(("notes", 1))
    }
}

struct NoteListCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List notes, the oldest first.")

    @Argument(help: "Only about this kind: \(KindArgument.words).")
    var kind: KindArgument?

    @Argument(help: "Only about the object of that kind with this id or slug.")
    var id: String?

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let notes = try store.notes(of: kind?.kind, store.storedID(kind, id))
        for note in notes { results.add(note.json, lines: note.lines(width: 100, isNamed: true)) }
        if notes.isEmpty { results.line("There is no note\(kind == nil ? "" : " there").") }
        results.summary(("notes", notes.count))
    }
}

struct NoteAddCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Write a note about an object, and print its number.")
    static let isEdit = true

    @Argument(help: "Its kind: \(KindArgument.words).")
    var kind: KindArgument

    @Argument(help: "Its id or slug.")
    var id: String

    @Argument(help: "The note; words are joined by spaces.")
    var text: [String]

    @OptionGroup var mirror: MirrorOptions

    func validate() throws { try TextCheck.note(text.joined(separator: " ")) }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let switchboard = Switchboard(store: store, mirror: folder.name)
        let found = try switchboard.detail(.object(kind.kind, id)).summary.id
        guard let number = try store.addNote(text.joined(separator: " "), to: kind.kind, found) else {
            throw CommandError(
                .notFound,
                "\(folder.name) doesn't have the \(kind.kind.name) \(id.printable.truncated(to: 60)) itself: something only refers to it."
            )
        }
        for note in try store.notes(of: kind.kind, found) where note.number == number {
            results.add(note.json, String(number))
        }
        results.summary(("notes", 1))
    }
}

struct NoteEditCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Give a note another text.")
    static let isEdit = true

    @Argument(help: "The note's number.")
    var number: Int64

    @Argument(help: "Its new text; words are joined by spaces.")
    var text: [String]

    @OptionGroup var mirror: MirrorOptions

    func validate() throws { try TextCheck.note(text.joined(separator: " ")) }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let wasThere = try store.editNote(number, text: text.joined(separator: " "))
        try NoteCommand.finish(wasThere, number, results)
    }
}

struct NoteRemoveCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a note.")
    static let isEdit = true

    @Argument(help: "The note's number.")
    var number: Int64

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        try NoteCommand.finish(store.removeNote(number), number, results)
    }
}
