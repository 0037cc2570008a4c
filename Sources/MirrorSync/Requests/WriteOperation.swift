import Catalogue
import MirrorHTTP

/// Sends a write: an album or a flag.
///
/// Its answer stays bytes: a server need not answer with what it has stored, and a write that it took has not failed because of
/// that.
struct WriteOperation: DataOperation, SyncOperation {
    let route: Route
    private(set) var data: [UInt8]?

    init(_ route: Route) { self.route = route }

    mutating func serialise() {
        switch route.body {
        case .form(let items): data = Array(FormBody.encode(items).utf8)
        case .json(let object): data = JSONValue.object(object).canonicalBytes
        case nil: data = nil
        }
    }

    var endpoint: Request.Target { .relative(route.canonicalURL) }
    var method: String { route.method.rawValue }

    var contentType: String? {
        if case .form = route.body { FormBody.contentType } else { "application/json" }
    }

    var headers: HeaderFields {
        HeaderFields([("Accept", "application/json")] + route.headers.map { ($0.name, $0.value) })
    }

    var cache: Request.CacheUse { .bypass }

    /// A create isn't repeated though it carries its key: not every server honours keys, so the album is looked for first.
    var isIdempotent: Bool? { route.method == .post ? false : nil }

    var subject: RequestSubject { .write }
}
