import CCurl
import Foundation

/// One transfer, and its libcurl easy handle.
///
/// It is created, used and freed on the loop's thread only.
final class CurlExchange {
    let easy: UnsafeMutableRawPointer
    let ticket: SendTicket
    let configuration: CurlTransport.Configuration
    /// Asks the loop to continue a paused transfer.
    let resume: @Sendable () -> Void
    /// libcurl's error message.
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// The header fields for libcurl; must exist as long as the transfer.
    var headerLines: UnsafeMutablePointer<curl_slist>?

    private var clock: TransferClock
    private var wireBytes: Int64 = 0
    private var head = ResponseHeadReader()
    private var response: TransportResponse?
    private var hasConnection = false
    var failure: (any Error)?

    var isPaused = false
    /// The sink that may pause the transfer before each piece of the body; `nil` if it never does.
    var pausable: (any PausableSink)?
    /// `nil` for a body without a content coding.
    var decoder: GzipDecoder?
    /// The decoded bytes passed to the sink.
    var bodyBytes = 0
    /// The number of bytes that were consumed before a pause, and that libcurl passes again after it.
    var consumedBytes = 0

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
        recordActivity()
        curl_easy_pause(easy, Int32(CURLPAUSE_CONT))
    }

    func result(_ code: CURLcode) -> Result<TransportResponse, any Error> {
        if let failure { return .failure(failure) }
        if code == CURLE_OK, decoder?.isComplete == false {
            // The body has its full length, but its gzip data is truncated.
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

    /// The earliest instant at which a time limit can have expired.
    var deadline: TransferClock.Instant { clock.deadline(at: SuspendingClock().now, paused: isPaused) }

    /// The error of an expired time limit; `nil` if none has expired.
    ///
    /// Sent bytes, and received bytes without decoded output, count as activity too, although no callback reports them.
    func expiry() -> TransportError? {
        guard let code = clock.expired(at: SuspendingClock().now, paused: isPaused) else { return nil }
        let wireBytes = offset(CURLINFO_SIZE_UPLOAD_T) + offset(CURLINFO_SIZE_DOWNLOAD_T)
        if code == .idleTimedOut, wireBytes != self.wireBytes {
            self.wireBytes = wireBytes
            recordActivity()
            return nil
        }
        return TransportError(expired: code, ticket, mayHaveReachedServer: hasConnection)
    }

    /// Whether a proxy has opened a tunnel to the server.
    private var isTunnelled: Bool {
        var status = 0
        return ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK && status / 100 == 2
    }

    private var version: HTTPVersion? {
        var value = 0
        guard ccurl_get_long(easy, CURLINFO_HTTP_VERSION, &value) == CURLE_OK, value > 0 else { return nil }
        return value >= Int(CURL_HTTP_VERSION_2_0) ? .http2 : .http1
    }

    /// The port of this machine, which identifies the connection.
    private var localPort: Int? {
        var value = 0
        guard ccurl_get_long(easy, CURLINFO_LOCAL_PORT, &value) == CURLE_OK, value > 0 else { return nil }
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: Int64 = 0
        return ccurl_get_offset(easy, info, &value) == CURLE_OK ? value : 0
    }

    func recordActivity() { clock.recordActivity(at: SuspendingClock().now) }
}

// libcurl's callbacks. Returning `false` ends the transfer with the error in `failure`.
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
        recordActivity()
        return true
    }

    func readHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        recordActivity()
        switch head.read(line) {
        case .more: return true
        case .complete: return beginBody()
        case .tooLarge:
            return fail(.headersTooLarge, "sent more than \(ResponseHeadReader.limit) bytes of header fields")
        case .malformed: return fail(.badResponse, "sent a header section that is not HTTP")
        }
    }

    private func beginBody() -> Bool {
        var response = TransportResponse(
            status: head.status, headers: head.fields, version: version, connection: localPort)
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
    enum PieceResult { case consumed, paused, ended }

    /// Prepares the decoder for the body's content coding, and removes the coding's header fields from the response.
    ///
    /// - Throws: ``TransportError`` if the coding isn't supported.
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

    /// Decodes received bytes and passes them to the sink in pieces. The sink may pause before each piece.
    ///
    /// After a pause libcurl passes all bytes of the paused piece again, possibly in other pieces. Bytes that were consumed
    /// before the pause are skipped.
    func readBody(_ bytes: UnsafeRawBufferPointer) -> PieceResult {
        recordActivity()
        let known = min(consumedBytes, bytes.count)
        consumedBytes -= known
        var rest = UnsafeRawBufferPointer(rebasing: bytes[known...])
        while !rest.isEmpty || decoder?.mayHaveMore == true {
            if let pausable, !pausable.canReceive(orCall: resume) {
                isPaused = true
                consumedBytes += bytes.count - rest.count
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
        return .consumed
    }

    /// The next piece for the sink; `nil` if more received bytes are needed.
    private func nextPiece(from rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        if let decoder { return try decoder.next(from: &rest) }
        defer { rest = UnsafeRawBufferPointer(start: nil, count: 0) }
        return rest.isEmpty ? nil : rest
    }

    /// Whether the body is a decompression bomb: over 16 MiB, and 100 times the received bytes. JSON compresses 5 to 30 times.
    private var isBomb: Bool {
        bodyBytes > 16 << 20 && bodyBytes / 100 > max(1, offset(CURLINFO_SIZE_DOWNLOAD_T))
    }
}
