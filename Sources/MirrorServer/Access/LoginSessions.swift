import Crypto
import Synchronization

/// Who is logged in: cookies that were given out, kept in memory by their digests.
///
/// A session ends when it wasn't used for its lifetime, and when the server stops.
final class LoginSessions: Sendable {
    static let cookieName = "AuthSession"

    private let lifetime: Duration
    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let ends = Mutex<[SHA256Digest: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - lifetime: 10 minutes unless told otherwise.
    ///   - limit: how many there may be at once; the one that would end first makes room.
    init(
        lifetime: Duration = .seconds(600), limit: Int = 10_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.lifetime = lifetime
        self.limit = limit
        self.now = now
    }

    /// Begins a session; the value of its cookie is in nobody's hands but the client's.
    func begin() -> String {
        var random = SystemRandomNumberGenerator()
        let words = (0..<4).map { _ in random.next() as UInt64 }
        let value = words.map { String($0 | 1 << 63, radix: 16) }.joined()
        let now = now()
        ends.withLock { ends in
            if ends.count >= limit { ends = ends.filter { $0.value > now } }
            if ends.count >= limit, let first = ends.min(by: { $0.value < $1.value }) {
                ends[first.key] = nil
            }
            ends[SHA256.hash(data: Array(value.utf8))] = now.advanced(by: lifetime)
        }
        return value
    }

    /// Whether a `Cookie` header has a session that goes on; using it lengthens it.
    func holds(cookie header: String) -> Bool {
        let now = now()
        return header.split(separator: ";").contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == Self.cookieName else {
                return false
            }
            let digest = SHA256.hash(data: Array(parts[1].utf8))
            return ends.withLock { ends in
                guard let end = ends[digest], end > now else { return false }
                ends[digest] = now.advanced(by: lifetime)
                return true
            }
        }
    }
}
