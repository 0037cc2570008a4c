import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The queued and running transfers of a ``URLSessionTransport``, and the delegate of its `URLSession`.
final class URLSessionExchanges: NSObject, Sendable {
    private struct Exchange {
        let ticket: SendTicket
        let task: URLSessionDataTask
        let watch: Task<Void, Never>
        var clock: TransferClock
        var response: TransportResponse?
        var bodyBytes = 0
        var failure: (any Error)?
    }

    private struct State {
        var queue: TransferQueue<SendTicket>
        var exchanges: [Int: Exchange] = [:]
    }

    private let state: Mutex<State>

    init(maxConnectionsPerHost: Int) {
        state = Mutex(
            State(queue: TransferQueue(perHost: maxConnectionsPerHost, total: 4 * maxConnectionsPerHost)))
    }

    func enqueue(_ ticket: SendTicket, in session: URLSession) {
        state.withLock { $0.queue.enqueue(ticket, host: ticket.target.origin) }
        beginWaiting(in: session)
    }

    /// Ends a running transfer. Its sink isn't called any more after `send` has thrown.
    func end(_ ticket: SendTicket, _ error: any Error) {
        let task = state.withLock { state -> URLSessionDataTask? in
            guard let (id, exchange) = state.exchanges.first(where: { $0.value.ticket === ticket }) else {
                return nil
            }
            if exchange.failure == nil { state.exchanges[id]?.failure = error }
            return exchange.task
        }
        task?.cancel()
    }

    private func beginWaiting(in session: URLSession) {
        while let ticket = state.withLock({ $0.queue.next() }) { begin(ticket, in: session) }
    }

    private func begin(_ ticket: SendTicket, in session: URLSession) {
        guard let url = URL(string: ticket.request.url) else {
            state.withLock { $0.queue.finished(host: ticket.target.origin) }
            return ticket.finish(.failure(TransportError(refused: "The URL cannot be read")))
        }
        var clock = TransferClock(limits: ticket.request.limits, now: SuspendingClock().now)
        clock.recordActivity(at: SuspendingClock().now)
        let task = session.dataTask(with: URLRequest(ticket.request, url: url))
        let continues = state.withLock { state in
            // After `begin`, a cancellation calls `end`, which waits for this lock and then finds the exchange.
            guard ticket.begin() else {
                state.queue.finished(host: ticket.target.origin)
                return false
            }
            // This task enforces the time limits. It outlives this call and ends with the exchange, so it can't be in a
            // task group. It is created under the lock, so that it finds the exchange.
            let watch = Task { [weak self, id = task.taskIdentifier] in
                while let deadline = self?.nextDeadline(of: id) {
                    guard (try? await Task.sleep(until: deadline, clock: .suspending)) != nil else { return }
                }
            }
            state.exchanges[task.taskIdentifier] = Exchange(
                ticket: ticket, task: task, watch: watch, clock: clock)
            task.resume()
            return true
        }
        if !continues { task.cancel() }
    }

    /// Ends a transfer whose time limit has expired, and otherwise returns the next deadline; `nil` if it has ended.
    private func nextDeadline(of id: Int) -> SuspendingClock.Instant? {
        guard let exchange = state.withLock({ $0.exchanges[id] }) else { return nil }
        let now = SuspendingClock().now
        guard let code = exchange.clock.expired(at: now, paused: false) else {
            return exchange.clock.deadline(at: now, paused: false)
        }
        end(exchange.ticket, TransportError(expired: code, exchange.ticket))
        return nil
    }

    private func finish(_ task: URLSessionTask, _ error: (any Error)?, in session: URLSession) {
        // A redirect or an empty body may end without a call of `didReceive response`.
        if error == nil, let response = task.response as? HTTPURLResponse {
            _ = beginBody(of: task, response)
        }
        guard let exchange = state.withLock({ $0.exchanges.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        exchange.watch.cancel()
        state.withLock { $0.queue.finished(host: exchange.ticket.target.origin) }
        exchange.ticket.finish(Self.result(exchange, error, received: Int(task.countOfBytesReceived)))
        beginWaiting(in: session)
    }

    private static func result(
        _ exchange: Exchange, _ error: (any Error)?, received: Int
    ) -> Result<TransportResponse, any Error> {
        if let failure = exchange.failure { return .failure(failure) }
        if let error { return .failure(TransportError(error, authority: exchange.ticket.target.authority)) }
        guard var response = exchange.response else {
            let words = "\(exchange.ticket.target.authority) sent no answer that is HTTP."
            return .failure(TransportError(.badResponse, words))
        }
        response.receivedBytes = max(received, exchange.bodyBytes)
        return .success(response)
    }

    /// Records activity of a transfer and changes it; returns it, or `nil` if it has ended.
    @discardableResult
    private func recordActivity(_ task: URLSessionTask, _ change: (inout Exchange) -> Void = { _ in })
        -> Exchange?
    {
        state.withLock { state in
            guard var exchange = state.exchanges[task.taskIdentifier] else { return nil }
            exchange.clock.recordActivity(at: SuspendingClock().now)
            change(&exchange)
            state.exchanges[task.taskIdentifier] = exchange
            return exchange
        }
    }

    /// Passes the head to the sink, once; `false` ends the transfer.
    private func beginBody(of task: URLSessionTask, _ response: HTTPURLResponse?) -> Bool {
        guard let found = recordActivity(task), found.failure == nil, let response else { return false }
        guard found.response == nil else { return true }
        let ticket = found.ticket, request = ticket.request
        let head = TransportResponse(status: response.statusCode, headers: HeaderFields(response))
        var failure: (any Error)?
        do {
            try Self.checkCoding(head, ticket)
            try ticket.sink.begin(head)
            if let length = head.announcedLength(method: request.method), length > request.limits.body {
                failure = TransportError(bodyTooLarge: ticket)
            }
        } catch { failure = error }
        recordActivity(task) { exchange in
            exchange.response = head
            if let failure { exchange.failure = failure }
        }
        return failure == nil
    }

    private func receive(_ data: Data, of task: URLSessionTask) -> Bool {
        guard let found = recordActivity(task, { $0.bodyBytes += data.count }), found.failure == nil else {
            return false
        }
        do {
            guard found.bodyBytes <= found.ticket.request.limits.body else {
                throw TransportError(bodyTooLarge: found.ticket)
            }
            try data.withUnsafeBytes { try found.ticket.sink.receive($0) }
            return true
        } catch {
            recordActivity(task) { $0.failure = error }
            return false
        }
    }

    /// Refuses an encoded body that wasn't requested. Foundation tries to decode it, and doesn't report truncated data.
    private static func checkCoding(_ head: TransportResponse, _ ticket: SendTicket) throws {
        guard ticket.decodesContent, head.mayHaveBody(method: ticket.request.method) else { return }
        switch BodyCoding(head.headers) {
        case .none: return
        case .gzip: throw TransportError(unknownCoding: "gzip", ticket)
        case .unknown(let name): throw TransportError(unknownCoding: name, ticket)
        }
    }
}

extension URLSessionExchanges: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        recordActivity(task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The system checks certificates. Every other challenge is rejected, so that the 401 is the response.
        let method = challenge.protectionSpace.authenticationMethod
        let isTrust = method == "NSURLAuthenticationMethodServerTrust"
        completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isAllowed = beginBody(of: dataTask, response as? HTTPURLResponse)
        completionHandler(isAllowed ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if !receive(data, of: dataTask) { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task, error, in: session)
    }
}
