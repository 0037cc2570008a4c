import ChildProcesses
import Foundation

/// Reads an access token from where a person keeps it. Nothing of it is in any error.
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
        let process: ChildProcess, output: Data
        do {
            let pipe = try ChildPipe()
            process = try ChildProcess(
                "/bin/sh", ["-c", command], output: .pipe(pipe), group: .shared)
            output = try pipe.reading.readToEnd() ?? Data()
        } catch {
            throw CommandError(
                .secret, "The command given with --token-command could not be run. Try it in a shell.")
        }
        let status = await process.ending.status
        guard status == 0 else {
            throw CommandError(
                .secret,
                "The command given with --token-command ended with status \(status). Try it in a shell.")
        }
        guard let token = firstLine(output) else {
            throw CommandError(
                .secret, "The command given with --token-command printed no token. Try it in a shell.")
        }
        return token
    }

    static func firstLine(_ data: Data) -> String? {
        let line = String(decoding: data.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}
