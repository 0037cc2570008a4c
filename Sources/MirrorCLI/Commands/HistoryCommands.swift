import ArgumentParser
import Catalogue
import Foundation
import MirrorStore
import MirrorSync

struct LogCommand: MirrorSubcommand {
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

    @Argument(help: "Only a kind: \(KindArgument.words).")
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

    /// The number of changes that are printed if no option bounds them.
    static let usual = 100

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is a number above 0.") }
        if runs, kind != nil || run != nil {
            throw ValidationError("--runs lists runs: it takes no kind, id or run.")
        }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let now = Date()
        if runs { try printRuns(store, now, results) } else { try printChanges(store, now, results) }
    }

    private func printRuns(_ store: CatalogueStore, _ now: Date, _ results: Results) throws {
        let found = try store.runs(since: since?.text(now: now), limit: limit)
        for text in found.map({ RunText(run: $0, now: now) }) { results.add(text.json, text.line) }
        if found.isEmpty { results.line("There was no run.") }
        results.summary(("runs", found.count))
    }

    private func printChanges(_ store: CatalogueStore, _ now: Date, _ results: Results) throws {
        var filter = ChangeFilter(kind: kind?.kind, since: since?.text(now: now))
        filter.id = try store.storedID(kind, id)
        filter.run = try run?.number(in: store)
        let isBounded = since != nil || run != nil || id != nil
        let most = limit ?? (isBounded ? nil : Self.usual)
        filter.limit = most.map { $0 + 1 }
        var count = 0, hasMore = false
        var heading: [String] = []
        func add(_ json: JSONObject, _ lines: [String]) throws {
            if let most, count >= most { throw Enough() }
            count += 1
            results.add(json, lines: heading + lines)
            heading = []
        }
        do {
            try store.history(filter) { run in
                // A heading stands above the first of its changes only.
                let title = run.map { RunText(run: $0, now: now).heading } ?? "outside a run"
                heading = (count > 0 ? [""] : []) + [title]
            } conflict: { conflict in
                let conflict = try CatalogueConflict(conflict)
                try add(conflict.json, ConflictText.lines(conflict))
            } _: { change in
                let change = try CatalogueChange(change)
                try add(change.json, ChangeText.lines(change))
            }
        } catch is Enough { hasMore = true }
        if count == 0 {
            results.line(
                "Nothing happened\(isBounded || kind != nil ? " there" : "") that the log remembers.")
        } else if hasMore {
            results.lines(["", "There is more: give --limit, --since or --run."])
        }
        results.summary(("changes", count), ("more", hasMore ? 1 : 0))
    }
}

extension CatalogueStore {
    /// The id of the object that a person means; `id` itself for one that was deleted, which has no slug any more.
    func storedID(_ kind: KindArgument?, _ id: String?) throws -> String? {
        try id.map { id in try kind.flatMap { try find($0.kind, id)?.summary.id } ?? id }
    }
}

struct DiffCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say what differs between the catalogue after one run and after another.",
        discussion: """
            A run is named by its number (mirror log --runs), as latest, latest-1 and so on, or as good, the last complete one; \
            0 is the time before the first. What came and went between them, or ended as it began, is left out. With the \
            later run first, everything is the other way round.
            """)

    @Argument(help: ArgumentHelp("From the catalogue after this run …", valueName: "run"))
    var first: RunArgument

    @Argument(help: ArgumentHelp("… to the catalogue after that one.", valueName: "run"))
    var second = RunArgument.latest(0)

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let from = try first.number(in: store), to = try second.number(in: store)
        // Before the first run there was nothing, as far as the log still has that run.
        if min(from, to) == 0, let oldest = try store.runRange()?.oldest, oldest > 1 {
            throw StoreError(
                .unknownRun,
                "The history, which is kept for 100 days, no longer begins with the first run; the oldest run in it is \(oldest)."
            )
        }
        var counts: [LoggedChange.Action: Int] = [:]
        try store.netChanges(from: boundary(from, store), to: boundary(to, store)) { change in
            guard let change = try CatalogueChange(change) else { return }
            counts[change.action, default: 0] += 1
            results.add(change.json, lines: ChangeText.lines(change))
        }
        let created = counts[.create] ?? 0, updated = counts[.update] ?? 0, deleted = counts[.delete] ?? 0
        if counts.isEmpty {
            results.line("Nothing differs between run \(from) and run \(to).")
        } else {
            let words = Wording.changes(created: created, updated: updated, deleted: deleted)
            results.lines(["", "From run \(from) to run \(to): \(words.joined(separator: ", "))."])
        }
        results.summary(
            ("from", Int(from)), ("to", Int(to)), ("created", created), ("updated", updated),
            ("deleted", deleted))
    }

    private func boundary(_ run: Int64, _ store: CatalogueStore) throws -> Int64 {
        if let change = try store.lastChange(ofRun: run) { return change }
        try store.checkRun(run)
        throw StoreError(.unknownRun, "There is no run \(run). See mirror log --runs.")
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring back what a run deleted, or take that back (--undo).",
        discussion: """
            Everything that the run deleted in the last 30 days comes back, with its files: or only a kind, or one object. It is \
            kept, and not served to others, until the server lists it again; then it is an ordinary object.

            With --changed, what the run changed is put back as it was before, too. That lasts until the next sync: \
            the server still lists such an object, and what it says of it is fetched again.
            """)

    @Argument(help: "Only a kind: artwork, artist, show, album, location or document.")
    var kind: KindArgument?

    @Argument(help: "Only the object of that kind with this id.")
    var id: String?

    @Option(
        help: ArgumentHelp(
            "The run whose deletions are taken back. Default: the last one that deleted any such object.",
            valueName: "run"))
    var run: RunArgument?

    @Flag(help: "Put back what the run changed, too; until the next sync.")
    var changed = false

    @Flag(help: "Take back what was restored and is still kept.")
    var undo = false

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        if let kind = kind?.kind, !kind.isListed, !kind.isPart {
            throw ValidationError("A \(kind.name) is never deleted, so it can't be restored.")
        }
        if undo, changed {
            throw ValidationError("--undo takes back changes too: --changed says nothing with it.")
        }
    }

    func run() async throws {
        try await mirror.output.printing { results in
            let folder = try mirror.home.folder(mirror.partner)
            var restore = Restore(folder)
            restore.source = try run.map { run in
                try folder.withStore(readOnly: true) { try run.number(in: $0) }
            }
            restore.kind = kind?.kind
            restore.id = id
            restore.includesChanged = changed
            restore.isUndo = undo
            let outcome = try await restore.run(), summary = outcome.summary
            if let cause = summary.cause { throw cause }
            let text = RestoreText(outcome, isUndo: undo, isNamed: id != nil)
            try folder.withStore(readOnly: true) { try printObjects(ofRun: outcome.run, $0, results) }
            if text.isNotFound, let kind, let id {
                throw CommandError(
                    .notFound,
                    "There is no \(kind.kind.name) \(id.printable) to \(undo ? "take back" : "bring back"): \(text.lines[0])"
                )
            }
            for problem in summary.problems { results.add(problem.json, lines: []) }
            results.add(text.json, lines: text.lines)
            results.output.flush()
            if summary.outcome == .partial { throw ExitCode(ExitStatus.partial.rawValue) }
        }
    }

    /// Prints what became of each object, once.
    private func printObjects(ofRun run: Int64, _ store: CatalogueStore, _ results: Results) throws {
        var seen = Set<String>()
        try store.history(ChangeFilter(run: run)) { change in
            guard seen.insert("\(change.object.kind.name)/\(change.object.id)").inserted else { return }
            let change = try CatalogueChange(change)
            results.add(
                RestoreText.item(change, isUndo: undo),
                lines: seen.count <= RestoreText.most ? [ChangeText.lines(change)[0]] : [])
        }
        if seen.count > RestoreText.most {
            results.line("  and \(Wording.count(seen.count - RestoreText.most)) more")
        }
    }
}
