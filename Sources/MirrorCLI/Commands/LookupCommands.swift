import ArgumentParser
import Catalogue
import MirrorStore

struct ListCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the objects of a kind, in order of their names.")

    @Argument(help: "A kind: \(KindArgument.words); plurals too.")
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

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number above 0.") }
        if ghosts, kept { throw ValidationError("Give --ghosts or --kept, not both.") }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        var count = 0
        func add(_ json: @autoclosure () -> JSONObject, _ line: @autoclosure () -> String) throws {
            if let limit, count >= limit { throw Enough() }
            count += 1
            results.add(json(), line())
        }
        do {
            if ghosts {
                try store.ghosts(kind.kind) { try add($0.json, $0.line) }
            } else {
                try store.summaries(kind.kind, kept: kept) { try add($0.json, $0.line) }
            }
        } catch is Enough {}
        results.summary(("objects", count))
    }
}

struct ShowCommand: MirrorSubcommand {
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

    func validate() throws { _ = try Switchboard.target(words) }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let switchboard = Switchboard(store: store, mirror: folder.name)
        let target = try switchboard.target(words)
        var count = 0
        if case .list(let kind) = target {
            try store.summaries(kind) { summary in
                count += 1
                results.add(summary.json, summary.line)
            }
        } else {
            count = 1
            let detail = try switchboard.detail(target)
            try results.add(
                detail.page(store.notes(of: detail.summary.kind, detail.summary.id)),
                lines: ObjectPage(detail, store: store, folder: folder).lines)
        }
        results.summary(("objects", count))
    }
}

struct SearchCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find artworks and artists by words, the best first.",
        discussion: "All words must occur; each may be the beginning of one.")

    @Argument(help: "What to look for.")
    var words: [String]

    @Option(help: ArgumentHelp("Print so many at the most.", valueName: "n"))
    var limit = 20

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number above 0.") }
        guard words.contains(where: { $0.contains { $0.isLetter || $0.isNumber } }) else {
            throw ValidationError("There is no word in that. Give some, such as: mirror search wave")
        }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let text = words.joined(separator: " ")
        let found = try store.search(text, limit: limit)
        if try store.isIndexBehind() || store.lastUpdate().map({ $0.outcome == nil }) ?? false {
            Screen.standardError().line(
                "mirror: the last run has not ended, or was stopped; what it brought is found once a sync ends."
            )
        }
        for summary in found {
            results.add(summary.json, "\(summary.kind.name.padded(to: 8))  \(summary.line)")
        }
        if found.isEmpty { results.line("Nothing here has \(text.printable).") }
        results.summary(("objects", found.count))
    }
}
