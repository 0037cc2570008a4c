import ArgumentParser
import Catalogue
import Foundation
import MirrorStore
import MirrorSync

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract:
            "Say what was created, changed and deleted, when, by which run, and why; and what was in conflict.",
        discussion: """
            The newest comes first. Without a time, a run or an object it ends after 100 changes.

              mirror log artwork the-great-wave
              mirror log --since 7d
              mirror log --runs
            """)

    @Argument(help: "Only a kind: artwork, artist, show, album, location, document, partner or user.")
    var kind: KindArgument?

    @Argument(help: "Only the object of that kind with this id or slug.")
    var id: String?

    @Option(
        help: ArgumentHelp(
            "Only since then: a date, a timestamp, or an age such as 30m, 12h, 7d or 2w.", valueName: "when"))
    var since: SinceArgument?

    @Option(
        help: ArgumentHelp(
            "Only what that run did: its number, latest, latest-1, or good for the last complete one.",
            valueName: "run"))
    var run: RunArgument?

    @Flag(help: "List the runs themselves, also those that changed nothing or did not end.")
    var runs = false

    @Option(help: ArgumentHelp("Print so many at the most.", valueName: "n"))
    var limit: Int?

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    /// How many changes are printed where nothing says how many.
    static let usual = 100

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number above 0.") }
        if runs, kind != nil || run != nil {
            throw ValidationError("--runs lists runs: it takes no kind, id or run.")
        }
    }

    func run() async throws {
        try await output.printing { output in
            try mirror.reading { store, _ in
                let now = Date()
                if runs { try printRuns(store, now, output) } else { try printChanges(store, now, output) }
            }
        }
    }

    private func printRuns(_ store: CatalogueStore, _ now: Date, _ output: LineOutput) throws {
        let found = try store.runs(since: since?.text(now: now), limit: limit)
        for run in found {
            let text = RunText(run: run, now: now)
            if self.output.json { output.json(text.json) } else { output.line(text.line) }
        }
        if self.output.json {
            output.summary(("runs", found.count))
        } else if found.isEmpty {
            output.line("There was no run.")
        }
    }

    private func printChanges(_ store: CatalogueStore, _ now: Date, _ output: LineOutput) throws {
        var filter = ChangeFilter(kind: kind?.kind, since: since?.text(now: now))
        // What was deleted is found by its id alone.
        filter.id = try id.map { id in try kind.flatMap { try store.find($0.kind, id)?.summary.id } ?? id }
        filter.run = try run?.number(in: store)
        let isBounded = since != nil || run != nil || id != nil
        let most = limit ?? (isBounded ? nil : Self.usual)
        filter.limit = most.map { $0 + 1 }
        var count = 0, hasMore = false
        var lines: [String] = []
        func tell(_ text: [String], _ json: JSONObject) throws {
            guard most.map({ count < $0 }) ?? true else { throw Enough() }
            count += 1
            guard !self.output.json else { return output.json(json) }
            for line in lines + text { output.line(line) }
            lines = []
        }
        do {
            try store.history(filter) { run in
                // A heading stands above the first of its changes only.
                lines =
                    (count > 0 ? [""] : []) + [
                        run.map { RunText(run: $0, now: now).heading } ?? "outside a run"
                    ]
            } conflict: { conflict in
                let conflict = try CatalogueConflict(conflict)
                try tell(ConflictText(conflict).lines, conflict.json)
            } _: { change in
                let change = try CatalogueChange(change)
                try tell(ChangeText(change).lines, change.json)
            }
        } catch is Enough { hasMore = true }
        if self.output.json {
            output.summary(("changes", count), ("more", hasMore ? 1 : 0))
        } else if count == 0 {
            output.line("Nothing happened\(isBounded || kind != nil ? " there" : "") that the log remembers.")
        } else if hasMore {
            output.line("")
            output.line("There is more: give --limit, --since or --run.")
        }
    }

    /// Ends the reading of the log before its end.
    private struct Enough: Error {}
}
