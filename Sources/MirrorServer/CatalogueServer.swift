import Catalogue
import MirrorStore

// MirrorServer offers mirrors over the Partner API, so that a mirror can be mirrored.
//
// A request goes through `CatalogueResponder`: `Routing/` makes of its raw target a `Destination` (which mirror) and an
// `Endpoint` (what of it), and checks access; `Mirrors/` has the databases; `Answers/` reads or writes them, and
// makes lists and snapshots; `Responses/` has ETags, ranges and refusals. `MirrorDemo` draws what a catalogue has only an
// address of. The HTTP library moves bytes and parses heads; its router isn't used, because it decodes a path before it
// splits it, and an id may hold a slash. One row is read where its request is handled; all other reads, and
// all writes, run in `offloadBlocking`. `Listening/` adds to the library
// what it lacks: how many connections may be open and which of them has to go (`OpenConnections`), and clients that are
// too slow (`SlowClientHandler`).
//
// Bodies are the store's canonical JSON with its ETags: no host, port or time is in them, so they are equal all along a
// chain of mirrors. Objects are read from the database each time, so what a sync commits is seen at once.

/// Serves mirrors over HTTP.
///
/// Each is at `/{name}/api/v1`, and also at `/api/v1` where there is exactly one. Mirrors that were imported from a
/// catalogue take writes of albums; all take `partner_flags`; anything else that would change a mirror is answered with
/// `403 {"error":"read_only"}`.
public struct CatalogueServer: Sendable {
    let responder: CatalogueResponder
    private let configuration: Configuration

    /// Serves every mirror under a home folder, those that come later included.
    public init(home: MirrorHome, configuration: Configuration = Configuration()) {
        self.init(MirrorDirectory(home: home), configuration)
    }

    /// Serves these mirrors and no others. They stay open when the server stops.
    public init(mirrors: [ServedMirror], configuration: Configuration = Configuration()) {
        let served = Dictionary(mirrors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.init(MirrorDirectory(mirrors: served), configuration)
    }

    private init(_ directory: MirrorDirectory, _ configuration: Configuration) {
        self.configuration = configuration
        responder = CatalogueResponder(
            mirrors: directory, access: AccessControl(token: configuration.token, users: configuration.users),
            extensions: configuration.extensions, eventRetention: configuration.eventRetention,
            draw: configuration.draw, onProblem: configuration.onProblem)
    }

    /// Prepares what would make the first request for it slow: the digest. Idempotent; costs little where only
    /// little changed since.
    ///
    /// - Throws: ``StoreError``.
    public static func prepare(_ store: CatalogueStore) throws {
        guard let leaves = try ServedLeaves(store) else { return }
        _ = try store.digest(.root, from: leaves)
    }

    /// Serves until the task is cancelled; then answers under way are finished, and it returns within a second.
    ///
    /// - Parameter onListening: called once, with the port, as soon as connections are taken.
    /// - Throws: ``ServerError`` if it can't be started.
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

    /// Serves while `body` runs, and stops with it: for a server inside a program, as the demo has one.
    ///
    /// - Parameter body: is given the port.
    /// - Throws: ``ServerError`` if the server can't be started, and what `body` throws.
    public func whileRunning<Result: Sendable>(
        _ body: @Sendable (_ port: Int) async throws -> Result
    ) async throws -> Result {
        try await Listener<CatalogueResponder>.whileRunning({ try await run(onListening: $0) }, body)
    }
}
