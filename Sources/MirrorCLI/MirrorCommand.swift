// The command line: the only target that prints, and the composition root.
//
// `Commands` has the commands, `Options` what they share, `Secrets` tokens and credentials. A command parses, calls a library
// and prints. Decisions are values without I/O: `Output` makes text (everything that a server sent goes through
// `printable`), `Progress` turns counts into lines, `Reading` looks objects up, makes pages of them, and exports
// measurements; `Running` has the composition of a run, reports, exit codes, error messages and signals. Results go to
// standard output, progress and errors to standard error.

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

            The documentation has these articles: \(Article.forUsers.map(\.title).joined(separator: ", ")). mirror man \
            says where they are.
            """,
        version: Composition.version,
        subcommands: [
            SyncCommand.self, WatchCommand.self, PauseCommand.self, ResumeCommand.self,
            StatusCommand.self, ListCommand.self, ShowCommand.self, SearchCommand.self,
            AlbumCommand.self, NoteCommand.self, LogCommand.self, DiffCommand.self, RestoreCommand.self,
            VerifyCommand.self,
            ImportCommand.self, ExportCommand.self, ServeCommand.self, LoginCommand.self, TreeCommand.self,
            OptionsCommand.self, ManCommand.self,
        ])

    /// On the main thread, which is still the only one: if no thread can be started, nothing may wait for one.
    @MainActor
    static func main() async {
        ProcessStart.occupyStandardDescriptors()
        // If the caller had it ignored, the end of a child process could not be observed.
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
            try (command as? any HeavyWork)?.prepareProcess()
            return command
        } catch {
            printSummary(of: error)
            throw error
        }
    }

    /// With `--json` even a command that could not begin ends with a summary.
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

    /// Ends the program: our errors are one sentence on standard error, the parser's come with the usage.
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
