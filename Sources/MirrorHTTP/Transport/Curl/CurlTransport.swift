import CCurl
import Foundation

/// Moves bytes with libcurl, the library that Foundation's own networking uses on Linux.
///
/// Every transfer runs on one thread of the transport's own, over libcurl's multi interface: callers post to an
/// inbox (``CurlInbox``), the loop (``CurlLoop``) keeps as many transfers going as the limits allow and queues the
/// rest (``TransferQueue``), each a ``CurlExchange``. Connections are kept and used again; HTTP/2 is spoken over TLS where
/// the server does. The thread starts with the first request.
///
/// A sink is called on that thread: while it works, no other transfer moves. One that may have to wait for long
/// should be a ``PausableSink``.
///
/// If the server has closed a kept connection, libcurl repeats an idempotent request by itself on a new one, as
/// long as no byte of an answer came (up to five times). Requests with other methods always get a new connection,
/// so that they are never repeated. A proxy is taken from the environment (`https_proxy`, `no_proxy` and so on),
/// except for loopback. Cookies, `.netrc` and HTTP authentication are off.
public final class CurlTransport: Transport {
    public struct Configuration: Sendable {
        /// Transfers at a time to one scheme, host and port; more wait their turn. Default 16.
        public var maxConnectionsPerHost: Int
        /// Transfers at a time altogether. Default 64.
        public var maxConnections: Int
        /// Asked for each request, with its URL and the numeric address that the connection leads to, before a
        /// byte of the request is sent; `false` fails with ``TransportError/Code/cannotConnect``. Called on the
        /// transport's thread; behind a proxy the address is the proxy's. Default: every address is permitted.
        public var permitsAddress: (@Sendable (_ url: String, _ address: String) -> Bool)?
        /// The authorities that servers' and proxies' certificates are checked against. Default: what
        /// `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and `SSL_CERT_DIR` name, else the system's.
        public var authorities: CertificateAuthorities
        /// Which hosts may be requested at all. Default: every one.
        public var addresses: AddressPolicy

        public init(
            maxConnectionsPerHost: Int = 16, maxConnections: Int = 64, addresses: AddressPolicy = .all,
            authorities: CertificateAuthorities = .named(in: ProcessInfo.processInfo.environment),
            permitsAddress: (@Sendable (_ url: String, _ address: String) -> Bool)? = nil
        ) {
            self.addresses = addresses
            self.authorities = authorities
            self.maxConnectionsPerHost = max(1, maxConnectionsPerHost)
            self.maxConnections = max(1, maxConnections)
            self.permitsAddress = permitsAddress
        }
    }

    private let inbox: CurlInbox
    private let addresses: AddressPolicy

    public init(_ configuration: Configuration = Configuration()) {
        inbox = CurlInbox(configuration)
        addresses = configuration.addresses
    }

    /// Ends the thread without waiting for it.
    deinit { inbox.stop() }

    /// Sends a request; see ``Transport/send(_:into:)``.
    ///
    /// However many are sent at once, each waits for its turn; no limit of time runs meanwhile.
    public func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        try Task.checkCancellation()
        let ticket = try SendTicket(request, into: sink, addresses)
        return try await ticket.send { [inbox] ticket in
            if !inbox.post(.send(ticket)) { ticket.finish(.failure(Self.wasShutDown)) }
        } end: { [inbox] ticket in
            inbox.post(.cancel(ticket))
        }
    }

    /// Ends every transfer with `CancellationError`, closes the connections and waits for the thread's end.
    ///
    /// A program that calls `exit` right after its last request should await this before: there OpenSSL gives back what the
    /// thread may still use.
    ///
    /// Later sends fail with ``TransportError/Code/cannotConnect``. Idempotent.
    public func shutdown() async {
        inbox.stop()
        await inbox.ended()
    }

    private static let wasShutDown = TransportError(
        .cannotConnect, "The transport was shut down.", mayHaveReachedServer: false)

    static let outOfMemory = TransportError(
        .cannotConnect,
        "libcurl could not be set up; the memory, or the descriptors of the process, may be exhausted.",
        mayHaveReachedServer: false)

    /// Begins to initialise libcurl, beside what the caller does until its first request; returns at once. Idempotent, and not
    /// needed: the first request of a process does it.
    package static func prepare() {
        DispatchQueue.global().async { _ = isLibraryReady }
    }

    /// libcurl must be initialised once in a process before its first use.
    static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}

/// The certificate authorities that ``CurlTransport`` trusts where they are not libcurl's own choice: in files of
/// certificates in PEM form.
public struct CertificateAuthorities: Sendable, Hashable {
    /// In place of the system's file; `nil` for that one.
    public var file: String?
    /// A folder that `openssl rehash` has prepared, in place of the system's; `nil` for that one.
    public var folder: String?

    public init(file: String? = nil, folder: String? = nil) {
        self.file = file
        self.folder = folder
    }

    /// The variables that ``named(in:)`` reads.
    public static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"]

    /// As the command `curl` reads the environment: `CURL_CA_BUNDLE` alone, else `SSL_CERT_FILE` and `SSL_CERT_DIR`. An
    /// empty variable counts as none.
    public static func named(in environment: [String: String]) -> CertificateAuthorities {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let bundle = value("CURL_CA_BUNDLE") { return CertificateAuthorities(file: bundle) }
        return CertificateAuthorities(file: value("SSL_CERT_FILE"), folder: value("SSL_CERT_DIR"))
    }

    /// Where they are, with the variables that name them, for a message: `/a.pem (SSL_CERT_FILE)`.
    func place(in environment: [String: String]) -> String {
        let places = [file, folder].compactMap(\.self).map { path in
            let variable = Self.variables.first { environment[$0] == path }
            return path + (variable.map { " (\($0))" } ?? "")
        }
        return places.isEmpty ? "the system's place" : places.joined(separator: " and ")
    }
}
