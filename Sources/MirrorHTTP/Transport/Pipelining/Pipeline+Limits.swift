/// What ends requests before they are answered.
extension Pipeline {
    /// `false` if the ticket isn't here.
    func cancel(_ ticket: SendTicket) -> Bool {
        guard let index = places.firstIndex(where: { $0.ticket === ticket && !$0.isOver }) else {
            return false
        }
        finish(index, .failure(CancellationError()))
        if places.allSatisfy(\.isOver) { close() } else { passOver() }
        return true
    }

    /// Ends what has run out of time. With the first one the connection ends, too: nobody knows whether its answer still
    /// comes, or ends. Of one behind it only the caller is told, and its answer is passed over when it comes.
    ///
    /// - Returns: when it is worth asking again.
    func expire() -> TransferClock.Instant? {
        var next: TransferClock.Instant?
        var first: TransportError.Code?
        for (index, place) in places.enumerated() {
            // Whoever waits behind another isn't idle; and whoever gave up there waits for nothing.
            let isFirst = index == 0
            guard isFirst || !place.isOver else { continue }
            guard let code = place.clock.expired(at: time.now, paused: !isFirst) else {
                let deadline = place.clock.deadline(at: time.now, paused: !isFirst)
                next = min(next ?? deadline, deadline)
                continue
            }
            let wasSent = place.head.lowerBound < flushed
            finish(
                index,
                .failure(TransportError(expired: code, place.ticket, mayHaveReachedServer: wasSent)))
            if isFirst { first = code }
        }
        switch first {
        case .idleTimedOut: breakOff()
        case .some: close()
        case nil: break
        }
        return isClosed ? nil : next
    }

    func endAll() {
        for index in places.indices { finish(index, .failure(CancellationError())) }
        close()
    }
}
