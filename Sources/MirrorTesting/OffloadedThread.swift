import Foundation

/// Runs blocking work, such as waiting for processes or sockets, on a separate thread.
///
/// Blocking one of the few threads of Swift's concurrency pool would delay other tests.
package enum OffloadedThread {
    /// Runs `body` on a new thread, and returns its result or throws its error.
    package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
