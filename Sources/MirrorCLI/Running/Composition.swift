import Foundation
import Logging
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync

/// The composition root: creates runs with their server, policies and credentials.
struct Composition: Sendable {
    /// The version in `mirror --version` and in the user agent.
    static let version = "0.1.0"

    let screen: Screen
    /// The access token from an option or `MIRROR_TOKEN`; `nil` to use the secret that `mirror login` stored.
    var token: String?
    var options: SyncOptions
    /// Whether the server may differ from the mirror's origin.
    var isNewOrigin = false

    /// Runs `body` with the address of a mirror's server; `nil` is the remembered address.
    ///
    /// For the built-in catalogue, the demo server runs until `body` ends. No token is sent to it.
    func withServer<Result: Sendable>(
        of folder: MirrorFolder, from: String?,
        _ body: @escaping @Sendable (Composition, _ base: String?) async throws -> Result
    ) async throws -> Result {
        let from = try from ?? CredentialsFile.addressOfFirstSync(folder)
        guard options.source.name == nil,
            try DemoServer.isDemo(partner: folder.name, from: from, folder: folder)
        else {
            return try await body(self, from)
        }
        var tokenless = self
        tokenless.token = nil
        return try await DemoServer().whileRunning { [tokenless] in try await body(tokenless, $0) }
    }

    /// A copy for another described source.
    func reading(_ source: SourceOptions) -> Composition {
        var composition = self
        composition.options.source = source
        return composition
    }

    func sync(_ folder: MirrorFolder, from base: String?, onChange: String? = nil) -> Sync {
        Sync(
            partner: folder.name, folder: folder, base: base, isNewOrigin: isNewOrigin, options: options,
            onChange: onChange.map(OnChangeCommand.init), keepAwake: .system, logger: logger,
            makeSession: access(to: folder, at: base).session)
    }

    func watch(_ folder: MirrorFolder, from base: String?, every interval: Duration) -> Watch {
        Watch(
            partner: folder.name, folder: folder, base: base, options: options, interval: interval,
            logger: logger, makeSession: access(to: folder, at: base).session)
    }

    private var logger: Logger { Logger(label: "mirror") { [screen] _ in ScreenLog(screen: screen) } }

    /// The run's access to the mirror's server.
    private func access(to folder: MirrorFolder, at address: String?) -> ServerAccess {
        CurlTransport.prepare()
        return ServerAccess(
            folder: folder, address: address, isNewOrigin: isNewOrigin,
            credentials: token.map(Credentials.token), options: options,
            userAgent: "mirror/\(Composition.version)")
    }
}

extension DemoServer {
    /// Whether the partner is the built-in catalogue: it is called `demo`, and no other server is given or remembered.
    static func isDemo(partner: String, from: String?, folder: MirrorFolder) throws -> Bool {
        guard partner == partnerID, from == nil else { return false }
        // A dry run must change nothing: files that SQLite creates beside the database are removed again.
        let file = PlanningFile(folder)
        let origin = try folder.rememberedServer().origin
        try file.restore()
        return origin.flatMap(URL.init).map { $0.host() == host && $0.pathComponents.contains(name) } ?? true
    }
}
