import Foundation
import Synchronization

/// A program that runs as a child of this one, and is waited for.
///
/// Foundation's `Process` lets none ask a person on the terminal on Linux, and looks through this process's descriptors in
/// a way that ends it where there are more than 1,300 (swift-corelibs-foundation 5472). Of the signals that are handled
/// here those that end a program have their usual effect there, SIGHUP aside, which `nohup` ignores for all; none is held
/// back. What else this process has open is closed there.
package final class ChildProcess: Sendable {
    /// Why a program could not be started.
    package struct Failure: LocalizedError, Hashable, CustomStringConvertible {
        package let program: String
        /// As the system numbers it: `ENOENT`, say.
        package let code: Int32

        package var description: String {
            "\(program) can't be started: \(String(cString: strerror(code)))."
        }

        package var errorDescription: String? { description }
    }

    /// How it ended.
    package struct Ending: Sendable {
        /// As a shell has it: 128 and the signal's number for one that a signal ended.
        package let status: Int32
        package let wasSignalled: Bool
        /// From its start on.
        package let seconds: Double
        /// The most memory that was in use, in bytes. On Linux at least as much as this process had by the child's start,
        /// which the system counts as the child's until it runs the program.
        package let peak: Int
    }

    private struct State {
        var ending: Ending?
        var whenEnded: [@Sendable (Ending) -> Void] = []
    }

    package let id: pid_t
    private let state = Mutex(State())

    /// Starts it.
    ///
    /// - Parameters:
    ///   - program: a path, or a name that is looked for in `PATH`.
    ///   - environment: what it has instead of this one's.
    ///   - group: to which of a terminal's processes it belongs. Default: a group of its own.
    /// - Throws: ``Failure``.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        input: ChildStream = .inherited, output: ChildStream = .inherited, errors: ChildStream = .inherited,
        group: ChildGroup = .own
    ) throws {
        let streams = [input, output, errors], began = ContinuousClock.now
        id = try Self.spawn(program, arguments, environment: environment, streams, group: group)
        for (number, stream) in streams.enumerated() { stream.leave(asInput: number == 0) }
        Thread.detachNewThread { self.reap(since: began) }
    }

    /// The program that this process runs, to be started again.
    package static var thisProgram: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

    /// How it ended, if it has.
    package var endingSoFar: Ending? { state.withLock { $0.ending } }

    /// Sends a signal, if it runs. No other process is ever signalled: its id is given up under the same lock.
    package func send(_ signal: Int32) {
        state.withLock { if $0.ending == nil { _ = kill(id, signal) } }
    }

    /// Blocks the thread until it has ended.
    @discardableResult
    package func wait() -> Ending {
        let end = DispatchSemaphore(value: 0)
        whenEnded { _ in end.signal() }
        while true {
            if let endingSoFar { return endingSoFar }
            end.wait()
        }
    }

    /// How it ended, once it has. It goes on though the task that asks is cancelled.
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
        // Only looked at here: it keeps its id until it is taken out below.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let (ending, waiting) = state.withLock { state in
            var status: Int32 = 0, usage = rusage(), taken: pid_t
            repeat { taken = wait4(id, &status, 0, &usage) } while taken < 0 && errno == EINTR
            // Where SIGCHLD is ignored no end is reported.
            let ending = Ending(taken < 0 ? 255 << 8 : status, usage, seconds: seconds)
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

/// To which of a terminal's processes a child belongs.
package enum ChildGroup: Sendable {
    /// A process group of its own: nothing that is sent from the terminal reaches it, and it can't ask there. So a run that is
    /// stopped ends what it has begun.
    case own
    /// This process's group: it may ask a person on the terminal, and gets the terminal's signals, such as Ctrl-C.
    case shared
    /// A session of its own, whose terminal is the first that it opens.
    case session
}
