import Foundation
import Synchronization

/// Ctrl-C and SIGTERM: the first cancels and lets the work end cleanly, the second ends the program at once.
enum Interruption {
    /// Runs `body`, and cancels it at the first signal.
    ///
    /// - Parameters:
    ///   - screen: where the first signal is acknowledged.
    ///   - onHangUp: called at every SIGHUP meanwhile, which is sent by a terminal that closes, and by custom to ask a daemon
    ///     to look again; `nil` leaves it as it is.
    /// - Returns: what `body` returned; its own end says whether it was cancelled.
    static func cancelling<Result: Sendable>(
        reportingTo screen: Screen? = nil, onHangUp: (@Sendable () -> Void)? = nil,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // Signals come from outside any task, so the work needs a handle of its own to be cancelled by.
        let work = Task { try await body() }
        let isSecond = Atomic(false)
        var signals = [SIGINT, SIGTERM].map { number in
            ObservedSignal(number) {
                if isSecond.exchange(true, ordering: .relaxed) { _exit(ExitStatus.interrupted.rawValue) }
                screen?.line("mirror: stopping; what is done stays. Once more stops at once.")
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
