import Synchronization

/// Lets no more than one request in a given time go to each host.
public final class PacingInterceptor: Interceptor {
    /// From the start of one request to the start of the next.
    public let interval: Duration

    private let slots = Mutex<[Origin: Duration]>([:])

    public init(interval: Duration) {
        self.interval = interval
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.mayWait else { return }
        let now = attempt.clock.elapsed()
        let slot = slots.withLock { slots in
            let slot = max(slots[attempt.origin] ?? now, now)
            slots[attempt.origin] = slot + interval
            return slot
        }
        try await attempt.pause(for: slot - now, because: .pacing)
    }
}
