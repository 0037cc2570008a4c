import Catalogue
import Crypto
import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization

/// A partner's server as a test wants it: a small catalogue that can be changed, and answers that can be broken.
///
/// It is written from the description of the API alone, not with the program's own server.
final class FakePartner: Sendable {
    struct State: Sendable {
        /// Bodies by canonical URL.
        var objects: [String: String] = [:]
        /// Ids by the list's path, in order.
        var lists: [String: [String]] = [:]
        var extensions: [String] = []
        /// Answers that win over everything, by path and query; used as often as asked.
        var overrides: [String: ScriptedAnswer] = [:]
        /// The same, each used once.
        var once: [String: [ScriptedAnswer]] = [:]
        /// Pictures and documents, by path.
        var files: [String: [UInt8]] = [:]
        var requests: [String] = []
        var writes: [String] = []
        var date = "Sat, 21 Nov 2026 10:00:00 GMT"
        /// Whether lists of ids are answered with ETags, so that conditional requests work on them.
        var hasETags = true
        /// How it takes albums, if it does.
        var albums: Albums?
        /// Called before a request is answered, by method and path; each once.
        var during: [String: @Sendable () -> Void] = [:]
        /// Whether lists with validators have the ETags of the lists under an object, too.
        var hasListETags = false
        /// What changed last and when, oldest first; for `since`.
        var changes: [(at: String, kind: String, id: String)] = []
        /// What its feeds of events tell, oldest first.
        var feed = Feed()
        /// What `/status` answers.
        var status = 200
    }

    private let state = Mutex(State())

    init(_ change: (inout sending State) -> Void = { _ in }) {
        state.withLock { state in
            state.objects["/partner/p/all"] = #"{"id":"p","name":"The Partner"}"#
            for kind in ["artworks", "artists", "shows", "albums", "locations"] {
                state.lists["/partner/p/\(kind)"] = []
            }
            change(&state)
        }
    }

    func change(_ change: (inout sending State) -> Void) { state.withLock { change(&$0) } }

    /// The body of an object, by its canonical URL.
    func object(_ url: String) -> String { state.withLock { $0.objects[url] ?? "" } }

    /// Bodies by canonical URL.
    var objects: [String: String] { state.withLock { $0.objects } }

    /// Ids by the list's path.
    var lists: [String: [String]] { state.withLock { $0.lists } }

    /// Requests since the last call, without the query's usual tail.
    func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    var writes: [String] { state.withLock { $0.writes } }

    func transport(base: String = "http://origin.test/api/v1") -> ScriptedTransport {
        ScriptedTransport(base: base) { [self] request in answer(request) }
    }

    func answer(_ request: TransportRequest) -> ScriptedAnswer? {
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

    /// The ETags of the lists under an object.
    static func lists(_ kind: String, _ id: String, _ state: State) -> String {
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
    static func quoted(_ body: String) -> String {
        "\"\(etag(body).replacing("\"", with: "\\\""))\""
    }

    static func path(_ kind: String, _ id: String) -> String {
        switch kind {
        case "artworks", "artists": "/\(kind.dropLast())/\(id)"
        default: "/partner/p/\(kind.dropLast())/\(id)"
        }
    }

    static func etag(_ text: String) -> String {
        "\"\(SHA256.hash(data: Array(text.utf8)).prefix(8).hexadecimal)\""
    }
}

extension FakePartner.State {
    /// Adds or replaces an object and names it in its list.
    mutating func put(_ kind: String, _ id: String, _ body: String) {
        objects[FakePartner.path(kind, id)] = body
        if lists["/partner/p/\(kind)"]?.contains(id) != true {
            lists["/partner/p/\(kind)", default: []].append(id)
        }
    }

    mutating func artwork(_ id: String, title: String? = nil, artist: String? = nil, image: String? = nil) {
        let images =
            image.map {
                #","images":[{"id":"\#($0)","image_url":"artwork/\#(id)/image/\#($0)/larger.jpg","image_versions":["larger"]}]"#
            } ?? ""
        let artists = artist.map { #","artists":[{"id":"\#($0)"}]"# } ?? ""
        put("artworks", id, #"{"id":"\#(id)","title":"\#(title ?? "Work \(id)")"\#(artists)\#(images)}"#)
    }

    mutating func artist(_ id: String) {
        put("artists", id, #"{"id":"\#(id)","name":"Artist \#(id)"}"#)
        lists["/partner/p/artist/\(id)/documents"] = lists["/partner/p/artist/\(id)/documents"] ?? []
    }

    mutating func album(_ id: String, _ artworks: [String]) {
        put("albums", id, #"{"id":"\#(id)","name":"Album \#(id)"}"#)
        lists["/partner/p/album/\(id)/artworks"] = artworks
    }

    mutating func location(_ id: String, _ artworks: [String]) {
        put("locations", id, #"{"id":"\#(id)","name":"Room \#(id)"}"#)
        lists["/partner/p/artworks/all?size=all"] = artworks
    }

    mutating func show(_ id: String, _ artworks: [String]) {
        put("shows", id, #"{"id":"\#(id)","name":"Show \#(id)"}"#)
        lists["/partner/p/show/\(id)/artworks"] = artworks
        lists["/partner/p/show/\(id)/documents"] = lists["/partner/p/show/\(id)/documents"] ?? []
    }

    mutating func remove(_ kind: String, _ id: String) {
        objects[FakePartner.path(kind, id)] = nil
        lists["/partner/p/\(kind)"]?.removeAll { $0 == id }
    }

    /// The URL by which the whole list of a kind is asked for.
    static func listURL(_ kind: String) -> String {
        kind == "locations"
            ? "/partner/p/locations?ids=1&private=true&size=all" : "/partner/p/\(kind)?ids=1&size=all"
    }
}
