import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and SIGTERM: the first cancels and lets the work end cleanly, the second ends the program at once.
enum Interruption {
    /// Runs `body`, and cancels it at the first signal.
    ///
    /// - Parameter notice: called at the first signal, for telling the person.
    /// - Returns: what `body` returned; its own end says whether it was cancelled.
    static func cancelling<Result: Sendable>(
        notice: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // Signals come from outside any task, so the work needs a handle of its own to be cancelled by.
        let work = Task { try await body() }
        let isSecond = Mutex(false)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let second = isSecond.withLock { isSecond in
                    defer { isSecond = true }
                    return isSecond
                }
                if second { _exit(ExitStatus.interrupted.rawValue) }
                notice()
                work.cancel()
            }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            signal(SIGINT, SIG_DFL)
            signal(SIGTERM, SIG_DFL)
        }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
