import Catalogue
import MirrorHTTP
import MirrorStore

/// An operation of a sync. A sync's session sends it; a dry run may have it process an answer that is known beforehand.
protocol SyncOperation: RequestOperation {
    var route: Route { get }
    /// What it is for.
    var subject: RequestSubject { get }
}

/// What a request is for, and what is known of it beforehand.
enum RequestSubject: Sendable {
    /// The partner, its lists, and whatever else decides what there is to do.
    case directory
    /// An object, and what is stored of it.
    case object(Owner, ListedMember.Stored, announced: String?, joins: Bool, isPruned: Bool)
    /// A list under an object. `announced` is its ETag as the object's list has it, where that says something.
    case list(ObjectList, Owner, announced: String?, stored: ListState?)
    case document(Owner, StoredDocument?)
    /// An album or a flag that is written.
    case write
}

/// An operation that asks for the representation of a canonical URL; conditionally where a copy is held.
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
        }
    }
}

/// What is fetched, and on which terms: the ETag that is known, the use of the cache, the greatest size.
struct FetchTerms: Sendable {
    let route: Route
    let knownETag: String?
    let cache: Request.CacheUse
    let limits: TransferLimits?
    let subject: RequestSubject
    /// Whether all is requested past every cache and on no condition, so that what comes is what the server has.
    private let isReload: Bool

    /// - Parameters:
    ///   - known: the ETag that the stored copy was made from.
    ///   - cache: `.noCache` asks the server even if a cached answer is still fresh; `.bypass` keeps nothing of it.
    ///   - bodyLimit: in bytes; `nil` for the session's.
    ///   - isReload: requests unconditionally and past all caches (``SyncOptions/full``).
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
        // Caches on the way take part in what our own doesn't see, too.
        if isReload { headers["Cache-Control"] = "no-cache" }
        return headers
    }

    /// Takes 200 and nothing else: a part (206), a promise (202), or what somebody on the way made of it (203) may name
    /// less than there is, and what a list doesn't name is deleted.
    ///
    /// - Throws: ``HTTPError`` for a body of any other status.
    static func checkWhole(_ head: ResponseHead) throws {
        guard head.status != 200 else { return }
        throw HTTPError(
            .badResponse,
            "The server answered with status \(head.status) where only 200 has all of it. Try again, or tell its owner.",
            status: head.status)
    }
}
