import CCurl
import Foundation
import Synchronization

/// The loop over libcurl's multi interface; lives on one thread, from its start to its end.
///
/// Each turn: take what callers posted, let libcurl move the bytes that can be moved, hand back what is done, end what
/// has run out of time, begin what the limits allow, sleep until a socket, a limit of time or a caller wakes it.
final class CurlLoop {
    private let inbox: CurlInbox
    private let configuration: CurlTransport.Configuration
    private let multi: UnsafeMutableRawPointer
    private var queue: TransferQueue<SendTicket>
    private var active: [ObjectIdentifier: CurlExchange] = [:]
    /// No limit of any active transfer can have passed before this.
    private var nextDeadline = SuspendingClock().now

    /// `nil` without memory or descriptors.
    init?(_ configuration: CurlTransport.Configuration, inbox: CurlInbox) {
        guard CurlTransport.isLibraryReady, let multi = curl_multi_init() else { return nil }
        self.inbox = inbox
        self.configuration = configuration
        self.multi = multi
        queue = TransferQueue(
            perHost: configuration.maxConnectionsPerHost, total: configuration.maxConnections)
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.maxConnections)
    }

    deinit { curl_multi_cleanup(multi) }

    func run() {
        inbox.wakes(multi)
        while true {
            let (messages, mustEnd) = inbox.take()
            for message in messages { handle(message) }
            if mustEnd { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            handBackFinished()
            endExpired()
            while let ticket = queue.next() { begin(ticket) }
            curl_multi_poll(multi, nil, 0, sleepMilliseconds, nil)
        }
        inbox.wakes(nil)
        for ticket in queue.removeAllWaiting() { ticket.finish(.failure(CancellationError())) }
        for ticket in active.values.map(\.ticket) { end(ticket, .failure(CancellationError())) }
    }

    private func handle(_ message: CurlInbox.Message) {
        switch message {
        case .send(let ticket): queue.enqueue(ticket, host: ticket.target.origin)
        case .cancel(let ticket): end(ticket, .failure(CancellationError()))
        case .resume(let ticket): active[ObjectIdentifier(ticket)]?.unpause()
        }
    }

    private func begin(_ ticket: SendTicket) {
        guard ticket.begin() else { return queue.finished(host: ticket.target.origin) }
        do {
            let exchange = try CurlExchange(ticket, configuration) { [inbox] in inbox.post(.resume(ticket)) }
            guard curl_multi_add_handle(multi, exchange.easy) == CURLM_OK else {
                throw CurlTransport.outOfMemory
            }
            active[ObjectIdentifier(ticket)] = exchange
            nextDeadline = min(nextDeadline, exchange.deadline)
        } catch {
            finish(ticket, .failure(error))
        }
    }

    private func handBackFinished() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            let code = message.pointee.data.result
            guard message.pointee.msg == Int32(CURLMSG_DONE), let easy = message.pointee.easy_handle,
                let exchange = CurlExchange.of(easy)
            else { continue }
            end(exchange.ticket, exchange.result(code))
        }
    }

    private func endExpired() {
        let now = SuspendingClock().now
        guard now >= nextDeadline else { return }
        nextDeadline = now.advanced(by: .seconds(3600))
        for exchange in Array(active.values) {
            if let error = exchange.expiry() {
                end(exchange.ticket, .failure(error))
            } else {
                nextDeadline = min(nextDeadline, exchange.deadline)
            }
        }
    }

    /// Takes a transfer from libcurl, in any state.
    private func end(_ ticket: SendTicket, _ result: Result<TransportResponse, any Error>) {
        guard let exchange = active.removeValue(forKey: ObjectIdentifier(ticket)) else { return }
        curl_multi_remove_handle(multi, exchange.easy)
        finish(ticket, result)
    }

    private func finish(_ ticket: SendTicket, _ result: Result<TransportResponse, any Error>) {
        queue.finished(host: ticket.target.origin)
        ticket.finish(result)
    }

    /// Until the first of our own limits of time; libcurl looks after its own.
    private var sleepMilliseconds: Int32 {
        guard !active.isEmpty else { return 3_600_000 }
        let wait = SuspendingClock().now.duration(to: nextDeadline)
        return wait > .zero ? Int32(clamping: min(wait.wholeMilliseconds, 3_600_000)) : 0
    }
}

/// What callers hand to the loop's thread, which starts with the first message.
final class CurlInbox: Sendable {
    enum Message: Sendable {
        case send(SendTicket)
        case cancel(SendTicket)
        case resume(SendTicket)
    }

    /// `@unchecked Sendable` because libcurl lets any thread wake a multi handle; all else is done by the loop's thread.
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    private struct State {
        var messages: [Message] = []
        /// `nil` while no loop waits on it; it is woken under the lock, so that it can't be freed meanwhile.
        var multi: Multi?
        var isStopped = false
        var hasThread = false
        var whenEnded: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: CurlTransport.Configuration
    private let state = Mutex(State())

    init(_ configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    /// - Returns: `false` after ``stop()``: the message is lost.
    @discardableResult
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.messages.append(message)
            if let multi = state.multi { curl_multi_wakeup(multi.handle) }
            if !state.hasThread { startThread() }
            state.hasThread = true
            return true
        }
    }

    /// Tells the thread to end; what is under way fails.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let multi = state.multi { curl_multi_wakeup(multi.handle) }
        }
    }

    /// Takes what has come in, and whether the loop must end.
    func take() -> (messages: [Message], mustEnd: Bool) {
        state.withLock { state in
            defer { state.messages = [] }
            return (state.messages, state.isStopped)
        }
    }

    /// Has posted messages wake a multi handle from now on; `nil` before it is freed.
    func wakes(_ multi: UnsafeMutableRawPointer?) {
        let multi = multi.map(Multi.init)
        state.withLock { $0.multi = multi }
    }

    /// Waits until the thread has ended; at once without one.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.hasThread { state.whenEnded.append(continuation) }
                return !state.hasThread
            }
            if isOver { continuation.resume() }
        }
    }

    private func startThread() {
        let thread = Thread { [self] in
            if let loop = CurlLoop(configuration, inbox: self) {
                loop.run()
            } else {
                stop()
                for case .send(let ticket) in take().messages {
                    ticket.finish(.failure(CurlTransport.outOfMemory))
                }
            }
            let waiting = state.withLock { state in
                state.hasThread = false
                defer { state.whenEnded = [] }
                return state.whenEnded
            }
            for continuation in waiting { continuation.resume() }
        }
        thread.name = "mirror.curl"
        thread.stackSize = 1 << 20
        thread.start()
    }
}
