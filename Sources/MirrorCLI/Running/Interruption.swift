import Foundation
import Synchronization

/// Handles Ctrl-C and SIGTERM: the first signal cancels the work, which then ends cleanly; the second ends the program at once.
enum Interruption {
    /// Runs `body`, and cancels it on the first signal.
    ///
    /// - Parameters:
    ///   - screen: where the first signal is acknowledged.
    ///   - onHangUp: called at every SIGHUP while `body` runs; `nil` leaves SIGHUP unhandled. A closed terminal sends SIGHUP;
    ///     it is also the usual signal to make a daemon reload.
    /// - Returns: the result of `body`. If it was cancelled, `body` decides what that is.
    static func cancelling<Result: Sendable>(
        reportingTo screen: Screen? = nil, onHangUp: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // Signal handlers run outside any task, so they need the work's task to cancel it.
        let work = Task { try await body() }
        let isSecond = Atomic(false)
        var signals = [SIGINT, SIGTERM].map { number in
            ObservedSignal(number) {
                if isSecond.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
                screen?.line("mirror: stopping; finished work is kept. A second signal stops at once.")
                work.cancel()
            }
        }
        if let onHangUp { signals.append(ObservedSignal(SIGHUP, onHangUp)) }
        defer { for signal in signals { signal.end() } }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}

/// A signal that calls a handler instead of ending the program.
private struct ObservedSignal {
    private let number: Int32
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ handler: @escaping @Sendable () -> Void) {
        self.number = number
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        source.resume()
    }

    func end() {
        source.cancel()
        signal(number, SIG_DFL)
    }
}
