import Catalogue
import Hummingbird
import MirrorStore

/// Answers `GET` and `HEAD`: objects as they are stored, with their ETags.
struct ReadRoutes {
    let extensions: [CatalogueServer.Extension]
    let eventRetention: Duration
    let mirror: ServedMirror
    let query: RequestTarget
    let reply: Reply
    let ticket: RequestLoad.Ticket
    let pictures: PictureShelf

    /// What the base itself answers.
    private var offered: String {
        "{\"extensions\":[\(extensions.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]}"
    }

    func answer(_ endpoint: Endpoint) throws -> Response {
        switch endpoint {
        case .object(let kind, let id): try stored(mirror.store.served(kind, id))
        case .album(let id): try stored(mirror.store.served(.album, id))
        case .document(let owner, let id): try stored(mirror.store.servedDocument(owner, id))
        case .partner: try stored(mirror.store.servedSingle(.partner)?.body)
        case .user: try stored(mirror.store.servedSingle(.user)?.body)
        case .base: reply.json(offered, etag: EntityTag.strong(of: offered))
        case .members(let owner): try lists.members(of: owner)
        case .locationArtworks: try lists.locationArtworks()
        case .documents(let owner): try lists.documents(of: owner)
        case .showImages(let show): try lists.images(ofShow: show)
        case .size: try size()
        case .digest: try digest.node()
        case .snapshot: try snapshot.stream()
        case .list(let kind): try lists.own(kind)
        case .picture(let owner, let image, let format):
            try files.picture(of: owner, image: image, format: format)
        case .documentFile(let owner, let id): try files.document(of: owner, id: id)
        case .latestEvent(let feed): try events.latest(of: feed)
        case .events(let feed, let event): try events.page(of: feed, after: event)
        default: throw Refusal.methodNotAllowed(endpoint.methods)
        }
    }

    private var lists: ListRoutes { ListRoutes(mirror: mirror, query: query, reply: reply, ticket: ticket) }
    private var events: EventRoutes { EventRoutes(mirror: mirror, retention: eventRetention) }
    private var digest: DigestRoute { DigestRoute(mirror: mirror, query: query) }
    private var snapshot: SnapshotRoute {
        SnapshotRoute(
            mirror: mirror, query: query, codings: reply.headers[.acceptEncoding], ticket: ticket)
    }
    private var files: FileRoutes { FileRoutes(mirror: mirror, reply: reply, pictures: pictures) }

    private func stored(_ body: ServedBody?) throws -> Response {
        guard let body else { throw Refusal.notFound }
        return reply.json(body.body, etag: body.etag)
    }

    /// Bytes of all files that are stored. Pictures that are drawn have none, so a catalogue with any doesn't offer its
    /// size; nor does one without files.
    private func size() throws -> Response {
        let total = try mirror.store.mediaSize()
        guard try !mirror.isCatalogue() || (total > 0 && !mirror.store.lacksPictures()) else {
            throw Refusal.notFound
        }
        let body = "{\"total\":\(total)}"
        return reply.json(body, etag: EntityTag.strong(of: body))
    }
}
