import Catalogue
import Testing

@Suite struct SitePathTests {
    @Test(
        arguments: [
            ("/", .partner), ("", .partner), ("https://cmoa.org", .partner),
            ("https://cmoa.org/?q=/artist/x", .partner),
            ("/artist/x", .object(.artist, "x")), ("artist/x", .object(.artist, "x")),
            ("/artists/x/", .object(.artist, "x")),
            ("/artwork/y", .object(.artwork, "y")), ("/show/y", .object(.show, "y")),
            ("/album/a", .object(.album, "a")),
            ("/location/l", .object(.location, "l")), ("/shows", .list(.show)), ("/artwork", .list(.artwork)),
            ("/show/y/artwork/z", .within(.artwork, "z", of: .show, "y")),
            ("/shows/y/artworks/z", .within(.artwork, "z", of: .show, "y")),
            ("/artist/x/artwork/y", .within(.artwork, "y", of: .artist, "x")),
            ("/album/a/artwork/y", .within(.artwork, "y", of: .album, "a")),
            ("/location/l/artwork/y", .within(.artwork, "y", of: .location, "l")),
            ("/show/s/document/d", .within(.document, "d", of: .show, "s")),
            ("https://www.cmoa.org/cmoa/show/y/artwork/z?a=b#c", .within(.artwork, "z", of: .show, "y")),
            ("/cmoa/artist/x", .object(.artist, "x")), ("/partner/cmoa/artist/x", .object(.artist, "x")),
            ("/cmoa", .partner), ("cmoa.org/artist/x", .object(.artist, "x")),
            ("/artwork/a%2Fb%3Fc", .object(.artwork, "a/b?c")), ("/artwork/%2E%2E", .object(.artwork, "..")),
            ("/artwork/http://x", nil), ("/artist/artwork", .object(.artist, "artwork")),
            ("/artist/x/y", nil), ("/artist/x/show/y", nil), ("/artwork/x/artwork/y", nil),
            ("/a/b/artist/x", nil),
            ("/document/d", nil), ("/location/l/document/d", nil), ("/artist/%FF", nil),
            ("/show/s/artwork", nil),
        ] as [(String, SiteTarget?)])
    func pathsAndURLsOfASiteAreMappedToTheirSubject(address: String, target: SiteTarget?) {
        #expect(SitePath.target(address) == target)
    }

    @Test func onlyTheKnownPartnerMayBeTheFirstSegmentOfASitePath() {
        #expect(SitePath.target("/cmoa/artist/x", partner: "cmoa") == .object(.artist, "x"))
        #expect(SitePath.target("/tate/artist/x", partner: "cmoa") == nil)
        #expect(SitePath.target("/garbage", partner: "cmoa") == nil)
        #expect(SitePath.target("/artist/x", partner: "cmoa") == .object(.artist, "x"))
        #expect(SitePath.target("/show/artist/x", partner: "show") == .object(.artist, "x"))
    }

    @Test(arguments: RouterTests.hostileIDs)
    func everySiteTargetHasAPathThatIsMappedBackToIt(id: String) {
        var targets: [SiteTarget] = [.partner]
        for kind in Kinds.standard.listed { targets += [.list(kind), .object(kind, id)] }
        for outer in [Kind.artist, .show, .album, .location] {
            targets.append(.within(.artwork, id, of: outer, id))
        }
        for outer in [Kind.artist, .show] { targets.append(.within(.document, id, of: outer, id)) }
        for target in targets { #expect(SitePath.target(SitePath.path(target)) == target) }
    }
}
