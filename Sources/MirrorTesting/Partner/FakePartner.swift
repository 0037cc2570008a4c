import Catalogue
import Crypto
import Foundation
import MirrorHTTP
import Synchronization

/// A simulated partner's server without a network, whose catalogue and answers a test controls.
///
/// ```swift
/// let partner = FakePartner { server in
///     server.artist("ono")
///     server.artwork("cut-piece", title: "Cut Piece", artist: "ono")
/// }
/// ```
///
/// Its ``transport(base:)`` implements the Partner API: lists, objects, pictures, files, ETags and conditional requests. It
/// also implements the extensions `validators`, `since`, `events` and `status`, if ``State/extensions`` contains them.
///
/// The partner's id is ``id``, and its server's URL is ``base``. The implementation follows the API's documentation and
/// shares no code with the program's own server.
public final class FakePartner: Sendable {
    /// The partner's id and slug.
    public static let id = "p"
    /// The base URL of the server. Its name can't be resolved, so a request that reaches the network fails.
    public static let base = "http://origin.test/api/v1"

    /// The server's data and settings.
    public struct State: Sendable {
        /// The bodies of objects, by canonical URL, such as `/artwork/cut-piece`.
        public package(set) var objects: [String: String] = [:]
        /// The ids in each list, in order, by the list's path, such as `/partner/p/artworks`.
        public package(set) var lists: [String: [String]] = [:]
        /// The extensions of the API that the server offers: `validators`, `since`, `events`, `status`. Default: none.
        ///
        /// `since` and `events` report only the changes for which ``report(_:_:at:)`` was called.
        public var extensions: [String] = []
        /// Answers that take precedence over all others, by path and query, such as `/artwork/cut-piece`.
        ///
        /// The method precedes the path if it isn't GET: `DELETE /partner/p/album/a`. Each answer is used for any number
        /// of requests.
        public var overrides: [String: ScriptedAnswer] = [:]
        /// Answers like ``overrides``, each used once.
        package var once: [String: [ScriptedAnswer]] = [:]
        /// The bytes of pictures and documents, by path.
        public var files: [String: [UInt8]] = [:]
        package var requests: [String] = []
        package var writes: [String] = []
        /// The server's clock, as an HTTP date.
        public var date = "Sat, 21 Nov 2026 10:00:00 GMT"
        /// Whether responses have ETags, so that conditional requests work.
        package var hasETags = true
        /// The settings for clients that create, change and delete albums. Default: nil, such requests get a 404.
        public var albums: Albums?
        /// Closures that are called before a request is answered, by method and path. Each is called once.
        package var during: [String: @Sendable () -> Void] = [:]
        /// Whether lists with validators also contain the ETags of the membership lists. Default: false.
        public var hasListETags = false
        /// The last change of each object, oldest first; for `since`.
        package var changes: [(at: String, kind: String, id: String)] = []
        /// The server's feeds of events.
        package var feed = Feed()
        /// The status code of `/status`. Default: 200.
        public var status = 200
    }

    private let state = Mutex(State())

    /// Creates a partner and fills its catalogue.
    ///
    /// - Parameter change: Fills the catalogue, which already contains the partner and empty lists.
    public init(_ change: (inout sending State) throws -> Void) rethrows {
        try state.withLock { state in
            state.objects["/partner/p/all"] = #"{"id":"p","name":"The Partner"}"#
            for kind in ["artworks", "artists", "shows", "albums", "locations"] {
                state.lists["/partner/p/\(kind)"] = []
            }
            try change(&state)
        }
    }

    /// Creates a partner with empty lists.
    public convenience init() { self.init { _ in } }

    /// Changes the server's data and settings. Can be called while a sync runs.
    public func change(_ change: (inout sending State) throws -> Void) rethrows {
        try state.withLock { try change(&$0) }
    }

    /// The body of an object, by its canonical URL; empty if there is none.
    package func object(_ url: String) -> String { state.withLock { $0.objects[url] ?? "" } }

    /// The bodies of all objects, by canonical URL.
    package var objects: [String: String] { state.withLock { $0.objects } }

    /// The ids in each list, by the list's path.
    package var lists: [String: [String]] { state.withLock { $0.lists } }

    /// Returns the requests since the last call, as method, path and query, such as `GET /artwork/cut-piece`.
    public func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// All requests but GET and HEAD so far, as method, path and body, such as `DELETE /partner/p/album/a `.
    public var writes: [String] { state.withLock { $0.writes } }

    /// A transport for a session, which answers each request from the server's current state.
    public func transport(base: String = FakePartner.base) -> ScriptedTransport {
        ScriptedTransport(base: base) { [self] request in answer(request) }
    }

    /// Makes a session on ``transport(base:)`` for a `Sync` or a `Watch`: `makeSession: partner.session`.
    ///
    /// - Throws: `HTTPError` if `base` is no address.
    public func session(base: String = FakePartner.base, cache: CanonicalURLCache? = nil) throws
        -> InterceptableSession
    {
        try InterceptableSession(base: base, transport: transport(base: base), cache: cache)
    }

    package func answer(_ request: TransportRequest) -> ScriptedAnswer? {
        if request.url.hasSuffix("/status") {
            return state.withLock { state in
                state.requests.append("GET /status")
                return .text("{}", status: state.status)
            }
        }
        let url =
            request.url.split(separator: "/api/v1", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        let meanwhile = state.withLock { $0.during.removeValue(forKey: "\(request.method) \(url)") }
        meanwhile?()
        return state.withLock { state in
            state.requests.append("\(request.method) \(url)")
            if request.method == "HEAD" {
                guard let file = state.files[url] else { return .text("", status: 404) }
                return .response(200, headers: ["Content-Length": "\(file.count)"], body: [])
            }
            if request.method != "GET" {
                state.writes.append(
                    "\(request.method) \(url) \(String(decoding: request.body ?? [], as: UTF8.self))")
            }
            let key = request.method == "GET" ? url : "\(request.method) \(url)"
            if let next = state.once[key]?.first {
                state.once[key]?.removeFirst()
                return next
            }
            if let override = state.overrides[key] { return override }
            guard request.method == "GET" else {
                return state.albums == nil ? .text("{}", status: 404) : state.write(request, url)
            }
            return read(url, state)
        }
    }

    private func read(_ url: String, _ state: State) -> ScriptedAnswer {
        let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts.first ?? "", query = parts.count > 1 ? parts[1] : ""
        let headers: HeaderFields = [
            "Date": state.date, "Cache-Control": "no-cache", "Content-Type": "application/json",
        ]
        func body(_ text: String) -> ScriptedAnswer {
            guard state.hasETags else { return .text(text, headers: headers) }
            return .conditional(text, etag: Self.etag(text), headers: headers)
        }
        if url.isEmpty {
            guard !state.extensions.isEmpty else { return .text("{}", status: 404) }
            return body(#"{"extensions":[\#(state.extensions.map { "\"\($0)\"" }.joined(separator: ","))]}"#)
        }
        if let file = state.files[path] {
            var headers = headers
            headers["ETag"] = Self.etag(String(decoding: file, as: UTF8.self))
            return .response(200, headers: headers, body: file)
        }
        if path.hasSuffix("/images") {
            let list = "\(path)?\(query.split(separator: "&").first ?? "")"
            guard let pictures = state.lists[list] else { return body("[]") }
            let page = query.contains("page=1&") ? pictures : []
            return body("[\(page.joined(separator: ","))]")
        }
        if let answer = state.changed(path, query) ?? state.feed(path) { return answer }
        if let ids = state.lists[list(path, query)] {
            if query.contains("validators=1") { return body(validators(path, ids, state)) }
            return body("[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]")
        }
        if let object = state.objects[path] { return body(object) }
        return .text(#"{"error":"not_found"}"#, status: 404, headers: headers)
    }

    private func list(_ path: String, _ query: String) -> String {
        path.hasSuffix("/artworks/all") ? "\(path)?\(query.split(separator: "&").last ?? "")" : path
    }

    private func validators(_ path: String, _ ids: [String], _ state: State) -> String {
        let kind = path.split(separator: "/").last.map(String.init) ?? ""
        let members = ids.map { id -> String in
            let object = Self.path(kind, id)
            let lists = state.hasListETags ? Self.lists(kind, id, state) : ""
            return #"{"id":"\#(id)","etag":\#(Self.quoted(state.objects[object] ?? ""))\#(lists)}"#
        }
        return "[\(members.joined(separator: ","))]"
    }

    /// The ETags of an object's membership lists, as a JSON field with a comma before it; empty if it has none.
    package static func lists(_ kind: String, _ id: String, _ state: State) -> String {
        func ids(_ path: String) -> String {
            quoted("[\((state.lists[path] ?? []).map { "\"\($0)\"" }.joined(separator: ","))]")
        }
        func pictures(_ query: String) -> String {
            quoted("[\((state.lists["/partner_show/\(id)/images?\(query)"] ?? []).joined(separator: ","))]")
        }
        switch kind {
        case "albums": return #","lists":{"artworks":\#(ids("/partner/p/album/\(id)/artworks"))}"#
        case "artists": return #","lists":{"documents":\#(ids("/partner/p/artist/\(id)/documents"))}"#
        case "locations": return #","lists":{"artworks":\#(ids("/partner/p/artworks/all?size=all"))}"#
        case "shows":
            return #","lists":{"artworks":\#(ids("/partner/p/show/\(id)/artworks"))"#
                + #","documents":\#(ids("/partner/p/show/\(id)/documents"))"#
                + #","images?default=0":\#(pictures("default=0"))"#
                + #","images?default=1":\#(pictures("default=1"))}"#
        default: return ""
        }
    }

    /// The ETag of a body as a JSON string.
    package static func quoted(_ body: String) -> String {
        "\"\(etag(body).replacing("\"", with: "\\\""))\""
    }

    package static func path(_ kind: String, _ id: String) -> String {
        switch kind {
        case "artworks", "artists": "/\(kind.dropLast())/\(id)"
        default: "/partner/p/\(kind.dropLast())/\(id)"
        }
    }

    package static func etag(_ text: String) -> String {
        "\"\(SHA256.hash(data: Array(text.utf8)).prefix(8).hexadecimal)\""
    }
}
