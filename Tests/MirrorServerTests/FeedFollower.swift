import Catalogue
import Testing

@testable import MirrorServer

/// A minimal client of the API: it fetches everything once, then applies pages of events.
struct FeedFollower {
    /// A body with its ETag.
    struct StoredBody: Equatable {
        let etag: String?
        let body: String
    }

    private let test: TestServer
    private let router = Router(partner: TestServer.partner)
    private(set) var cursor = ""
    /// The stored bodies by kind and id. For lists and documents, by the owner's kind and id and their own name.
    private(set) var bodies: [[String]: StoredBody] = [:]
    /// The number of times that it fetched everything again.
    private(set) var refreshes = 0

    private static let lists: [(Kind, String)] = [
        (.artwork, "artwork"), (.artist, "artist"), (.show, "show"), (.album, "album"),
        (.location, "location"),
    ]

    /// Requests the cursor first, then fetches everything.
    init(_ test: TestServer) async throws {
        self.test = test
        try await begin(at: try await page(router.latestEvent()).eventID)
    }

    private func page(_ route: Route) async throws -> EventsAnswer {
        try EventsAnswer(try #require(try await test.get(route).json().objectValue))
    }

    private mutating func begin(at event: String) async throws {
        cursor = event
        bodies = [:]
        try await fetch(router.partner(), as: ["partner", TestServer.partner])
        for (list, kind) in Self.lists {
            let ids = try #require(try await test.get(router.list(list)).json().arrayValue)
            for id in ids.compactMap(\.stringValue) {
                if let route = object(kind, id) { try await fetch(route, as: [kind, id]) }
                for name in Self.names(kind) { try await fetch(list: name, kind, id) }
            }
        }
    }

    /// Requests and applies pages until there are no more.
    ///
    /// - Parameter limit: the maximum number of pages.
    mutating func follow(limit: Int = .max) async throws {
        for _ in 0..<limit {
            let answer = try await test.get(router.events(after: cursor))
            guard answer.status != 410 else {
                refreshes += 1
                return try await begin(at: try await page(router.latestEvent()).eventID)
            }
            let page = try EventsAnswer(try #require(try answer.json().objectValue))
            if page.refresh != 0 {
                refreshes += 1
                return try await begin(at: page.eventID)
            }
            for event in page.events { try await apply(event) }
            cursor = page.eventID
            guard page.hasMore else { return }
        }
    }

    private mutating func apply(_ event: PartnerEvent) async throws {
        guard event.action != .delete else {
            for key in bodies.keys where key[0] == event.kind && key[1] == event.id { bodies[key] = nil }
            return
        }
        if let object = event.object {
            bodies[[event.kind, event.id]] = StoredBody(etag: event.etag, body: object.canonicalText)
        } else if let route = object(event.kind, event.id) {
            try await fetch(route, as: [event.kind, event.id])
        }
        for (name, etag) in event.lists ?? [:] where bodies[[event.kind, event.id, name]]?.etag != etag {
            try await fetch(list: name, event.kind, event.id)
        }
    }

    private mutating func fetch(_ route: Route, as key: [String]) async throws {
        let answer = try await test.get(route)
        bodies[key] = answer.status == 200 ? StoredBody(etag: answer.etag, body: answer.text) : nil
    }

    /// Fetches a list under an object. For a list of documents, also the documents.
    private mutating func fetch(list name: String, _ kind: String, _ id: String) async throws {
        guard let route = under(kind, id, name) else { return }
        try await fetch(route, as: [kind, id, name])
        guard name == "documents" else { return }
        for key in bodies.keys where key.count == 4 && key[0] == kind && key[1] == id { bodies[key] = nil }
        let body = bodies[[kind, id, name]]?.body ?? "[]"
        for document in try #require(try JSONValue(parsing: Array(body.utf8)).arrayValue) {
            let document = try #require(document.stringValue)
            let route =
                kind == "show"
                ? router.document(document, of: Owner(.show, id))
                : router.document(document, of: Owner(.artist, id))
            try await fetch(route, as: [kind, id, name, document])
        }
    }

    private static func names(_ kind: String) -> [String] {
        switch kind {
        case "show": ["artworks", "documents", "images?default=0", "images?default=1"]
        case "artist": ["documents"]
        case "album", "location": ["artworks"]
        default: []
        }
    }

    private func object(_ kind: String, _ id: String) -> Route? {
        Kinds.standard[kind].map { router.object($0, id) }
    }

    private func under(_ kind: String, _ id: String, _ name: String) -> Route? {
        guard let kind = Kinds.standard[kind], let list = ObjectList(rawValue: name) else { return nil }
        return router.list(list, of: Owner(kind, id))
    }
}
