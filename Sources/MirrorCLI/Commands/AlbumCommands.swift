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

/// A command that edits one album that there is.
protocol AlbumEditCommand: MirrorSubcommand {
    var album: String { get }
    /// What happens to the album, for `--json`.
    static var action: String { get }

    /// - Returns: what was done, for a person; `nil` if the album was deleted since it was found.
    func edit(_ id: String, _ editor: AlbumEditor, _ choice: Switchboard) throws -> String?
    /// Whether the next sync pushes the edit.
    func isPushed(_ id: String, _ editor: AlbumEditor) throws -> Bool
}

extension AlbumEditCommand {
    static var isEdit: Bool { true }
    static var action: String { "updated" }

    func isPushed(_ id: String, _ editor: AlbumEditor) -> Bool { !editor.isCatalogue }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let editor = try AlbumEditor(store), choice = Switchboard(store: store, mirror: folder.name)
        let id = try choice.album(album).id
        let isPushed = try isPushed(id, editor)
        guard let sentence = try edit(id, editor, choice) else {
            throw CommandError(.notFound, "The album \(id.printable) is no longer here.")
        }
        results.addAlbum(id, Self.action, "\(sentence)\(isPushed ? "; the next sync pushes it." : ".")")
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
        case .private: "Only for those who work here."
        case .public: "For everybody."
        }
    }
}

struct AlbumListCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the albums, and how edits of them stand.")

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let albums = try store.albums()
        for album in albums { results.add(album.json, album.line) }
        if albums.isEmpty { results.line("There is no album.") }
        results.summary(("objects", albums.count))
    }
}

struct AlbumCreateCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an album, and print its id.",
        discussion: """
            The server gives an album another id when the next sync pushes it; it is found under this one all the same.
            """)
    static let isEdit = true

    @Argument(help: "Its name.")
    var name: String

    @Option(help: "What it is about.")
    var description: String?

    @Flag(help: "Default: private.")
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
        commandName: "rename", abstract: "Give an album another name.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "Its new name.")
    var name: String

    @OptionGroup var mirror: MirrorOptions

    func validate() throws { try TextCheck.name(name) }

    func edit(_ id: String, _ editor: AlbumEditor, _ choice: Switchboard) throws -> String? {
        try editor.change(id, by: AlbumChange(name: name))
            ? "The album's name is now \(name.printable)" : nil
    }
}

struct AlbumDescribeCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "Say what an album is about, and whether it is private.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "What it is about; an empty text takes the description away.")
    var text: String?

    @Flag(help: "Default: as it is.")
    var privacy: Privacy?

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        if let text { try TextCheck.description(text) }
        if text == nil, privacy == nil {
            throw ValidationError("Give a description, --private or --public.")
        }
    }

    func edit(_ id: String, _ editor: AlbumEditor, _ choice: Switchboard) throws -> String? {
        let change = AlbumChange(description: text, isPrivate: privacy.map { $0 == .private })
        return try editor.change(id, by: change) ? "The album is changed" : nil
    }
}

struct AlbumAddCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add artworks to an album, at its end.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "Ids or slugs of artworks.")
    var artworks: [String]

    @OptionGroup var mirror: MirrorOptions

    func edit(_ id: String, _ editor: AlbumEditor, _ choice: Switchboard) throws -> String? {
        // All are looked up before the first is added.
        let artworks = try choice.artworks(artworks)
        for artwork in artworks {
            guard try editor.set(artwork, in: id, present: true) else { return nil }
        }
        return "The album now has \(Wording.these(artworks.count, "artwork"))"
    }
}

struct AlbumRemoveCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take artworks out of an album.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "Ids or slugs of artworks.")
    var artworks: [String]

    @OptionGroup var mirror: MirrorOptions

    func edit(_ id: String, _ editor: AlbumEditor, _ choice: Switchboard) throws -> String? {
        let artworks = try choice.artworks(artworks, orMembersOf: id)
        for artwork in artworks {
            guard try editor.set(artwork, in: id, present: false) else { return nil }
        }
        return "The album is now without \(Wording.these(artworks.count, "artwork"))"
    }
}

struct AlbumDeleteCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an album; its artworks stay.")
    static let action = "deleted"

    @Argument(help: "Its id, slug or name.")
    var album: String

    @OptionGroup var mirror: MirrorOptions

    func edit(_ id: String, _ editor: AlbumEditor, _ choice: Switchboard) throws -> String? {
        try editor.delete(id) ? "The album is deleted" : nil
    }

    func isPushed(_ id: String, _ editor: AlbumEditor) throws -> Bool { try editor.isOnServer(id) }
}

extension Wording {
    /// `this artwork`, `these 2 artworks`
    fileprivate static func these(_ number: Int, _ noun: String) -> String {
        number == 1 ? "this \(noun)" : "these \(count(number, noun))"
    }
}
