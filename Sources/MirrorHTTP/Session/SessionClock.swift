import Foundation

/// Time as the session sees it, so that tests and simulations can bring their own.
public struct SessionClock: Sendable {
    /// The wall clock: for HTTP dates.
    public var now: @Sendable () -> Date
    /// Time since some fixed moment, never going back: for waits.
    public var elapsed: @Sendable () -> Duration
    /// Waits; throws `CancellationError` as soon as the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
    }

    /// The system's clocks.
    public static let system: SessionClock = {
        let start = ContinuousClock.now
        return SessionClock(
            now: { Date() }, elapsed: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0) })
    }()
}
