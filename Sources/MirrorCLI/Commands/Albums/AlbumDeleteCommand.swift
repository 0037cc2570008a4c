import ArgumentParser

struct AlbumDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an album; its artworks stay.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AlbumWork.perform(mirror, output) { work in
            let id = try work.choice.album(album).id
            let isPushed = try work.editor.isOnServer(id)
            try work.check(try work.editor.delete(id), id)
            work.tell(id, "deleted", "The album is deleted", isPushed: isPushed)
        }
    }
}
