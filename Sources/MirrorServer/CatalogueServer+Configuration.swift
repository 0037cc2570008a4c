import MirrorDemo

extension CatalogueServer {
    /// Makes a JPEG of what a picture is drawn from; see ``MirrorDemo/Picture/jpeg(id:format:aspectRatio:)``.
    package typealias PictureDrawing =
        @Sendable (_ image: String, _ format: String, _ aspectRatio: Double?) -> [UInt8]

    /// What a server may offer beyond part 1 of the API.
    public enum Extension: String, Sendable, CaseIterable {
        /// Lists with the ETags of their objects.
        case validators
        /// What changed since a date.
        case since
        /// What happens, as it happens.
        case events
        /// Whether the server is well.
        case status
        /// Everything in one answer.
        case snapshot
        /// A trie of hashes, by which a mirror proves that it holds the same.
        case digest
    }

    /// Where a server listens, and who may access it.
    public struct Configuration: Sendable {
        /// The address or name to listen on; the default, `127.0.0.1`, is reached from this machine only.
        public var host: String
        /// The port; 0, the default, takes a free one.
        public var port: Int
        /// What the header `X-Access-Token` has to hold; `nil`, the default, for none.
        public var token: String?
        /// Who may log in at `_session`; nobody by default.
        public var users: [ServedUser]
        /// What is announced beyond part 1 of the API; everything that there is by default.
        public var extensions: [Extension]
        /// How far back feeds of events go; 100 days by default. A client whose last event is older has to fetch everything
        /// again.
        public var eventRetention: Duration
        /// Called with errors on the server's side, from any thread; clients only see a status.
        public var onProblem: @Sendable (any Error) -> Void
        /// Draws what a catalogue has only an address of.
        package var draw: PictureDrawing = { Picture.jpeg(id: $0, format: $1, aspectRatio: $2) }
        /// How many connections may be open at a time; `nil`, the default, for as many as the process may have open files for,
        /// and no more than 4,096. One beyond that takes the place of the one that has been idle longest.
        package var connectionLimit: Int?

        public init(
            host: String = "127.0.0.1", port: Int = 0, token: String? = nil, users: [ServedUser] = [],
            extensions: [Extension] = Extension.allCases, eventRetention: Duration = .seconds(100 * 86_400),
            onProblem: @escaping @Sendable (any Error) -> Void = { _ in }
        ) {
            self.host = host
            self.port = port
            self.token = token
            self.users = users
            self.extensions = extensions
            self.eventRetention = eventRetention
            self.onProblem = onProblem
        }

        /// - Throws: ``ServerError``: `invalidAccess`, or `accessOpen` if others than this machine could ask without
        ///   a token or login.
        func validate() throws {
            if let token, token.isEmpty || !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                throw ServerError(
                    .invalidAccess,
                    "The access token is empty, or has spaces or other characters that a header can't carry. Make another one."
                )
            }
            guard Self.isLoopback(host) || token != nil || !users.isEmpty else {
                throw ServerError(
                    .accessOpen,
                    "Others could read the mirrors at this address. Give a token (--token-file) or users (--users-file), or listen on 127.0.0.1."
                )
            }
            guard (0...65535).contains(port) else {
                throw ServerError(.cannotListen, "A port is a number from 0 to 65535.")
            }
        }

        static func isLoopback(_ host: String) -> Bool {
            if host == "::1" || host.lowercased() == "localhost" { return true }
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        }
    }
}

/// Why the server could not be started, in one sentence that says what to do.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// It was to listen beyond this machine without asking for a token or login.
        case accessOpen
        /// A token or list of users can't be used.
        case invalidAccess
        /// The address or port can't be listened on.
        case cannotListen
        /// The built-in catalogue could not be prepared.
        case demo
    }

    public let code: Code
    public let message: String
    /// What the system said, for a log.
    public let cause: String?

    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
