import Dispatch
import Foundation

/// SIGHUP: what a terminal sends that closes, and, by an old custom, what asks a daemon to look again.
enum HangUp {
    /// Runs `body`, and `onSignal` at every signal meanwhile.
    static func observing<Result: Sendable>(
        _ onSignal: @escaping @Sendable () -> Void, _ body: () async -> Result
    ) async -> Result {
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler(handler: onSignal)
        source.resume()
        defer {
            source.cancel()
            signal(SIGHUP, SIG_DFL)
        }
        return await body()
    }
}
