import ArgumentParser
import Foundation
import MirrorStore
import MirrorSync

struct DiffCommand: AsyncParsableCommand {
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
    var second = RunArgument(.latest(0))

    @OptionGroup var mirror: MirrorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.printing { output in
            try mirror.reading { store, _ in
                let from = try first.number(in: store), to = try second.number(in: store)
                try checkBeginning(min(from, to), store)
                var counts: [LoggedChange.Action: Int] = [:]
                try store.netChanges(from: boundary(from, store), to: boundary(to, store)) { change in
                    guard let change = try CatalogueChange(change) else { return }
                    counts[change.action, default: 0] += 1
                    if self.output.json {
                        output.json(change.json)
                    } else {
                        for line in ChangeText(change).lines { output.line(line) }
                    }
                }
                let (created, updated) = (counts[.create] ?? 0, counts[.update] ?? 0)
                let deleted = counts[.delete] ?? 0
                if self.output.json {
                    output.summary(
                        ("from", Int(from)), ("to", Int(to)), ("created", created), ("updated", updated),
                        ("deleted", deleted))
                } else if counts.isEmpty {
                    output.line("Nothing differs between run \(from) and run \(to).")
                } else {
                    let words = [(created, "new"), (updated, "changed"), (deleted, "gone")]
                    output.line("")
                    output.line(
                        "From run \(from) to run \(to): "
                            + words.filter { $0.0 > 0 }.map { "\(Wording.count($0.0)) \($0.1)" }
                            .joined(separator: ", ") + ".")
                }
            }
        }
    }

    private func boundary(_ run: Int64, _ store: CatalogueStore) throws -> Int64 {
        if let change = try store.lastChange(ofRun: run) { return change }
        try store.checkRun(run)
        throw StoreError(.unknownRun, "There is no run \(run). See mirror log --runs.")
    }

    /// Before the first run there was nothing: as long as the log still has that run.
    private func checkBeginning(_ run: Int64, _ store: CatalogueStore) throws {
        guard run == 0, let oldest = try store.runRange()?.oldest, oldest > 1 else { return }
        throw StoreError(
            .unknownRun,
            "The history, which is kept for 100 days, no longer begins with the first run; the oldest run in it is \(oldest)."
        )
    }
}
