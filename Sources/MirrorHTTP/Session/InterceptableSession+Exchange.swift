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
        if headers["User-Agent"] == nil { headers["User-Agent"] = configuration.userAgent }
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
        var ledger = [(repeats: Int, memory: Int)](repeating: (0, 0), count: interceptors.count)
        var patience = configuration.longestWait
        var number = 1
        while true {
            try Task.checkCancellation()
            var attempt = attempt(
                for: hop, request: request, number: number, patience: patience, aside: skipped)
            for index in interceptors.indices where index != skipped {
                let interceptor = interceptors[index]
                try await consult(index, &attempt, &ledger) { try await interceptor.willSend(&$0) }
            }
            let sink: (any BodySink)? = try destination?.prepare(&attempt.request)
            let sent = configuration.clock.now().timeIntervalSince1970
            let transfer = try await transfer(attempt.request, kind: request.kind, into: sink)
            var wait: Duration?
            for index in interceptors.indices where index != skipped {
                let interceptor = interceptors[index]
                let decision = try await consult(index, &attempt, &ledger) {
                    try await interceptor.didReceive(transfer.outcome, for: &$0)
                }
                guard case .repeat(let after) = decision, after <= attempt.patience else { continue }
                ledger[index].repeats += 1
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

    /// Shows the attempt to one interceptor, with that one's own counts.
    private func consult<Result>(
        _ index: Int, _ attempt: inout Attempt, _ ledger: inout [(repeats: Int, memory: Int)],
        _ ask: (inout Attempt) async throws -> Result
    ) async throws -> Result {
        attempt.repeats = ledger[index].repeats
        attempt.memory = ledger[index].memory
        attempt.index = index
        defer { ledger[index].memory = attempt.memory }
        return try await ask(&attempt)
    }

    private func attempt(
        for hop: Hop, request: Request, number: Int, patience: Duration, aside skipped: Int?
    ) -> Attempt {
        Attempt(
            request: TransportRequest(
                method: hop.method, url: hop.address.text, headers: hop.headers, body: hop.body,
                limits: request.limits ?? configuration.limits),
            isToOrigin: hop.address.origin == origin, origin: hop.address.origin,
            isIdempotent: hop.isIdempotent,
            number: number, clock: configuration.clock, random: configuration.random, patience: patience,
            session: skipped == nil ? self : nil)
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
            let bytes = max(head.receivedBytes, state.received)
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

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isField(_ name: String, _ value: String) -> Bool {
        isToken(name) && value.utf8.allSatisfy { $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}
