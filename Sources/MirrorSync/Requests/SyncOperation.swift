import Catalogue
import MirrorHTTP
import MirrorStore

/// An operation of a sync. A sync's session sends it; a dry run may let it process an answer from stored data.
protocol SyncOperation: RequestOperation {
    var route: Route { get }
    /// The subject of the request, from which a dry run predicts the answer.
    var subject: RequestSubject { get }
}

/// The subject of a request, with the stored data about it.
enum RequestSubject: Sendable {
    /// The partner, its lists, and other resources that decide what a run does.
    case directory
    /// An object, with its stored state.
    case object(Owner, ListedMember.Stored, announced: String?, becomesListed: Bool, isPruned: Bool)
    /// A list under an object. `announced` is the list's ETag according to the object's list, if that has one.
    case list(ObjectList, Owner, announced: String?, stored: ListState?)
    case document(Owner, StoredDocument?)
    /// An album or a flag that is written.
    case write
}

/// An operation that requests a canonical URL; conditionally if a copy is stored.
protocol FetchOperation: SyncOperation {
    var terms: FetchTerms { get }
}

extension FetchOperation {
    var route: Route { terms.route }
    var subject: RequestSubject { terms.subject }
    var knownETag: String? { terms.knownETag }
    var cache: Request.CacheUse { terms.cache }
    var limits: TransferLimits? { terms.limits }

    var endpoint: Request.Target {
        switch route.anchor {
        case .base: .relative(route.canonicalURL)
        case .beside: .beside(route.canonicalURL)
        case .absolute: .absolute(route.canonicalURL)
        }
    }
}

/// The parameters of a fetch: the route, the known ETag, the use of the cache, and the size limit.
struct FetchTerms: Sendable {
    let route: Route
    let knownETag: String?
    let cache: Request.CacheUse
    let limits: TransferLimits?
    let subject: RequestSubject
    /// Whether the request is unconditional and bypasses all caches, so that the server itself answers.
    private let isReload: Bool

    /// - Parameters:
    ///   - known: the ETag from which the stored copy was made; `nil`, the default, for an unconditional request.
    ///   - cache: `.noCache` requests the server even if a cached answer is fresh; `.bypass` doesn't store the answer.
    ///   - bodyLimit: the maximum length of the body in bytes; `nil`, the default, for the session's limit.
    ///   - isReload: whether to request unconditionally and bypass all caches (``SyncOptions/full``).
    ///   - subject: the subject of the request, for a dry run.
    init(
        _ route: Route, known: String? = nil, cache: Request.CacheUse = .use, bodyLimit: Int? = nil,
        isReload: Bool = false, subject: RequestSubject = .directory
    ) {
        self.subject = subject
        self.route = route
        self.knownETag = isReload ? nil : known
        self.cache = isReload && cache != .bypass ? .reload : cache
        self.isReload = isReload
        self.limits = bodyLimit.map { TransferLimits(body: $0) }
    }

    var headers: HeaderFields {
        var headers = HeaderFields.acceptingJSON
        // Bypassing our own cache doesn't bypass intermediate ones.
        if isReload { headers["Cache-Control"] = "no-cache" }
        return headers
    }

    /// Accepts only status 200.
    ///
    /// The body of a 202 (accepted), 203 (transformed by a proxy) or 206 (partial) may be incomplete, and objects that a list
    /// doesn't contain are deleted.
    ///
    /// - Throws: ``HTTPError`` for any other status.
    static func checkComplete(_ head: ResponseHead) throws {
        guard head.status != 200 else { return }
        throw HTTPError(
            .badResponse,
            "The server answered with status \(head.status), so the answer may be incomplete. Try again, or ask the server's operator.",
            status: head.status)
    }
}
