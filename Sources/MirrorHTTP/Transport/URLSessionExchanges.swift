import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transfers of one ``URLSessionTransport``: those that wait and those under way; the session's delegate
/// (`URLSessionExchanges+Delegate.swift`).
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

    /// Ends a transfer under way; its sink is called no more once `send` has thrown.
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
            let error = TransportError(
                .unsupportedURL, "The URL cannot be read.", mayHaveReachedServer: false)
            ticket.finish(.failure(error))
            return
        }
        var clock = TransferClock(limits: ticket.request.limits, now: SuspendingClock().now)
        clock.moved(at: SuspendingClock().now)
        let task = session.dataTask(with: URLRequest(ticket.request, url: url))
        let goesOn = state.withLock { state in
            // From here on a cancellation looks for the exchange to end, and waits until there is one that runs.
            guard ticket.begin() else {
                state.queue.finished(host: ticket.target.origin)
                return false
            }
            // Outlives this call and ends with the exchange, so no group can hold it. Made under the lock, so
            // that it finds the exchange.
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
        if !goesOn { task.cancel() }
    }

    /// Until when nothing need be done about a transfer; `nil` once it has ended, or is ended here.
    private func nextDeadline(of id: Int) -> SuspendingClock.Instant? {
        guard let exchange = state.withLock({ $0.exchanges[id] }) else { return nil }
        let now = SuspendingClock().now
        guard let code = exchange.clock.expired(at: now, paused: false) else {
            return exchange.clock.deadline(at: now, paused: false)
        }
        end(exchange.ticket, TransportError(expired: code, exchange.ticket))
        return nil
    }

    func finish(_ task: URLSessionTask, _ error: (any Error)?, in session: URLSession) {
        // A redirect or an empty body may end without the response having been announced.
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

    func moved(_ task: URLSessionTask) {
        state.withLock { $0.exchanges[task.taskIdentifier]?.clock.moved(at: SuspendingClock().now) }
    }

    /// Hands the head to the sink, once; `false` ends the transfer.
    func beginBody(of task: URLSessionTask, _ response: HTTPURLResponse?) -> Bool {
        let found = state.withLock { $0.exchanges[task.taskIdentifier] }
        guard let found, found.failure == nil, let response else { return false }
        guard found.response == nil else { return true }
        let request = found.ticket.request
        let head = TransportResponse(
            status: response.statusCode,
            headers: HeaderFields(
                response.allHeaderFields.compactMap { name, value in
                    (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
                }))
        var failure: (any Error)?
        do {
            try Self.checkCoding(head, found.ticket)
            try found.ticket.sink.begin(head)
            if let length = head.announcedLength(method: request.method), length > request.limits.body {
                failure = Self.bodyTooLarge(found.ticket)
            }
        } catch { failure = error }
        state.withLock { state in
            state.exchanges[task.taskIdentifier]?.response = head
            state.exchanges[task.taskIdentifier]?.clock.moved(at: SuspendingClock().now)
            if let failure { state.exchanges[task.taskIdentifier]?.failure = failure }
        }
        return failure == nil
    }

    func receive(_ data: Data, of task: URLSessionTask) -> Bool {
        let found = state.withLock { state in
            state.exchanges[task.taskIdentifier]?.bodyBytes += data.count
            state.exchanges[task.taskIdentifier]?.clock.moved(at: SuspendingClock().now)
            return state.exchanges[task.taskIdentifier]
        }
        guard let found, found.failure == nil else { return false }
        do {
            guard found.bodyBytes <= found.ticket.request.limits.body else {
                throw Self.bodyTooLarge(found.ticket)
            }
            try data.withUnsafeBytes { try found.ticket.sink.receive($0) }
            return true
        } catch {
            state.withLock { $0.exchanges[task.taskIdentifier]?.failure = error }
            return false
        }
    }

    /// Refuses a coded body where none was asked for: Foundation has decoded it, or tried, and doesn't tell how far.
    private static func checkCoding(_ head: TransportResponse, _ ticket: SendTicket) throws {
        guard ticket.decodesContent, head.mayHaveBody(method: ticket.request.method) else { return }
        switch BodyCoding(head.headers) {
        case .none: return
        case .gzip: throw TransportError(unknownCoding: "gzip", ticket)
        case .unknown(let name): throw TransportError(unknownCoding: name, ticket)
        }
    }

    private static func bodyTooLarge(_ ticket: SendTicket) -> TransportError {
        let words = "\(ticket.target.authority) sent a body of more than \(ticket.request.limits.body) bytes."
        return TransportError(.bodyTooLarge, words)
    }
}
