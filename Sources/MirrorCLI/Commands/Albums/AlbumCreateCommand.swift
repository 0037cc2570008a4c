import ArgumentParser
import Catalogue

struct AlbumCreateCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await AlbumWork.perform(mirror, output) { work in
            let id = try work.editor.create(
                AlbumChange(name: name, description: description, isPrivate: privacy == .private))
            if work.isJSON { work.tell(id, "created", "") } else { work.output.line(id.printable) }
        }
    }
}
