/// Whether repeating is worth it is a property of the failure, not of who met it.
package enum RetryWorth {
    /// Statuses that say "not now" rather than "no".
    package static func isWorthRetry(status: Int) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        default: false
        }
    }
}

extension TransportError {
    /// Whether the same exchange may well succeed a moment later.
    public var isWorthRetry: Bool {
        switch code {
        case .cannotConnect, .connectTimedOut, .idleTimedOut, .timedOut, .connectionLost, .truncatedBody,
            .brokenCoding, .cannotConnectByProxy:
            true
        case .unsupportedURL, .cannotResolveHost, .badCertificate, .bodyTooLarge, .headersTooLarge,
            .badResponse, .unknownCoding, .untrustedProxy, .unreadableAuthorities:
            false
        }
    }

    /// Whether time ran out: such a failure has already cost the server and us the most.
    package var isTimeout: Bool {
        switch code {
        case .connectTimedOut, .idleTimedOut, .timedOut: true
        default: false
        }
    }
}
