/// Handles of libcurl that wait for their next transfer; making one takes longer than using it again.
///
/// Belongs to the loop's thread.
final class ExchangePool {
    private let configuration: CurlTransport.Configuration
    private let time: LoopTime
    private let inbox: CurlInbox
    private var spare: [CurlExchange] = []

    init(_ configuration: CurlTransport.Configuration, time: LoopTime, inbox: CurlInbox) {
        self.configuration = configuration
        self.time = time
        self.inbox = inbox
    }

    /// `nil` without memory for one more.
    func take() -> CurlExchange? {
        spare.popLast()
            ?? CurlExchange(time: time, configuration) { [inbox] ticket in
                _ = inbox.post(.resume(ticket))
            }
    }

    /// Takes back one that has left the multi handle.
    ///
    /// - Parameter isClean: whether its transfer ended well.
    func giveBack(_ exchange: CurlExchange, isClean: Bool) {
        exchange.reset(isClean: isClean)
        if spare.count < configuration.maxConnections { spare.append(exchange) }
    }

    func removeAll() { spare.removeAll() }
}
