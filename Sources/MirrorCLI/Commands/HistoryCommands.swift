import ArgumentParser
import Catalogue
import Foundation
import MirrorStore
import MirrorSync

struct LogCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract:
            "Show what was created, changed and deleted, when, by which run and why, and which edits were in conflict.",
        discussion: """
            The newest change comes first. At most 100 changes are shown, unless a time, a run, an object or --limit is given.

              mirror log artwork the-great-wave
              mirror log --since 7d
              mirror log --runs
            """)

    @Argument(help: "Only objects of this kind: \(KindArgument.words).")
    var kind: KindArgument?

    @Argument(help: "Only the object with this id or slug.")
    var id: String?

    @Option(
        help: ArgumentHelp(
            "Only changes since this time: a date, a timestamp, or an age such as 30m, 12h, 7d or 2w.",
            valueName: "when"))
    var since: SinceArgument?

    @Option(
        help: ArgumentHelp(
            "Only the changes of this run: its number, latest, latest-1, or good for the last complete one.",
            valueName: "run"))
    var run: RunArgument?

    @Flag(help: "List the runs instead of the changes, with runs that changed nothing or did not end.")
    var runs = false

    @Option(parsing: .unconditional, help: ArgumentHelp("The most changes or runs to print.", valueName: "n"))
    var limit: Int?

    @OptionGroup var mirror: MirrorOptions

    /// The number of changes that are printed if no option limits them.
    static let defaultLimit = 100

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be greater than 0.") }
        if runs, kind != nil || run != nil {
            throw ValidationError(
                "--runs can't be combined with a kind, an id or --run. Leave one of them out.")
        }
    }

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let now = Date()
        if runs { try printRuns(store, now, results) } else { try printChanges(store, now, results) }
    }

    private func printRuns(_ store: CatalogueStore, _ now: Date, _ results: Results) throws {
        let found = try store.runs(since: since?.text(now: now), limit: limit)
        for text in found.map({ RunText(run: $0, now: now) }) { results.add(text.json, text.line) }
        if found.isEmpty { results.line("There are no runs in the history.") }
        results.summary(("runs", found.count))
    }

    private func printChanges(_ store: CatalogueStore, _ now: Date, _ results: Results) throws {
        var filter = ChangeFilter(kind: kind?.kind, since: since?.text(now: now))
        filter.id = try store.storedID(kind, id)
        filter.run = try run?.number(in: store)
        let isBounded = since != nil || run != nil || id != nil
        let most = limit ?? (isBounded ? nil : Self.defaultLimit)
        filter.limit = most.map { $0 + 1 }
        var count = 0, hasMore = false
        var heading: [String] = []
        func add(_ json: JSONObject, _ lines: [String]) throws {
            if let most, count >= most { throw LimitReached() }
            count += 1
            results.add(json, lines: heading + lines)
            heading = []
        }
        do {
            try store.history(filter) { run in
                // The heading is printed above the first change of its run only.
                let title = run.map { RunText(run: $0, now: now).heading } ?? "outside a run"
                heading = (count > 0 ? [""] : []) + [title]
            } conflict: { conflict in
                let conflict = try CatalogueConflict(conflict)
                try add(conflict.json, ConflictText.lines(conflict))
            } _: { change in
                let change = try CatalogueChange(change)
                try add(change.json, ChangeText.lines(change))
            }
        } catch is LimitReached { hasMore = true }
        if count == 0 {
            results.line(
                "The history has no \(isBounded || kind != nil ? "matching " : "")changes.")
        } else if hasMore {
            results.lines(["", "There are more changes. Show them with --limit, --since or --run."])
        }
        results.summary(("changes", count), ("more", hasMore ? 1 : 0))
    }
}

extension CatalogueStore {
    /// The id of the object with this id or slug. A deleted object has no slug: then `id` itself is returned.
    func storedID(_ kind: KindArgument?, _ id: String?) throws -> String? {
        try id.map { id in try kind.flatMap { try find($0.kind, id)?.summary.id } ?? id }
    }
}

struct DiffCommand: MirrorSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show how the catalogue after one run differs from the catalogue after another.",
        discussion: """
            Name a run by its number (mirror log --runs), as latest, latest-1 and so on, or as good, the last complete one; \
            0 is the state before the first run. Only the net difference is shown: an object that was created and deleted \
            in between, or changed back, is left out. Swap the runs to reverse the diff.
            """)

    @Argument(help: ArgumentHelp("The run to compare from.", valueName: "run"))
    var first: RunArgument

    @Argument(help: ArgumentHelp("The run to compare to.", valueName: "run"))
    var second = RunArgument.latest(0)

    @OptionGroup var mirror: MirrorOptions

    func perform(_ store: CatalogueStore, _ folder: MirrorFolder, _ results: Results) throws {
        let from = try first.number(in: store), to = try second.number(in: store)
        // Before the first run the mirror was empty. That is only known while the log still has the first run.
        if min(from, to) == 0, let oldest = try store.runRange()?.oldest, oldest > 1 {
            throw StoreError(
                .unknownRun,
                "The history, which is kept for 100 days, no longer contains the first run. Its oldest run is \(oldest): compare with that one."
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
        commandName: "restore", abstract: "Restore what a run deleted, or undo a restore (--undo).",
        discussion: """
            Restores all objects that the run deleted, with their files, or only one kind, or one object. The run may be \
            at most 30 days old. A restored object is kept, and not served to others, until the server lists it again.

            With --changed, objects that the run changed also get their earlier values back. That lasts until the next sync, \
            which fetches the server's version again.
            """)

    @Argument(help: "Only objects of this kind: artwork, artist, show, album, location or document.")
    var kind: KindArgument?

    @Argument(help: "Only the object with this id.")
    var id: String?

    @Option(
        help: ArgumentHelp(
            "The run whose deletions are undone. Default: the last run that deleted such an object.",
            valueName: "run"))
    var run: RunArgument?

    @Flag(help: "Also undo the changes of the run, until the next sync.")
    var changed = false

    @Flag(help: "Undo a restore, for objects that the server has not listed since.")
    var undo = false

    @OptionGroup var mirror: MirrorOptions

    func validate() throws {
        if let kind = kind?.kind, !kind.isListed, !kind.isPart {
            throw ValidationError(
                "A \(kind.name) is never deleted, so it can't be restored. Give another kind.")
        }
        if undo, changed {
            throw ValidationError("--undo also undoes restored changes. Leave --changed out.")
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
                    "The \(kind.kind.name) \(id.printable) was not \(undo ? "removed again" : "restored"). \(text.lines[0])"
                )
            }
            for problem in summary.problems { results.add(problem.json, lines: []) }
            results.add(text.json, lines: text.lines)
            results.output.flush()
            if summary.outcome == .partial { throw ExitCode(ExitStatus.partial.rawValue) }
        }
    }

    /// Prints the result for each object, once.
    private func printObjects(ofRun run: Int64, _ store: CatalogueStore, _ results: Results) throws {
        var seen = Set<String>()
        try store.history(ChangeFilter(run: run)) { change in
            guard seen.insert("\(change.object.kind.name)/\(change.object.id)").inserted else { return }
            let change = try CatalogueChange(change)
            results.add(
                RestoreText.item(change, isUndo: undo),
                lines: seen.count <= RestoreText.maximumListed ? [ChangeText.lines(change)[0]] : [])
        }
        if seen.count > RestoreText.maximumListed {
            results.line("  and \(Wording.count(seen.count - RestoreText.maximumListed)) more")
        }
    }
}
