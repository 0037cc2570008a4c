import CCurl
import Foundation

/// A transport over libcurl, the library that Foundation's networking uses on Linux.
///
/// All transfers run on one thread of the transport, over libcurl's multi interface. Callers post messages to an inbox
/// (``CurlInbox``). The loop (``CurlLoop``) runs as many transfers (``CurlExchange``) as the limits allow, and queues the
/// others (``TransferQueue``). Connections are reused. HTTP/2 is used over TLS if the server supports it. The thread starts
/// with the first request.
///
/// Sinks are called on that thread, so a slow sink delays all transfers. A sink that may wait for a long time should be a
/// ``PausableSink``.
///
/// - If the server has closed a reused connection before the first byte of a response, libcurl repeats an idempotent request
///   on a new connection, up to five times. Other requests always get a new connection, so that they are never repeated.
/// - The proxy is taken from the environment (`https_proxy`, `no_proxy` and others), except for loopback addresses.
/// - Cookies, `.netrc` and HTTP authentication are off.
public final class CurlTransport: Transport {
    /// The settings of a ``CurlTransport``.
    public struct Configuration: Sendable {
        /// The maximum number of simultaneous requests to one scheme, host and port; others are queued. Default 128.
        public var maxRequestsPerHost: Int
        /// The maximum number of connections to one scheme, host and port. With HTTP/2, many requests share one. Default 16.
        public var maxConnectionsPerHost: Int
        /// The maximum number of simultaneous requests. Default 256.
        public var maxRequests: Int
        /// Called before a request is sent, with its URL and the numeric address of the connection.
        ///
        /// If it returns `false`, the request fails with ``TransportError/Code/cannotConnect``. It is called on the
        /// transport's thread. Behind a proxy the address is the proxy's. Default: every address is permitted.
        public var permitsAddress: (@Sendable (_ url: String, _ address: String) -> Bool)?
        /// The certificate authorities for servers and proxies.
        ///
        /// Default: those of `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and `SSL_CERT_DIR`, otherwise the system's.
        public var authorities: CertificateAuthorities
        /// The hosts that may be requested. Default: all.
        public var addresses: AddressPolicy

        /// Creates settings. Numbers below 1 count as 1.
        public init(
            maxRequestsPerHost: Int = 128, maxConnectionsPerHost: Int = 16, maxRequests: Int = 256,
            addresses: AddressPolicy = .all,
            authorities: CertificateAuthorities = .named(in: ProcessInfo.processInfo.environment),
            permitsAddress: (@Sendable (_ url: String, _ address: String) -> Bool)? = nil
        ) {
            self.addresses = addresses
            self.authorities = authorities
            self.maxRequestsPerHost = max(1, maxRequestsPerHost)
            self.maxConnectionsPerHost = max(1, maxConnectionsPerHost)
            self.maxRequests = max(1, maxRequests)
            self.permitsAddress = permitsAddress
        }
    }

    private let inbox: CurlInbox
    private let addresses: AddressPolicy

    /// Creates a transport; its thread starts with the first request.
    public init(_ configuration: Configuration = Configuration()) {
        inbox = CurlInbox(configuration)
        addresses = configuration.addresses
    }

    /// Ends the thread without waiting for it.
    deinit { inbox.stop() }

    /// Sends a request; see ``Transport/send(_:into:)``.
    ///
    /// Requests beyond the limits are queued. Time limits don't apply in the queue.
    public func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        try Task.checkCancellation()
        let ticket = try SendTicket(request, into: sink, addresses)
        return try await ticket.send { [inbox] ticket in
            if !inbox.post(.send(ticket)) { ticket.finish(.failure(Self.shutDownError)) }
        } end: { [inbox] ticket in
            inbox.post(.cancel(ticket))
        }
    }

    /// Ends all transfers with `CancellationError`, closes the connections and waits for the thread to end. Idempotent.
    ///
    /// A program that calls `exit` right after its last request should await this first: during `exit` OpenSSL frees memory
    /// that the thread may still use.
    ///
    /// Later sends fail with ``TransportError/Code/cannotConnect``.
    public func shutdown() async {
        inbox.stop()
        await inbox.waitUntilEnded()
    }

    private static let shutDownError = TransportError(
        .cannotConnect, "The transport was shut down.", mayHaveReachedServer: false)

    static let outOfMemory = TransportError(
        .cannotConnect,
        "libcurl could not be initialised; the process may have run out of memory or file descriptors.",
        mayHaveReachedServer: false)

    /// Initialises libcurl in the background, and returns at once. Idempotent.
    ///
    /// It is optional: otherwise the first request of a process initialises libcurl.
    package static func prepare() {
        DispatchQueue.global().async { _ = isLibraryReady }
    }

    /// libcurl must be initialised once in a process before its first use.
    static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}

/// The certificate authorities that ``CurlTransport`` trusts, in PEM format.
public struct CertificateAuthorities: Sendable, Hashable {
    /// The path of a file that replaces the system's; `nil` for the system's.
    public var file: String?
    /// The path of a folder that replaces the system's, prepared with `openssl rehash`; `nil` for the system's.
    public var folder: String?

    /// Creates authorities. Default: the system's.
    public init(file: String? = nil, folder: String? = nil) {
        self.file = file
        self.folder = folder
    }

    /// The environment variables that ``named(in:)`` reads.
    public static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"]

    /// The authorities set in the environment, by the rules of the command `curl`.
    ///
    /// If `CURL_CA_BUNDLE` is set, only it counts; otherwise `SSL_CERT_FILE` and `SSL_CERT_DIR`. Empty variables are ignored.
    public static func named(in environment: [String: String]) -> CertificateAuthorities {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let bundle = value("CURL_CA_BUNDLE") { return CertificateAuthorities(file: bundle) }
        return CertificateAuthorities(file: value("SSL_CERT_FILE"), folder: value("SSL_CERT_DIR"))
    }

    /// The paths and the variables that contain them, for a message: `/a.pem (SSL_CERT_FILE)`.
    func place(in environment: [String: String]) -> String {
        let places = [file, folder].compactMap(\.self).map { path in
            let variable = Self.variables.first { environment[$0] == path }
            return path + (variable.map { " (\($0))" } ?? "")
        }
        return places.isEmpty ? "the system's certificate authorities" : places.joined(separator: " and ")
    }
}
