import Catalogue
import Foundation
import GRDB
import MirrorDemo
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Compares a server's answers to since requests with its current lists.
struct SinceCheck {
    let home: LiveMirror
    let name: String

    /// A client's state: the element of each object in the validators list.
    typealias Known = [Kind: [ExactText: JSONObject]]

    func known() async throws -> Known {
        try await asking { session, router in
            var known: Known = [:]
            for list in Kinds.standard.listed {
                let entries = try await Self.list(router.list(list, .validators), session)
                known[list] = Dictionary(
                    uniqueKeysWithValues: entries.map { (ExactText($0["id"]?.idText ?? ""), $0) })
            }
            return known
        }
    }

    /// Applies the answers to an earlier state, and expects the current state. Also expects that the objects in the answers equal
    /// those at their own URLs.
    ///
    /// - Parameters:
    ///   - time: the time of the earlier state.
    ///   - old: the server's state at that time.
    ///   - sample: the number of objects of each kind that are requested by their own URL.
    func check(since time: String, from old: Known, sample: Int = .max) async throws {
        let now = try await known()
        try await asking { session, router in
            for list in Kinds.standard.listed {
                var known = old[list] ?? [:]
                for (number, entry) in try await Self.list(router.since(list, time), session).enumerated() {
                    let id = entry["id"]?.idText ?? ""
                    guard let object = entry["object"]?.objectValue else {
                        #expect(entry["deleted_at"]?.stringValue.flatMap(Timestamp.init) != nil)
                        known[ExactText(id)] = nil
                        continue
                    }
                    var validator = entry
                    validator["object"] = nil
                    known[ExactText(id)] = validator
                    let etag = entry["etag"]?.stringValue
                    #expect(EntityTag.strong(of: object.canonicalText) == etag, "\(list) \(id)")
                    guard number < sample else { continue }
                    let served = try await session.send(ObjectOperation(Self.route(list, id, router)))
                    #expect(served.head.etag == etag, "\(list) \(id)")
                }
                #expect(known == now[list] ?? [:], "\(list) since \(time)")
            }
        }
    }

    func asking<T: Sendable>(
        _ body: @escaping @Sendable (InterceptableSession, Router) async throws -> T
    ) async throws -> T {
        let name = name
        return try await home.serving { port in
            let session = try InterceptableSession(
                base: "http://127.0.0.1:\(port)/\(name)/api/v1",
                transport: CurlTransport(.init(addresses: .testing)), cache: nil,
                interceptors: .standard())
            let partner = try await session.send(ObjectOperation(Router(partner: name).partner()))
            guard let id = partner.json?["id"]?.idText else {
                throw CancellationError()
            }
            return try await body(session, Router(partner: id))
        }
    }

    private static func list(_ route: Route, _ session: InterceptableSession) async throws -> [JSONObject] {
        guard case .body(let response) = try await session.send(ListOperation(route)) else { return [] }
        return try #require(try JSONValue(parsing: response.body).arrayValue).compactMap(\.objectValue)
    }

    private static func route(_ list: Kind, _ id: String, _ router: Router) -> Route {
        router.object(list, id)
    }
}

@Suite("Changes of the built-in catalogue", .serialized)
struct DemoSinceTests {
    @Test func aSinceRequestFromTheBeginningReturnsEverything() async throws {
        let home = try LiveMirror()
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        let store = try home.mirror("demo").store()
        let first = try #require(
            try store.read { try String.fetchOne($0, sql: "SELECT at FROM change ORDER BY seq LIMIT 1") })
        try store.close()
        try await SinceCheck(home: home, name: "demo").check(since: first, from: [:])
    }

    @Test func applyingSinceAnswersYieldsTheNewerCatalogue() async throws {
        let home = try LiveMirror()
        var files = DemoCatalogue.files
        // One catalogue lacks every fifth line of each kind.
        for (name, text) in files where name.hasSuffix(".jsonl") {
            let lines = text.split(separator: "\n").enumerated().filter { $0.offset % 5 != 1 }
            files[name] = lines.map { $0.element + "\n" }.joined()
        }
        let check = SinceCheck(home: home, name: "demo")
        try await home.importing(.embedded(files), as: "demo")
        let old = try await check.known(), time = Timestamp.now
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        try await check.check(since: time, from: old)
        let full = try await check.known(), later = Timestamp.now
        let newer = CatalogueImport(.embedded(files), into: try home.mirror("demo"), maxDelete: .total(1_000))
        #expect(try await newer.run().outcome == .complete)
        try await check.check(since: later, from: full)
        #expect(try await check.known() == old)
    }
}

extension Timestamp {
    /// The current time, in the format of the API.
    static var now: String { CatalogueStore.text(of: Date()) }
}
