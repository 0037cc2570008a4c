import Hummingbird
import MirrorStore

/// Answers requests: finds the mirror and the endpoint, asks who may, and lets the routes do it.
///
/// Reads go straight to SQLite on the thread that the connection is on: they take some 20 µs, less than another thread
/// would cost. What may take long is done ``Aside``.
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

    /// The answer to a `GET` without a body, if it is a good one that some short reads make.
    ///
    /// - Returns: `nil` for any other request: ``respond(to:context:)`` answers that, and tells what went wrong.
    func respondAtOnce(to request: HTTPRequest) -> PlainAnswer? {
        guard request.method == .get, let target = request.path,
            let destination = try? Destination.parse(target), case .base(let name) = destination.place,
            let ticket = load.begin(), let endpoint = try? endpoint(at: destination, request),
            let mirror = try? mirrors.opened(named: name),
            let reading = try? routes(to: mirror, endpoint, request, destination, ticket)
        else { return nil }
        return try? reading.answerAtOnce(endpoint.of)
    }

    private func answer(_ request: Request) async throws -> Response {
        do {
            return try await route(request)
        } catch let refusal as Refusal {
            return refusal.response
        } catch let broken as BrokenBody {
            // The connection is at fault, and the HTTP library ends it.
            throw broken.cause
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
            return try await StatusRoute(mirrors: mirrors, load: load, onProblem: onProblem).answer(request)
        }
        guard let ticket = load.begin() else { throw Refusal.overloaded }
        defer { withExtendedLifetime(ticket) {} }
        guard case .base(let name) = destination.place else {
            return try await SessionRoutes(access: access).answer(request)
        }
        let endpoint = try endpoint(at: destination, request.head)
        guard let mirror = try await mirror(named: name) else { throw Refusal.notFound }
        if let reading = try routes(to: mirror, endpoint, request.head, destination, ticket) {
            return try await reading.answer(endpoint.of)
        }
        return try await WriteRoutes(mirror: mirror).answer(endpoint.of, request)
    }

    /// What is asked for, by one who may, and of which partner, if the path names one.
    private func endpoint(
        at destination: Destination, _ request: HTTPRequest
    ) throws -> (of: Endpoint, partner: String?) {
        guard access.admits(request.headerFields) else { throw Refusal.unauthorised }
        guard let (endpoint, partner) = Endpoint.parse(destination.segments) else { throw Refusal.notFound }
        return (endpoint, partner)
    }

    /// - Returns: `nil` for what isn't read.
    private func routes(
        to mirror: ServedMirror, _ endpoint: (of: Endpoint, partner: String?), _ request: HTTPRequest,
        _ destination: Destination, _ ticket: RequestLoad.Ticket
    ) throws -> ReadRoutes? {
        guard endpoint.of.methods.contains(request.method) else {
            throw Refusal.methodNotAllowed(endpoint.of.methods)
        }
        if let partner = endpoint.partner, try !mirror.isOf(partner: partner) { throw Refusal.notFound }
        guard request.method == .get || request.method == .head else { return nil }
        return ReadRoutes(
            extensions: extensions, eventRetention: eventRetention, mirror: mirror,
            query: destination.query, reply: Reply(headers: request.headerFields), ticket: ticket,
            pictures: pictures)
    }

    private func mirror(named name: String?) async throws -> ServedMirror? {
        guard let name else { return try await mirrors.only() }
        return try await mirrors.mirror(named: name)
    }

    private static func refusal(for error: StoreError) -> Refusal {
        switch error.code {
        case .locked, .diskFull, .newerVersion, .damaged, .notOurs, .noSuchMirror: .unavailable
        case .readOnly: .readOnly
        case .invalidName, .unknownRun, .unexpected: .failed
        }
    }
}
