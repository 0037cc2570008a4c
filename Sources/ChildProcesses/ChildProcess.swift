import Foundation
import Synchronization

/// A program that runs as a child process, and can be awaited.
///
/// It replaces Foundation's `Process`. On Linux, a child of `Process` can't prompt on the terminal, and `Process` crashes
/// if more than 1,300 file descriptors are open (swift-corelibs-foundation 5472).
///
/// - SIGINT, SIGTERM, SIGPIPE and SIGCHLD have their default effects in the child, even if this process handles or
///   ignores them. SIGHUP isn't reset, so that `nohup` also protects the child. No signal is blocked.
/// - All file descriptors but the child's standard streams are closed in the child.
package final class ChildProcess: Sendable {
    /// Why a program could not be started.
    package struct Failure: LocalizedError, Hashable, CustomStringConvertible {
        package let program: String
        /// The system's error number, such as `ENOENT`.
        package let code: Int32

        package var description: String {
            "\(program) can't be started: \(String(cString: strerror(code)))."
        }

        package var errorDescription: String? { description }
    }

    /// How the child ended, and the resources that it used.
    package struct Ending: Sendable {
        /// The exit status. If a signal ended the child, 128 plus the signal's number, as in a shell.
        package let status: Int32
        /// Whether a signal ended the child.
        package let wasSignalled: Bool
        /// The time from the child's start to its end.
        package let seconds: Double
        /// The peak memory use, in bytes.
        ///
        /// On Linux it is at least this process's memory use when the child was started, because the kernel counts that
        /// towards the child until the child executes its program.
        package let peak: Int
    }

    private struct State {
        var ending: Ending?
        var whenEnded: [@Sendable (Ending) -> Void] = []
    }

    package let id: pid_t
    private let state = Mutex(State())

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: A path, or a name that is searched for in `PATH`.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: The child's environment. Default: nil, this process's.
    ///   - input: The child's standard input. Default: this process's.
    ///   - output: The child's standard output. Default: this process's.
    ///   - errors: The child's standard error. Default: this process's.
    ///   - group: The child's process group or session. Default: a process group of its own.
    /// - Throws: ``Failure`` if the program can't be started.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        input: ChildStream = .inherited, output: ChildStream = .inherited, errors: ChildStream = .inherited,
        group: ChildGroup = .own
    ) throws {
        let streams = [input, output, errors], began = ContinuousClock.now
        id = try Self.spawn(program, arguments, environment: environment, streams, group: group)
        for (number, stream) in streams.enumerated() { stream.closeChildEnd(asInput: number == 0) }
        Thread.detachNewThread { self.reap(since: began) }
    }

    /// The path of the program that this process runs.
    package static var thisProgram: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    /// How the child ended; nil while it runs.
    package var endingIfEnded: Ending? { state.withLock { $0.ending } }

    /// Sends a signal to the child, if it still runs.
    ///
    /// The child is reaped under the same lock, so the signal can't reach another process with a reused id.
    package func send(_ signal: Int32) {
        state.withLock { if $0.ending == nil { _ = kill(id, signal) } }
    }

    /// Blocks the thread until the child has ended.
    @discardableResult
    package func wait() -> Ending {
        let end = DispatchSemaphore(value: 0)
        whenEnded { _ in end.signal() }
        while true {
            if let endingIfEnded { return endingIfEnded }
            end.wait()
        }
    }

    /// Waits until the child has ended. Cancelling the waiting task ends neither the wait nor the child.
    package var ending: Ending {
        get async { await withCheckedContinuation { waiting in whenEnded { waiting.resume(returning: $0) } } }
    }

    private func whenEnded(_ body: @escaping @Sendable (Ending) -> Void) {
        let ending = state.withLock { state in
            if state.ending == nil { state.whenEnded.append(body) }
            return state.ending
        }
        if let ending { body(ending) }
    }

    private func reap(since start: ContinuousClock.Instant) {
        var information = siginfo_t()
        // WNOWAIT leaves the child as a zombie, so that its id isn't reused before it is reaped below.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let (ending, waiting) = state.withLock { state in
            var status: Int32 = 0, usage = rusage(), reaped: pid_t
            repeat { reaped = wait4(id, &status, 0, &usage) } while reaped < 0 && errno == EINTR
            // If this process ignores SIGCHLD, the system doesn't report the status. It is then 255.
            let ending = Ending(reaped < 0 ? 255 << 8 : status, usage, seconds: seconds)
            state.ending = ending
            defer { state.whenEnded = [] }
            return (ending, state.whenEnded)
        }
        for body in waiting { body(ending) }
    }
}

extension ChildProcess.Ending {
    fileprivate init(_ status: Int32, _ usage: rusage, seconds: Double) {
        let signal = status & 0x7F
        wasSignalled = signal != 0
        self.status = wasSignalled ? 128 + signal : (status >> 8) & 0xFF
        self.seconds = seconds
        #if canImport(Darwin)
            peak = usage.ru_maxrss
        #else
            peak = usage.ru_maxrss * 1_024
        #endif
    }
}

/// The process group or session of a child.
package enum ChildGroup: Sendable {
    /// A process group of its own. The terminal's signals, such as that of Ctrl-C, don't reach the child, and it can't
    /// read from the terminal. This process decides when the child ends.
    case own
    /// This process's group. The child can read from the terminal, and receives the terminal's signals.
    case shared
    /// A session of its own. The first terminal that the child opens becomes the session's terminal.
    case session
}
