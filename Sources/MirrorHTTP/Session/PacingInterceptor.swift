import Synchronization

/// Lets no more than one request in a given time go to each host.
///
/// A request waits for its turn after the interceptors before it have let it go: if the host has asked for a pause
/// meanwhile, the request waits for that, too, and then for a new turn.
public final class PacingInterceptor: Interceptor {
    /// From the start of one request to the start of the next.
    public let interval: Duration

    private let throttle: ThrottleInterceptor?
    private let slots = Mutex<[Origin: Duration]>([:])

    /// - Parameter throttle: the one that stands before this, if one does. Default: none.
    public init(interval: Duration, behind throttle: ThrottleInterceptor? = nil) {
        self.interval = interval
        self.throttle = throttle
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait else { return }
        try await waitForTurn(&attempt)
        while let throttle, throttle.holds(attempt.origin, at: attempt.clock.elapsed()) {
            try await throttle.willSend(&attempt)
            try await waitForTurn(&attempt)
        }
    }

    private func waitForTurn(_ attempt: inout Attempt) async throws {
        let now = attempt.clock.elapsed()
        let slot = slots.withLock { slots in
            let slot = max(slots[attempt.origin] ?? now, now)
            slots[attempt.origin] = slot + interval
            return slot
        }
        try await attempt.pause(for: slot - now, because: .pacing)
    }
}
