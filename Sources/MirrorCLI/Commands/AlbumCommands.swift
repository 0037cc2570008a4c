import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Edits albums in the mirror at once; the next sync pushes the edits to the server.
struct AlbumCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album", abstract: "Create, edit and delete albums; the next sync pushes the edits.",
        discussion: """
            Name an album by its id, its slug, or a name that no other album has. Edits work offline, and while a sync runs. \
            An imported catalogue (mirror import) has no server, and a source (mirror sources) accepts no edits: there they \
            are not pushed.

              mirror album create Summer --description Favourites
              mirror album add Summer the-great-wave
            """,
        subcommands: [
            AlbumListCommand.self, AlbumCreateCommand.self, AlbumRenameCommand.self,
            AlbumDescribeCommand.self,
            AlbumAddCommand.self, AlbumRemoveCommand.self, AlbumDeleteCommand.self,
        ])
}

/// A command that edits one existing album.
protocol AlbumEditCommand: MirrorSubcommand {
    var album: String { get }
    /// The value of `action` with `--json`.
    static var action: String { get }

    /// - Returns: a description of the edit without its full stop; `nil` if the album was deleted after it was found.
    func edit(_ id: String, _ editor: AlbumEditor, _ switchboard: Switchboard) throws -> String?
    /// Whether the next sync pushes the edit.
    func isPushed(_ id: String, _ editor: AlbumEditor) throws -> Bool
}

extension AlbumEditCommand {
    static var isEdit: Bool { true }
    static var action: String { "updated" }

    func isPushed(_ id: String, _ editor: AlbumEditor) -> Bool { editor.pushesEdits }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let editor = try AlbumEditor(store), switchboard = Switchboard(store: store, mirror: folder.name)
        let id = try switchboard.album(album).id
        let isPushed = try isPushed(id, editor)
        guard let sentence = try edit(id, editor, switchboard) else {
            throw CommandError(
                .notFound,
                "The album \(id.printable) was just deleted, so nothing was changed. See mirror album list."
            )
        }
        results.addAlbum(id, Self.action, "\(sentence)\(isPushed ? "; the next sync pushes the edit." : ".")")
    }
}

extension Results {
    fileprivate func addAlbum(_ id: String, _ action: String, _ line: String) {
        add(["type": "item", "kind": "album", "id": .string(id), "action": .string(action)], line)
        summary(("albums", 1))
    }
}

/// Whether an album is private.
enum Privacy: String, EnumerableFlag {
    case `private`, `public`

    static func help(for value: Privacy) -> ArgumentHelp? {
        switch value {
        case .private: "Only staff may see it."
        case .public: "Everybody may see it."
        }
    }
}

struct AlbumListCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the albums, and which edits are not pushed yet or were refused.")

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let albums = try store.albums(), isPushed = try store.source == nil
        for album in albums { results.add(album.json, album.line(isPushed: isPushed)) }
        if albums.isEmpty { results.line("There are no albums.") }
        results.summary(("objects", albums.count))
    }
}

struct AlbumCreateCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an album, and print its id.",
        discussion: """
            The server gives the album another id when the next sync pushes it. Commands then accept both ids.
            """)
    static let isEdit = true

    @Argument(help: "The album's name.")
    var name: String

    @Option(help: "A description of the album.")
    var description: String?

    @Flag(help: "Who may see the album. Default: private.")
    var privacy = Privacy.private

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        try TextCheck.name(name)
        if let description { try TextCheck.description(description) }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let album = AlbumChange(name: name, description: description, isPrivate: privacy == .private)
        let id = try AlbumEditor(store).create(album)
        results.addAlbum(id, "created", id.printable)
    }
}

struct AlbumRenameCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename an album.")

    @Argument(help: "The album's id, slug or name.")
    var album: String

    @Argument(help: "The album's new name.")
    var name: String

    @OptionGroup var mirror: MirrorOptions

    func validate() throws { try TextCheck.name(name) }

    func edit(_ id: String, _ editor: AlbumEditor, _ switchboard: Switchboard) throws -> String? {
        try editor.change(id, by: AlbumChange(name: name))
            ? "The album's name is now \(name.printable)" : nil
    }
}

struct AlbumDescribeCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "Change an album's description, and whether it is private.")

    @Argument(help: "The album's id, slug or name.")
    var album: String

    @Argument(help: "The new description; an empty text removes it.")
    var text: String?

    @Flag(help: "Who may see the album. Default: unchanged.")
    var privacy: Privacy?

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        if let text { try TextCheck.description(text) }
        if text == nil, privacy == nil {
            throw ValidationError("Give a description, --private or --public.")
        }
    }

    func edit(_ id: String, _ editor: AlbumEditor, _ switchboard: Switchboard) throws -> String? {
        let change = AlbumChange(description: text, isPrivate: privacy.map { $0 == .private })
        return try editor.change(id, by: change) ? "The album was changed" : nil
    }
}

struct AlbumAddCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add artworks to the end of an album.")

    @Argument(help: "The album's id, slug or name.")
    var album: String

    @Argument(help: "The artworks' ids or slugs.")
    var artworks: [String]

    @OptionGroup var mirror: MirrorOptions

    func edit(_ id: String, _ editor: AlbumEditor, _ switchboard: Switchboard) throws -> String? {
        // All are looked up before the first is added.
        let artworks = try switchboard.artworks(artworks)
        for artwork in artworks {
            guard try editor.set(artwork, in: id, present: true) else { return nil }
        }
        return "The album now contains \(Wording.these(artworks.count, "artwork"))"
    }
}

struct AlbumRemoveCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove artworks from an album.")

    @Argument(help: "The album's id, slug or name.")
    var album: String

    @Argument(help: "The artworks' ids or slugs.")
    var artworks: [String]

    @OptionGroup var mirror: MirrorOptions

    func edit(_ id: String, _ editor: AlbumEditor, _ switchboard: Switchboard) throws -> String? {
        let artworks = try switchboard.artworks(artworks, orMembersOf: id)
        for artwork in artworks {
            guard try editor.set(artwork, in: id, present: false) else { return nil }
        }
        return "The album no longer contains \(Wording.these(artworks.count, "artwork"))"
    }
}

struct AlbumDeleteCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an album; its artworks are kept.")
    static let action = "deleted"

    @Argument(help: "The album's id, slug or name.")
    var album: String

    @OptionGroup var mirror: MirrorOptions

    func edit(_ id: String, _ editor: AlbumEditor, _ switchboard: Switchboard) throws -> String? {
        try editor.delete(id) ? "The album was deleted" : nil
    }

    func isPushed(_ id: String, _ editor: AlbumEditor) throws -> Bool { try editor.isOnServer(id) }
}

extension Wording {
    /// `this artwork`, `these 2 artworks`
    fileprivate static func these(_ number: Int, _ noun: String) -> String {
        number == 1 ? "this \(noun)" : "these \(count(number, noun))"
    }
}
