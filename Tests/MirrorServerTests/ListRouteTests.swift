import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("Lists")
struct ListRouteTests {
    let test: TestServer
    let router = Router(partner: TestServer.partner)

    /// Shows with and without each type of list, with ordinary and hostile ids.
    init() throws {
        test = try TestServer()
        let store = test.store
        for id in ["1", "10", "2", "é", "e\u{301}"] { try store.put(.artwork, id) }
        for id in ["a\"b", "s1", "s2", "é", "e\u{301}"] { try store.put(.show, id) }
        for kind in [Kind.artist, .album, .location] {
            for id in ["x", "y/z"] { try store.put(kind, id) }
        }
        try store.put(["2", "1", "ghost"], in: Owner(.show, "s1"))
        try store.put(["10"], in: Owner(.show, "é"))
        try store.put(["1", "2"], in: Owner(.album, "y/z"))
        try store.put(["e\u{301}", "é"], in: Owner(.location, "x"))
        try store.put(document: "d2", of: Owner(.show, "s1"))
        try store.put(document: "d1", of: Owner(.show, "s1"))
        try store.put(document: "d1", of: Owner(.artist, "y/z"))
        try store.put(images: ["i2", "i1", "i3"], ofShow: "s1", role: .installation)
        try store.put(images: ["c"], ofShow: "s1", role: .cover)
        try store.put(images: ["c"], ofShow: "a\"b", role: .cover)
    }

    @Test func ownListsAreSortedById() async throws {
        let answer = try await test.get(router.list(.artwork))
        #expect(answer.text == "[\"1\",\"10\",\"2\",\"e\u{301}\",\"é\"]")
        #expect(answer.etag == EntityTag.strong(of: answer.text))
        #expect(try await test.get(router.list(.album)).text == #"["x","y/z"]"#)
        #expect(try await test.get(router.list(.location, includesPrivate: true)).text == #"["x","y/z"]"#)
    }

    @Test func membershipListsKeepTheirOrderAndIncludeGhosts() async throws {
        #expect(
            try await test.get(router.list(.artworks, of: Owner(.show, "s1"))).text == #"["2","1","ghost"]"#)
        #expect(try await test.get(router.list(.artworks, of: Owner(.show, "s2"))).text == "[]")
        #expect(try await test.get(router.list(.artworks, of: Owner(.album, "y/z"))).text == #"["1","2"]"#)
        #expect(
            try await test.get(router.list(.artworks, of: Owner(.location, "x"))).text
                == "[\"e\u{301}\",\"é\"]")
        #expect(try await test.get("/artwork/ghost").status == 404)
        #expect(try await test.get(router.list(.artwork)).text.contains("ghost") == false)
    }

    @Test func theDocumentsOfAnOwnerAreListed() async throws {
        #expect(try await test.get(router.list(.documents, of: Owner(.show, "s1"))).text == #"["d1","d2"]"#)
        #expect(try await test.get(router.list(.documents, of: Owner(.artist, "x"))).text == "[]")
    }

    @Test func everyListHasPagesOfFullObjects() async throws {
        let first = try await test.get("/partner/p1/artworks?page=1&size=2")
        #expect(first.text == #"[{"id":"1"},{"id":"10"}]"#)
        #expect(
            try await test.get("/partner/p1/artworks?page=2&size=2").text
                == "[{\"id\":\"2\"},{\"id\":\"e\u{301}\"}]")
        #expect(try await test.get("/partner/p1/artworks?page=4&size=2").text == "[]")
        let members = try await test.get(router.list(.artworks, of: Owner(.show, "s1"), .page(1)))
        #expect(members.text == #"[{"id":"2"},{"id":"1"},{"id":"ghost"}]"#)
        let documents = try await test.get("/partner/p1/show/s1/documents?page=2&size=1")
        #expect(documents.text == #"[{"id":"d2","title":"A title"}]"#)
        #expect(try await test.get("/partner/p1/artworks?page=0").text == #"{"error":"invalid_page"}"#)
        #expect(try await test.get("/partner/p1/artworks?size=all").status == 400)
    }

    @Test func everyPageOfPicturesHasTheETagOfTheWholeList() async throws {
        let whole = try await test.get("/partner_show/s1/images?default=0&page=1&size=20")
        #expect(whole.text == #"[{"id":"i2"},{"id":"i1"},{"id":"i3"}]"#)
        let second = try await test.get("/partner_show/s1/images?default=0&page=2&size=2")
        #expect(second.text == #"[{"id":"i3"}]"# && second.etag == whole.etag)
        let behind = try await test.get("/partner_show/s1/images?default=0&page=3&size=2")
        #expect(behind.text == "[]" && behind.etag == whole.etag)
        #expect(
            try await test.get(router.list(.cover, of: Owner(.show, "s1"), .page(1))).text == #"[{"id":"c"}]"#
        )
        #expect(try await test.get("/partner_show/s1/images").text.hasPrefix(#"[{"id":"c"},{"id":"i2"}"#))
        #expect(try await test.get("/partner_show/s1/images?default=2").status == 400)
    }

    @Test(arguments: Kinds.standard.listed)
    func validatorsEqualTheETagsOfObjectsAndLists(_ list: Kind) async throws {
        let entries = try #require(try await test.get(router.list(list, .validators)).json().arrayValue)
        let ids = try #require(try await test.get(router.list(list)).json().arrayValue).compactMap(
            \.stringValue)
        #expect(entries.count == ids.count)
        for (value, id) in zip(entries, ids) {
            let entry = try ListEntry(value)
            #expect(UTF8Order.equal(entry.id, id))
            #expect(try await test.get(object(list, id)).etag == entry.etag, "\(list) \(id)")
            let under = lists(list, id)
            #expect(Set((entry.lists ?? [:]).keys) == Set(under.keys))
            for (name, route) in under {
                let answer = try await test.get(route)
                #expect(answer.status == 200 && answer.etag == entry.lists?[name], "\(list) \(id) \(name)")
            }
        }
    }

    @Test func listsWithValidatorsAreInCanonicalForm() async throws {
        for list in Kinds.standard.listed {
            let answer = try await test.get(router.list(list, .validators))
            #expect(try answer.json().canonicalText == answer.text)
        }
    }

    @Test func aListsETagChangesExactlyWithItsContents() async throws {
        func etag() async throws -> String? { try await test.get(router.list(.show, .validators)).etag }
        let store = test.store
        var last = try await etag()
        #expect(try await etag() == last)
        let changes: [(String, () throws -> Void)] = [
            ("an object", { try store.put(.show, "s2", #"{"id":"s2","name":"N"}"#) }),
            ("a membership", { try store.put(["1", "2"], in: Owner(.show, "s1")) }),
            ("a document", { try store.put(document: "d9", of: Owner(.show, "s2")) }),
            ("a picture", { try store.put(images: ["i1"], ofShow: "s1", role: .installation) }),
            ("a cover", { try store.put(images: [], ofShow: "s1", role: .cover) }),
            ("a new one", { try store.put(.show, "s3") }),
        ]
        for (name, change) in changes {
            try change()
            let now = try await etag()
            #expect(now != last, "\(name)")
            last = now
        }
        try store.put(.artwork, "1", #"{"id":"1","title":"Another"}"#)
        try store.put(.show, "s3")
        #expect(try await etag() == last)
    }

    @Test func writingAPartnerFlagChangesNoBody() async throws {
        let before = try await test.get(router.list(.show, .validators))
        let answer = try await test.ask(
            .put, "/api/v1/partner/p1/partner_flags",
            body: "key=last_folio_access&value=2026-01-01T00%3A00%3A00Z")
        #expect(answer.status == 200)
        #expect(try await test.get(router.list(.show, .validators)).text == before.text)
        try test.store.put(.show, "new")
        #expect(try await test.get(router.list(.show)).text.contains("new"))
    }

    private func object(_ list: Kind, _ id: String) -> Route {
        router.object(list, id)
    }

    private func lists(_ kind: Kind, _ id: String) -> [String: Route] {
        Dictionary(
            uniqueKeysWithValues: kind.lists.map { ($0.rawValue, router.list($0, of: Owner(kind, id))) })
    }
}
