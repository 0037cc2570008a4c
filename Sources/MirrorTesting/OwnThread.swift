import Foundation

/// A thread for what waits for processes, sockets or terminals: it must not hold up one of the few that other tests need.
package enum OwnThread {
    /// Does it there, and returns what it returned, or throws what it threw.
    package static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
