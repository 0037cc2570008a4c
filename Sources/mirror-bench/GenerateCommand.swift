import ArgumentParser
import MirrorSimulation

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write a generated catalogue: the same size, the same catalogue.")

    @Option(help: "The number of artworks.") var artworks = 10_000
    @Option(help: "The folder, which is made.") var to: String

    func validate() throws { try requirePositive(("--artworks", artworks)) }

    func run() throws { try GeneratedCatalogue(artworks: artworks).write(to: to) }
}
