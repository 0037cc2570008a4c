import Catalogue
import Hummingbird
import MirrorStore

/// Answers requests: finds the mirror and the endpoint, checks access, and calls the routes.
///
/// - A stored object is one row, which is read on the thread that handles the request. Passing these reads to other threads
///   took a quarter of the server's time.
/// - All other requests are offloaded once, from finding the mirror to making the answer. Streamed answers offload each part.
struct CatalogueResponder: HTTPResponder {
    /// Empty, because no answer depends on the connection.
    struct Context: InitializableFromSource {
        init() {}
        init(source: ApplicationRequestContextSource) {}
    }

    let mirrors: MirrorDirectory
    let access: AccessControl
    let hosts: HostCheck
    let pages: PageSettings
    var extensions = CatalogueServer.Extension.allCases
    var eventRetention = CatalogueServer.Configuration().eventRetention
    var load = RequestLoad()
    var draw = CatalogueServer.Configuration().draw
    /// Called with errors of the server. Clients only receive a status.
    let onProblem: @Sendable (any Error) -> Void

    func respond(to request: Request, context: Context) async throws -> Response {
        let response = try await answer(request)
        guard request.method == .head else { return response }
        var head = response.createHeadResponse()
        // The length is that of the omitted body, and absent if the body would be streamed.
        head.headers[.contentLength] = response.headers[.contentLength]
        return head
    }

    private func answer(_ request: Request) async throws -> Response {
        do {
            return try await route(request)
        } catch let refusal as Refusal {
            return refused(refusal, request)
        } catch let broken as BrokenBody {
            // The HTTP library closes the broken connection.
            throw broken.cause
        } catch let error as CancellationError {
            // The server is stopping.
            throw error
        } catch let error as StoreError {
            onProblem(error)
            return refused(Self.refusal(for: error, request.method), request)
        } catch {
            onProblem(error)
            return refused(.failed, request)
        }
    }

    /// An error as a page for people, and as JSON for programs.
    private func refused(_ refusal: Refusal, _ request: Request) -> Response {
        guard Destination.isPage(request.head.path ?? "") else { return refusal.response }
        return PageRoutes(server: self, settings: pages).refused(refusal, request)
    }

    private func route(_ request: Request) async throws -> Response {
        let destination = try Destination.parse(request.head.path ?? "")
        let head = request.head
        guard hosts.admits(head.authority) else { throw Refusal.misdirected }
        if head.method != .get, head.method != .head {
            let origins = OriginCheck(publicURL: pages.publicURL)
            guard origins.admits(head.headerFields, authority: head.authority) else {
                throw Refusal.foreignOrigin
            }
        }
        if destination.place == .status { return try await offloadBlocking { try status(head.method) } }
        guard let ticket = load.begin() else { throw Refusal.overloaded }
        defer { withExtendedLifetime(ticket) {} }
        if destination.place == .page { return try await page(request) }
        guard case .base(let name) = destination.place else { return try await logIn(request) }
        guard access.admits(request.headers) else { throw Refusal.unauthorised }
        let opened = mirrors.opened(name)
        let kinds = opened?.store.kinds ?? .standard
        guard let (endpoint, partner) = Endpoint.parse(destination.segments, among: kinds) else {
            throw Refusal.notFound
        }
        let read = { @Sendable () throws -> (ServedMirror, Response?) in
            guard let mirror = try mirrors.mirror(named: name) else { throw Refusal.notFound }
            guard endpoint.methods.contains(head.method) else {
                throw Refusal.methodNotAllowed(endpoint.methods)
            }
            if let partner, try !mirror.isOf(partner: partner) { throw Refusal.notFound }
            guard head.method == .get || head.method == .head else {
                try WriteRoutes(mirror: mirror).admit(endpoint)
                return (mirror, nil)
            }
            let routes = ReadRoutes(
                server: self, mirror: mirror, query: destination.query,
                reply: Reply(headers: head.headerFields), ticket: ticket)
            return (mirror, try routes.answer(endpoint))
        }
        let isShort = endpoint.isOneRow && opened != nil
        let (mirror, answer) = try await isShort ? read() : offloadBlocking(read)
        if let answer { return answer }
        return try await WriteRoutes(mirror: mirror).answer(endpoint, request)
    }

    /// Answers a request for a page.
    private func page(_ request: Request) async throws -> Response {
        guard let target = PageTarget.parse(request.head.path ?? "") else { throw Refusal.badRequest }
        return try await PageRoutes(server: self, settings: pages).answer(request, target)
    }

    /// Answers `status`, beside a base: whether all mirrors can be read.
    ///
    /// The answer needs no token and reveals nothing about individual mirrors. It is the same beside all bases.
    private func status(_ method: HTTPRequest.Method) throws -> Response {
        guard method == .get || method == .head else { throw Refusal.methodNotAllowed([.get, .head]) }
        if load.isFull { return Reply.uncacheable(.serviceUnavailable, "{\"status\":\"overloaded\"}") }
        do {
            // A mirror that was removed meanwhile is not an error.
            for name in try mirrors.names() {
                _ = try mirrors.mirror(named: name)?.store.servedSingle(.partner)
            }
            return Reply.uncacheable(.ok, "{\"status\":\"ok\"}")
        } catch {
            onProblem(error)
            return Reply.uncacheable(.internalServerError, "{\"status\":\"failing\"}")
        }
    }

    /// Answers the cookie login, `POST /_session` beside a base.
    ///
    /// The path exists even if there are no users, so that it doesn't reveal the server's access rules.
    private func logIn(_ request: Request) async throws -> Response {
        guard request.method == .post else { throw Refusal.methodNotAllowed([.post]) }
        let form = try await RequestContent.form(of: request)
        guard let name = form["name"], let password = form["password"] else { throw Refusal.invalid("form") }
        guard let session = try access.logIn(name: name, password: password) else {
            throw Refusal.unauthorised
        }
        var response = Reply.uncacheable(.ok, "{\"ok\":true}")
        response.headers[.setCookie] = LoginSessions.cookie(session, isSecure: pages.isSecure)
        return response
    }

    private static func refusal(for error: StoreError, _ method: HTTPRequest.Method) -> Refusal {
        switch error.code {
        case .locked, .diskFull, .newerVersion, .damaged, .notOurs, .noSuchMirror, .changed, .closed:
            .unavailable
        // A mirror of an earlier version has to be written before it can be read.
        case .readOnly: method == .get || method == .head ? .unavailable : .readOnly
        case .invalidName, .unknownRun, .unexpected: .failed
        }
    }
}
