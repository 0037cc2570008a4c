import Catalogue
import Foundation
import MirrorHTTP

extension FakePartner {
    /// The settings of a partner's server for clients that create, change and delete albums.
    public struct Albums: Sendable {
        /// The server's time, which becomes the `updated_at` of albums that clients write.
        public var time = "2026-11-18T11:00:00Z"
        package var honoursKeys = true
        package var honoursIfMatch = true
        /// Requests that are carried out but whose response is lost, by method and path. Each is lost once.
        package var losesAnswers: Set<String> = []
        /// Whether the response to a write contains the album.
        package var answersWithBody = true
        /// The ids of created albums, by idempotency key.
        var created: [String: String] = [:]
        var count = 0

        /// Creates the default settings.
        public init() {}
    }
}

extension FakePartner.State {
    /// Adds or replaces an album on the server, as another client would. Its list of artworks is kept.
    package mutating func album(_ id: String, name: String, at time: String) {
        put(.album, id, #"{"id":"\#(id)","name":"\#(name)","updated_at":"\#(time)"}"#)
        let list = "/partner/p/album/\(id)/artworks"
        lists[list] = lists[list] ?? []
    }

    package func albumName(_ id: String) -> String? { json("/partner/p/album/\(id)")["name"]?.stringValue }

    private func json(_ path: String) -> JSONObject {
        (objects[path].flatMap { try? JSONValue(parsing: $0) })?.objectValue ?? [:]
    }

    /// Answers a write under `/partner/p/album`.
    mutating func write(_ request: TransportRequest, _ url: String) -> ScriptedAnswer {
        let parts = url.split(separator: "/").map(String.init)
        let line = "\(request.method) \(url)"
        let answer: ScriptedAnswer =
            switch (request.method, parts.count) {
            case ("POST", 3): create(request)
            case ("PUT", 4): update(request, parts[3], url)
            case ("DELETE", 4): delete(request, parts[3], url)
            case (_, 6): member(parts[5], of: parts[3], isPresent: request.method == "POST")
            default: .text("{}", status: 404)
            }
        return albums?.losesAnswers.remove(line) == nil ? answer : .failure(.connectionLost)
    }

    private mutating func store(_ id: String, _ request: TransportRequest, status: Int) -> ScriptedAnswer {
        let path = "/partner/p/album/\(id)"
        var album = json(path)
        album["id"] = .string(id)
        let body = (try? JSONValue(parsing: request.body ?? []))?.objectValue ?? [:]
        for field in ["name", "description", "private"] {
            if let value = body[field] { album[field] = value == .null ? nil : value }
        }
        album["updated_at"] = .string(albums?.time ?? "")
        put(.album, id, album.canonicalText)
        lists[path + "/artworks"] = lists[path + "/artworks"] ?? []
        return answer(path, status)
    }

    private func answer(_ path: String, _ status: Int) -> ScriptedAnswer {
        guard albums?.answersWithBody == true || status == 201 else { return .response(204) }
        let text = objects[path] ?? "{}"
        return .text(text, status: status, etag: FakePartner.etag(text))
    }

    private mutating func create(_ request: TransportRequest) -> ScriptedAnswer {
        let key = request.headers["Idempotency-Key"] ?? ""
        if albums?.honoursKeys == true, let id = albums?.created[key] {
            return answer("/partner/p/album/\(id)", 201)
        }
        albums?.count += 1
        let id = "s\(albums?.count ?? 0)"
        albums?.created[key] = id
        return store(id, request, status: 201)
    }

    private func refuses(_ request: TransportRequest, _ path: String) -> ScriptedAnswer? {
        guard let text = objects[path] else { return .text(#"{"error":"not_found"}"#, status: 404) }
        guard albums?.honoursIfMatch == true, let tag = request.headers["If-Match"],
            tag != FakePartner.etag(text)
        else { return nil }
        return .text(#"{"error":"precondition_failed"}"#, status: 412)
    }

    private mutating func update(_ request: TransportRequest, _ id: String, _ path: String) -> ScriptedAnswer
    {
        refuses(request, path) ?? store(id, request, status: 200)
    }

    private mutating func delete(_ request: TransportRequest, _ id: String, _ path: String) -> ScriptedAnswer
    {
        if let refusal = refuses(request, path) { return refusal }
        remove(.album, id)
        lists[path + "/artworks"] = nil
        return .response(204)
    }

    private mutating func member(_ artwork: String, of album: String, isPresent: Bool) -> ScriptedAnswer {
        let list = "/partner/p/album/\(album)/artworks"
        guard lists[list] != nil, objects["/artwork/\(artwork)"] != nil else {
            return .text("{}", status: 404)
        }
        lists[list]?.removeAll { $0 == artwork }
        if isPresent { lists[list]?.append(artwork) }
        return .text("{}", status: 200)
    }
}
