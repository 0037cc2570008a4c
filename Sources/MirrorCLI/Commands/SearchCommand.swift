import ArgumentParser
import MirrorStore

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find artworks and artists by words, the best first.",
        discussion: "All words must occur; each may be the beginning of one.")

    @Argument(help: "What to look for.")
    var words: [String]

    @Option(help: ArgumentHelp("Print so many at the most.", valueName: "n"))
    var limit = 20

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number above 0.") }
        guard words.contains(where: { $0.contains { $0.isLetter || $0.isNumber } }) else {
            throw ValidationError("There is no word in that. Give some, such as: mirror search wave")
        }
    }

    func run() async throws {
        try await output.printing { output in
            let (found, isBehind) = try mirror.reading { store, _ in
                (
                    try store.search(words.joined(separator: " "), limit: limit),
                    try store.isIndexBehind() || store.lastUpdate().map { $0.outcome == nil } ?? false
                )
            }
            if isBehind {
                Screen.standardError().line(
                    "mirror: the last run has not ended, or was stopped; what it brought is found once a sync ends."
                )
            }
            guard !self.output.json else {
                for summary in found { output.json(summary.json) }
                return output.summary(("objects", found.count))
            }
            guard !found.isEmpty else {
                return output.line("Nothing here has \(words.joined(separator: " ").printable).")
            }
            for summary in found { output.line("\(summary.kind.name.padded(to: 8))  \(summary.line)") }
        }
    }
}
