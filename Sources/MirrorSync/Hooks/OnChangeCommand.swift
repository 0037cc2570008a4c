import Catalogue
import ChildProcesses
import Foundation

/// A command that a person wants to run when a sync changed something.
///
/// It is run by `/bin/sh -c` exactly as it was given, and gets the summary as JSON on its standard input: nothing that a
/// server said becomes a word of it.
public struct OnChangeCommand: Sendable {
    public let command: String

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

    /// A file without a name that holds the bytes, to be read from its beginning.
    ///
    /// Not a pipe: to write to a command that doesn't read its input would block, or end this process by a signal.
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
