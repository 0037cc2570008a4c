import Foundation
import MirrorDemo

extension CatalogueServer {
    /// Draws a picture as a JPEG; see ``MirrorDemo/Picture/jpeg(id:format:aspectRatio:)``.
    package typealias PictureDrawing =
        @Sendable (_ image: String, _ format: String, _ aspectRatio: Double?) -> [UInt8]

    /// An extension of the Partner API. Raw values are the names that the server announces.
    public enum Extension: String, Sendable, CaseIterable {
        /// Lists with the ETags of their objects.
        case validators
        /// The objects that changed since a date.
        case since
        /// Feeds of changes.
        case events
        /// The state of the server.
        case status
        /// The complete catalogue in one answer.
        case snapshot
        /// A trie of hashes, by which a mirror can verify that its contents equal the server's.
        case digest
    }

    /// A server's address, access rules and limits.
    public struct Configuration: Sendable {
        /// The address or name to listen on. Default: `127.0.0.1`, which accepts only clients on this machine.
        public var host: String
        /// The port. Default: 0, which chooses a free port.
        public var port: Int
        /// The access token, which clients send in the header `X-Access-Token`. Default: `nil`, no token.
        public var token: String?
        /// The users who may log in at `_session`. Default: none.
        public var users: [ServedUser]
        /// The extensions to announce. Default: all.
        public var extensions: [Extension]
        /// The age up to which feeds contain events. Default: 100 days.
        ///
        /// A client whose cursor is older has to fetch everything again.
        public var eventRetention: Duration
        /// Whether pages show what only the partner's own people should see, such as prices. Default: `false`.
        ///
        /// The Partner API always has everything: it is for mirrors.
        public var isStaff: Bool
        /// The address under which browsers reach the server, if it isn't the one that it listens on: `https://museum.example`.
        ///
        /// Its host is permitted in requests, and pages name it in their links to themselves. Default: none.
        public var publicURL: String?
        /// Called with errors of the server, from any thread. Clients only receive a status.
        public var onProblem: @Sendable (any Error) -> Void
        /// Draws the pictures of a catalogue that have no file.
        package var draw: PictureDrawing = { Picture.jpeg(id: $0, format: $1, aspectRatio: $2) }
        /// The maximum number of open connections. Default: `nil`, derived from ``OpenFileLimit``, at most 4,096.
        ///
        /// At the limit, a new connection replaces the connection that has been idle longest.
        package var connectionLimit: Int?

        /// Creates a configuration. Default: on a free port of this machine, without access control.
        public init(
            host: String = "127.0.0.1", port: Int = 0, token: String? = nil, users: [ServedUser] = [],
            extensions: [Extension] = Extension.allCases, eventRetention: Duration = .seconds(100 * 86_400),
            isStaff: Bool = false, publicURL: String? = nil,
            onProblem: @escaping @Sendable (any Error) -> Void = { _ in }
        ) {
            self.host = host
            self.port = port
            self.token = token
            self.users = users
            self.extensions = extensions
            self.eventRetention = eventRetention
            self.isStaff = isStaff
            self.publicURL = publicURL
            self.onProblem = onProblem
        }

        /// Checks the configuration.
        ///
        /// - Throws: ``ServerError``: `invalidAccess`; `accessOpen` if other machines had access without a token or login;
        ///   `cannotListen` for an invalid port.
        func validate() throws {
            if let token, token.isEmpty || !token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
                throw ServerError(
                    .invalidAccess,
                    "The access token is empty, or contains spaces or characters that a header can't contain. Use another token."
                )
            }
            guard Self.isLoopback(host) || token != nil || !users.isEmpty else {
                throw ServerError(
                    .accessOpen,
                    "Anyone on the network could read the mirrors at this address. Require a token (--token-file) or a login (--users-file), or listen on 127.0.0.1."
                )
            }
            if publicURL != nil, publicHost == nil {
                throw ServerError(
                    .invalidAccess,
                    "The public URL is not an address like https://museum.example, without a path. Correct --public-url."
                )
            }
            guard (0...65535).contains(port) else {
                throw ServerError(
                    .cannotListen, "The port is not a number from 0 to 65535. Choose another port.")
            }
        }

        /// The host of the public URL; `nil` if there is none, or the URL has no host, or a path, a query or credentials.
        var publicHost: String? {
            guard let publicURL, let url = URLComponents(string: publicURL), let host = url.host,
                !host.isEmpty,
                ["http", "https"].contains(url.scheme?.lowercased()), url.path.isEmpty, url.query == nil,
                url.fragment == nil, url.user == nil
            else { return nil }
            return host
        }

        static func isLoopback(_ host: String) -> Bool {
            if host == "::1" || host.lowercased() == "localhost" { return true }
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        }
    }
}

/// The error if the server can't be started.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// The type of error.
    public enum Code: Sendable, Hashable {
        /// Other machines would have access without a token or login.
        case accessOpen
        /// The token or the list of users is invalid.
        case invalidAccess
        /// Listening on the address or port failed.
        case cannotListen
        /// The built-in catalogue could not be prepared.
        case demo
    }

    /// The type of error.
    public let code: Code
    /// A human-readable message: what happened and what to do.
    public let message: String
    /// The system's error, for a log; `nil` if there is none.
    public let cause: String?

    /// Creates an error. Default: without a cause.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
