import CCurl
import Foundation

/// The time that the loop's thread has read last; read once for each turn of the loop.
final class LoopTime {
    var now = SuspendingClock().now
}

/// One easy handle of libcurl and the transfer that it carries out at the moment.
///
/// Belongs to the loop's thread: made, used and freed there. It is used again for the next transfer.
final class CurlExchange {
    let easy: UnsafeMutableRawPointer
    let time: LoopTime
    let errorText: UnsafeMutablePointer<CChar>
    /// Posts to the loop that a paused transfer may go on.
    let resume: @Sendable (SendTicket) -> Void

    private(set) var ticket: SendTicket?
    var clock: TransferClock
    var isPaused = false
    let headerList = CurlHeaderList()
    /// What the handle was told last, if it may stay so; see ``CurlSettings``.
    private var settings: CurlSettings?
    private var head = ResponseHeadReader()
    private var response: TransportResponse?
    var body = CurlBody()
    private var wireBytes: Int64 = 0
    /// How many times a connection stood for it; more than once if libcurl repeated the request.
    private var connections = 0
    var failure: (any Error)?
    private let permitsAddress: (@Sendable (String, String) -> Bool)?
    let authorities: CertificateAuthorities

    init?(
        time: LoopTime, _ configuration: CurlTransport.Configuration,
        resume: @escaping @Sendable (SendTicket) -> Void
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.time = time
        permitsAddress = configuration.permitsAddress
        authorities = configuration.authorities
        self.resume = resume
        clock = TransferClock(limits: TransferLimits(), now: time.now)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        errorText.deallocate()
    }

    func start(_ ticket: SendTicket) throws(TransportError) {
        self.ticket = ticket
        clock = TransferClock(limits: ticket.request.limits, now: time.now)
        let wanted = CurlSettings(ticket)
        if wanted == nil || wanted != settings {
            if settings != nil { curl_easy_reset(easy) }
            applyOptions(ticket)
        }
        settings = wanted
        try applyAddress(ticket)
    }

    /// Forgets the transfer; the handle must have left the multi handle.
    ///
    /// After one that didn't end well, or was repeated (libcurl counts that on the handle), it is as new.
    func reset(isClean: Bool) {
        if !isClean || connections != 1 || settings == nil {
            curl_easy_reset(easy)
            settings = nil
        }
        errorText[0] = 0
        ticket = nil
        head = ResponseHeadReader()
        response = nil
        body.reset()
        failure = nil
        isPaused = false
        connections = 0
        wireBytes = 0
    }

    func unpause() {
        guard isPaused else { return }
        isPaused = false
        clock.moved(at: time.now)
        curl_easy_pause(easy, Int32(CURLPAUSE_CONT))
    }

    func result(_ code: CURLcode) -> Result<TransportResponse, any Error> {
        if let failure { return .failure(failure) }
        // As long as it was announced, and still not all of it.
        if code == CURLE_OK, !body.isComplete, let ticket {
            return .failure(TransportError(GzipDecoder.Failure.cutOff, ticket))
        }
        if code == CURLE_OK, var response {
            response.receivedBytes = head.bytes + Int(offset(CURLINFO_SIZE_DOWNLOAD_T))
            return .success(response)
        }
        return .failure(
            CurlFailure(
                code: code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code,
                authority: ticket?.target.authority ?? "",
                detail: String(cString: errorText), requestBegan: requestBegan, headComplete: head.isComplete,
                headBytes: head.bytes,
                proxy: proxy, isTunnelled: isTunnelled,
                authorities: authorities.place(in: ProcessInfo.processInfo.environment)
            ).error)
    }

    /// The error of a limit that has passed, if one has. Sent bytes and bytes that decoding swallowed count as
    /// movement too, though no callback tells of them.
    func expiry() -> TransportError? {
        guard let code = clock.expired(at: time.now, paused: isPaused), let ticket else { return nil }
        let moved = offset(CURLINFO_SIZE_UPLOAD_T) + offset(CURLINFO_SIZE_DOWNLOAD_T)
        if code == .idleTimedOut, moved != wireBytes {
            wireBytes = moved
            clock.moved(at: time.now)
            return nil
        }
        return TransportError(expired: code, ticket, mayHaveReachedServer: requestBegan)
    }

    private var requestBegan: Bool { connections > 0 }

    private var proxy: ProxyEnvironment.Proxy? {
        ticket.flatMap { ProxyEnvironment.current.proxy(for: $0.target) }
    }

    /// Whether a proxy has opened a tunnel to the server.
    private var isTunnelled: Bool {
        var status = 0
        return ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK && status / 100 == 2
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: Int64 = 0
        return ccurl_get_offset(easy, info, &value) == CURLE_OK ? value : 0
    }
}

// What libcurl calls; a `false` ends the transfer, for the reason kept in `failure`.
extension CurlExchange {
    func connected(to address: String) -> Bool {
        if let permitsAddress, let ticket, !permitsAddress(ticket.request.url, address) {
            failure = TransportError(
                .cannotConnect, "\(ticket.target.authority) leads to \(address), which is not permitted.",
                mayHaveReachedServer: false)
            return false
        }
        connections += 1
        clock.moved(at: time.now)
        return true
    }

    var checksAddress: Bool { permitsAddress != nil }

    func readHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        clock.moved(at: time.now)
        switch head.read(line) {
        case .more: return true
        case .complete: return beginBody()
        case .tooLarge:
            return fail(.headersTooLarge, "sent more than \(ResponseHeadReader.limit) bytes of header fields")
        case .malformed: return fail(.badResponse, "sent a header section that is not HTTP")
        }
    }

    private func beginBody() -> Bool {
        guard let ticket else { return false }
        let response: TransportResponse
        do {
            response = try body.begin(head, for: ticket)
            self.response = response
            if response.status == 407,
                let refusal = CurlFailure.refusal(
                    status: response.status, isSecure: ticket.target.isSecure,
                    authority: ticket.target.authority, proxy: proxy)
            {
                throw refusal
            }
            try ticket.sink.begin(response)
        } catch {
            failure = error
            return false
        }
        guard let length = response.announcedLength(method: ticket.request.method) else { return true }
        return length <= ticket.request.limits.body || bodyTooLarge()
    }

    func bodyTooLarge() -> Bool {
        fail(.bodyTooLarge, "sent a body of more than \(ticket?.request.limits.body ?? 0) bytes")
    }

    private func fail(_ code: TransportError.Code, _ words: String) -> Bool {
        failure = TransportError(code, "\(ticket?.target.authority ?? "") \(words).")
        return false
    }
}
