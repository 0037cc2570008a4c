import ArgumentParser
import MirrorSimulation

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write a generated catalogue. The same size gives the same catalogue.")

    @Option(help: "The number of artworks.") var artworks = 10_000
    @Option(help: "The target folder, which is created.") var to: String

    func validate() throws { try requirePositive(("--artworks", artworks)) }

    func run() throws { try GeneratedCatalogue(artworks: artworks).write(to: to) }
}
