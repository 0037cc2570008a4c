/// Detects that requests to a host with HTTP/2 use several connections at the same time.
///
/// A server allows a number of streams on a connection (`SETTINGS_MAX_CONCURRENT_STREAMS`, RFC 9113, section 6.5.2). Transports
/// don't report it. libcurl opens a further connection as soon as the others have no free stream, so several connections in use
/// mean that more requests are in flight than the server allows.
///
/// When a server closes a connection, libcurl repeats the refused requests on new connections. So the requests of several
/// connections overlap for a short time. That isn't counted: the closed connection gets no further requests.
package struct ConnectionUse: Sendable {
    /// By connection, when the first and the last of its recent requests were sent, without a ``pause`` between them.
    private var requests: [Int: ClosedRange<Duration>] = [:]
    private var since: Duration = .zero

    /// Several connections count as in use if their requests overlap for longer than this. A repeated request was sent at most a
    /// round trip before the connection on which it is repeated.
    private static let tolerance = Duration.seconds(1)
    /// After a longer gap between two requests, and longer than one and a half response times, a connection counts as new. For
    /// example, one on which a request was repeated is used again when the server closes the next one.
    private static let pause = Duration.milliseconds(200)
    /// A long run has many connections, one after the other.
    private static let remembered = 16

    package init() {}

    /// Records a response.
    ///
    /// - Parameters:
    ///   - connection: A number that identifies the connection.
    ///   - began: When the request was sent.
    ///   - now: When the response arrived.
    /// - Returns: Whether several connections are in use. ``startOver(at:)`` must follow.
    package mutating func answered(on connection: Int, began: Duration, now: Duration) -> Bool {
        guard began >= since else { return false }
        let pause = max(Self.pause, (now - began) * 1.5)
        if let range = requests[connection], began <= range.upperBound + pause {
            // A repeated request was sent long before, on another connection.
            guard began >= range.lowerBound - pause else { return false }
            requests[connection] = min(range.lowerBound, began)...max(range.upperBound, began)
        } else {
            requests[connection] = began...began
        }
        guard requests.count > 1 else { return false }
        if requests.count > Self.remembered,
            let leastRecent = requests.min(by: { $0.value.upperBound < $1.value.upperBound })
        {
            requests[leastRecent.key] = nil
        }
        let ranges = requests.values.sorted { $0.lowerBound < $1.lowerBound }
        return zip(ranges, ranges.dropFirst()).contains { earlier, later in
            min(earlier.upperBound, later.upperBound) > later.lowerBound + Self.tolerance
        }
    }

    /// Forgets all requests that were sent before now.
    package mutating func startOver(at now: Duration) {
        requests = [:]
        since = now
    }
}
