import ArgumentParser
import MirrorStore

struct AlbumListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the albums, and how edits of them stand.")

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.printing { output in
            let albums = try mirror.reading { store, _ in try store.albums() }
            for album in albums {
                if self.output.json { output.json(album.json) } else { output.line(album.line) }
            }
            if self.output.json {
                output.summary(("objects", albums.count))
            } else if albums.isEmpty {
                output.line("There is no album.")
            }
        }
    }
}
