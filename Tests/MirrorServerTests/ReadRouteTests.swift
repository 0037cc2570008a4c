import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("Objects")
struct ReadRouteTests {
    let test: TestServer
    let router = Router(partner: TestServer.partner)

    init() throws { test = try TestServer() }

    @Test func anObjectIsServedWithItsETag() async throws {
        try test.store.put(.artwork, "x", #"{"id":"x","title":"Ü"}"#)
        let answer = try await test.get(router.object(.artwork, "x"))
        #expect(answer.status == 200 && answer.text == #"{"id":"x","title":"Ü"}"#)
        #expect(answer.headers[.contentType] == "application/json")
        #expect(answer.headers[.cacheControl] == "no-cache")
        #expect(answer.headers[.contentLength] == String(answer.body.count))
        #expect(answer.etag == EntityTag.strong(of: answer.text))
    }

    @Test func everyKindOfObjectIsServedAtItsCanonicalURL() async throws {
        for kind in [Kind.artwork, .artist, .show, .album, .location, .user] {
            try test.store.put(kind, "x")
        }
        try test.store.put(document: "d", of: Owner(.show, "x"))
        try test.store.put(document: "d", of: Owner(.artist, "x"))
        for route in [
            router.object(.artwork, "x"), router.object(.artist, "x"), router.object(.show, "x"),
            router.object(.album, "x"),
            router.object(.location, "x"),
            router.user(), router.partner(), router.document("d", of: Owner(.show, "x")),
            router.document("d", of: Owner(.artist, "x")), router.extensions(),
        ] {
            let answer = try await test.get(route)
            #expect(answer.status == 200, "\(route.path)")
            let again = try await test.get(route.canonicalURL, [.ifNoneMatch: try #require(answer.etag)])
            #expect(again.status == 304 && again.body.isEmpty && again.etag == answer.etag, "\(route.path)")
            #expect(again.headers[.contentLength] == nil)
        }
    }

    @Test func unknownObjectsAndPathsAreNotFound() async throws {
        try test.store.put(.artwork, "x")
        for path in [
            "/me", "/artwork/y", "/artist/x", "/partner/p1/show/x",
            "/partner/p1/show/x/artworks?ids=1&size=all",
            "/partner/p1/artist/x/documents", "/partner/p1/show/x/document/d", "/partner_show/x/images",
            "/partner/p1/artworks/all?partner_location_id=x", "/partner/other/all", "/nothing",
            "/artwork/x/image/i/larger.jpg", "/partner/p1/show/s/document/d/file/f",
        ] {
            let answer = try await test.get(path)
            #expect(answer.status == 404 && answer.text == #"{"error":"not_found"}"#, "\(path)")
        }
    }

    @Test func pathsMayContainThePartnersIdOrSlug() async throws {
        let byID = try await test.get("/partner/p1/all"),
            bySlug = try await test.get("/partner/the-partner/all")
        #expect(byID.status == 200 && byID.text == bySlug.text)
        try test.store.put(.partner, "p1", #"{"id":"p1","slug":"new"}"#, slug: "new")
        #expect(try await test.get("/partner/new/all").text == #"{"id":"p1","slug":"new"}"#)
    }

    @Test func committedChangesAreServedAtOnce() async throws {
        try test.store.put(.artwork, "x", #"{"id":"x","title":"Old"}"#)
        let before = try await test.get("/artwork/x"),
            list = try await test.get("/partner/p1/artworks?ids=1&size=all")
        try test.store.put(.artwork, "x", #"{"id":"x","title":"New"}"#)
        try test.store.put(.artwork, "y")
        #expect(try await test.get("/artwork/x", [.ifNoneMatch: before.etag ?? ""]).status == 200)
        #expect(list.text == #"["x"]"#)
        #expect(try await test.get("/partner/p1/artworks?ids=1&size=all").text == #"["x","y"]"#)
    }

    @Test func hostileIdsInPathsAreTreatedAsIds() async throws {
        for id in hostileIDs { try test.store.put(.artwork, id) }
        for id in hostileIDs { try test.store.put(.show, id) }
        for id in hostileIDs {
            let expected = JSONObject([("id", .string(id))]).canonicalText
            #expect(try await test.get(router.object(.artwork, id)).text == expected, "\(id.prefix(20))")
            #expect(try await test.get(router.object(.show, id)).text == expected, "\(id.prefix(20))")
        }
        let list = try await test.get(router.list(.artwork)).json()
        let listed = try #require(list.arrayValue).compactMap(\.stringValue)
        #expect(listed.count == hostileIDs.count)
        #expect(Set(listed.map { Array($0.utf8) }) == Set(hostileIDs.map { Array($0.utf8) }))
    }

    @Test func noRequestPathReachesTheFileSystem() async throws {
        for path in [
            "/..%5c..%5cetc/passwd", "/%252e%252e/%252e%252e/etc/passwd",
            "/artwork/..%252f..%252fetc%252fpasswd",
            "/artwork/..%5C..%5Cmirror.sqlite", "/artwork/a/image/b/..%2f..%2fcredentials", "/..%2f..%2flock",
            "/../../etc/passwd", "/artwork/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        ] {
            #expect(try await test.get(path).status == 404, "\(path)")
        }
    }

    @Test func headAnswersHaveTheHeadersOfGetAndNoBody() async throws {
        try test.store.put(.artwork, "x")
        let head = try await test.ask(.head, "/api/v1/artwork/x"), get = try await test.get("/artwork/x")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.headers[.contentLength] == String(get.body.count) && head.etag == get.etag)
        #expect(try await test.ask(.head, "/api/v1/artwork/y").status == 404)
    }

    @Test func unsupportedMethodsGet405() async throws {
        try test.store.put(.artwork, "x")
        let answer = try await test.ask(.post, "/api/v1/artwork/x")
        #expect(answer.status == 405 && answer.headers[.allow] == "GET, HEAD")
        #expect(answer.text == #"{"error":"method_not_allowed"}"#)
        #expect(try await test.ask(.get, "/api/v1/partner/p1/partner_flags").headers[.allow] == "PUT")
        #expect(try await test.ask(.options, "/api/v1").status == 405)
    }

    @Test func theBaseURLListsTheExtensions() async throws {
        #expect(
            try await test.get("").text
                == #"{"extensions":["validators","since","events","status","snapshot","digest"]}"#)
        #expect(
            try await test.get("/").text
                == #"{"extensions":["validators","since","events","status","snapshot","digest"]}"#)
    }

    @Test func theSizeOfAMirrorIsServed() async throws {
        #expect(try await test.get("/partner/p1/size").status == 404)
        let mirror = try TestServer(catalogue: false)
        #expect(try await mirror.get("/partner/p1/size").text == #"{"total":0}"#)
    }

    @Test func mirrorsAreOnlyServedUnderTheirNames() async throws {
        #expect(try await test.ask(.get, "/test/api/v1/partner/p1/all").status == 200)
        for name in ["other", "Test", "..", "%2E%2E", "te%2Fst"] {
            #expect(try await test.ask(.get, "/\(name)/api/v1/partner/p1/all").status == 404, "\(name)")
        }
    }
}
