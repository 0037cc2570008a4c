import ArgumentParser
import MirrorStore

/// Edits the user's notes about objects, which are never sent to a server.
struct NoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Write your own notes about objects; they are never sent to a server.",
        discussion: """
            Each note has a number, which mirror note edit and mirror note remove take. mirror show prints the notes of an \
            object. Exports leave notes out.

              mirror note add artwork the-great-wave Ask for the loan
              mirror note list
            """,
        subcommands: [
            NoteListCommand.self, NoteAddCommand.self, NoteEditCommand.self, NoteRemoveCommand.self,
        ])

    /// Prints the summary after a note was edited or removed.
    ///
    /// - Throws: ``CommandError`` if there is no note with that number.
    fileprivate static func finish(_ isFound: Bool, _ number: Int64, _ results: Results) throws {
        guard isFound else {
            throw CommandError(.notFound, "There is no note \(number). See mirror note list.")
        }
        results.summary(("notes", 1))
    }
}

struct NoteListCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the notes, the oldest first.")

    @Argument(help: "Only notes about objects of this kind: \(KindArgument.words).")
    var kind: KindArgument?

    @Argument(help: "Only notes about the object with this id or slug.")
    var id: String?

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let notes = try store.notes(of: kind?.kind, store.storedID(kind, id))
        for note in notes { results.add(note.json, lines: note.lines(width: 100, isNamed: true)) }
        if notes.isEmpty { results.line("There are no \(kind == nil ? "" : "matching ")notes.") }
        results.summary(("notes", notes.count))
    }
}

struct NoteAddCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Write a note about an object, and print its number.")
    static let isEdit = true

    @Argument(help: "The object's kind: \(KindArgument.words).")
    var kind: KindArgument

    @Argument(help: "The object's id or slug.")
    var id: String

    @Argument(help: "The note's text; words are joined by spaces.")
    var text: [String]

    @OptionGroup var mirror: MirrorOptions

    func validate() throws { try TextCheck.note(text.joined(separator: " ")) }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let switchboard = Switchboard(store: store, mirror: folder.name)
        let found = try switchboard.detail(.object(kind.kind, id)).summary.id
        guard let number = try store.addNote(text.joined(separator: " "), to: kind.kind, found) else {
            throw CommandError(
                .notFound,
                "The \(kind.kind.name) \(id.printable.truncated(to: 60)) is not stored in \(folder.name), only referred to, so it can't have a note. See mirror list \(kind.kind.name)."
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
        commandName: "edit", abstract: "Replace a note's text.")
    static let isEdit = true

    @Argument(help: "The note's number.")
    var number: Int64

    @Argument(help: "The note's new text; words are joined by spaces.")
    var text: [String]

    @OptionGroup var mirror: MirrorOptions

    func validate() throws { try TextCheck.note(text.joined(separator: " ")) }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let isFound = try store.editNote(number, text: text.joined(separator: " "))
        try NoteCommand.finish(isFound, number, results)
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
