import Catalogue
import MirrorHTTP

/// Sends a write: an album or a flag.
package struct WriteOperation: DataOperation {
    package let route: Route
    private var serialised: [UInt8]?

    package init(_ route: Route) { self.route = route }

    package mutating func serialise() throws {
        switch route.body {
        case .form(let items): serialised = Array(FormBody.encode(items).utf8)
        case .json(let object): serialised = JSONValue.object(object).canonicalBytes
        case nil: serialised = nil
        }
    }

    package var endpoint: Request.Target { .relative(route.canonicalURL) }
    package var method: String { route.method.rawValue }
    package var data: [UInt8]? { serialised }

    package var contentType: String? {
        if case .form = route.body { FormBody.contentType } else { "application/json" }
    }

    package var headers: HeaderFields {
        HeaderFields([("Accept", "application/json")] + route.headers.map { ($0.name, $0.value) })
    }

    package var cache: Request.CacheUse { .bypass }

    /// A create isn't repeated though it carries its key: not every server honours keys, so the album is looked for first.
    package var isIdempotent: Bool? { route.method == .post ? false : nil }
}
