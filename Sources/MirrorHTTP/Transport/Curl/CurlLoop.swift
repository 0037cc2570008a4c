import CCurl
import Foundation
import Synchronization

/// The event loop over libcurl's multi interface. It runs on one thread.
///
/// Each iteration does the following:
/// 1. Handle the messages of callers.
/// 2. Let libcurl send and receive.
/// 3. Return the results of finished transfers.
/// 4. End transfers whose time limits have expired.
/// 5. Begin transfers as the limits allow.
/// 6. Sleep until a socket, a time limit or a message wakes the loop.
final class CurlLoop {
    private let inbox: CurlInbox
    private let configuration: CurlTransport.Configuration
    private let multi: UnsafeMutableRawPointer
    private var queue: TransferQueue<SendTicket>
    private var active: [ObjectIdentifier: CurlExchange] = [:]
    /// No time limit of an active transfer expires before this instant.
    private var nextDeadline = SuspendingClock().now

    /// Fails if there is not enough memory, or no file descriptor.
    init?(_ configuration: CurlTransport.Configuration, inbox: CurlInbox) {
        guard CurlTransport.isLibraryReady, let multi = curl_multi_init() else { return nil }
        self.inbox = inbox
        self.configuration = configuration
        self.multi = multi
        queue = TransferQueue(
            perHost: configuration.maxRequestsPerHost, total: configuration.maxRequests)
        // When a server closes an HTTP/2 connection, libcurl repeats the refused requests, each on its own connection. This
        // limits their number.
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maxConnectionsPerHost)
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(64, 2 * configuration.maxConnectionsPerHost))
        // An older libcurl has no such option, and then allows 100 streams.
        ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, configuration.maxRequestsPerHost)
    }

    deinit { curl_multi_cleanup(multi) }

    func run() {
        inbox.setMultiHandle(multi)
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
        inbox.setMultiHandle(nil)
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

    /// Ends a transfer in any state, and returns its result.
    private func end(_ ticket: SendTicket, _ result: Result<TransportResponse, any Error>) {
        guard let exchange = active.removeValue(forKey: ObjectIdentifier(ticket)) else { return }
        curl_multi_remove_handle(multi, exchange.easy)
        finish(ticket, result)
    }

    private func finish(_ ticket: SendTicket, _ result: Result<TransportResponse, any Error>) {
        queue.finished(host: ticket.target.origin)
        ticket.finish(result)
    }

    /// The time until the first idle or total limit can expire. libcurl handles the connect limit itself.
    private var sleepMilliseconds: Int32 {
        guard !active.isEmpty else { return 3_600_000 }
        let wait = SuspendingClock().now.duration(to: nextDeadline)
        return wait > .zero ? Int32(clamping: min(wait.wholeMilliseconds, 3_600_000)) : 0
    }
}

/// The messages from callers to the loop's thread, which starts with the first message.
final class CurlInbox: Sendable {
    enum Message: Sendable {
        case send(SendTicket)
        case cancel(SendTicket)
        case resume(SendTicket)
    }

    /// `@unchecked Sendable` because any thread may wake a multi handle. It is used for nothing else on other threads.
    private struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
    }

    private struct State {
        var messages: [Message] = []
        /// The handle to wake; `nil` while no loop runs. It is woken under the lock, so that it isn't freed at the same time.
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

    /// Adds a message and wakes the loop.
    ///
    /// - Returns: `false` after ``stop()``; the message is then discarded.
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

    /// Asks the thread to end; running transfers fail. Idempotent.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let multi = state.multi { curl_multi_wakeup(multi.handle) }
        }
    }

    /// Removes and returns the messages, and whether the loop must end.
    func take() -> (messages: [Message], mustEnd: Bool) {
        state.withLock { state in
            defer { state.messages = [] }
            return (state.messages, state.isStopped)
        }
    }

    /// Sets the multi handle that messages wake; `nil` before it is freed.
    func setMultiHandle(_ multi: UnsafeMutableRawPointer?) {
        let multi = multi.map(Multi.init)
        state.withLock { $0.multi = multi }
    }

    /// Waits until the thread has ended; returns at once if there is none.
    func waitUntilEnded() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.hasThread { state.whenEnded.append(continuation) }
                return !state.hasThread
            }
            if hasEnded { continuation.resume() }
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
