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

/// A command that edits one album.
protocol AlbumEditCommand: MirrorSubcommand {
    func edit(_ albums: AlbumEdit) throws
}

extension AlbumEditCommand {
    static var isEdit: Bool { true }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        try edit(
            AlbumEdit(
                editor: AlbumEditor(store), choice: AlbumChoice(store: store, mirror: folder.name),
                results: results))
    }
}

/// What an edit of an album works with, and how it reports its result.
struct AlbumEdit {
    let editor: AlbumEditor
    let choice: AlbumChoice
    let results: Results

    /// - Parameter sentence: for a person; whether the next sync pushes the edit is added.
    func finish(_ id: String, _ action: String, _ sentence: String, isPushed: Bool? = nil) {
        let waits = isPushed ?? !editor.isCatalogue
        results.add(
            ["type": "item", "kind": "album", "id": .string(id), "action": .string(action)],
            "\(sentence)\(waits ? "; the next sync pushes it." : ".")")
        results.summary(("albums", 1))
    }

    /// - Throws: ``CommandError`` if an album was deleted between being found and being edited.
    func check(_ isThere: Bool, _ id: String) throws {
        guard isThere else { throw CommandError(.notFound, "The album \(id.printable) is no longer here.") }
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
    @OptionGroup var output: OutputOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let albums = try store.albums().map(AlbumText.init)
        for album in albums { results.add(album.json, album.line) }
        if albums.isEmpty { results.line("There is no album.") }
        results.summary(("objects", albums.count))
    }
}

struct AlbumCreateCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an album, and print its id.",
        discussion: """
            The server gives an album another id when the next sync pushes it; it is found under this one all the same.
            """)

    @Argument(help: "Its name.")
    var name: String

    @Option(help: "What it is about.")
    var description: String?

    @Flag(help: "Default: private.")
    var privacy = Privacy.private

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try TextCheck.name(name)
        if let description { try TextCheck.description(description) }
    }

    func edit(_ albums: AlbumEdit) throws {
        let id = try albums.editor.create(
            AlbumChange(name: name, description: description, isPrivate: privacy == .private))
        guard albums.results.isJSON else { return albums.results.line(id.printable) }
        albums.finish(id, "created", "")
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
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextCheck.name(name) }

    func edit(_ albums: AlbumEdit) throws {
        let id = try albums.choice.album(album).id
        try albums.check(albums.editor.change(id, by: AlbumChange(name: name)), id)
        albums.finish(id, "updated", "The album's name is now \(name.printable)")
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
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let text { try TextCheck.description(text) }
        if text == nil, privacy == nil {
            throw ValidationError("Give a description, --private or --public.")
        }
    }

    func edit(_ albums: AlbumEdit) throws {
        let id = try albums.choice.album(album).id
        let change = AlbumChange(description: text, isPrivate: privacy.map { $0 == .private })
        try albums.check(albums.editor.change(id, by: change), id)
        albums.finish(id, "updated", "The album is changed")
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
    @OptionGroup var output: OutputOptions

    func edit(_ albums: AlbumEdit) throws {
        let id = try albums.choice.album(album).id
        // All are looked up before the first is added.
        for artwork in try artworks.map({ try albums.choice.artwork($0) }) {
            try albums.check(albums.editor.set(artwork, in: id, present: true), id)
        }
        albums.finish(id, "updated", "The album now has \(Wording.these(artworks.count, "artwork"))")
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
    @OptionGroup var output: OutputOptions

    func edit(_ albums: AlbumEdit) throws {
        let id = try albums.choice.album(album).id
        for artwork in try artworks.map({ try albums.choice.artwork($0, orMemberOf: id) }) {
            try albums.check(albums.editor.set(artwork, in: id, present: false), id)
        }
        albums.finish(id, "updated", "The album is now without \(Wording.these(artworks.count, "artwork"))")
    }
}

struct AlbumDeleteCommand: AlbumEditCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an album; its artworks stay.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func edit(_ albums: AlbumEdit) throws {
        let id = try albums.choice.album(album).id
        let isPushed = try albums.editor.isOnServer(id)
        try albums.check(albums.editor.delete(id), id)
        albums.finish(id, "deleted", "The album is deleted", isPushed: isPushed)
    }
}

extension Wording {
    /// `this artwork`, `these 2 artworks`
    fileprivate static func these(_ number: Int, _ noun: String) -> String {
        number == 1 ? "this \(noun)" : "these \(count(number, noun))"
    }
}
