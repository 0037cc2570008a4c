import Catalogue
import MirrorHTTP

extension FuzzTarget {
    private static let words = [
        "%2F", "%2e", "%2E%2e", "%zz", "%", "%C3%A9", "%80", "/", "//", "/../", "/./", "..", "?", "&", "=",
        "#", "@", ":",
        "://", "http://", "https://", "file:///", "[::1]", ":80", ":443", "127.0.0.1", "\\", "+", "%20", " ",
        "\r\n", "é",
        "e\u{301}", "ids=1&size=all", "default=0", "?a=1&a=0&b", "/partner/p/", "/api/v1", "xn--",
    ]

    /// Targets for URLs, addresses, paths and ids.
    static let urls = [
        FuzzTarget(
            "canonical url",
            seeds: [
                "HTTP://User:x@Example.COM:80/a/../b/./%7euser/%2f?b=2&a=1&b=1#frag",
                "https://[2001:DB8::1]:0443/%e9?",
                "//host", "/artwork/x%20y", "mailto:a@b", "?q", "a:b", "", "http://h/..//a",
                "http://h/%2E%2e/x",
            ], words: words, check: checkURL),
        FuzzTarget(
            "web address",
            seeds: [
                "http://127.0.0.1:8080/a b?c=d#e", "https://Example.org", "http://[::1]:80/",
                "http://h/a/../b",
                "../x", "//other/y", "?z", "ftp://h/", "http://u@h/",
            ], words: words, check: checkAddress),
        FuzzTarget(
            "numeric address",
            seeds: [
                "127.0.0.1", "::1", "::ffff:10.0.0.1", "2001:db8::1", "64:ff9b::1.2.3.4", "fe80::1%eth0",
                "1::2::3",
            ],
            words: [":", "::", ".", "255", "256", "ffff", "%", "0"],
            check: { _ = AddressRange.isPublic(String(decoding: $0, as: UTF8.self)) }),
        FuzzTarget(
            "canonical resource",
            seeds: [
                "/artwork/a", "/partner/p/show/s/artworks?ids=1&size=all", "/partner_show/s/images?default=1",
                "/partner/p/artworks/all?ids=1&partner_location_id=l&size=all",
                "/partner/p/artist/a/document/d", "/me",
                "/partner/p/all", "/artwork/%2E%2E", "/partner/p/album/a%2Fb",
            ], words: words, check: checkResource),
        FuzzTarget(
            "id", seeds: ["a", "..", ".", "a/b", "é", "e\u{301}", "a b?c&d=e#f", "100%", "%2F", "\u{0}"],
            words: words, input: { line in object(line)?["id"]?.idText.map { [Array($0.utf8)] } ?? [] },
            check: checkID),
        FuzzTarget(
            "site path",
            seeds: [
                "/artist/x/artwork/y", "https://h/partner/p/shows", "artworks", "/p/show/a%2Fb",
                "/album/x/artwork/y?z#q",
                "http://h", "/",
            ], words: words + ["artist", "artworks", "show", "document", "album/", "locations"],
            check: checkSitePath),
        FuzzTarget(
            "form", seeds: ["key=a&value=b+c", "a=%41&&=&b", "%zz=1"], words: words, check: checkForm),
    ]

    private static func text(_ input: [UInt8]) -> String { String(decoding: input, as: UTF8.self) }

    private static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

    private static func checkURL(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input), url = CanonicalURL.normalise(text)
        try FuzzFinding.unless(
            isSame(CanonicalURL.normalise(url), url), "A canonical URL is its own canonical form.")
        for base in ["http://h/p/api/v1", "https://[::1]:8443/api/v1/", "http://h"] {
            let key = CanonicalURL.relative(url, to: base)
            try FuzzFinding.unless(
                url.hasSuffix(key.hasPrefix("origin:") ? key.dropFirst(7) : key[...]),
                "A URL relative to a base is the end of that URL.")
        }
    }

    private static func checkAddress(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input)
        _ = Redaction.url(text)
        guard let base = WebAddress("https://h.example/a/b?c") else {
            throw FuzzFinding("A valid address is parsed.")
        }
        for address in [WebAddress(text), base.resolving(text)].compactMap(\.self) {
            try FuzzFinding.unless(
                WebAddress(address.text) == address, "An address that is written and read again is the same.")
            try FuzzFinding.unless(
                address.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                    && address.target.utf8.first == 0x2F,
                "Only visible ASCII is sent.")
            try FuzzFinding.unless(
                (1...65_535).contains(address.origin.port) && !address.origin.host.isEmpty
                    && ["http", "https"].contains(address.origin.scheme),
                "An address has a scheme, a host and a port.")
        }
        let request = Request(
            .absolute(base.text), headers: ["Cookie": "a=b", "X-Access-Token": "t", "Accept": "x"],
            mayLeaveOrigin: true)
        let redirect = ResponseHead(status: 302, headers: ["Location": text])
        guard
            let next = try? Redirect.next(after: redirect, to: request, at: base, followed: 0, limit: 1)
        else { return }
        try FuzzFinding.unless(next.address.origin.isSecure, "A redirect from https stays with https.")
        let isElsewhere = next.address.origin != base.origin
        try FuzzFinding.unless(
            !isElsewhere || Redirect.credentialNames.allSatisfy { !next.request.headers.has($0) },
            "Credentials are not sent to another host.")
    }

    private static func checkResource(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input), router = Router(partner: "p")
        let target = Catalogue.RequestTarget.parse(text)
        guard let resource = router.resource(at: text) else { return }
        try FuzzFinding.unless(target != nil, "A resource's URL can be read.")
        guard let url = router.url(of: resource) else { throw FuzzFinding("A resource has a URL.") }
        try FuzzFinding.unless(isSame(url, text), "A resource has only one URL.")
        try FuzzFinding.unless(
            isSame(CanonicalURL.normalise("http://h" + url), "http://h" + url),
            "The URL of a resource is canonical.")
    }

    private static func checkID(_ input: [UInt8]) throws(FuzzFinding) {
        let id = text(input)
        let encoded = PercentEncoding.encode(id)
        try FuzzFinding.unless(
            PercentEncoding.decode(encoded).map { isSame($0, id) } ?? false,
            "An id that is encoded and decoded is the same.")
        guard !id.isEmpty else { return }
        let router = Router(partner: id)
        var resources: [CanonicalResource] = [
            .document(Owner(.show, id), id: id), .object(.partner, id: id),
        ]
        for kind in Kinds.standard.listed {
            resources.append(.object(kind, id: id))
            resources += kind.lists.map { .list(Owner(kind, id), $0) }
        }
        for resource in resources {
            guard let url = router.url(of: resource) else { throw FuzzFinding("A resource has a URL.") }
            try FuzzFinding.unless(router.resource(at: url) == resource, "A resource is found by its URL.")
            try FuzzFinding.unless(
                isSame(CanonicalURL.normalise("http://h" + url), "http://h" + url),
                "A resource's URL is canonical.")
        }
        for kind in Kinds.standard.listed {
            let target = SiteTarget.object(kind, id)
            try FuzzFinding.unless(
                SitePath.target(SitePath.path(target)) == target, "An object is found by its path.")
        }
        let picture = FileReference.picture(artwork: id, image: id)
        try FuzzFinding.unless(
            isSame(CanonicalURL.normalise("http://h/" + picture), "http://h/" + picture),
            "A picture's address is canonical.")
    }

    private static func checkSitePath(_ input: [UInt8]) throws(FuzzFinding) {
        let text = text(input)
        for partner in [nil, "p"] {
            guard let target = SitePath.target(text, partner: partner) else { continue }
            try FuzzFinding.unless(
                SitePath.target(SitePath.path(target), partner: partner) == target,
                "A path that is written and read again is the same.")
        }
    }

    private static func checkForm(_ input: [UInt8]) throws(FuzzFinding) {
        guard let items = FormBody.parse(input) else { return }
        let again = FormBody.parse(Array(FormBody.encode(items).utf8))
        // An item with neither a name nor a value is written as "=", which is read as the same item.
        try FuzzFinding.unless(again == items, "A form that is written and read again is the same.")
    }
}
