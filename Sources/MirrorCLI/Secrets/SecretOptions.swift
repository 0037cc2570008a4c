import ArgumentParser
import ChildProcesses
import Foundation

/// Where an access token comes from. A secret is never an argument itself: every user can see arguments.
struct SecretOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file whose first line is the access token.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A command that prints the access token, run by /bin/sh: a password manager's, for one.",
            valueName: "command"))
    var tokenCommand: String?

    /// Whether an option says where the token is.
    var areGiven: Bool { tokenFile != nil || tokenCommand != nil }

    func validate() throws {
        guard tokenFile == nil || tokenCommand == nil else {
            throw ValidationError("Give --token-file or --token-command, not both.")
        }
    }

    /// The token that was asked for, else that of `MIRROR_TOKEN`, else `nil`.
    func token() async throws -> String? {
        if let tokenFile { return try TokenSource.file(tokenFile) }
        if let tokenCommand { return try await TokenSource.command(tokenCommand) }
        return ProcessInfo.processInfo.environment["MIRROR_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Reads an access token from where a person keeps it. No error contains any of it.
enum TokenSource {
    static func file(_ path: String) throws -> String {
        // A pipe (`<(pass show partner)`) is as good as a file.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() ?? Data()
        else {
            throw CommandError(.secret, "\(path) can't be read. Check the path and its permissions.")
        }
        guard let token = firstLine(data) else {
            throw CommandError(.secret, "\(path) has no token in its first line. Put it there.")
        }
        return token
    }

    /// Runs a command by `/bin/sh`; it may ask the person on the terminal.
    static func command(_ command: String) async throws -> String {
        func failure(_ what: String) -> CommandError {
            CommandError(.secret, "The command given with --token-command \(what). Try it in a shell.")
        }
        let process: ChildProcess, output: Data
        do {
            let pipe = try ChildPipe()
            process = try ChildProcess(
                "/bin/sh", ["-c", command], output: .pipe(pipe), group: .shared)
            output = try pipe.reading.readToEnd() ?? Data()
        } catch {
            throw failure("could not be run")
        }
        let status = await process.ending.status
        guard status == 0 else { throw failure("ended with status \(status)") }
        guard let token = firstLine(output) else { throw failure("printed no token") }
        return token
    }

    static func firstLine(_ data: Data) -> String? {
        let line = String(decoding: data.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}

/// Asks for a secret: on a terminal without showing what is typed, else from a line of standard input.
enum SecretPrompt {
    /// - Throws: ``CommandError`` if nothing was given.
    static func ask(_ what: String) throws -> String {
        let isTerminal = isatty(STDIN_FILENO) == 1
        var before = termios()
        let hides = isTerminal && tcgetattr(STDIN_FILENO, &before) == 0
        if hides {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        }
        if isTerminal { _ = Descriptor.send(Array("\(what): ".utf8), to: STDERR_FILENO) }
        let line = readLine(strippingNewline: true)
        if hides {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            _ = Descriptor.send([0x0A], to: STDERR_FILENO)
        }
        guard let line, !line.isEmpty else {
            throw CommandError(.secret, "No \(what.lowercased()) was given, so nothing was stored.")
        }
        return line
    }
}
