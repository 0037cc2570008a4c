import CCurl

extension CurlExchange {
    enum PieceAnswer { case taken, paused, ended }

    /// Prepares for the coding that the head names; the sink is not told of a coding that is decoded.
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
