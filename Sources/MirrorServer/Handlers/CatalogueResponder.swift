import Hummingbird
import MirrorStore

/// Answers requests: finds the mirror and the endpoint, asks who may, and lets the routes do it.
///
/// A stored object is one row, which is read where the request is handled: to hand these reads to other threads took a quarter
/// of a server's time. Everything else is offloaded, once for a request, from finding the mirror to the answer; bodies of
/// several parts offload each part.
struct CatalogueResponder: HTTPResponder {
    /// Nothing is needed of a connection.
    struct Context: InitializableFromSource {
        init() {}
        init(source: ApplicationRequestContextSource) {}
    }

    let mirrors: MirrorDirectory
    let access: AccessControl
    var extensions = CatalogueServer.Extension.allCases
    var eventRetention = CatalogueServer.Configuration().eventRetention
    var load = RequestLoad()
    var pictures = PictureShelf()
    /// Told of what went wrong on this side; the client is only told that something did.
    let onProblem: @Sendable (any Error) -> Void

    func respond(to request: Request, context: Context) async throws -> Response {
        let response = try await answer(request)
        guard request.method == .head else { return response }
        var head = response.createHeadResponse()
        // The length is that of the body which isn't sent, and unknown where that would be.
        head.headers[.contentLength] = response.headers[.contentLength]
        return head
    }

    private func answer(_ request: Request) async throws -> Response {
        do {
            return try await route(request)
        } catch let refusal as Refusal {
            return refusal.response
        } catch let broken as BrokenBody {
            // The connection is at fault, and the HTTP library ends it.
            throw broken.cause
        } catch let error as CancellationError {
            // The server stops.
            throw error
        } catch let error as StoreError {
            onProblem(error)
            return Self.refusal(for: error).response
        } catch {
            onProblem(error)
            return Refusal.failed.response
        }
    }

    private func route(_ request: Request) async throws -> Response {
        let destination = try Destination.parse(request.head.path ?? "")
        if destination.place == .status {
            let method = request.method
            return try await offloadBlocking {
                try StatusRoute(mirrors: mirrors, load: load, onProblem: onProblem).answer(method)
            }
        }
        guard let ticket = load.begin() else { throw Refusal.overloaded }
        defer { withExtendedLifetime(ticket) {} }
        guard case .base(let name) = destination.place else {
            return try await SessionRoutes(access: access).answer(request)
        }
        guard access.admits(request.headers) else { throw Refusal.unauthorised }
        guard let (endpoint, partner) = Endpoint.parse(destination.segments) else { throw Refusal.notFound }
        let head = request.head
        let read = { @Sendable () throws -> (ServedMirror, Response?) in
            let named = if let name { try mirrors.mirror(named: name) } else { try mirrors.only() }
            guard let mirror = named else { throw Refusal.notFound }
            guard endpoint.methods.contains(head.method) else {
                throw Refusal.methodNotAllowed(endpoint.methods)
            }
            if let partner, try !mirror.isOf(partner: partner) { throw Refusal.notFound }
            guard head.method == .get || head.method == .head else {
                try WriteRoutes(mirror: mirror).admit(endpoint)
                return (mirror, nil)
            }
            let routes = ReadRoutes(
                extensions: offered(by: mirror), eventRetention: eventRetention, mirror: mirror,
                query: destination.query, reply: Reply(headers: head.headerFields), ticket: ticket,
                pictures: pictures)
            return (mirror, try routes.answer(endpoint))
        }
        let isShort = endpoint.isOneRow && mirrors.isOpen(name)
        let (mirror, answer) = try await isShort ? read() : offloadBlocking(read)
        if let answer { return answer }
        return try await WriteRoutes(mirror: mirror).answer(endpoint, request)
    }

    /// Snapshot and digest need a table that the server writes in the mirror's database, so a server that may only read it
    /// doesn't offer them.
    private func offered(by mirror: ServedMirror) -> [CatalogueServer.Extension] {
        mirror.store.isReadOnly ? extensions.filter { $0 != .snapshot && $0 != .digest } : extensions
    }

    private static func refusal(for error: StoreError) -> Refusal {
        switch error.code {
        case .locked, .diskFull, .newerVersion, .damaged, .notOurs, .noSuchMirror, .changed: .unavailable
        case .readOnly: .readOnly
        case .invalidName, .unknownRun, .unexpected: .failed
        }
    }
}
