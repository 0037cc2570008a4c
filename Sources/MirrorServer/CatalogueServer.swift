import Catalogue
import MirrorStore

// MirrorServer serves mirrors over the Partner API, so that other mirrors can sync from them.
//
// `CatalogueResponder` answers a request with the help of these folders:
//
// - `Routing/` parses the raw target into a `Destination` (which mirror) and an `Endpoint` (which resource), and checks
//   access. The HTTP library's router isn't used: it decodes a path before it splits it, and an id may contain a slash.
// - `Mirrors/` opens and closes the databases.
// - `Answers/` reads and writes the databases, and makes lists and snapshots.
// - `Responses/` handles ETags, ranges and errors.
// - `Listening/` limits the number of open connections (`OpenConnections`) and closes connections of slow clients
//   (`SlowClientHandler`), which the HTTP library doesn't do.
//
// A single row is read on the thread that handles the request. All other reads run in `offloadBlocking`, and writes in
// `offloadWrite`. `MirrorDemo` draws the pictures of a catalogue that have no file.
//
// Bodies are the store's canonical JSON with its ETags. They don't contain the server's host or port, or the time of the
// request, so a mirror serves the same bodies as the mirror that it was made from. Objects are read from the database for each
// request, so committed changes are served at once.

/// Serves mirrors over HTTP.
///
/// - Each mirror has the base `/{name}/api/v1`. If there is exactly one mirror, `/api/v1` is a base, too.
/// - Mirrors that were imported from a catalogue accept changes of albums. All mirrors accept `partner_flags`.
/// - Any other write is answered with `403 {"error":"read_only"}`.
public struct CatalogueServer: Sendable {
    let responder: CatalogueResponder
    private let configuration: Configuration

    /// Creates a server for all mirrors under a home folder, including mirrors that are added later.
    public init(home: MirrorHome, configuration: Configuration = Configuration()) {
        self.init(MirrorDirectory(home: home), configuration)
    }

    /// Creates a server for the given mirrors only. They stay open when the server stops.
    public init(mirrors: [ServedMirror], configuration: Configuration = Configuration()) {
        let served = Dictionary(mirrors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.init(MirrorDirectory(mirrors: served), configuration)
    }

    private init(_ directory: MirrorDirectory, _ configuration: Configuration) {
        self.configuration = configuration
        responder = CatalogueResponder(
            mirrors: directory, access: AccessControl(token: configuration.token, users: configuration.users),
            hosts: HostCheck(host: configuration.host, publicHost: configuration.publicHost),
            pages: PageSettings(
                face: configuration.isStaff ? .staff : .visitors, publicURL: configuration.publicURL,
                templates: .embedded),
            extensions: configuration.extensions, eventRetention: configuration.eventRetention,
            draw: configuration.draw, onProblem: configuration.onProblem)
    }

    /// Computes a mirror's digest, so that the first request for it is fast.
    ///
    /// Idempotent. If the digest exists already, only the changes since are added.
    ///
    /// - Throws: ``StoreError``.
    public static func prepare(_ store: CatalogueStore) throws {
        guard let leaves = try ServedLeaves(store) else { return }
        _ = try store.digest(.root, from: leaves)
    }

    /// Serves until the task is cancelled. Then it has half a second to finish current answers, and returns.
    ///
    /// - Parameter onListening: called once with the port, as soon as connections are accepted.
    /// - Throws: ``ServerError`` if the server can't be started.
    public func run(onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }) async throws {
        try configuration.validate()
        let listener = Listener(
            responder: responder, host: configuration.host, port: configuration.port, portFlag: "--port",
            connectionLimit: configuration.connectionLimit ?? OpenFileLimit.current().connections)
        do {
            try await listener.run(onListening: onListening)
        } catch {
            try responder.mirrors.close()
            throw error
        }
        try responder.mirrors.close()
    }

    /// Serves while `body` runs, then stops.
    ///
    /// - Parameter body: called with the port.
    /// - Throws: ``ServerError`` if the server can't be started; errors of `body`.
    public func whileRunning<Result: Sendable>(
        _ body: @Sendable (_ port: Int) async throws -> Result
    ) async throws -> Result {
        try await Listener<CatalogueResponder>.whileRunning({ try await run(onListening: $0) }, body)
    }
}
