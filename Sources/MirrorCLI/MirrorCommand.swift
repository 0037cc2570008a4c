// The command line: the only target that prints, and the composition root.
//
// A command parses its arguments, calls a library and prints. Results go to standard output, progress and errors to standard
// error. Decisions are values without I/O. The folders:
//
// - `Commands`: the commands.
// - `Options`: options that several commands share.
// - `Secrets`: where access tokens come from.
// - `Output`: human-readable text. All text that a server sent passes through `printable`.
// - `Progress`: turns counts into lines.
// - `Reading`: finds objects and shows them; status and metrics.
// - `Running`: the composition of a run, reports, exit codes, error messages and signals.

import ArgumentParser
import Catalogue
import Foundation

@main
struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Keeps a complete offline copy of a partner's catalogue.",
        discussion: """
            A first mirror, from the built-in demo catalogue:

              mirror sync demo
              mirror search wave

            Exit codes: 0 complete, 1 failed, 3 partial, 4 stopped by the delete guard, 5 not authorised, 6 locked by \
            another run, 64 wrong usage, 130 interrupted.

            The documentation has these articles: \(Article.forUsers.map(\.title).joined(separator: ", ")). mirror man \
            lists their files.
            """,
        version: Composition.version,
        subcommands: [
            SyncCommand.self, WatchCommand.self, PauseCommand.self, ResumeCommand.self,
            StatusCommand.self, ListCommand.self, ShowCommand.self, SearchCommand.self,
            AlbumCommand.self, NoteCommand.self, LogCommand.self, DiffCommand.self, RestoreCommand.self,
            VerifyCommand.self,
            SourcesCommand.self, SourceCommand.self,
            ImportCommand.self, ExportCommand.self, OpenCommand.self, ServeCommand.self, LoginCommand.self,
            TreeCommand.self,
            OptionsCommand.self, ManCommand.self,
        ])

    /// Checks the process's limits on the main thread, before any other exists: if no thread can be started, nothing may wait
    /// for one.
    @MainActor
    static func main() async {
        ProcessStart.occupyStandardDescriptors()
        // The caller may have set it to be ignored. Then the end of a child process could not be observed.
        signal(SIGCHLD, SIG_DFL)
        do {
            if let fault = InputBytes.current().fault { throw ValidationError(fault) }
            try ProcessLimits.reading(processors: ProcessInfo.processInfo.activeProcessorCount).check()
        } catch {
            printSummary(of: error)
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

    /// Reads the arguments, and prepares the process for the command.
    private static func parsed() throws -> any ParsableCommand {
        do {
            let command = try parseAsRoot()
            try (command as? any ResourceIntensiveCommand)?.prepareProcess()
            return command
        } catch {
            printSummary(of: error)
            throw error
        }
    }

    /// Prints a summary for a command that could not begin: with `--json` every command ends with one.
    private static func printSummary(of error: any Error) {
        guard error is CommandError || exitCode(for: error) == .validationFailure,
            wantsJSON(CommandLine.arguments)
        else { return }
        let output = LineOutput.standard()
        output.json(usageSummary(message(for: error)))
        // A failure to write can't be reported here: the exit code is that of the error.
        try? output.finish()
    }

    /// Whether `--json` is among arguments that could not be read.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    }

    static func usageSummary(_ message: String) -> JSONObject {
        ["type": "summary", "outcome": "failed", "error": .string(message.printable)]
    }

    /// Prints the error on standard error, and ends the program. The parser's errors include the usage.
    private static func end(with error: any Error) -> Never {
        if let code = error as? ExitCode { ExitStatus.leave(code.rawValue) }
        guard exitCode(for: error) != .failure else {
            Screen.standardError().line("mirror: \(ErrorMessage.of(error))")
            ExitStatus.leave(ExitStatus(error: error).rawValue)
        }
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .validationFailure, text.hasPrefix("Error: ") else {
            exit(withError: error)
        }
        Screen.standardError().line("mirror: \(text.dropFirst("Error: ".count))")
        ExitStatus.leave(ExitStatus.usage.rawValue)
    }
}
