import ArgumentParser
import ChildProcesses
import Foundation

/// Options that say where an access token is. The token is never an argument itself: every user can see arguments.
struct SecretOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file whose first line is the access token.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A shell command that prints the access token, such as a password manager's.",
            valueName: "command"))
    var tokenCommand: String?

    /// Whether one of the options is given.
    var hasOption: Bool { tokenFile != nil || tokenCommand != nil }

    func validate() throws {
        guard tokenFile == nil || tokenCommand == nil else {
            throw ValidationError("--token-file and --token-command can't be combined. Leave one out.")
        }
    }

    /// The token of the option that is given, else of `MIRROR_TOKEN`, else `nil`.
    func token() async throws -> String? {
        if let tokenFile { return try TokenSource.file(tokenFile) }
        if let tokenCommand { return try await TokenSource.command(tokenCommand) }
        return ProcessInfo.processInfo.environment["MIRROR_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Reads an access token. No error contains any part of it.
enum TokenSource {
    static func file(_ path: String) throws -> String {
        // The file may be a pipe, as in `<(pass show partner)`.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() ?? Data()
        else {
            throw CommandError(.secret, "\(path) can't be read. Check the path and its permissions.")
        }
        guard let token = firstLine(data) else {
            throw CommandError(
                .secret,
                "\(path) has an empty first line, so there is no token. Write the token in the first line.")
        }
        return token
    }

    /// Runs a command with `/bin/sh`; it may prompt on the terminal.
    static func command(_ command: String) async throws -> String {
        func failure(_ result: String) -> CommandError {
            CommandError(
                .secret,
                "The command of --token-command \(result), so there is no token. Try the command in a shell.")
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

/// Reads a secret: from the terminal without echo, or from a line of standard input.
enum SecretPrompt {
    /// - Throws: ``CommandError`` if the line is empty.
    static func ask(_ name: String) throws -> String {
        let isTerminal = isatty(STDIN_FILENO) == 1
        var before = termios()
        let hidesInput = isTerminal && tcgetattr(STDIN_FILENO, &before) == 0
        if hidesInput {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        }
        if isTerminal { _ = Descriptor.send(Array("\(name): ".utf8), to: STDERR_FILENO) }
        let line = readLine(strippingNewline: true)
        if hidesInput {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            _ = Descriptor.send([0x0A], to: STDERR_FILENO)
        }
        guard let line, !line.isEmpty else {
            throw CommandError(
                .secret, "The \(name.lowercased()) was empty, so nothing was stored. Run the command again.")
        }
        return line
    }
}
