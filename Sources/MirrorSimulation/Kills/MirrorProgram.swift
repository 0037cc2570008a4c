import ChildProcesses
import Foundation

/// The built command `mirror`, run as a child process.
package struct MirrorProgram: Sendable {
    package let path: String

    /// The environment of the process; `nil` for this process's own.
    let environment: [String: String]?

    package init(path: String, environment: [String: String]? = nil) {
        self.path = path
        self.environment = environment
    }

    /// How a process ended, and its output.
    package struct End: Sendable {
        package let status: Int32
        /// Whether a signal ended it.
        package let wasKilled: Bool
        package let text: String
        package let seconds: Double
    }

    /// A running process.
    package final class Running: Sendable {
        private let process: ChildProcess
        private let log: String

        fileprivate init(_ program: MirrorProgram, _ arguments: [String], log: String) throws {
            self.log = log
            guard FileManager.default.createFile(atPath: log, contents: nil),
                let handle = FileHandle(forWritingAtPath: log)
            else { throw CocoaError(.fileWriteUnknown) }
            process = try ChildProcess(
                program.path, arguments, environment: program.environment, input: .nothing,
                output: .handle(handle), errors: .handle(handle), group: .shared)
            try handle.close()
        }

        package func kill(by signal: Int32 = SIGKILL) {
            process.send(signal)
        }

        package func wait() throws -> End {
            let ending = process.wait()
            let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
            try FileManager.default.removeItem(atPath: log)
            return End(
                status: ending.status, wasKilled: ending.wasSignalled, text: text, seconds: ending.seconds)
        }
    }

    package func start(_ arguments: [String]) throws -> Running {
        let log = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString).log")
        return try Running(self, arguments, log: log.path)
    }

    /// Runs a command and waits for its end.
    package func run(_ arguments: [String]) throws -> End { try start(arguments).wait() }
}
