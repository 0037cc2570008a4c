import CCurl
import Foundation

/// The pipelines of a loop: who may have one, which one takes the next request, and what becomes of them.
///
/// A server offers them in the answers of its connections (``HeaderFields/offersPipelining``), a word that nothing between
/// passes on. An origin whose pipeline broke has none until its server offers them anew (RFC 9112, section 9.3.2). Belongs to
/// the loop's thread.
final class Pipelines {
    /// Requests on one connection at a time: few enough that none waits long behind the others.
    static let depth = 8
    /// Origins that are remembered.
    private static let mostOrigins = 64

    let ends = PipelineEnds()
    private let multi: UnsafeMutableRawPointer
    private let sockets: CurlSockets
    private let time: LoopTime
    private let configuration: CurlTransport.Configuration
    private var offering: Set<String> = []
    private var pipelines: [Pipeline] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
    /// Where a proxy may stand between, the other end of a connection isn't the server.
    private let hasProxy = ["http_proxy", "all_proxy", "ALL_PROXY"].contains {
        !(ProcessInfo.processInfo.environment[$0] ?? "").isEmpty
    }

    init(
        multi: UnsafeMutableRawPointer, sockets: CurlSockets, time: LoopTime,
        configuration: CurlTransport.Configuration
    ) {
        self.multi = multi
        self.sockets = sockets
        self.time = time
        self.configuration = configuration
    }

    deinit { buffer.deallocate() }

    /// Reads in an answer of a connection of its own whether the server offers pipelines.
    func learn(from response: TransportResponse, to ticket: SendTicket) {
        guard !ticket.target.isSecure, response.headers.offersPipelining else { return }
        // Those that still offer it say so again.
        if offering.count >= Self.mostOrigins { offering.removeAll() }
        offering.insert(ticket.target.origin)
    }

    /// `false` for a request that must go by itself.
    func take(_ ticket: SendTicket) -> Bool {
        let origin = ticket.target.origin
        guard configuration.pipelining == .always || offering.contains(origin), ticket.mayShareConnection,
            !hasProxy || ticket.target.isLoopback
        else { return false }
        for pipeline in pipelines where pipeline.origin == origin { pipeline.wake(over: buffer) }
        guard !pipelines.contains(where: { $0.origin == origin && $0.isBroken }) else { return false }
        let own = pipelines.filter { $0.origin == origin && $0.takesMore }
        if let least = own.min(by: { $0.load < $1.load }), least.load < Self.depth {
            guard least.socket == nil || permits(ticket, least.address) else { return false }
            least.add(ticket)
            return true
        }
        guard own.count * Self.depth < configuration.maxConnectionsPerHost,
            pipelines.count < configuration.maxConnections,
            let pipeline = Pipeline(to: ticket, time: time, ends: ends),
            curl_multi_add_handle(multi, pipeline.easy) == CURLM_OK
        else { return false }
        pipeline.add(ticket)
        pipelines.append(pipeline)
        return true
    }

    /// Whether a handle that is done is that of a pipeline, whose connection then stands, or doesn't.
    func connected(_ easy: UnsafeMutableRawPointer, _ code: CURLcode) -> Bool {
        guard let pipeline = pipelines.first(where: { $0.easy == easy }) else { return false }
        pipeline.connected(code, permits: permits)
        if let socket = pipeline.socket, !pipeline.isClosed { sockets.add(socket) }
        return true
    }

    /// Takes in what has come on a socket that is ready, and sends what has waited for it.
    func serve(_ socket: Int32) {
        pipelines.first { $0.socket == socket }?.receive(over: buffer)
    }

    /// Sends what has gathered; drops what is over.
    func flush() {
        for pipeline in pipelines where pipeline.hasUnsent {
            pipeline.flush()
            if let socket = pipeline.socket, !pipeline.isClosed {
                sockets.add(socket, writing: pipeline.isCongested)
            }
        }
        for pipeline in pipelines where pipeline.isClosed { remove(pipeline) }
    }

    /// `false` if it isn't here.
    func cancel(_ ticket: SendTicket) -> Bool {
        if pipelines.contains(where: { $0.cancel(ticket) }) { return true }
        // Another's cancellation may have ended its connection just now.
        guard let index = ends.handedBack.firstIndex(where: { $0.ticket === ticket }) else { return false }
        ends.handedBack.remove(at: index)
        ends.finished.append((ticket, .failure(CancellationError())))
        return true
    }

    /// Whether answers are still to come.
    var isBusy: Bool { pipelines.contains { $0.load > 0 } }

    /// Ends what has run out of time.
    ///
    /// - Returns: when it is worth asking again.
    func expire() -> TransferClock.Instant? { pipelines.compactMap { $0.expire() }.min() }

    func endAll() {
        for pipeline in pipelines {
            pipeline.endAll()
            remove(pipeline)
        }
    }

    private func remove(_ pipeline: Pipeline) {
        if pipeline.isBroken {
            offering.remove(pipeline.origin)
            // Nobody would use them, and the server has to hold them.
            for other in pipelines where other.origin == pipeline.origin && other.load == 0 { other.close() }
        }
        if let socket = pipeline.socket {
            sockets.remove(socket)
            // Some versions of libcurl (before 7.86) keep such a connection, which nobody can use again.
            shutdown(socket, Int32(SHUT_RDWR))
        }
        curl_multi_remove_handle(multi, pipeline.easy)
        pipelines.removeAll { $0 === pipeline }
    }

    private func permits(_ ticket: SendTicket, _ address: String) -> Bool {
        configuration.permitsAddress?(ticket.request.url, address) ?? true
    }
}

extension HeaderFields {
    /// Whether the server at the other end takes several requests on a connection without being waited for, and answers
    /// them in their order: `Connection: pipelining`, which `mirror serve` says in the answer for its base.
    ///
    /// Every server has to (RFC 9112, section 9.3.2), and not every one does. A connection option is for the next hop alone
    /// (RFC 9110, section 7.6.1): what stands between takes it out.
    var offersPipelining: Bool { connectionOptions.contains("pipelining") }
}
