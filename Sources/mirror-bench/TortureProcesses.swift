import ChildProcesses
import Foundation
import MirrorSimulation
import Synchronization

/// Distributes the histories among child processes, one for each processor. In one process, SQLite's shared state would
/// slow them down.
struct TortureProcesses: Sendable {
    let seeds: ClosedRange<UInt64>
    let steps: Int?
    /// The maximum number of processes.
    let count: Int

    /// Runs the processes to their end, or ends them if the task is cancelled.
    ///
    /// - Parameter report: called with each event and the index of its process, from any task.
    /// - Throws: ``Failure`` if a process could not be started or ended early; `CancellationError`.
    func run(_ report: @escaping @Sendable (Torture.Event, Int) -> Void) async throws -> Torture.Outcome {
        let parts = Int(min(UInt64(max(1, count)), seeds.upperBound - seeds.lowerBound + 1))
        let outcomes = try await withThrowingTaskGroup(of: Torture.Outcome.self) { group in
            for part in 0..<parts {
                group.addTask { try await Part(arguments(part, of: parts)).run { report($0, part) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return outcomes.reduce(into: Torture.Outcome()) { $0.add($1) }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private func arguments(_ part: Int, of parts: Int) -> [String] {
        let first = seeds.lowerBound + UInt64(part)
        var arguments = [
            "torture", "--seed", "\(first)", "--runs", "\(seeds.upperBound - first + 1)", "--part",
            "\(parts)",
        ]
        if let steps { arguments += ["--steps", "\(steps)"] }
        return arguments
    }

    /// One child process.
    private struct Part: Sendable {
        let arguments: [String]

        init(_ arguments: [String]) { self.arguments = arguments }

        func run(_ report: @escaping @Sendable (Torture.Event) -> Void) async throws -> Torture.Outcome {
            let output: ChildPipe, process: ChildProcess
            // Closed at the latest when this process ends, however it ends. The child process then ends itself.
            let lifeline: ChildPipe
            do {
                (output, lifeline) = (try ChildPipe(), try ChildPipe())
                process = try ChildProcess(
                    ChildProcess.thisProgram, arguments, input: .pipe(lifeline), output: .pipe(output))
            } catch {
                throw Failure(
                    description: "The program could not start itself again: \(error.localizedDescription)")
            }
            let outcome = try await withTaskCancellationHandler {
                try await Self.read(output.reading, report)
            } onCancel: {
                lifeline.writing.closeFile()
            }
            _ = await process.ending
            try Task.checkCancellation()
            guard let outcome else {
                throw Failure(
                    description:
                        "Some histories ended early. Run fewer at a time to find out which: mirror-bench torture --seed N --runs 10"
                )
            }
            return outcome
        }

        /// Reads lines until the end, outside Swift's thread pool.
        private static func read(
            _ handle: FileHandle, _ report: @escaping @Sendable (Torture.Event) -> Void
        ) async throws -> Torture.Outcome? {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try Self.lines(handle, report) })
                }
            }
        }

        private static func lines(_ handle: FileHandle, _ report: (Torture.Event) -> Void) throws
            -> Torture.Outcome?
        {
            var rest = Data(), outcome: Torture.Outcome?
            let decoder = JSONDecoder()
            while let more = try handle.read(upToCount: 1 << 16), !more.isEmpty {
                rest += more
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let event = try decoder.decode(Torture.Event.self, from: rest[..<end])
                    rest = Data(rest[(end + 1)...])
                    if case .ended(let ended) = event { outcome = ended }
                    report(event)
                }
            }
            return outcome
        }
    }
}
