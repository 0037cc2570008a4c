import ChildProcesses
import Foundation
import Synchronization

/// Processes that are started, measured and, whatever happens, stopped.
final class MeasuredProcesses: Sendable {
    private let running = Mutex<[pid_t: ChildProcess]>([:])
    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    struct Failure: Error { let sentence: String }

    /// - Parameters:
    ///   - output: the file that takes standard output; errors go to one beside it.
    ///   - program: a path, or a name that is looked for in `PATH`.
    func start(_ program: String, _ arguments: [String], output: String) throws -> ChildProcess {
        try running.withLock { running in
            let process = try ChildProcess(
                program, arguments, input: .nothing, output: .file(output), errors: .file(output + ".errors"),
                group: .shared)
            running[process.id] = process
            return process
        }
    }

    func run(_ program: String, _ arguments: [String], output: String) throws -> ChildProcess.Ending {
        wait(try start(program, arguments, output: output))
    }

    /// Asks it to end, and kills it if it hasn't after ten seconds.
    func stop(_ process: ChildProcess) {
        process.send(SIGTERM)
        let late = DispatchWorkItem { process.send(SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: late)
        _ = wait(process)
        late.cancel()
    }

    func killAll() {
        running.withLock { for process in $0.values { process.send(SIGKILL) } }
    }

    private func wait(_ process: ChildProcess) -> ChildProcess.Ending {
        let ending = process.wait()
        running.withLock { if $0[process.id] === process { $0[process.id] = nil } }
        return ending
    }

    /// When this process is told to end, so are all of them.
    ///
    /// - Parameter cleanup: what else is to be done before it ends.
    /// - Returns: what has to be kept for as long as that holds.
    func endWithThis(_ cleanup: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        Self.endings.map { number in
            Foundation.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                killAll()
                cleanup()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }
}
