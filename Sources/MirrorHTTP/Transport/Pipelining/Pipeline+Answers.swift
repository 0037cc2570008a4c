import CCurl

extension Pipeline {
    /// Of a body that nobody wants any more, so many bytes are read to keep the connection.
    private static let worthReading = 256 << 10

    func read(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty, !isClosed {
            // What comes before it was asked for is nobody's answer.
            guard let place = places.first, place.head.upperBound <= flushed else { return breakOff() }
            switch answer.read(&rest) {
            case .more: return
            case .head(let response):
                if place.isOver { passOver() } else { begin(response, place.ticket) }
            case .body(let piece):
                if !place.isOver { take(piece, place.ticket) }
            case .endless: return hasAnswered ? close() : breakOff()
            case .unfit: return breakOff()
            }
            if answer.isWhole { complete() }
        }
    }

    private func begin(_ response: TransportResponse, _ ticket: SendTicket) {
        do {
            try ticket.sink.begin(response)
        } catch {
            return drop(error)
        }
        let limit = ticket.request.limits.body
        guard answer.left > limit else { return }
        drop(
            TransportError(
                .bodyTooLarge, "\(ticket.target.authority) sent a body of more than \(limit) bytes."))
    }

    private func take(_ piece: UnsafeRawBufferPointer, _ ticket: SendTicket) {
        do {
            try ticket.sink.receive(piece)
        } catch {
            drop(error)
        }
    }

    /// The first one's answer isn't wanted any more.
    private func drop(_ error: any Error) {
        finish(0, .failure(error))
        passOver()
    }

    /// Ends the connection if what is left of an answer that nobody wants is more than it is worth.
    func passOver() {
        guard let first = places.first, first.isOver, answer.response != nil, answer.left > Self.worthReading
        else { return }
        close()
    }

    private func complete() {
        guard !isClosed, let response = answer.response else { return }
        finish(0, .success(response))
        let isLast = answer.isLast
        places.removeFirst()
        answer = PipelinedAnswer()
        hasAnswered = true
        // The server said so: what waits behind goes by itself, and the next may share a connection again.
        if isLast { close() }
    }

    /// The other side has ended it. It may be another server that is there next, and it is to make its own offer.
    func end(_ code: CURLcode) {
        if !places.isEmpty, answer.response != nil { finish(0, .failure(interruption(code))) }
        breakOff()
    }

    /// What the first one's caller is told whose answer had begun.
    func interruption(_ code: CURLcode) -> TransportError {
        CurlFailure(
            code: code, authority: places[0].ticket.target.authority, detail: "", requestBegan: true,
            headComplete: true, headBytes: answer.headBytes
        ).error
    }
}
