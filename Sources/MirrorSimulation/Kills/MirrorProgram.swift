import Foundation
import Synchronization

/// The built command `mirror`, run as a process of its own.
package struct MirrorProgram: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// How a process ended, and what it said.
    package struct End: Sendable {
        package let status: Int32
        /// Whether a signal ended it.
        package let wasKilled: Bool
        package let text: String
        package let seconds: Double
    }

    /// One that runs.
    package final class Running: Sendable {
        private let process: Process
        private let ended = DispatchSemaphore(value: 0)
        private let log: String
        private let began = ContinuousClock.now

        fileprivate init(_ path: String, _ arguments: [String], log: String) throws {
            self.log = log
            process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            guard FileManager.default.createFile(atPath: log, contents: nil),
                let handle = FileHandle(forWritingAtPath: log)
            else { throw CocoaError(.fileWriteUnknown) }
            process.standardOutput = handle
            process.standardError = handle
            process.standardInput = FileHandle.nullDevice
            process.terminationHandler = { [ended] _ in ended.signal() }
            try process.run()
            try handle.close()
        }

        package func kill(by signal: Int32 = SIGKILL) {
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
        }

        package func wait() throws -> End {
            ended.wait()
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
            try FileManager.default.removeItem(atPath: log)
            return End(
                status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
                text: text, seconds: seconds)
        }
    }

    package func start(_ arguments: [String]) throws -> Running {
        let log = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString).log")
        return try Running(path, arguments, log: log.path)
    }

    /// Runs a command to its end.
    package func run(_ arguments: [String]) throws -> End { try start(arguments).wait() }
}
