import CCurl

/// How far one transfer's body has come, and what decodes it.
struct CurlBody {
    /// Bytes that were handed to the sink.
    var bytes = 0
    var pausable: (any PausableSink)?
    /// Bytes of what libcurl offers again, after a pause, that were taken before it.
    var ahead = 0
    private var isCoded = false
    /// Kept for the next body that is coded.
    private var spare: GzipDecoder?

    /// `nil` for a body that comes as it is.
    var decoder: GzipDecoder? { isCoded ? spare : nil }

    /// Whether a body that ends here is whole, as far as its coding tells.
    var isComplete: Bool { decoder?.isComplete ?? true }

    mutating func reset() {
        (bytes, pausable, ahead, isCoded) = (0, nil, 0, false)
    }

    /// Looks at the head, and makes what the sink is given of it.
    ///
    /// - Throws: ``TransportError`` for a body that can't be decoded.
    mutating func begin(_ head: ResponseHeadReader, for ticket: SendTicket) throws -> TransportResponse {
        pausable = ticket.sink.pausing
        let raw = TransportResponse(status: head.status, headers: head.fields)
        guard ticket.decodesContent else { return raw }
        switch BodyCoding(head.fields) {
        case .none: return raw
        case .unknown(let name):
            if raw.mayHaveBody(method: ticket.request.method) {
                throw TransportError(unknownCoding: name, ticket)
            }
            return raw
        case .gzip:
            isCoded = true
            do throws(GzipDecoder.Failure) {
                if let spare { spare.startOver() } else { spare = try GzipDecoder() }
            } catch { throw TransportError(error, ticket) }
            return TransportResponse(status: head.status, headers: head.fields, isDecoded: true)
        }
    }

    /// The next piece for the sink, `nil` if there is none without more of the wire's bytes.
    func next(from rest: inout UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        if let decoder { return try decoder.next(from: &rest) }
        defer { rest = UnsafeRawBufferPointer(start: nil, count: 0) }
        return rest.isEmpty ? nil : rest
    }
}

extension CurlExchange {
    enum PieceAnswer { case taken, paused, ended }

    /// Hands what comes to the sink, decoded: in pieces, before each of which the sink may ask for a pause.
    ///
    /// Behind a pause libcurl offers all bytes again from the first of the piece that was paused in, perhaps cut
    /// differently; those that the decoder has taken are passed over.
    func readBody(_ bytes: UnsafeRawBufferPointer) -> PieceAnswer {
        guard let ticket else { return .ended }
        clock.moved(at: time.now)
        let known = min(body.ahead, bytes.count)
        body.ahead -= known
        var rest = UnsafeRawBufferPointer(rebasing: bytes[known...])
        while !rest.isEmpty || body.decoder?.mayHaveMore == true {
            if let pausable = body.pausable, !pausable.canReceive(orCall: { [resume] in resume(ticket) }) {
                isPaused = true
                body.ahead += bytes.count - rest.count
                return .paused
            }
            do {
                guard let piece = try body.next(from: &rest) else { break }
                body.bytes += piece.count
                guard body.bytes <= ticket.request.limits.body, !isBomb else {
                    return bodyTooLarge() ? .taken : .ended
                }
                try ticket.sink.receive(piece)
            } catch let error as GzipDecoder.Failure {
                failure = TransportError(error, ticket)
                return .ended
            } catch {
                failure = error
                return .ended
            }
        }
        return .taken
    }

    /// Whether a few bytes have become a great many: no catalogue is as dull as that. JSON is compressed 5 to 30 times.
    private var isBomb: Bool {
        body.bytes > 16 << 20 && body.bytes / 100 > max(1, offset(CURLINFO_SIZE_DOWNLOAD_T))
    }
}
