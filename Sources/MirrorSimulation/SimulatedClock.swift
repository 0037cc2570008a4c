import Foundation
import MirrorHTTP
import Synchronization

/// The mirror's clock and the server's. They only advance explicitly, or when a session waits.
package final class SimulatedClock: Sendable {
    private struct State {
        /// The mirror's time, in seconds since 1970.
        var local = 0.0
        /// The seconds by which the server's clock is ahead of the mirror's.
        var offset = 0.0
        /// The latest time that the server's clock showed before it was set back.
        var latestServerBeforeSet = -Double.infinity
        /// The same for the mirror's clock.
        var latestLocalBeforeSet = -Double.infinity
        /// The periods that the mirror's clock showed while it was wrong.
        var skewedPeriods: [ClosedRange<Double>] = []
        var skewedSince: Double?
        var elapsed: Duration = .zero
    }

    private let state = Mutex(State())

    /// Sets both clocks at the beginning of a history.
    func reset(local: Double, offset: Double) { state.withLock { $0 = State(local: local, offset: offset) } }

    package var local: Double { state.withLock { $0.local } }
    package var server: Double { state.withLock { $0.local + $0.offset } }

    /// The latest time that the server's clock ever showed.
    package var latestServer: Double {
        state.withLock { max($0.latestServerBeforeSet, $0.local + $0.offset) }
    }

    /// The latest time that the mirror's clock ever showed.
    package var latestLocal: Double { state.withLock { max($0.latestLocalBeforeSet, $0.local) } }

    /// The time since the history began, however the clocks were set.
    package var elapsed: Duration { state.withLock { $0.elapsed } }

    package func advance(by seconds: Double) {
        state.withLock { state in
            state.local += seconds
            state.elapsed += .seconds(seconds)
        }
    }

    /// Sets the mirror's clock forward or back. No time passes, and the server's clock is not changed.
    package func set(localBy seconds: Double) {
        state.withLock { state in
            state.latestLocalBeforeSet = max(state.latestLocalBeforeSet, state.local)
            state.local += seconds
            state.offset -= seconds
        }
    }

    /// Sets the server's clock forward or back.
    package func set(serverBy seconds: Double) {
        state.withLock { state in
            state.latestServerBeforeSet = max(state.latestServerBeforeSet, state.local + state.offset)
            state.offset += seconds
        }
    }

    /// Makes a clock wrong by a number of seconds; the negative number makes it right again. The times that it shows
    /// while it is wrong don't count as the latest.
    func skew(localBy seconds: Double) {
        state.withLock { state in
            if let since = state.skewedSince { state.skewedPeriods.append(since...max(since, state.local)) }
            state.local += seconds
            state.offset -= seconds
            state.skewedSince = state.skewedSince == nil ? state.local : nil
        }
    }

    /// Whether the current time is in a period that the wrong clock showed, or less than 25 hours after it.
    var isWithinSkewedPeriod: Bool {
        state.withLock { state in
            state.skewedPeriods.contains {
                $0.lowerBound <= state.local && state.local < $0.upperBound + 90_000
            }
        }
    }

    func skew(serverBy seconds: Double) { state.withLock { $0.offset += seconds } }

    /// The clock of a session: waiting advances the time at once.
    var session: SessionClock {
        SessionClock(
            now: { Date(timeIntervalSince1970: self.local) },
            elapsed: { self.state.withLock { $0.elapsed } },
            sleep: { duration in
                try Task.checkCancellation()
                self.advance(by: max(0, duration / .seconds(1)))
            })
    }
}
