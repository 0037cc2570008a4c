import Catalogue
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorServer

@Suite("The digest") struct DigestRouteTests {
    private let test: TestServer
    private let router = Router(partner: TestServer.partner)
    private var store: CatalogueStore { test.store }

    init() throws { test = try TestServer() }

    /// All canonical URLs with the ETags of their answers, requested one by one.
    private func etags() async throws -> [String: String] {
        var resources: [CanonicalResource] = [.object(.partner, id: "p"), .object(.user, id: "me")]
        for kind in Kinds.standard.listed {
            for id in try await ids(router.list(kind)) {
                resources.append(.object(kind, id: id))
                resources += kind.lists.map { .list(Owner(kind, id), $0) }
                guard kind.lists.contains(.documents) else { continue }
                let documents = try #require(router.url(of: .list(Owner(kind, id), .documents)))
                for document in try ids(of: await test.get(documents)) {
                    resources.append(.document(Owner(kind, id), id: document))
                }
            }
        }
        var etags: [String: String] = [:]
        for url in resources.compactMap({ router.url(of: $0) }) {
            let answer = try await test.get(url)
            if answer.status == 200 { etags[url] = answer.etag }
        }
        return etags
    }

    private func ids(_ route: Route) async throws -> [String] { try ids(of: await test.get(route)) }

    private func ids(of answer: TestServer.Answer) throws -> [String] {
        try answer.json().arrayValue?.compactMap(\.stringValue) ?? []
    }

    private func node(_ prefix: String = "") async throws -> DigestAnswer {
        let answer = try await test.get(router.digest(prefix: prefix))
        #expect(answer.status == 200)
        return try DigestAnswer(try #require(try answer.json().objectValue))
    }

    private func check(_ comment: Comment) async throws {
        let etags = try await etags()
        #expect(try await node().hash == NaiveDigest.hash(of: etags), comment)
    }

    @Test func theDigestCoversEveryCanonicalURLAfterAnyChange() async throws {
        try await check("only the partner")
        try store.put(.user, "u")
        for id in ["a/b", "é", "w3"] + (0..<30).map({ "n\($0)" }) { try store.put(.artwork, id) }
        try store.put(.artist, "x", #"{"id":"x","name":"X"}"#)
        try store.put(show: "s", start: nil, end: nil)
        try store.put(.location, "l")
        try store.put(.album, "m")
        try await check("objects")
        try store.put(["w3", "n1", "gone"], in: Owner(.show, "s"))
        try store.put(["n2"], in: Owner(.location, "l"))
        try store.put(["n2", "n1"], in: Owner(.album, "m"))
        try store.put(document: "d", of: Owner(.show, "s"))
        try store.put(document: "e", of: Owner(.artist, "x"))
        try store.put(images: ["i", "j"], ofShow: "s", role: .installation)
        try store.put(images: ["c"], ofShow: "s", role: .cover)
        try await check("lists and documents")
        try store.put(.artwork, "n1", #"{"id":"n1","title":"Other"}"#)
        try store.put(document: "d", of: Owner(.show, "s"), title: "Other")
        try store.put(["n1"], in: Owner(.show, "s"))
        try store.put(images: ["j"], ofShow: "s", role: .installation)
        try await check("changes")
        try store.put(.user, "v")
        _ = try store.apply([.tombstone(kind: .artist, id: "x", evidence: "test")], run: nil)
        _ = try store.apply([.tombstone(kind: .show, id: "s", evidence: "test")], run: nil)
        _ = try store.apply([.tombstone(kind: .artwork, id: "n2", evidence: "test")], run: nil)
        try await check("deleted objects, with the lists and documents under them")
    }

    @Test func theDigestExcludesWhatIsNotServed() async throws {
        try store.put(.artwork, "w")
        let before = try await node().hash
        _ = try store.apply([.flag(key: "last_folio_access", value: "2026-01-01T00:00:00Z")], run: nil)
        #expect(try await node().hash == before)
        // A member that isn't stored is a ghost. The digest contains the album and its list, but not the ghost.
        try store.put(.album, "m")
        try store.put(["ghost"], in: Owner(.album, "m"))
        guard case .leaves(let leaves) = try await node().content else { return #expect(Bool(false)) }
        #expect(
            Set(leaves.map(\.url)) == [
                "/artwork/w", "/partner/p1/all", "/partner/p1/album/m",
                "/partner/p1/album/m/artworks?ids=1&size=all",
            ])
    }

    @Test func theDigestIncludesEditsMadeThroughTheAPI() async throws {
        try store.put(.artwork, "w")
        try await check("before")
        let made = try await test.ask(
            .post, "/api/v1/partner/p1/album", body: #"{"name":"Summer","private":false}"#)
        let id = try #require(try made.json().objectValue?["id"]?.stringValue)
        try await check("made")
        _ = try await test.ask(.post, "/api/v1/partner/p1/album/\(id)/artwork/w")
        try await check("filled")
        _ = try await test.ask(.delete, "/api/v1/partner/p1/album/\(id)")
        try await check("deleted")
    }

    @Test func aDigestNodeHasSixteenChildrenOrAtMostSixteenLeaves() async throws {
        for number in 0..<200 { try store.put(.artwork, "w\(number)") }
        let etags = try await etags()
        guard case .children(let children) = try await node().content else { return #expect(Bool(false)) }
        for (digit, hash) in children.enumerated() {
            let child = try await node(String(digit, radix: 16, uppercase: true))
            #expect(child.hash == hash && child.prefix == String(digit, radix: 16))
            #expect(hash == NaiveDigest.hash(of: etags, under: child.prefix))
        }
        let empty = try await node(String(repeating: "0", count: 64))
        #expect(empty.content == .leaves([]) && empty.hash == String(repeating: "0", count: 64))
    }

    @Test(arguments: ["x", "0g", "%20", "é", String(repeating: "a", count: 65)])
    func anInvalidDigestPrefixIsRejectedWithAMessage(prefix: String) async throws {
        let answer = try await test.get(router.digest(prefix: prefix))
        #expect(answer.status == 400)
        #expect(
            answer.text
                == #"{"error":"invalid_prefix","message":"A prefix is up to 64 hexadecimal digits."}"#)
    }

    @Test func theDigestOfAnotherPartnerIsNotFound() async throws {
        #expect(try await test.get("/partner/other/digest").status == 404)
        #expect(try await test.ask(.post, "/api/v1/partner/p1/digest").status == 405)
    }

    @Test func theDigestIsCorrectAfterTheChangeLogWasTruncated() async throws {
        try store.put(.artwork, "a")
        try await check("before")
        try store.put(.artwork, "b")
        test.pass(200 * 86_400)
        try store.trimHistory(olderThan: store.timestamp())
        try await check("after")
    }
}
