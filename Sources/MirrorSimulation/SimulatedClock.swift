import Foundation
import MirrorHTTP
import Synchronization

/// Two clocks, the mirror's and the server's, that go on only when told to, or when somebody waits.
package final class SimulatedClock: Sendable {
    private struct State {
        /// Seconds since 1970, by the mirror's clock.
        var local = 0.0
        /// How far the server's clock is ahead of it.
        var offset = 0.0
        /// The latest that the server's clock showed before it was set back.
        var passed = -Double.infinity
        /// The same of the mirror's.
        var passedLocal = -Double.infinity
        /// What the mirror's clock showed while it was wrong.
        var wrongLocal: [ClosedRange<Double>] = []
        var wrongSince: Double?
        var elapsed: Duration = .zero
    }

    private let state = Mutex(State())

    /// Another history begins.
    func reset(local: Double, offset: Double) { state.withLock { $0 = State(local: local, offset: offset) } }

    package var local: Double { state.withLock { $0.local } }
    package var server: Double { state.withLock { $0.local + $0.offset } }

    /// The latest that the server's clock ever showed.
    package var latestServer: Double { state.withLock { max($0.passed, $0.local + $0.offset) } }

    /// The latest that the mirror's clock ever showed.
    package var latestLocal: Double { state.withLock { max($0.passedLocal, $0.local) } }

    /// What has passed since the history began, whatever the clocks were set to.
    package var elapsed: Duration { state.withLock { $0.elapsed } }

    package func advance(by seconds: Double) {
        state.withLock { state in
            state.local += seconds
            state.elapsed += .seconds(seconds)
        }
    }

    /// Somebody sets the mirror's clock; no time passes, and the server's stays as it is.
    package func set(localBy seconds: Double) {
        state.withLock { state in
            state.passedLocal = max(state.passedLocal, state.local)
            state.local += seconds
            state.offset -= seconds
        }
    }

    /// Somebody sets the server's clock.
    package func set(serverBy seconds: Double) {
        state.withLock { state in
            state.passed = max(state.passed, state.local + state.offset)
            state.offset += seconds
        }
    }

    /// A clock is wrong by some seconds for a while; with the same number, negative, it is right again. What it shows
    /// meanwhile doesn't count as the latest that it showed.
    func skew(localBy seconds: Double) {
        state.withLock { state in
            if let since = state.wrongSince { state.wrongLocal.append(since...max(since, state.local)) }
            state.local += seconds
            state.offset -= seconds
            state.wrongSince = state.wrongSince == nil ? state.local : nil
        }
    }

    /// Whether what was done while the mirror's clock was wrong seems to be done just now, or less than a day ago.
    var isWithinSkewedPeriod: Bool {
        state.withLock { state in
            state.wrongLocal.contains { $0.lowerBound <= state.local && state.local < $0.upperBound + 90_000 }
        }
    }

    func skew(serverBy seconds: Double) { state.withLock { $0.offset += seconds } }

    /// For a session: whoever waits finds that the time has passed.
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
