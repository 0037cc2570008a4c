import Catalogue
import ChildProcesses
import Foundation

/// The command of `--on-change`, which is run after a sync that changed something.
///
/// It is run unchanged by `/bin/sh -c`, and reads the summary as JSON from its standard input. So no text from a server can
/// become part of the command.
public struct OnChangeCommand: Sendable {
    /// The shell command.
    public let command: String

    /// - Parameter command: the shell command.
    public init(_ command: String) { self.command = command }

    func run(_ input: Data) async throws {
        let handle = try Self.file(holding: input)
        defer { try? handle.close() }
        let process = try ChildProcess(
            "/bin/sh", ["-c", command], input: .handle(handle), output: .handle(.standardError))
        let status = await process.ending.status
        guard status == 0 else {
            throw SyncProblem("The command given with --on-change ended with status \(status).")
        }
    }

    /// An unlinked temporary file with these bytes, positioned at its beginning.
    ///
    /// A pipe doesn't do: if the command doesn't read its input, writing would block, or end this process by a signal.
    private static func file(holding bytes: Data) throws -> FileHandle {
        let url = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString)")
        do {
            let descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0, unlink(url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: bytes)
            try handle.seek(toOffset: 0)
            return handle
        } catch {
            throw SyncProblem(
                "The command given with --on-change was not run: its input could not be written to \(url.deletingLastPathComponent().path)."
            )
        }
    }
}
