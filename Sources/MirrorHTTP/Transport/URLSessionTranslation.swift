import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Between our terms and Foundation's.
extension URLRequest {
    init(_ request: TransportRequest, url: URL) {
        // Our own clock is exact, and doesn't differ between platforms.
        self.init(url: url, timeoutInterval: 2 * max(1, min(request.limits.whole / .seconds(1), 1e8)))
        httpMethod = request.method
        httpBody = request.body.map { Data($0) }
        for line in request.headers.lines { addValue(line.value, forHTTPHeaderField: line.name) }
        // Foundation decodes by itself, and takes what breaks off for whole.
        if request.headers["Accept-Encoding"] == nil {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
    }
}

extension TransportError {
    /// What `URLSession` reports, in our terms.
    init(_ error: any Error, authority: String) {
        guard let error = error as? URLError else {
            self.init(.connectionLost, "Lost the connection to \(authority).")
            return
        }
        #if canImport(FoundationNetworking)
            // Foundation on Linux says so of a reply that is not HTTP, and of none at all; the URL itself has
            // been judged before.
            let isNoHTTP = error.code == .unsupportedURL
            let isNoReply = error.code == .badServerResponse
        #else
            let isNoHTTP = error.code == .badServerResponse
            let isNoReply = false
        #endif
        if isNoHTTP || isNoReply {
            self.init(
                isNoHTTP ? .badResponse : .connectionLost, "Cannot understand the answer of \(authority).")
            return
        }
        switch error.code {
        case .unsupportedURL, .badURL:
            self.init(.unsupportedURL, "Cannot send a request to \(authority).", mayHaveReachedServer: false)
        case .cannotFindHost, .dnsLookupFailed:
            self.init(.cannotResolveHost, "Cannot find \(authority).", mayHaveReachedServer: false)
        case .cannotConnectToHost, .notConnectedToInternet, .secureConnectionFailed:
            self.init(.cannotConnect, "Cannot connect to \(authority).", mayHaveReachedServer: false)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot:
            self.init(.badCertificate, "Cannot trust \(authority).", mayHaveReachedServer: false)
        case .timedOut: self.init(.idleTimedOut, "\(authority) sent nothing in time.")
        case .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            self.init(.badResponse, "Cannot understand the answer of \(authority).")
        default: self.init(.connectionLost, "Lost the connection to \(authority).")
        }
    }
}
