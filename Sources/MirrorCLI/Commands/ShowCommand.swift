import ArgumentParser
import Catalogue
import MirrorStore

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one object: its fields, its files, what belongs to it, notes about it.",
        discussion: """
            Name it by kind and id (or slug), or by its path or URL on the partner's site:

              mirror show artwork the-great-wave
              mirror show /artist/hokusai
              mirror show https://example.org/show/prints/artwork/the-great-wave
            """)

    @Argument(help: ArgumentHelp("KIND ID, or a path or URL.", valueName: "what"))
    var words: [String]

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try Switchboard.target(words) }

    func run() async throws {
        try await output.printing { output in
            try mirror.reading { store, folder in
                let switchboard = Switchboard(store: store, mirror: folder.name)
                let target = try switchboard.target(words)
                switch target {
                case .list(let kind):
                    var count = 0
                    try store.summaries(kind) { summary in
                        count += 1
                        if self.output.json { output.json(summary.json) } else { output.line(summary.line) }
                    }
                    if self.output.json { output.summary(("objects", count)) }
                default:
                    let detail = try switchboard.detail(target)
                    if self.output.json {
                        output.json(try detail.page(store.notes(of: detail.summary.kind, detail.summary.id)))
                        output.summary(("objects", 1))
                    } else {
                        let page = try ObjectPage(detail, store: store, folder: folder)
                        for line in page.lines(width: 100) { output.line(line) }
                    }
                }
            }
        }
    }
}
