import ArgumentParser
import Catalogue
import MirrorStore

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the objects of a kind, in order of their names.")

    @Argument(help: "A kind: artwork, artist, show, album, location, document, partner or user; plurals too.")
    var kind: KindArgument

    @Flag(
        help:
            "List what is referred to but not stored instead: when it was last tried, and what refers to it.")
    var ghosts = false

    @Flag(help: "List only what was restored and the server has not listed since.")
    var kept = false

    @Option(help: ArgumentHelp("List so many at the most.", valueName: "n"))
    var limit: Int?

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number above 0.") }
        if ghosts, kept { throw ValidationError("Give --ghosts or --kept, not both.") }
    }

    func run() async throws {
        try await output.printing { output in
            try mirror.reading { store, _ in
                var count = 0
                do {
                    func take(_ json: @autoclosure () -> JSONObject, _ line: @autoclosure () -> String) throws
                    {
                        if let limit, count >= limit { throw Enough() }
                        count += 1
                        if self.output.json { output.json(json()) } else { output.line(line()) }
                    }
                    if ghosts {
                        try store.ghosts(kind.kind) { try take($0.json, $0.line) }
                    } else {
                        try store.summaries(kind.kind, kept: kept) { try take($0.json, $0.line) }
                    }
                } catch is Enough {}
                if self.output.json { output.summary(("objects", count)) }
            }
        }
    }

    /// Ends the reading of a list before its end.
    private struct Enough: Error {}
}
