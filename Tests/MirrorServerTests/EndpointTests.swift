import Catalogue
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("Paths")
struct EndpointTests {
    private static let router = Router(partner: "p")
    private static let show = Owner(.show, "s"), artist = Owner(.artist, "a")

    static let routes: [(Route, Endpoint)] = [
        (router.extensions(), .base), (router.user(), .user), (router.partner(), .partner),
        (router.size(), .size), (router.partnerFlags(value: "v"), .flags),
        (router.object(.artwork, "x"), .object(.artwork, "x")),
        (router.object(.artist, "x"), .object(.artist, "x")),
        (router.object(.show, "x"), .object(.show, "x")),
        (router.object(.location, "x"), .object(.location, "x")),
        (router.object(.album, "x"), .object(.album, "x")),
        (router.createAlbum([:], idempotencyKey: "k"), .newAlbum),
        (router.addArtwork("w", toAlbum: "m"), .albumArtwork(album: "m", artwork: "w")),
        (router.document("d", of: Owner(.show, "s")), .document(show, "d")),
        (router.document("d", of: Owner(.artist, "a")), .document(artist, "d")),
        (router.list(.artwork), .list(.artwork)), (router.list(.show), .list(.show)),
        (router.list(.artist), .list(.artist)), (router.list(.album), .list(.album)),
        (router.list(.location, includesPrivate: true), .list(.location)),
        (router.list(.artworks, of: Owner(.show, "s")), .members(.artworks, of: show)),
        (router.list(.artworks, of: Owner(.album, "m")), .members(.artworks, of: Owner(.album, "m"))),
        (router.list(.artworks, of: Owner(.location, "l")), .locationArtworks),
        (router.list(.documents, of: Owner(.show, "s")), .members(.documents, of: show)),
        (router.list(.documents, of: Owner(.artist, "a")), .members(.documents, of: artist)),
        (router.list(.cover, of: Owner(.show, "s"), .page(1)), .showImages("s")),
        (router.latestEvent(), .latestEvent(.partner)),
        (router.events(after: "e"), .events(.partner, after: "e")),
        (router.latestShowEvent(show: "s"), .latestEvent(.show("s"))),
        (router.showEvents(show: "s", after: "e/f"), .events(.show("s"), after: "e/f")),
    ]

    @Test(arguments: routes.indices)
    func everyRequestOfTheRouterHasAnEndpoint(_ index: Int) throws {
        let (route, endpoint) = Self.routes[index]
        let target = try Destination.parse("/api/v1" + route.canonicalURL)
        let found = try #require(Endpoint.parse(target.segments))
        #expect(found.endpoint == endpoint)
        #expect(found.partner == (route.path.hasPrefix("/partner/") ? "p" : nil))
    }

    @Test func theServerRecognisesTheFileURLsThatItWritesInAnswers() throws {
        let picture = try endpoint(FileReference.picture(artwork: "a/b", image: "i?"))
        #expect(picture == .picture(Owner(.artwork, "a/b"), image: "i?", format: "larger"))
        let shot = try endpoint(FileReference.picture(show: "..", image: "i", format: "square"))
        #expect(shot == .picture(Owner(.show, ".."), image: "i", format: "square"))
        let file = FileReference.document(
            partner: "p", owner: Owner(.show, "s"), id: "d/e", filename: "a b.pdf")
        #expect(try endpoint(file) == .documentFile(Self.show, "d/e"))
    }

    @Test func pathsOutsideTheAPIHaveNoEndpoint() throws {
        for path in [
            "/artwork", "/artwork/", "/artwork//", "/artwork/a/b", "/partner/p", "/partner/p/nothing",
            "/me/x",
            "/partner/p/show/s/nothing", "/partner//all", "/partner_show/s/pictures",
            "/artwork/a/image/i/.jpg",
            "/artwork/a/image/i/larger.png", "/partner/p/artworks/none", "/partner/p/show/s/document/d/file",
            "/partner/p/events", "/partner/p/events/", "/partner/p/events/e/f", "/partner/p/show/s/events",
            "/partner/p/artist/a/events/e", "/partner/p/album/m/events/latest",
        ] {
            #expect(Endpoint.parse(try Destination.parse("/api/v1" + path).segments) == nil, "\(path)")
        }
    }

    @Test func aBaseIsParsedWithAndWithoutAMirrorsName() throws {
        #expect(try Destination.parse("/api/v1").place == .base(mirror: nil))
        #expect(try Destination.parse("/api/v1/").segments.isEmpty)
        #expect(try Destination.parse("/cmoa/api/v1/me").place == .base(mirror: "cmoa"))
        #expect(try Destination.parse("/api/api/v1/me").place == .base(mirror: "api"))
        #expect(try Destination.parse("/_session").place == .session)
        #expect(try Destination.parse("/cmoa/_session").place == .session)
        #expect(try Destination.parse("/status").place == .status)
        #expect(try Destination.parse("/cmoa/status").place == .status)
        for page in ["/", "/cmoa", "/cmoa/x/status", "/cmoa/artwork/a"] {
            #expect(try Destination.parse(page).place == .page)
        }
    }

    @Test func malformedRequestTargetsAreRejected() throws {
        let table: [(String, Refusal)] = [
            ("*", .badRequest), ("x", .badRequest), ("/api", .notFound),
            ("http://host/api/v1", .badRequest), ("/api/v1/artwork/%", .badRequest),
            ("/api/v1/artwork/%zz", .badRequest), ("/api/v1/artwork/%ff", .badRequest),
            ("/api/v1/me?%q=1", .badRequest), ("/api/v1/artwork/a%00", .notFound),
            ("/" + String(repeating: "a", count: Destination.maximalLength), .targetTooLong),
        ]
        for (target, refusal) in table {
            #expect(throws: refusal, "\(target.prefix(40))") { try Destination.parse(target) }
        }
    }

    private func endpoint(_ relative: String) throws -> Endpoint? {
        Endpoint.parse(try Destination.parse("/api/v1/" + relative).segments)?.endpoint
    }
}
