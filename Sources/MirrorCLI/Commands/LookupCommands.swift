import ArgumentParser
import Catalogue
import MirrorStore

struct ListCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the objects of a kind, sorted by name.")

    @Argument(help: "The kind, in the singular or plural: \(KindArgument.words).")
    var kind: KindArgument

    @Flag(
        help:
            "List instead the objects that are referred to but not stored, when they were last requested, and what refers to them."
    )
    var ghosts = false

    @Flag(help: "List only objects that were restored and that the server has not listed since.")
    var kept = false

    @Flag(
        help:
            "List only objects that the last complete lists of the server lacked and that aren't removed yet, since when, and how many lists lacked them."
    )
    var missing = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("List at most this number of objects.", valueName: "n"))
    var limit: Int?

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be greater than 0.") }
        if [ghosts, kept, missing].count(where: \.self) > 1 {
            throw ValidationError("--ghosts, --kept and --missing can't be combined. Use only one of them.")
        }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        var count = 0
        func add(_ json: @autoclosure () -> JSONObject, _ line: @autoclosure () -> String) throws {
            if let limit, count >= limit { throw LimitReached() }
            count += 1
            results.add(json(), line())
        }
        do {
            if ghosts {
                try store.ghosts(kind.kind) { try add($0.json, $0.line) }
            } else if missing {
                try store.missing(kind.kind) { try add($0.json, $0.line) }
            } else {
                try store.summaries(kind.kind, kept: kept) { try add($0.json, $0.line) }
            }
        } catch is LimitReached {}
        results.summary(("objects", count))
    }
}

struct ShowCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one object: its fields, its files, the objects that belong to it, and your notes.",
        discussion: """
            Name the object by its kind and its id or slug, or by its path or URL on the partner's site:

              mirror show artwork the-great-wave
              mirror show /artist/katsushika-hokusai
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
        commandName: "search", abstract: "Find artworks and artists by words, the best match first.",
        discussion: "A result contains all the words. Each word may be the beginning of a longer one.")

    @Argument(help: "The words to find.")
    var words: [String]

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Print at most this number of objects.", valueName: "n"))
    var limit = 20

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be greater than 0.") }
        guard words.contains(where: { $0.contains { $0.isLetter || $0.isNumber } }) else {
            throw ValidationError(
                "The search contains no letter or digit. Give words to find, such as: mirror search wave")
        }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let text = words.joined(separator: " ")
        let found = try store.search(text, limit: limit)
        if try store.isIndexBehind() || store.lastUpdate().map({ $0.outcome == nil }) ?? false {
            Screen.standardError().line(
                "mirror: the last run is still running, or was stopped, so the search may miss new objects. Search again after the next complete sync."
            )
        }
        for summary in found {
            results.add(summary.json, "\(summary.kind.name.padded(to: 8))  \(summary.line)")
        }
        if found.isEmpty { results.line("No artwork or artist matches \(text.printable).") }
        results.summary(("objects", found.count))
    }
}
