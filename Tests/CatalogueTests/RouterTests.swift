import Catalogue
import Testing

@Suite struct RouterTests {
    private static let router = Router(partner: "cmoa")
    static let hostileIDs = [
        "../../etc/passwd", "a/b?c#d", ".", "..", "...", "😀", "e\u{301}", "100%", "%2e%2E", "a b+c&d=e;f",
        "\u{0}\n",
        "ids=1", String(repeating: "x", count: 10_000), String(repeating: "中", count: 3_400), "all", "latest",
    ]

    private static let gets: [(Route, String)] = [
        (router.partner(), "/partner/cmoa/all"), (router.user(), "/me"),
        (router.object(.artwork, "1"), "/artwork/1"),
        (router.object(.artist, "1"), "/artist/1"), (router.object(.show, "1"), "/partner/cmoa/show/1"),
        (router.object(.album, "1"), "/partner/cmoa/album/1"),
        (router.object(.location, "1"), "/partner/cmoa/location/1"),
        (router.document("d", of: Owner(.show, "s")), "/partner/cmoa/show/s/document/d"),
        (router.document("d", of: Owner(.artist, "a")), "/partner/cmoa/artist/a/document/d"),
        (router.list(.artwork), "/partner/cmoa/artworks?ids=1&size=all"),
        (router.list(.artist, .validators), "/partner/cmoa/artists?ids=1&size=all&validators=1"),
        (router.list(.show, .page(3)), "/partner/cmoa/shows?page=3&size=20"),
        (router.list(.album), "/partner/cmoa/albums?ids=1&size=all"),
        (
            router.list(.location, .validators, includesPrivate: true),
            "/partner/cmoa/locations?ids=1&private=true&size=all&validators=1"
        ),
        (router.list(.artworks, of: Owner(.show, "s")), "/partner/cmoa/show/s/artworks?ids=1&size=all"),
        (
            router.list(.artworks, of: Owner(.show, "s"), .page(1)),
            "/partner/cmoa/show/s/artworks?page=1&size=20"
        ),
        (router.list(.artworks, of: Owner(.album, "a")), "/partner/cmoa/album/a/artworks?ids=1&size=all"),
        (
            router.list(.artworks, of: Owner(.location, "l")),
            "/partner/cmoa/artworks/all?ids=1&partner_location_id=l&size=all"
        ),
        (
            router.list(.artworks, of: Owner(.location, "l"), .page(2)),
            "/partner/cmoa/artworks/all?page=2&partner_location_id=l&size=20"
        ),
        (router.list(.documents, of: Owner(.show, "s")), "/partner/cmoa/show/s/documents?ids=1&size=all"),
        (router.list(.documents, of: Owner(.artist, "a")), "/partner/cmoa/artist/a/documents?ids=1&size=all"),
        (
            router.list(.installationShots, of: Owner(.show, "s"), .page(2)),
            "/partner_show/s/images?default=0&page=2&size=20"
        ),
        (
            router.list(.cover, of: Owner(.show, "s"), .page(1)),
            "/partner_show/s/images?default=1&page=1&size=20"
        ),
        (router.size(), "/partner/cmoa/size"), (router.extensions(), ""), (router.status(), "/status"),
        (router.latestEvent(), "/partner/cmoa/events/latest"),
        (router.events(after: "e:1"), "/partner/cmoa/events/e%3A1"),
        (router.showEvents(show: "s", after: "e"), "/partner/cmoa/show/s/events/e"),
        (router.snapshot(), "/partner/cmoa/snapshot"),
        (
            router.snapshot(after: "/artwork/1", event: "e"),
            "/partner/cmoa/snapshot?after=%2Fartwork%2F1&event_id=e"
        ),
        (router.digest(prefix: ""), "/partner/cmoa/digest?prefix="),
        (router.digest(prefix: "0a"), "/partner/cmoa/digest?prefix=0a"),
        (
            router.since(.artwork, "2026-01-01T00:00:00Z"),
            "/partner/cmoa/artworks?since=2026-01-01T00%3A00%3A00Z"
        ),
    ]

    @Test func everyReadRequestHasItsCanonicalURL() {
        for (route, url) in Self.gets {
            #expect(route.canonicalURL == url)
            #expect(route.method == .get)
            #expect(route.body == nil)
            #expect(route.query.map(\.name) == route.query.map(\.name).sorted())
        }
    }

    @Test func writeRequestsHaveTheirMethodAndBody() {
        let router = Self.router
        let flags = router.partnerFlags(value: "2026-01-01T00:00:00Z")
        #expect(flags.method == .put)
        #expect(flags.canonicalURL == "/partner/cmoa/partner_flags")
        let form = [NameValue("key", "last_folio_access"), NameValue("value", "2026-01-01T00:00:00Z")]
        #expect(flags.body == .form(form))
        #expect(FormBody.encode(form) == "key=last_folio_access&value=2026-01-01T00%3A00%3A00Z")

        let album: JSONObject = ["name": "N"]
        let create = router.createAlbum(album, idempotencyKey: "k")
        #expect(create.method == .post)
        #expect(create.path == "/partner/cmoa/album")
        #expect(create.headers == [NameValue("Idempotency-Key", "k")])
        #expect(create.body == .json(album))
        #expect(router.updateAlbum("a", album).method == .put)
        #expect(router.updateAlbum("a", album).path == "/partner/cmoa/album/a")
        #expect(router.deleteAlbum("a").method == .delete)
        #expect(router.deleteAlbum("a").body == nil)
        #expect(router.addArtwork("w", toAlbum: "a").method == .post)
        #expect(router.addArtwork("w", toAlbum: "a").path == "/partner/cmoa/album/a/artwork/w")
        #expect(router.removeArtwork("w", fromAlbum: "a").method == .delete)

        let session = router.session(name: "n", password: "p&=")
        #expect(session.method == .post)
        #expect(session.body == .form([NameValue("name", "n"), NameValue("password", "p&=")]))
    }

    @Test(arguments: [
        (
            "http://h:1/cmoa/api/v1", "http://h:1/cmoa/api/v1/me", "http://h:1/cmoa/status",
            "http://h:1/cmoa/api/v1"
        ),
        ("http://h/api/v1/", "http://h/api/v1/me", "http://h/status", "http://h/api/v1"),
    ])
    func statusAndSessionRequestsAreBesideTheBase(base: String, me: String, status: String, itself: String) {
        #expect(Self.router.user().url(base: base) == me)
        #expect(Self.router.status().url(base: base) == status)
        #expect(Self.router.extensions().url(base: base) == itself)
    }

    @Test(arguments: [
        ("http://h", "http://h/api/v1"), ("http://h/", "http://h/api/v1"),
        ("http://h/cmoa//", "http://h/cmoa/api/v1"),
        ("http://h/api/v1", "http://h/api/v1"), ("http://h/x/api/v1/?q#f", "http://h/x/api/v1"),
    ])
    func aServersAddressIsTurnedIntoABaseURL(address: String, base: String) {
        #expect(Router.base(from: address) == base)
        #expect(Router.base(from: base) == base)
    }

    @Test func everyFormOfAListHasTheSameCanonicalURL() {
        let router = Self.router
        let list = "/partner/cmoa/artworks?ids=1&size=all"
        for form in [Router.ListForm.ids, .validators, .page(4)] {
            #expect(router.list(.artwork, form).listURL == list)
        }
        #expect(
            router.list(.artworks, of: Owner(.location, "l"), .page(2)).listURL
                == "/partner/cmoa/artworks/all?ids=1&partner_location_id=l&size=all")
        #expect(
            router.list(.cover, of: Owner(.show, "s"), .page(7)).listURL == "/partner_show/s/images?default=1"
        )
        #expect(router.object(.artwork, "1").listURL == nil)
        #expect(router.since(.artwork, "2026-01-01").listURL == nil)
    }

    @Test(arguments: hostileIDs)
    func hostileIdsAreEncodedAsOneSegmentAndReadBack(id: String) throws {
        let router = Router(partner: id)
        let cases: [(Route, String, [String])] = [
            (router.partner(), "/partner/:p/all", [id]), (router.object(.artwork, id), "/artwork/:id", [id]),
            (router.object(.artist, id), "/artist/:id", [id]),
            (router.object(.show, id), "/partner/:p/show/:id", [id, id]),
            (router.document(id, of: Owner(.show, id)), "/partner/:p/show/:s/document/:d", [id, id, id]),
            (router.list(.artworks, of: Owner(.album, id)), "/partner/:p/album/:a/artworks", [id, id]),
            (router.removeArtwork(id, fromAlbum: id), "/partner/:p/album/:a/artwork/:w", [id, id, id]),
            (router.list(.cover, of: Owner(.show, id), .page(1)), "/partner_show/:s/images", [id]),
            (router.list(.artworks, of: Owner(.location, id)), "/partner/:p/artworks/all", [id]),
            (router.events(after: id), "/partner/:p/events/:e", [id, id]),
        ]
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%/?=&".utf8)
        for (route, pattern, values) in cases {
            let url = route.canonicalURL
            #expect(url.utf8.allSatisfy(allowed.contains))
            #expect(!url.split(separator: "/").contains { $0 == "." || $0 == ".." })
            let target = try #require(RequestTarget.parse(url))
            let matched = try #require(RoutePattern(pattern).match(target.segments))
            #expect(matched.map { Array($0.utf8) } == values.map { Array($0.utf8) })
            #expect(target.query == route.query)
        }
        #expect(
            RequestTarget.parse(router.list(.artworks, of: Owner(.location, id)).canonicalURL)?[
                "partner_location_id"] == id)
    }
}

@Suite struct RequestTargetTests {
    @Test(
        arguments: [
            ("", []), ("/", []), ("/a", ["a"]), ("/a/", ["a"]), ("/a/b%2Fc", ["a", "b/c"]),
            ("/a//b", ["a", "", "b"]),
            ("/a/../b", ["a", "..", "b"]), ("/%2E%2e/x", ["..", "x"]), ("/a+b", ["a+b"]),
            ("/%F0%9F%98%80", ["😀"]),
            ("/%00", ["\u{0}"]), ("/é", ["é"]),
        ] as [(String, [String])])
    func requestPathsAreSplitBeforeTheyAreDecoded(path: String, segments: [String]) {
        #expect(RequestTarget.parse(path: path)?.segments == segments)
    }

    @Test(arguments: ["a", "/%", "/%2", "/%zz", "/%FF", "/a/%C3", "/%ED%A0%80", "//%"])
    func malformedRequestPathsAreRejected(path: String) { #expect(RequestTarget.parse(path: path) == nil) }

    @Test func plusIsAPlusInQueriesAndASpaceInForms() {
        let target = RequestTarget.parse(path: "/a", query: "x=1+2&y=%2B&&z&x=3=4&e=")
        #expect(
            target?.query == [
                NameValue("x", "1+2"), NameValue("y", "+"), NameValue("z", ""), NameValue("x", "3=4"),
                NameValue("e", ""),
            ])
        #expect(target?["x"] == "3=4")
        #expect(target?["none"] == nil)
        #expect(RequestTarget.parse(path: "/a", query: "x=%f") == nil)
        #expect(RequestTarget.parse(path: "/a", query: "%FF=1") == nil)
        #expect(FormBody.parse(Array("a+b=c+d%2B".utf8)) == [NameValue("a b", "c d+")])
        #expect(FormBody.parse([]) == [])
        #expect(FormBody.parse(Array("a=%".utf8)) == nil)
    }

    /// In a query, dots have no special meaning, so canonical URLs don't encode them.
    @Test(arguments: [".", ".."]) func dotSegmentsAreEncodedOnlyInPaths(_ id: String) {
        let router = Router(partner: "p")
        let list = "/partner/p/artworks/all?ids=1&partner_location_id=\(id)&size=all"
        #expect(router.url(of: .list(Owner(.location, id), .artworks)) == list)
        #expect(router.resource(at: list) == .list(Owner(.location, id), .artworks))
        #expect(router.object(.artwork, id).path == "/artwork/" + id.map { _ in "%2E" }.joined())
    }

    @Test func formsAreReadBackAsTheyWereWritten() {
        let items = RouterTests.hostileIDs.map { NameValue($0, $0 + "&=+ ") }
        #expect(FormBody.parse(Array(FormBody.encode(items).utf8)) == items)
    }
}
