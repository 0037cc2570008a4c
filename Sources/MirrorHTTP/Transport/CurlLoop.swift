import CCurl

/// The loop over libcurl's multi interface; lives on one thread, from its start to its end.
///
/// Each turn: take what callers posted, let libcurl move the bytes of the sockets that are ready, hand back what is
/// done, begin what the limits allow, end what has run out of time, sleep until a socket, a timer or a caller wakes
/// it.
final class CurlLoop {
    private let inbox: CurlInbox
    private let configuration: CurlTransport.Configuration
    private let multi: UnsafeMutableRawPointer
    private let time = LoopTime()
    private let sockets: CurlSockets
    private var queue: TransferQueue<SendTicket>
    private var active: [ObjectIdentifier: CurlExchange] = [:]
    private let exchanges: ExchangePool
    private var messages: [CurlInbox.Message] = []
    /// What has ended in this turn, and how; its callers are told when libcurl has nothing more to tell.
    private var outcomes: [(SendTicket, Result<TransportResponse, any Error>)] = []
    /// No limit of any active transfer can have passed before this.
    private var nextDeadline: TransferClock.Instant

    init?(_ configuration: CurlTransport.Configuration, inbox: CurlInbox) {
        guard CurlTransport.isLibraryReady, let pipe = WakePipe(), let multi = curl_multi_init() else {
            return nil
        }
        self.inbox = inbox
        self.configuration = configuration
        self.multi = multi
        sockets = CurlSockets(pipe, time: time)
        exchanges = ExchangePool(configuration, time: time, inbox: inbox)
        queue = TransferQueue(
            perHost: configuration.maxConnectionsPerHost, total: configuration.maxConnections)
        nextDeadline = time.now
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.maxConnections)
        sockets.attach(to: multi)
    }

    deinit { curl_multi_cleanup(multi) }

    func run() {
        while true {
            let mustEnd = inbox.take(into: &messages)
            time.now = SuspendingClock().now
            for message in messages { handle(message) }
            if mustEnd { break }
            sockets.serveReady(of: multi)
            handBackFinished()
            beginWaiting()
            if sockets.serveTimer(of: multi) { handBackFinished() }
            endExpired()
            // What has ended made room.
            beginWaiting()
            tellCallers()
            let milliseconds = sleepMilliseconds
            let sleeps = milliseconds > 0 && inbox.sleeps(on: sockets.wakePipe)
            sockets.wait(milliseconds: sleeps ? milliseconds : 0)
        }
        endAll()
    }

    private func handle(_ message: CurlInbox.Message) {
        switch message {
        case .send(let ticket): queue.enqueue(ticket, host: ticket.target.origin)
        case .cancel(let ticket): end(ticket, .failure(CancellationError()))
        case .resume(let ticket):
            active[ObjectIdentifier(ticket)]?.unpause()
            sockets.kick()
        }
    }

    private func beginWaiting() {
        while let ticket = queue.next() {
            guard ticket.begin() else {
                queue.finished(host: ticket.target.origin)
                continue
            }
            begin(ticket)
        }
    }

    private func begin(_ ticket: SendTicket) {
        guard let exchange = exchanges.take() else {
            finish(ticket, .failure(CurlTransport.outOfMemory))
            return
        }
        do {
            try exchange.start(ticket)
        } catch {
            exchanges.giveBack(exchange, isClean: false)
            finish(ticket, .failure(error))
            return
        }
        guard curl_multi_add_handle(multi, exchange.easy) == CURLM_OK else {
            exchanges.giveBack(exchange, isClean: false)
            finish(ticket, .failure(CurlTransport.outOfMemory))
            return
        }
        active[ObjectIdentifier(ticket)] = exchange
        nextDeadline = min(nextDeadline, exchange.clock.deadline(at: time.now, paused: false))
    }

    private func handBackFinished() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == Int32(CURLMSG_DONE), let easy = message.pointee.easy_handle else {
                continue
            }
            var context: UnsafeMutableRawPointer?
            let code = message.pointee.data.result
            guard ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else {
                continue
            }
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
            if let ticket = exchange.ticket { end(ticket, exchange.result(code)) }
        }
    }

    private func endExpired() {
        guard time.now >= nextDeadline else { return }
        var next = time.now.advanced(by: .seconds(3600))
        for exchange in Array(active.values) {
            if let ticket = exchange.ticket, let error = exchange.expiry() {
                end(ticket, .failure(error))
            } else {
                next = min(next, exchange.clock.deadline(at: time.now, paused: exchange.isPaused))
            }
        }
        nextDeadline = next
    }

    /// Takes a transfer out of libcurl's hands, whatever its state.
    private func end(_ ticket: SendTicket, _ result: Result<TransportResponse, any Error>) {
        guard let exchange = active.removeValue(forKey: ObjectIdentifier(ticket)) else { return }
        curl_multi_remove_handle(multi, exchange.easy)
        if case .success = result {
            exchanges.giveBack(exchange, isClean: true)
        } else {
            exchanges.giveBack(exchange, isClean: false)
        }
        finish(ticket, result)
    }

    private func finish(_ ticket: SendTicket, _ result: Result<TransportResponse, any Error>) {
        queue.finished(host: ticket.target.origin)
        outcomes.append((ticket, result))
    }

    private func tellCallers() {
        for (ticket, result) in outcomes { ticket.finish(result) }
        outcomes.removeAll(keepingCapacity: true)
    }

    private func endAll() {
        for ticket in queue.removeAllWaiting() { ticket.finish(.failure(CancellationError())) }
        for ticket in active.values.compactMap(\.ticket) { end(ticket, .failure(CancellationError())) }
        tellCallers()
        exchanges.removeAll()
    }

    /// Until the first of libcurl's timer and our own limits.
    private var sleepMilliseconds: Int32 {
        var wake = sockets.due
        if !active.isEmpty { wake = min(wake ?? nextDeadline, nextDeadline) }
        guard let wake else { return 3_600_000 }
        guard wake > time.now else { return 0 }
        let wait = SuspendingClock().now.duration(to: wake)
        return Int32(clamping: min(wait.wholeMilliseconds, 3_600_000))
    }
}
