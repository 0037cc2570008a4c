import CCurl
import Foundation

/// One transfer, and the easy handle of libcurl that carries it out.
///
/// Belongs to the loop's thread: made, used and freed there.
final class CurlExchange {
    let easy: UnsafeMutableRawPointer
    let ticket: SendTicket
    let configuration: CurlTransport.Configuration
    /// Posts to the loop that a paused transfer may go on.
    let resume: @Sendable () -> Void
    /// libcurl's own words for what went wrong.
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// The header fields as libcurl reads them; must stay while the transfer lasts.
    var headerLines: UnsafeMutablePointer<curl_slist>?

    private var clock: TransferClock
    private var wireBytes: Int64 = 0
    private var head = ResponseHeadReader()
    private var response: TransportResponse?
    private var hasConnection = false
    var failure: (any Error)?

    var isPaused = false
    /// What is asked before each piece of the body.
    var pausable: (any PausableSink)?
    /// `nil` for a body that comes as it is.
    var decoder: GzipDecoder?
    /// Bytes that were handed to the sink.
    var bodyBytes = 0
    /// Bytes of what libcurl offers again, after a pause, that were taken before it.
    var ahead = 0

    init(
        _ ticket: SendTicket, _ configuration: CurlTransport.Configuration,
        resume: @escaping @Sendable () -> Void
    ) throws(TransportError) {
        guard let easy = curl_easy_init() else { throw CurlTransport.outOfMemory }
        self.easy = easy
        self.ticket = ticket
        self.configuration = configuration
        self.resume = resume
        clock = TransferClock(limits: ticket.request.limits, now: SuspendingClock().now)
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try applyOptions()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerLines)
        errorText.deallocate()
    }

    func unpause() {
        guard isPaused else { return }
        isPaused = false
        moved()
        curl_easy_pause(easy, Int32(CURLPAUSE_CONT))
    }

    func result(_ code: CURLcode) -> Result<TransportResponse, any Error> {
        if let failure { return .failure(failure) }
        if code == CURLE_OK, decoder?.isComplete == false {
            // As long as it was announced, and still not all of it.
            return .failure(TransportError(GzipDecoder.Failure.cutOff, ticket))
        }
        if code == CURLE_OK, var response {
            response.receivedBytes = head.bytes + Int(offset(CURLINFO_SIZE_DOWNLOAD_T))
            return .success(response)
        }
        return .failure(
            CurlFailure(
                code: code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code, authority: ticket.target.authority,
                detail: String(cString: errorText), requestBegan: hasConnection,
                headComplete: head.isComplete,
                headBytes: head.bytes, proxy: ProxyEnvironment.current.proxy(for: ticket.target),
                isTunnelled: isTunnelled,
                authorities: configuration.authorities.place(in: ProcessInfo.processInfo.environment)
            ).error)
    }

    /// The earliest instant at which a limit of time can have been passed.
    var deadline: TransferClock.Instant { clock.deadline(at: SuspendingClock().now, paused: isPaused) }

    /// The error of a limit that has passed, if one has. Sent bytes and bytes that decoding swallowed count as
    /// movement too, though no callback reports them.
    func expiry() -> TransportError? {
        guard let code = clock.expired(at: SuspendingClock().now, paused: isPaused) else { return nil }
        let wireBytes = offset(CURLINFO_SIZE_UPLOAD_T) + offset(CURLINFO_SIZE_DOWNLOAD_T)
        if code == .idleTimedOut, wireBytes != self.wireBytes {
            self.wireBytes = wireBytes
            moved()
            return nil
        }
        return TransportError(expired: code, ticket, mayHaveReachedServer: hasConnection)
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

    func moved() { clock.moved(at: SuspendingClock().now) }
}

// What libcurl calls; a `false` ends the transfer, for the reason kept in `failure`.
extension CurlExchange {
    func connected(to address: @autoclosure () -> String) -> Bool {
        if let permits = configuration.permitsAddress {
            let address = address()
            guard permits(ticket.request.url, address) else {
                failure = TransportError(
                    .cannotConnect, "\(ticket.target.authority) leads to \(address), which is not permitted.",
                    mayHaveReachedServer: false)
                return false
            }
        }
        hasConnection = true
        moved()
        return true
    }

    func readHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        moved()
        switch head.read(line) {
        case .more: return true
        case .complete: return beginBody()
        case .tooLarge:
            return fail(.headersTooLarge, "sent more than \(ResponseHeadReader.limit) bytes of header fields")
        case .malformed: return fail(.badResponse, "sent a header section that is not HTTP")
        }
    }

    private func beginBody() -> Bool {
        var response = TransportResponse(status: head.status, headers: head.fields)
        do {
            if ticket.decodesContent { try decode(&response) }
            self.response = response
            if let refusal = CurlFailure.refusal(
                status: response.status, isSecure: ticket.target.isSecure, authority: ticket.target.authority,
                proxy: response.status == 407 ? ProxyEnvironment.current.proxy(for: ticket.target) : nil)
            {
                throw refusal
            }
            pausable = ticket.sink.pausing
            try ticket.sink.begin(response)
        } catch {
            failure = error
            return false
        }
        guard let length = response.announcedLength(method: ticket.request.method),
            length > ticket.request.limits.body
        else { return true }
        failure = TransportError(bodyTooLarge: ticket)
        return false
    }

    private func fail(_ code: TransportError.Code, _ words: String) -> Bool {
        failure = TransportError(code, "\(ticket.target.authority) \(words).")
        return false
    }
}

extension CurlExchange {
    enum PieceAnswer { case taken, paused, ended }

    /// Prepares for the coding that the head names; a coding that is decoded is hidden from the sink.
    ///
    /// - Throws: ``TransportError`` for a body that can't be decoded.
    func decode(_ response: inout TransportResponse) throws(TransportError) {
        switch BodyCoding(response.headers) {
        case .none: break
        case .unknown(let name):
            guard response.mayHaveBody(method: ticket.request.method) else { break }
            throw TransportError(unknownCoding: name, ticket)
        case .gzip:
            do { decoder = try GzipDecoder() } catch { throw TransportError(error, ticket) }
            response.headers["Content-Encoding"] = nil
            response.headers["Content-Length"] = nil
        }
    }

    /// Hands what comes to the sink, decoded: in pieces, before each of which the sink may ask for a pause.
    ///
    /// Behind a pause libcurl offers all bytes again from the first of the piece that was paused in, perhaps cut
    /// differently; those that the decoder has taken are passed over.
    func readBody(_ bytes: UnsafeRawBufferPointer) -> PieceAnswer {
        moved()
        let known = min(ahead, bytes.count)
        ahead -= known
        var rest = UnsafeRawBufferPointer(rebasing: bytes[known...])
        while !rest.isEmpty || decoder?.mayHaveMore == true {
            if let pausable, !pausable.canReceive(orCall: resume) {
                isPaused = true
                ahead += bytes.count - rest.count
                return .paused
            }
            do {
                guard let piece = try nextPiece(from: &rest) else { break }
                bodyBytes += piece.count
                guard bodyBytes <= ticket.request.limits.body, !isBomb else {
                    throw TransportError(bodyTooLarge: ticket)
                }
                try ticket.sink.receive(piece)
            } catch {
                failure = (error as? GzipDecoder.Failure).map { TransportError($0, ticket) } ?? error
                return .ended
            }
        }
        return .taken
    }

    /// The next piece for the sink, `nil` if there is none without more of the wire's bytes.
    private func nextPiece(from rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        if let decoder { return try decoder.next(from: &rest) }
        defer { rest = UnsafeRawBufferPointer(start: nil, count: 0) }
        return rest.isEmpty ? nil : rest
    }

    /// Whether a few bytes have become a great many: JSON is compressed 5 to 30 times.
    private var isBomb: Bool {
        bodyBytes > 16 << 20 && bodyBytes / 100 > max(1, offset(CURLINFO_SIZE_DOWNLOAD_T))
    }
}
