import Testing

@testable import Catalogue

@Suite("Canonical resources") struct CanonicalResourceTests {
    private static let table: [(CanonicalResource, String)] = [
        (.object(.partner, id: "p"), "/partner/p/all"), (.object(.user, id: "me"), "/me"),
        (.object(.artwork, id: "w"), "/artwork/w"), (.object(.artist, id: "a"), "/artist/a"),
        (.object(.show, id: "s"), "/partner/p/show/s"), (.object(.album, id: "b"), "/partner/p/album/b"),
        (.object(.location, id: "l"), "/partner/p/location/l"),
        (.document(Owner(.show, "s"), id: "d"), "/partner/p/show/s/document/d"),
        (.document(Owner(.artist, "a"), id: "d"), "/partner/p/artist/a/document/d"),
        (.list(Owner(.show, "s"), .artworks), "/partner/p/show/s/artworks?ids=1&size=all"),
        (.list(Owner(.album, "b"), .artworks), "/partner/p/album/b/artworks?ids=1&size=all"),
        (
            .list(Owner(.location, "l"), .artworks),
            "/partner/p/artworks/all?ids=1&partner_location_id=l&size=all"
        ),
        (.list(Owner(.show, "s"), .documents), "/partner/p/show/s/documents?ids=1&size=all"),
        (.list(Owner(.artist, "a"), .documents), "/partner/p/artist/a/documents?ids=1&size=all"),
        (.list(Owner(.show, "s"), .installationShots), "/partner_show/s/images?default=0"),
        (.list(Owner(.show, "s"), .cover), "/partner_show/s/images?default=1"),
    ]

    @Test(arguments: table) func aCanonicalResourceIsFoundByItsOnlyURL(
        resource: CanonicalResource, url: String
    ) {
        let router = Router(partner: "p")
        #expect(router.url(of: resource) == url)
        #expect(router.resource(at: url) == resource)
    }

    @Test(arguments: ["a/b?c#d", "%2F", "é", "e\u{301}", "..", "a+b c&d=e", "show", "images"])
    func anyIdInACanonicalURLIsReadBack(id: String) {
        let router = Router(partner: id)
        for kind in Kinds.standard.listed {
            let all =
                [CanonicalResource.object(kind, id: id), .document(Owner(.show, id), id: id)]
                + kind.lists.map { .list(Owner(kind, id), $0) }
            for resource in all {
                #expect(
                    router.url(of: resource).flatMap { router.resource(at: $0) } == resource, "\(resource)")
            }
        }
    }

    @Test(
        arguments: [
            "", "/", "/artwork", "/artwork/a?x=1", "/artwork/%61", "/partner/q/all", "/partner/p/artworks",
            "/partner/p/artwork/w", "/partner/p/show/s/artworks",
            "/partner/p/album/b/documents?ids=1&size=all",
            "/partner_show/s/images?default=2", "/partner_show/s/images?default=0&page=1&size=20",
            "/partner/p/show/s/document", "http://other/artwork/w", "/partner/p/artworks/all?ids=1&size=all",
        ])
    func nonCanonicalURLsHaveNoResource(url: String) {
        #expect(Router(partner: "p").resource(at: url) == nil)
    }

    @Test func objectsHaveOnlyTheListsOfTheirKind() {
        let router = Router(partner: "p")
        #expect(router.url(of: .list(Owner(.artwork, "w"), .artworks)) == nil)
        #expect(router.url(of: .document(Owner(.album, "b"), id: "d")) == nil)
    }
}

@Suite("Nodes of a digest") struct DigestAnswerTests {
    private static let hash = String(repeating: "aB", count: 32)

    @Test func aDigestNodeIsReadAsItIsWritten() throws {
        let leaves = DigestAnswer(
            prefix: "0f", hash: Self.hash.lowercased(), content: .leaves([.init(url: "/me", etag: "\"1\"")]))
        #expect(try DigestAnswer(leaves.json) == leaves)
        let children = [String](repeating: Self.hash.lowercased(), count: 16)
        let node = DigestAnswer(prefix: "", hash: Self.hash.lowercased(), content: .children(children))
        #expect(try DigestAnswer(node.json) == node)
        #expect(try DigestAnswer(["prefix": "0F", "hash": .string(Self.hash), "leaves": []]).prefix == "0f")
    }

    @Test(
        arguments: [
            [:], ["prefix": "", "leaves": []], ["prefix": "x", "hash": .string(hash), "leaves": []],
            ["prefix": "", "hash": "00", "leaves": []], ["prefix": "", "hash": .string(hash)],
            ["prefix": "", "hash": .string(hash), "children": ["00"]],
            ["prefix": "", "hash": .string(hash), "leaves": [["url": "/me"]]],
            [
                "prefix": "", "hash": .string(hash),
                "leaves": .array([JSONValue](repeating: ["url": "/", "etag": ""], count: 17)),
            ],
        ] as [JSONObject])
    func malformedDigestNodesAreRejected(json: JSONObject) {
        #expect(throws: PayloadError.self) { try DigestAnswer(json) }
    }
}
