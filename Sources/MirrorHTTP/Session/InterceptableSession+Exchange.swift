import Foundation

/// What came of one hop: an answer that no interceptor wanted repeated.
struct Received: Sendable {
    var status: Int
    var headers: HeaderFields
    var body: [UInt8]
    var receivedBytes: Int
    /// When the answered attempt was sent, and when its answer was whole; seconds since 1970.
    var requestTime: Double
    var responseTime: Double
}

extension InterceptableSession {
    /// Turns a request into its first hop.
    func firstHop(_ request: Request) throws -> Hop {
        var headers = request.headers
        if !headers.has("User-Agent") { headers.append("User-Agent", configuration.userAgent) }
        if request.body != nil, let type = request.contentType { headers["Content-Type"] = type }
        let address = try address(of: request.target)
        if address.origin != origin {
            for name in Redirect.credentialNames { headers[name] = nil }
        }
        guard Self.isToken(request.method), headers.lines.allSatisfy({ Self.isField($0.name, $0.value) })
        else {
            throw HTTPError(
                .invalidRequest,
                "A request for \(address.display) has a method or header field that HTTP doesn't allow.")
        }
        return Hop(
            method: request.method, address: address, headers: headers, body: request.body,
            isIdempotent: request.isIdempotent)
    }

    /// Sends one hop through the interceptors until none wants it repeated.
    ///
    /// - Parameters:
    ///   - destination: For 2xx bodies that aren't wanted in memory.
    ///   - skipped: The interceptor on whose behalf this is sent, if one is.
    /// - Throws: ``HTTPError``, `CancellationError`, or what an interceptor or the destination threw.
    func exchange(
        _ hop: Hop, for request: Request, destination: (any BodyDestination)? = nil,
        skipping skipped: Int? = nil
    ) async throws -> Received {
        var notes = [InterceptorNote](repeating: InterceptorNote(), count: interceptors.count)
        var patience = request.mayWait ? configuration.longestWait : .zero
        var number = 1
        while true {
            try Task.checkCancellation()
            var attempt = attempt(
                for: hop, request: request, number: number, patience: patience, aside: skipped)
            for index in interceptors.indices where index != skipped {
                attempt.turn(to: index, notes[index])
                try await interceptors[index].willSend(&attempt)
                notes[index].memory = attempt.memory
            }
            let sink: (any BodySink)? = try destination?.prepare(&attempt.request)
            let sent = configuration.clock.now().timeIntervalSince1970
            let transfer = try await transfer(attempt.request, kind: request.kind, into: sink)
            var wait: Duration?
            for index in interceptors.indices where index != skipped {
                attempt.turn(to: index, notes[index])
                let decision = try await interceptors[index].didReceive(transfer.outcome, for: &attempt)
                notes[index].memory = attempt.memory
                if decision == .settle { break }
                guard case .repeat(let after) = decision, attempt.admits(after) else { continue }
                notes[index].repeats += 1
                wait = after
                break
            }
            guard let wait else { return try settle(transfer, sent: sent, at: hop.address) }
            counter.count { $0.retried += 1 }
            try await attempt.pause(for: wait)
            patience = attempt.patience
            number += 1
        }
    }

    private func attempt(
        for hop: Hop, request: Request, number: Int, patience: Duration, aside skipped: Int?
    ) -> Attempt {
        Attempt(
            request: TransportRequest(
                method: hop.method, url: hop.address.text, headers: hop.headers, body: hop.body,
                limits: request.limits ?? configuration.limits),
            address: hop.address, isIdempotent: hop.isIdempotent, mayWait: request.mayWait, number: number,
            patience: patience, session: self, isAside: skipped != nil)
    }

    /// One transfer, counted.
    private func transfer(
        _ request: TransportRequest, kind: Request.Kind, into destination: (any BodySink)?
    ) async throws -> Transfer {
        let sink = AttemptSink(destination: destination)
        counter.count { $0.sent += 1 }
        do {
            let head = try await transport.send(request, into: sink)
            let state = sink.take()
            // What the sink took was decoded, and may be many times as much.
            let bytes = head.receivedBytes > 0 ? head.receivedBytes : state.received
            counter.count {
                $0.received(bytes, as: kind)
                if head.status == 304 { $0.notModified += 1 }
            }
            return Transfer(
                outcome: .response(status: head.status, headers: head.headers, body: state.body),
                receivedBytes: bytes)
        } catch is CancellationError {
            count(sink.take(), as: kind)
            throw CancellationError()
        } catch {
            let state = sink.take()
            count(state, as: kind)
            // The sink ended it on purpose: what it has is the answer.
            if state.isAbandoned, let head = state.head {
                return Transfer(
                    outcome: .response(status: head.status, headers: head.headers, body: state.body),
                    receivedBytes: state.received)
            }
            try Task.checkCancellation()
            return Transfer(outcome: .failure(error), receivedBytes: state.received)
        }
    }

    private func count(_ state: AttemptSink.State, as kind: Request.Kind) {
        let bytes = max(state.received, state.head?.receivedBytes ?? 0)
        counter.count { $0.received(bytes, as: kind) }
    }

    private func settle(_ transfer: Transfer, sent: Double, at address: WebAddress) throws -> Received {
        switch transfer.outcome {
        case .response(let status, let headers, let body):
            return Received(
                status: status, headers: headers, body: body, receivedBytes: transfer.receivedBytes,
                requestTime: sent, responseTime: configuration.clock.now().timeIntervalSince1970)
        case .failure(let error as TransportError):
            throw HTTPError.from(error, at: address)
        case .failure(let error):
            throw error
        }
    }

    private struct Transfer {
        let outcome: Outcome
        let receivedBytes: Int
    }

    private static let token = URLBytes.Allowed(
        "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~")

    private static func isToken(_ text: String) -> Bool { !text.isEmpty && token.containsAll(of: text) }

    private static func isField(_ name: String, _ value: String) -> Bool {
        var value = value
        return isToken(name)
            && value.withUTF8 { bytes in
                for byte in bytes where byte != 9 && (byte < 0x20 || byte == 0x7F) { return false }
                return true
            }
    }
}
