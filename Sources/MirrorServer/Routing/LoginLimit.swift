import Crypto
import Synchronization

/// Limits how fast a password can be guessed: after 10 wrong ones within a minute, its name is refused for a minute.
///
/// Attempts are counted by name, whether or not a user has it, so that the limit doesn't reveal which names exist. They aren't
/// counted by address, because behind a proxy all people have the same one.
final class LoginLimit: Sendable {
    private struct Attempts {
        var count: Int
        /// When they are forgotten.
        var end: ContinuousClock.Instant
    }

    private let most: Int
    private let period: Duration
    private let names: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let attempts = Mutex<[SHA256Digest: Attempts]>([:])

    /// - Parameters:
    ///   - most: the number of attempts for one name.
    ///   - period: the time within which they are counted, and for which the name is refused after the last. Default: a minute.
    ///   - names: the maximum number of names. At the limit, the name that would be forgotten first is removed.
    init(
        most: Int = 10, period: Duration = .seconds(60), names: Int = 10_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.most = most
        self.period = period
        self.names = names
        self.now = now
    }

    /// Counts an attempt, before the password is compared.
    ///
    /// - Returns: `nil` if it is permitted; otherwise the number of seconds until the next one is.
    func begin(_ name: String) -> Int? {
        let key = SHA256.hash(data: Array(name.utf8))
        let now = now()
        return attempts.withLock { attempts -> Int? in
            if var earlier = attempts[key], earlier.end > now {
                guard earlier.count < most else {
                    return Int((now.duration(to: earlier.end) / .seconds(1)).rounded(.up))
                }
                earlier.count += 1
                if earlier.count == most { earlier.end = now.advanced(by: period) }
                attempts[key] = earlier
                return nil
            }
            if attempts.count >= names { attempts = attempts.filter { $0.value.end > now } }
            if attempts.count >= names, let first = attempts.min(by: { $0.value.end < $1.value.end }) {
                attempts[first.key] = nil
            }
            attempts[key] = Attempts(count: 1, end: now.advanced(by: period))
            return nil
        }
    }

    /// Forgets the attempts for a name, whose password was right.
    func succeed(_ name: String) {
        let key = SHA256.hash(data: Array(name.utf8))
        attempts.withLock { $0[key] = nil }
    }
}
