import Catalogue
import MirrorHTTP

/// Sends a write of an album or a flag.
///
/// The answer is not decoded: a server need not answer with the stored object, and an accepted write must not fail because of
/// its answer.
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

    /// A create is not repeated, although it has an idempotency key: not every server supports keys. The next attempt looks for
    /// the album first.
    var isIdempotent: Bool? { route.method == .post ? false : nil }

    var subject: RequestSubject { .write }
}
