import ArgumentParser
import Catalogue
import Foundation
import MirrorStore
import MirrorSync

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
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let kind, [.partner, .user].contains(kind.kind) {
            throw ValidationError("A \(kind.kind.name) is never deleted, so it can't be restored.")
        }
        if undo, changed {
            throw ValidationError("--undo takes back changes too: --changed says nothing with it.")
        }
    }

    func run() async throws {
        try await output.printing { output in
            let folder = try MirrorChoice(home: mirror.home.mirrorHome).folder(mirror.partner)
            var restore = Restore(folder)
            restore.source = try run.map { run in try mirror.reading { store, _ in try run.number(in: store) }
            }
            restore.kind = kind?.kind
            restore.id = id
            restore.includesChanged = changed
            restore.isUndo = undo
            let outcome = try await restore.run()
            if let cause = outcome.summary.cause { throw cause }
            let text = RestoreText(outcome, isUndo: undo, isNamed: id != nil)
            try mirror.reading { store, _ in
                var told = Set<String>()
                try store.history(ChangeFilter(run: outcome.run)) { change in
                    guard told.insert("\(change.object.kind.name)/\(change.object.id)").inserted else {
                        return
                    }
                    let change = try CatalogueChange(change)
                    if self.output.json {
                        output.json(RestoreText.item(change, isUndo: undo))
                    } else if told.count <= RestoreText.most {
                        output.line(ChangeText(change).lines[0])
                    }
                }
                if told.count > RestoreText.most, !self.output.json {
                    output.line("  and \(Wording.count(told.count - RestoreText.most)) more")
                }
            }
            if text.isNotFound, let kind, let id {
                throw CommandError(
                    .notFound,
                    "There is no \(kind.kind.name) \(id.printable) to \(undo ? "take back" : "bring back"): \(text.lines[0])"
                )
            }
            if self.output.json {
                for problem in outcome.summary.problems { output.json(RunReport.object(.problem(problem))) }
                output.json(text.json)
            } else {
                for line in text.lines { output.line(line) }
            }
            output.flush()
            if outcome.summary.outcome == .partial { throw ExitCode(ExitStatus.partial.rawValue) }
        }
    }
}
