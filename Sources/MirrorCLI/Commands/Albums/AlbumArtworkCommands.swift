import ArgumentParser

struct AlbumAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add artworks to an album, at its end.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "Ids or slugs of artworks.")
    var artworks: [String]

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AlbumWork.perform(mirror, output) { work in
            let id = try work.choice.album(album).id
            // All are looked up before the first is added.
            for artwork in try artworks.map({ try work.choice.artwork($0) }) {
                try work.check(try work.editor.set(artwork, in: id, present: true), id)
            }
            work.tell(id, "updated", "The album now has \(Wording.these(artworks.count, "artwork"))")
        }
    }
}

struct AlbumRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take artworks out of an album.")

    @Argument(help: "Its id, slug or name.")
    var album: String

    @Argument(help: "Ids or slugs of artworks.")
    var artworks: [String]

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await AlbumWork.perform(mirror, output) { work in
            let id = try work.choice.album(album).id
            for artwork in try artworks.map({ try work.choice.artwork($0, orMemberOf: id) }) {
                try work.check(try work.editor.set(artwork, in: id, present: false), id)
            }
            work.tell(id, "updated", "The album is now without \(Wording.these(artworks.count, "artwork"))")
        }
    }
}

extension Wording {
    /// `this artwork`, `these 2 artworks`
    static func these(_ number: Int, _ noun: String) -> String {
        number == 1 ? "this \(noun)" : "these \(count(number, noun))"
    }
}
