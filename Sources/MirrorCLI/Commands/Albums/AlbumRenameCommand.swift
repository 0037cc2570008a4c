import ArgumentParser
import Catalogue

struct AlbumRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give an album another name.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "Its new name.")
    var name: String

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextCheck.name(name) }

    func run() async throws {
        try await AlbumWork.perform(mirror, output) { work in
            let id = try work.choice.album(album).id
            try work.check(try work.editor.change(id, by: AlbumChange(name: name)), id)
            work.tell(id, "updated", "The album's name is now \(name.printable)")
        }
    }
}

struct AlbumDescribeCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await AlbumWork.perform(mirror, output) { work in
            let id = try work.choice.album(album).id
            let change = AlbumChange(description: text, isPrivate: privacy.map { $0 == .private })
            try work.check(try work.editor.change(id, by: change), id)
            work.tell(id, "updated", "The album is changed")
        }
    }
}
