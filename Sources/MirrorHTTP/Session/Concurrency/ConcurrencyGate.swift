import Synchronization

/// How many requests to one host a session may have in flight at the same time.
public enum Concurrency: Sendable, Hashable {
    /// As many as the host answers without slowing down: up to 16 with HTTP/1.1, and up to 128 with HTTP/2.
    case adaptive
    /// Always this number; below 1 counts as 1.
    case fixed(Int)
}

/// Lets as many requests to each host through as its ``ConcurrencyLimit`` allows; the others wait in order.
///
/// Requests for pictures and documents have a separate queue, so that thousands of pictures don't delay the catalogue.
///
/// A place is occupied from before the interceptors until the end of the response. While an interceptor waits with
/// ``Attempt/pause(for:because:wanted:)``, the place is given back, except for pacing. So other requests get a place although a
/// host is throttled, and wait or fail by their own limits.
///
/// An interceptor must send its own requests with ``Attempt/sendNested(_:)``, which need no place. Another request of it could
/// wait for the place that its caller occupies.
final class ConcurrencyGate: Sendable {
    /// The place of one request in flight. It must be given back with ``leave(_:_:now:)``.
    struct Place: Sendable {
        let host: Origin
        let kind: Request.Kind
        /// When the request was sent, on the session's ``SessionClock/elapsed``; `nil` before that.
        fileprivate(set) var sent: Duration?
    }

    fileprivate struct Host {
        var limit: ConcurrencyLimit
        /// The occupied places, also of requests that are not sent yet.
        var occupied = 0
        /// The requests that were sent and have not ended.
        var inFlight = 0
        /// The occupied places of requests for pictures and documents.
        var occupiedByMedia = 0
        /// Whether the host was ever requested for JSON.
        var hasJSON = false
        /// The kind of the request that was sent last.
        var last = Request.Kind.json
        /// The maximum of `inFlight` so far.
        var reached = 0
        /// Identifiers of waiting requests in order, for pictures and documents, and for everything else.
        var order: [Request.Kind: ArraySlice<Int>] = [:]
        var continuations: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private struct State {
        var hosts: [Origin: Host] = [:]
        var nextID = 0
        /// Requests that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    /// The maximum number of hosts without requests whose limits are remembered.
    private static let idleHosts = 1_000

    private let concurrency: Concurrency
    private let state = Mutex(State())

    init(_ concurrency: Concurrency) { self.concurrency = concurrency }

    /// Waits until a request to a host may be sent.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func enter(_ host: Origin, for kind: Request.Kind) async throws -> Place {
        try Task.checkCancellation()
        let id: Int? = state.withLock { state in
            if state.hosts[host, default: Host(limit: ConcurrencyLimit(concurrency))].enter(kind) {
                return nil
            }
            state.nextID += 1
            state.hosts[host]?.order[kind, default: []].append(state.nextID)
            return state.nextID
        }
        if let id {
            let isAdmitted = await withTaskCancellationHandler {
                await withCheckedContinuation { wait(id, at: host, $0) }
            } onCancel: {
                cancel(id, kind, at: host)
            }
            guard isAdmitted else { throw CancellationError() }
        }
        return Place(host: host, kind: kind)
    }

    /// Records that the request of a place is sent.
    func send(_ place: inout Place, now: Duration) {
        state.withLock { $0.hosts[place.host]?.send() }
        place.sent = now
    }

    /// Records the head of a response.
    func receivedHead(_ head: TransportResponse, at place: Place, now: Duration) {
        guard let sent = place.sent else { return }
        change(place.host) { host in
            host.limit.receivedHead(
                head.version, on: head.connection, of: place.kind, began: sent, now: now)
        }
    }

    /// Gives a place back, records the end of its request if it was sent, and admits waiting requests.
    func leave(_ place: Place, _ failure: ConcurrencyLimit.Failure?, now: Duration) {
        change(place.host) { host in
            if let sent = place.sent {
                host.limit.ended(failure, began: sent, inFlight: host.wanted, now: now)
                host.inFlight -= 1
            }
            host.occupied -= 1
            if place.kind == .media { host.occupiedByMedia -= 1 }
        }
    }

    /// The maximum number of requests that were in flight to a host at the same time; 0 if there was none.
    func reached(_ host: Origin) -> Int { state.withLock { $0.hosts[host]?.reached ?? 0 } }

    /// The number of requests that a long run is likely to have in flight to a host.
    func expected(_ host: Origin) -> Int {
        state.withLock { $0.hosts[host]?.limit ?? ConcurrencyLimit(concurrency) }.expected
    }

    private func change(_ origin: Origin, _ body: (inout Host) -> Void) {
        let admitted = state.withLock { state in
            guard var host = state.hosts.removeValue(forKey: origin) else {
                return [CheckedContinuation<Bool, Never>]()
            }
            body(&host)
            let admitted = host.admitWaiting()
            // Pictures may have thousands of hosts.
            let isIdle = host.occupied == 0 && host.order.values.allSatisfy(\.isEmpty)
            if !isIdle || host.hasJSON || state.hosts.count < Self.idleHosts { state.hosts[origin] = host }
            return admitted
        }
        for continuation in admitted { continuation.resume(returning: true) }
    }

    private func wait(_ id: Int, at origin: Origin, _ continuation: CheckedContinuation<Bool, Never>) {
        let admitted = state.withLock { state -> [CheckedContinuation<Bool, Never>]? in
            if state.cancelled.remove(id) != nil { return nil }
            state.hosts[origin]?.continuations[id] = continuation
            // A place may have become free since the request was put in the queue.
            return state.hosts[origin]?.admitWaiting() ?? []
        }
        guard let admitted else { return continuation.resume(returning: false) }
        for continuation in admitted { continuation.resume(returning: true) }
    }

    private func cancel(_ id: Int, _ kind: Request.Kind, at origin: Origin) {
        let (cancelled, admitted) = state.withLock { state in
            guard state.hosts[origin]?.order[kind]?.contains(id) == true else {
                return (nil as CheckedContinuation<Bool, Never>?, [CheckedContinuation<Bool, Never>]())
            }
            let continuation = state.hosts[origin]?.continuations.removeValue(forKey: id)
            // Without a continuation, `wait` will be called later, and must not wait.
            if continuation == nil { state.cancelled.insert(id) }
            state.hosts[origin]?.order[kind]?.removeAll { $0 == id }
            return (continuation, state.hosts[origin]?.admitWaiting() ?? [])
        }
        cancelled?.resume(returning: false)
        for continuation in admitted { continuation.resume(returning: true) }
    }
}

extension ConcurrencyGate.Host {
    /// Whether a request may be sent at once.
    fileprivate mutating func enter(_ kind: Request.Kind) -> Bool {
        if kind == .json { hasJSON = true }
        guard order[kind]?.isEmpty ?? true, mayBegin(kind) else { return false }
        begin(kind)
        return true
    }

    /// The requests in flight, or the width if others wait, because not all places are for pictures and documents.
    fileprivate var wanted: Int {
        order.values.allSatisfy(\.isEmpty) ? inFlight : max(inFlight, limit.width)
    }

    /// Counts one more request in flight.
    fileprivate mutating func send() {
        inFlight += 1
        reached = max(reached, inFlight)
    }

    /// The waiting requests that may now be sent.
    fileprivate mutating func admitWaiting() -> [CheckedContinuation<Bool, Never>] {
        var admitted: [CheckedContinuation<Bool, Never>] = []
        while let next = next() { admitted.append(next) }
        return admitted
    }

    /// Whether there is a place. An eighth of the places isn't for pictures and documents. Requests for JSON may use these even if
    /// the width has shrunk while long downloads were in flight.
    private func mayBegin(_ kind: Request.Kind) -> Bool {
        let reserve = max(1, limit.width / 8)
        if kind == .json, !limit.isFixed, occupiedByMedia > 0, occupied - occupiedByMedia < reserve {
            return true
        }
        guard occupied < limit.width else { return false }
        return kind == .json || !hasJSON || occupiedByMedia < max(1, limit.width - reserve)
    }

    /// The next request: of both kinds in turn, if both wait.
    private mutating func next() -> CheckedContinuation<Bool, Never>? {
        for kind in last == .media ? [Request.Kind.json, .media] : [.media, .json] where mayBegin(kind) {
            guard let id = order[kind]?.first, let next = continuations.removeValue(forKey: id) else {
                continue
            }
            order[kind]?.removeFirst()
            begin(kind)
            return next
        }
        return nil
    }

    private mutating func begin(_ kind: Request.Kind) {
        occupied += 1
        if kind == .media { occupiedByMedia += 1 }
        last = kind
    }
}

extension ConcurrencyLimit.Failure {
    /// The failure that an outcome means for the number of requests in flight; `nil` for none.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .success(let response) where response.status == 429 || response.status == 503: self = .refused
        case .success: return nil
        case .failure(let error as TransportError):
            switch error.code {
            case .connectTimedOut, .idleTimedOut, .timedOut: self = .timedOut
            case .connectionLost, .cannotConnect, .cannotConnectByProxy, .cannotResolveHost:
                self = .connectionLost
            default: return nil
            }
        case .failure: return nil
        }
    }
}
