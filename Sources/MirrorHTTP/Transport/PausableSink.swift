/// A sink that can ask its transfer to wait, instead of blocking the thread that all transfers share.
///
/// The wait spreads to the server through TCP's (or HTTP/2's) flow control, and doesn't count as idling.
/// ``CurlTransport`` honours it; ``URLSessionTransport`` waits by blocking its delegate queue.
public protocol PausableSink: BodySink {
    /// Asked before each piece: whether the sink can take it now.
    ///
    /// After answering `false` the sink must call `resume` once it can go on; from any thread, more than once
    /// does no harm. The same piece is then offered again.
    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool
}

extension PausableSink {
    public var pausing: (any PausableSink)? { self }
}
