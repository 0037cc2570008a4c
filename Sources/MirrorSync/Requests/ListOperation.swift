import Catalogue
import MirrorHTTP

/// Requests a list, or a page of a list.
///
/// The answer is not decoded as a whole: a list may have millions of elements. ``ListReader`` decodes them one by one into the
/// store.
struct ListOperation: DataOperation, FetchOperation {
    typealias Output = Fetched

    let terms: FetchTerms

    /// The parameters are those of ``FetchTerms``.
    init(
        _ route: Route, known: String? = nil, cache: Request.CacheUse = .use, bodyLimit: Int? = nil,
        isReload: Bool = false, subject: RequestSubject = .directory
    ) {
        terms = FetchTerms(
            route, known: known, cache: cache, bodyLimit: bodyLimit, isReload: isReload, subject: subject)
    }

    var headers: HeaderFields { terms.headers }

    func processResponse(_ fetched: Fetched) throws -> Fetched {
        if case .body(let response) = fetched { try FetchTerms.checkComplete(response.head) }
        return fetched
    }
}
