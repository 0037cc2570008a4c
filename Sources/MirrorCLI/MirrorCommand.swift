// The command line: the one target that prints, and the composition root.
//
// `Commands/` has a struct and a file for each command, `Options/` what they share. A command parses, calls a library and
// prints; whatever decides something is a value without I/O: `Output/` makes text (everything that a server said goes
// through `printable`), `Progress/` turns counts into lines, `Reading/` finds what is meant and makes pages of it,
// `Secrets/` keeps tokens out of sight, `Running/` has the exit codes, the sentences of errors, signals and the
// composition of a sync, `Watching/` tells what happens in a watch, `Metrics/` makes text of what is measured, `Features/` what is off by default, `Manual/` the manual page. Results go to standard output, progress and errors to standard error.

import ArgumentParser
import Catalogue
import Foundation

@main
struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Keeps a complete offline copy of a partner's catalogue.",
        discussion: """
            A first mirror, from the catalogue that is built in:

              mirror sync demo
              mirror search wave

            Exit codes: 0 complete, 1 failed, 3 partial, 4 stopped by the delete guard, 5 not authorised, 6 locked by \
            another run, 64 wrong usage, 130 interrupted.
            """,
        version: Composition.version,
        subcommands: [
            SyncCommand.self, WatchCommand.self, StatusCommand.self, ListCommand.self, ShowCommand.self,
            SearchCommand.self,
            AlbumCommand.self, NoteCommand.self, LogCommand.self, DiffCommand.self, RestoreCommand.self,
            VerifyCommand.self,
            ImportCommand.self, ExportCommand.self, ServeCommand.self, LoginCommand.self, TreeCommand.self,
            OptionsCommand.self, ManCommand.self,
        ])

    /// On the main thread, as long as it is the only one: where none can be begun, nothing that waits for one is either.
    @MainActor
    static func main() async {
        StandardDescriptors.occupy()
        // Ignored by whoever started this, it would leave nobody told of how a command that was run here ended.
        signal(SIGCHLD, SIG_DFL)
        do {
            if let fault = InputBytes.current().fault { throw ValidationError(fault) }
            try ProcessLimits.reading(processors: ProcessInfo.processInfo.activeProcessorCount).check()
        } catch {
            tell(error)
            end(with: error)
        }
        await perform()
    }

    private nonisolated static func perform() async {
        do {
            var command = try parsed()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
        ExitStatus.leave(ExitStatus.complete.rawValue)
    }

    /// Reads the arguments, tries what the command needs, and has the system treat it as what it is.
    private static func parsed() throws -> any ParsableCommand {
        do {
            let command = try parseAsRoot()
            try (command as? any HeavyWork)?.checkLimits()
            if command is any BatchWork { BatchScheduling.begin() }
            return command
        } catch {
            tell(error)
            throw error
        }
    }

    /// With `--json` even what could not begin ends with a summary.
    private static func tell(_ error: any Error) {
        let message = Sentence.known(error) ?? message(for: error)
        guard error is CommandError || exitCode(for: error) == .validationFailure,
            wantsJSON(CommandLine.arguments)
        else { return }
        let output = LineOutput.standard()
        output.json(usageSummary(message))
        // What can't be written here can't be told otherwise either: the exit code is that of the error.
        try? output.finish()
    }

    /// Whether `--json` is among arguments that could not be read.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }

    static func usageSummary(_ message: String) -> JSONObject {
        ["type": "summary", "outcome": "failed", "error": .string(message.printable)]
    }

    /// Ends the program: our errors are one sentence on standard error, the parser's come with the usage.
    private static func end(with error: any Error) -> Never {
        if let code = error as? ExitCode { ExitStatus.leave(code.rawValue) }
        if Sentence.known(error) == nil, exitCode(for: error) != .failure {
            let text = fullMessage(for: error)
            guard exitCode(for: error) == .validationFailure, text.hasPrefix("Error: ") else {
                exit(withError: error)
            }
            Screen.standardError().line("mirror: \(text.dropFirst("Error: ".count))")
            ExitStatus.leave(ExitStatus.usage.rawValue)
        }
        Screen.standardError().line("mirror: \(Sentence.of(error))")
        ExitStatus.leave(ExitStatus(error: error).rawValue)
    }
}
