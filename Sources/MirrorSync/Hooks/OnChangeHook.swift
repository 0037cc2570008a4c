import Foundation
import PartnerAPI

/// A command that a person wants to run when a sync changed something.
///
/// It is run by `/bin/sh -c` exactly as it was given, and gets the summary as JSON on its standard input: nothing that a
/// server said becomes a word of it.
public struct OnChangeCommand: Sendable {
    public let command: String

    public init(_ command: String) { self.command = command }

    func run(_ input: Data) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = FileHandle.standardError
        let pipe = Pipe()
        process.standardInput = pipe
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
                // A command that doesn't read its input is no error.
                try? pipe.fileHandleForWriting.write(contentsOf: input)
                try? pipe.fileHandleForWriting.close()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else {
            throw SyncProblem("The command given with --on-change ended with status \(status).")
        }
    }
}

struct OnChangeHook: SyncHook {
    let name = "on-change"

    func after(_ context: HookContext, _ summary: SyncSummary) async throws {
        guard let command = context.onChange, summary.hasChanges else { return }
        try await command.run(Data(JSONValue.object(summary.json).canonicalBytes))
    }
}
