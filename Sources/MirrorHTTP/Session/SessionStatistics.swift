import Synchronization

/// What a session has done so far; exact at any moment.
public struct SessionStatistics: Sendable, Hashable {
    /// Requests that went out: repetitions, redirects and logins included.
    public var sent = 0
    /// Answers that were a 304.
    public var notModified = 0
    /// Answers that the cache gave without a request.
    public var fromCache = 0
    /// Repetitions among ``sent``.
    public var retried = 0
    /// Bytes that came over the wire, broken transfers included: ``jsonBytes`` and ``mediaBytes`` together.
    public var bytesReceived: Int { jsonBytes + mediaBytes }
    public var jsonBytes = 0
    public var mediaBytes = 0
    /// Time in which anything waited because of the server: throttling, back-off, a server in trouble. Waits that overlap
    /// count once; pacing doesn't count.
    public var waited: Duration = .zero

    public init() {}

    mutating func received(_ bytes: Int, as kind: Request.Kind) {
        switch kind {
        case .json: jsonBytes += bytes
        case .media: mediaBytes += bytes
        }
    }
}

/// The session's own counts; a class so that they can be shared without copying a lock.
final class StatisticsCounter: Sendable {
    private let counts = Mutex(SessionStatistics())

    var snapshot: SessionStatistics { counts.withLock { $0 } }

    func count(_ change: (inout sending SessionStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }
}
