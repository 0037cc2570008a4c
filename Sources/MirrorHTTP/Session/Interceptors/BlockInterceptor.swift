import Synchronization

/// A rule for answers that are no content: the host refuses requests for a while, or its service has ended.
public struct HostBlockRule: Sendable, Hashable {
    /// The answers that a rule is for.
    public enum Sign: Sendable, Hashable {
        /// Those with this status.
        case status(Int)
        /// Those with this media type, such as `text/html`; parameters and upper case don't matter.
        case mediaType(String)
        /// Those with a header field of this name.
        case header(String)
    }

    /// What an answer means.
    public enum Meaning: Sendable, Hashable {
        /// All requests to the host wait for this time.
        case wait(Duration)
        /// The service has ended permanently.
        case ended
    }

    /// The answers that the rule is for.
    public var sign: Sign
    /// What such an answer means.
    public var meaning: Meaning

    /// Creates a rule.
    public init(_ sign: Sign, _ meaning: Meaning) { (self.sign, self.meaning) = (sign, meaning) }

    func matches(status: Int, _ headers: HeaderFields) -> Bool {
        switch sign {
        case .status(let expected):
            return status == expected
        case .mediaType(let expected):
            let type = headers.firstValue(of: "Content-Type")?.prefix { $0 != ";" }
            return type.map { String($0).trimmed.lowercased() == expected.lowercased() } ?? false
        case .header(let name):
            return headers.has(name)
        }
    }

    /// The sign in a message.
    fileprivate var text: String {
        switch sign {
        case .status(let status): "status \(status)"
        case .mediaType(let type): "the media type \(type)"
        case .header(let name): "the header field \(name)"
        }
    }
}

/// Handles hosts that block requests, in answers that may look like content or like an absence, such as HTML with status 200.
///
/// - After an answer that matches a rule, all requests to the host wait as after a refusal (``ThrottleInterceptor``): for the
///   time of `Retry-After`, or else of the rule. Then the request is repeated.
/// - After ``limit`` blocks in a row, with no other answer in between, requests fail with code ``HTTPError/Code/blocked``: at
///   once during a further wait; after it, one request finds out whether the host still blocks.
/// - An address that is blocked again although the host answered others since is refused by itself. Its request fails with the
///   same code, and delays no others.
/// - After an answer of a service that has ended, the request fails with code ``HTTPError/Code/serviceEnded``.
///
/// Such an answer reaches neither the cache nor the caller, and its error has no status.
///
/// It must be placed after the throttle and the budget, and before ``RetryInterceptor``.
public final class BlockInterceptor: Interceptor {
    /// The rules; the first that matches an answer counts.
    public let rules: [HostBlockRule]
    /// The number of blocks in a row after which requests fail. Default 5.
    public let limit: Int

    private struct Host {
        /// The number of blocks so far. A request remembers the number at its sending, so that the answers of all requests that
        /// were in flight when a block began count as one block.
        var blocks = 0
        /// The number of blocks without another answer in between.
        var row = 0
        /// The number of blocks before the last other answer; -1 if there was none.
        var lastAnswered = -1
    }

    private struct State {
        var hosts: [Origin: Host] = [:]
        /// Blocked addresses, with their host's number of blocks afterwards, until they get another answer.
        var addresses: [String: Int] = [:]
    }

    private let throttle: ThrottleInterceptor
    private let state = Mutex(State())
    /// The maximum size of `addresses`. Further addresses aren't stored, so they always delay their host.
    private static let addressLimit = 10_000

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - rules: In the order in which they are tried.
    ///   - throttle: The throttle before this interceptor, which delays requests to the host.
    ///   - limit: The number of blocks in a row after which requests fail. Default 5.
    public init(rules: [HostBlockRule], throttle: ThrottleInterceptor, limit: Int = 5) {
        self.rules = rules
        self.throttle = throttle
        self.limit = limit
    }

    /// Whether no rule matches.
    public func isContent(_ response: TransportResponse) -> Bool {
        !rules.contains { $0.matches(status: response.status, response.headers) }
    }

    /// Remembers when the request was sent.
    public func willSend(_ attempt: inout Attempt) async throws {
        attempt.memory = state.withLock { $0.hosts[attempt.origin]?.blocks ?? 0 }
    }

    /// Delays the host's requests after a block, and repeats this one if the limits allow it.
    public func didReceive(_ outcome: Outcome, for attempt: inout Attempt) async throws -> Decision {
        guard case .success(let response) = outcome else { return .proceed }
        let rule = rules.first { rule in
            rule.matches(status: response.status, response.headers)
                && (attempt.mayEndService || rule.meaning != .ended)
        }
        guard let rule else {
            answered(attempt)
            return .proceed
        }
        guard case .wait(let pause) = rule.meaning else { throw Self.ended(rule, attempt) }
        let requested = RetryAfter.wait(response.headers, now: attempt.clock.now())
            .flatMap { $0 > .zero ? $0 : nil }
        let isHeld = attempt.keepsRetryAfter && requested != nil
        let wait = requested.map { isHeld ? $0 : min($0, throttle.longest) } ?? pause
        let error = Self.blocked(rule, attempt, wait: requested ?? wait)
        guard attempt.mayWait, let row = blocked(attempt) else { throw error }
        let isOver = row >= limit
        throttle.delay(
            attempt.origin, by: wait, requested: requested, at: attempt.clock.elapsed(),
            block: ThrottleInterceptor.Block(error: error, failsRequests: isOver))
        guard isHeld || attempt.admits(wait) else { throw error }
        guard !isHeld || attempt.admitsHold(wait) else { throw attempt.waitTooLong(wait) }
        guard !isOver, attempt.isIdempotent, attempt.repeats < limit else { throw error }
        return .repeat(after: .zero)
    }

    /// Records an answer that isn't a block. One that was requested before the last block says nothing about its end.
    private func answered(_ attempt: Attempt) {
        state.withLock { state in
            if !state.addresses.isEmpty { state.addresses[attempt.address.text] = nil }
            guard var host = state.hosts[attempt.origin], host.blocks == attempt.memory else { return }
            host.lastAnswered = attempt.memory
            host.row = 0
            state.hosts[attempt.origin] = host
        }
    }

    /// Records a block.
    ///
    /// - Returns: The number of the host's blocks in a row; `nil` if only this address is refused.
    private func blocked(_ attempt: Attempt) -> Int? {
        state.withLock { state in
            var host = state.hosts[attempt.origin] ?? Host()
            let key = attempt.address.text
            if let earlier = state.addresses[key], host.lastAnswered >= earlier { return nil }
            if host.blocks == attempt.memory {
                host.blocks += 1
                host.row += 1
            }
            if state.addresses[key] != nil || state.addresses.count < Self.addressLimit {
                state.addresses[key] = host.blocks
            }
            state.hosts[attempt.origin] = host
            return host.row
        }
    }

    private static func blocked(_ rule: HostBlockRule, _ attempt: Attempt, wait: Duration) -> HTTPError {
        HTTPError(
            .blocked,
            "\(attempt.origin.display) blocks requests: it answered \(attempt.address.display) with \(rule.text), which is no content. Try again later, or with fewer requests a second.",
            retryAfter: wait)
    }

    private static func ended(_ rule: HostBlockRule, _ attempt: Attempt) -> HTTPError {
        HTTPError(
            .serviceEnded,
            "The service at \(attempt.origin.display) has ended: it answered \(attempt.address.display) with \(rule.text). Ask its owner for a new address."
        )
    }
}
