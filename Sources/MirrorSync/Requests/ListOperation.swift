import Catalogue
import MirrorHTTP

/// Asks for a list, or a page of one.
///
/// Its answer stays bytes: a list may have millions of elements, which are decoded one by one into the store (``ListReader``) and
/// are never all in memory.
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
        if case .body(let response) = fetched { try FetchTerms.checkWhole(response.head) }
        return fetched
    }
}
