import ChildProcesses
import Foundation
import MirrorTesting
import Synchronization
import Testing

/// Processes of the built command, which are killed when the test ends.
final class LiveProcesses {
    let folder: TemporaryFolder
    private var running: [ChildProcess] = []

    init() throws { folder = try TemporaryFolder() }

    deinit {
        for process in running { process.send(SIGKILL) }
    }

    /// Runs a command until it ends.
    ///
    /// - Returns: The exit code.
    func run(_ arguments: [String]) async throws -> Int32 {
        await (try process(arguments)).ending.status
    }

    /// Starts a command in the background. Its output is discarded.
    func start(_ arguments: [String]) throws -> ChildProcess {
        let process = try process(arguments)
        running.append(process)
        return process
    }

    /// Sends a signal to a process, and waits until it ends.
    ///
    /// - Returns: The exit code.
    @discardableResult
    func stop(_ process: ChildProcess, by signal: Int32 = SIGTERM) -> Int32 {
        process.send(signal)
        defer { running.removeAll { $0 === process } }
        return process.wait().status
    }

    /// Serves a home on a free port, and waits until it listens.
    func serve(_ home: String) async throws -> (process: ChildProcess, port: Int) {
        let file = folder.file("port-\(UUID().uuidString)")
        let process = try start(["serve", "--port", "0", "--port-file", file, "--home", home])
        var port: Int?
        try await until("the server listened") {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
            return port != nil
        }
        return (process, try #require(port))
    }

    /// Waits until a condition is true. It is checked every 50 ms, for at most a minute.
    func until(_ description: String, _ condition: () throws -> Bool) async throws {
        for _ in 0..<1_200 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("It took more than a minute until \(description).")
        throw CancellationError()
    }

    private func process(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path, arguments, environment: BuiltProgram.environment, output: .nothing,
            errors: .nothing)
    }
}
