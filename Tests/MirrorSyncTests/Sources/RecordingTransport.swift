import MirrorHTTP
import Synchronization

/// Records the requests to another transport, and stops a run at a chosen request.
final class RecordingTransport: Transport {
    struct Exchange: Sendable, Hashable {
        let url: String
        let headers: [String: String]
        /// `nil` if there was no answer.
        var status: Int?
    }

    private struct State {
        var exchanges: [Exchange] = []
        /// The number of exchanges that ``take()`` has returned.
        var taken = 0
        /// The number of further requests that are answered; `nil` for all.
        var left: Int?
        var stop: (@Sendable () -> Void)?
        var isStopped = false
        var hold: (@Sendable (_ url: String) async -> Void)?
    }

    private let inner: any Transport
    private let state = Mutex(State())

    init(_ inner: any Transport) { self.inner = inner }

    /// All requests so far, in order.
    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// The requests since the last call, in order.
    func take() -> [Exchange] {
        state.withLock { state in
            defer { state.taken = state.exchanges.count }
            return Array(state.exchanges[state.taken...])
        }
    }

    /// Makes each request wait for `hold` before it is answered.
    func hold(_ hold: @escaping @Sendable (_ url: String) async -> Void) { state.withLock { $0.hold = hold } }

    /// Runs `work` in a task that is cancelled when it sends another request than the first `count`. That request gets no answer.
    func stopping<T: Sendable>(
        after count: Int, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        state.withLock { ($0.left, $0.isStopped, $0.stop) = (count, false, nil) }
        let task = Task(operation: work)
        let isLate = state.withLock { state in
            state.stop = { task.cancel() }
            return state.isStopped
        }
        if isLate { task.cancel() }
        defer { state.withLock { ($0.left, $0.stop) = (nil, nil) } }
        return try await task.value
    }

    func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        let headers = Dictionary(
            request.headers.lines.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        let (number, isOver): (Int, Bool) = state.withLock { state in
            let isOver = state.left == 0
            state.left = state.left.map { max(0, $0 - 1) }
            state.exchanges.append(Exchange(url: request.url, headers: headers))
            return (state.exchanges.count - 1, isOver)
        }
        if isOver { try await stop() }
        if let hold = state.withLock({ $0.hold }) {
            await hold(request.url)
            try Task.checkCancellation()
        }
        let response = try await inner.send(request, into: sink)
        state.withLock { $0.exchanges[number].status = response.status }
        return response
    }

    /// Cancels the run, and waits until this request has noticed it.
    private func stop() async throws {
        let stop = state.withLock { state in
            state.isStopped = true
            return state.stop
        }
        stop?()
        for _ in 0..<100_000 where !Task.isCancelled { await Task.yield() }
        throw CancellationError()
    }
}
