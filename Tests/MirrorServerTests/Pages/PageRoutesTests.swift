import Catalogue
import Hummingbird
import Testing

@testable import MirrorServer
@testable import MirrorStore

/// Addresses, headers, faces and the login of pages.
@Suite("Pages of a mirror") struct PageRoutesTests {
    private let test: TestServer
    private let staff: CatalogueServer
    private var store: CatalogueStore { test.store }

    /// Ends an attribute if a quote with a combining mark isn't escaped, and an element if `<` isn't.
    private static let hostile = "x\"\u{301} onerror=alert(1) <script>alert(2)</script> {{museum}} ' & \u{1}"

    init() throws {
        test = try TestServer(catalogue: false)
        staff = CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: .init(isStaff: true))
    }

    private func artwork(_ id: String, _ fields: (String, JSONValue)...) throws {
        let json = JSONObject([("id", .string(id))] + fields).canonicalText
        _ = try store.apply([.object(ObjectRecord(.artwork, try Artwork(text: json), etag: nil))], run: nil)
    }

    private func artist(_ id: String, _ name: String) throws {
        let json = JSONObject([("id", .string(id)), ("name", .string(name))]).canonicalText
        _ = try store.apply([.object(ObjectRecord(.artist, try Artist(text: json), etag: nil))], run: nil)
    }

    private func page(_ path: String, _ server: CatalogueServer? = nil) async throws -> TestServer.Answer {
        try await test.ask(.get, "/test" + path, of: server)
    }

    @Test func eachAddressHasAPage() async throws {
        try artist("r", "Rembrandt")
        try artwork("a", ("title", "One"), ("artist", ["id": "r"]), ("date", "1642"), ("medium", "Oil"))
        try store.put(show: "s", start: "2027-01-01", end: "2027-02-01", name: "A show")
        try store.put(.album, "b", #"{"id":"b","name":"An album"}"#)
        try store.put(.location, "l", #"{"id":"l","name":"A room"}"#)
        try store.put(["a"], in: Owner(.show, "s"))
        try store.put(["a"], in: Owner(.album, "b"))
        try store.updateSearchIndex()
        for path in [
            "", "/", "/artworks", "/artists", "/shows", "/albums", "/locations", "/artwork/a", "/artist/r",
            "/show/s",
            "/album/b", "/location/l", "/show/s/artwork/a", "/album/b/artwork/a", "/artist/r/artwork/a",
            "/search",
            "/search?q=one", "/search?q=nothing+at+all", "/history", "/artwork/a/history",
            "/artworks?sort=date",
            "/artworks?category=none&in=x",
        ] {
            let answer = try await page(path)
            #expect(answer.status == 200, "\(path)")
            let text = answer.text
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
            #expect(text.contains("<!doctype html>") && text.hasSuffix("</html>\n"), "\(path)")
            #expect(!text.contains("{{"), "\(path)")
            #expect(text.contains("The Partner"), "\(path)")
            #expect(answer.etag != nil, "\(path)")
        }
    }

    @Test func eachPageHasJSON() async throws {
        try artwork("a", ("title", "One"))
        try artwork("b.json", ("title", "Two"))
        try store.updateSearchIndex()
        for path in [
            ".json", "/artworks.json", "/artists.json", "/artwork/a.json", "/search.json?q=one",
            "/history.json",
        ] {
            let answer = try await page(path)
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json", "\(path)")
            #expect(try answer.json().objectValue != nil, "\(path)")
        }
        // An exact id wins.
        #expect(try await page("/artwork/b.json").headers[.contentType] == "text/html; charset=utf-8")
        #expect(try await page("/artwork/b.json.json").headers[.contentType] == "application/json")
        #expect(try await page("/artwork/c.json").status == 404)
    }

    @Test func anIDLeadsToTheSlug() async throws {
        try artwork("a", ("slug", "the-one"), ("title", "One"))
        let answer = try await page("/artwork/a?in=x")
        #expect(answer.status == 302 && answer.headers[.location] == "/test/artwork/the-one?in=x")
        #expect(try await page("/artwork/the-one").status == 200)
    }

    @Test func `ids lead to slugs in the address of an artwork in a show`() async throws {
        try artwork("a", ("slug", "the-one"), ("title", "One"))
        try store.put(.show, "s", #"{"id":"s","name":"A show"}"#, slug: "a-show")
        try store.put(["a"], in: Owner(.show, "s"))
        for path in ["/show/s/artwork/the-one", "/show/a-show/artwork/a", "/show/s/artwork/a"] {
            for suffix in ["", ".json"] {
                let answer = try await page(path + suffix + "?x=1")
                #expect(answer.status == 302, "\(path)\(suffix)")
                let location = "/test/show/a-show/artwork/the-one\(suffix)?x=1"
                #expect(answer.headers[.location] == location, "\(path)\(suffix)")
            }
        }
        #expect(try await page("/show/a-show/artwork/the-one").status == 200)
    }

    @Test func `an artwork in an unknown show leads to the artwork`() async throws {
        try artwork("a", ("slug", "the-one"), ("title", "One"))
        try store.put(.show, "s", #"{"id":"s","name":"A show"}"#)
        try store.put(["a", "ghost"], in: Owner(.show, "s"))
        for path in ["/show/nope/artwork/a", "/artist/nope/artwork/the-one"] {
            for suffix in ["", ".json"] {
                let answer = try await page(path + suffix)
                #expect(answer.status == 302, "\(path)\(suffix)")
                #expect(answer.headers[.location] == "/test/artwork/the-one\(suffix)", "\(path)\(suffix)")
            }
        }
        for path in ["/show/s/artwork/ghost", "/show/nope/artwork/ghost"] {
            let answer = try await page(path + ".json")
            #expect(answer.status == 404)
            #expect(try answer.json().objectValue?["error"] == "ghost", "\(path)")
        }
        let absent = try await page("/show/s/artwork/nope.json")
        #expect(absent.status == 404)
        #expect(try absent.json().objectValue?["error"] == "not_found")
    }

    @Test(arguments: [
        (".", "~."), ("..", "~.."), ("~.", "~~."), ("~~..", "~~~.."), ("...", "..."), ("~", "~"),
        ("~a", "~a"),
    ])
    func `an id that browsers would remove from a path has another spelling`(id: String, spelling: String)
        async throws
    {
        #expect(DotSegment.spell(id) == spelling && DotSegment.read(spelling) == id)
        let addresses: [PageAddress] = [
            .object(.artwork, id), .member(id, of: Owner(.show, id)), .document(id, of: Owner(.show, id)),
            .objectHistory(.artwork, id),
        ]
        for address in addresses {
            let segments = address.path.split(separator: "/").map(String.init)
            #expect(PageAddress.parse(segments[...]) == address, "\(address.path)")
        }
        try artwork(id, ("title", .string("One")))
        try store.updateSearchIndex()
        let path = "/artwork/\(spelling)"
        #expect(try await page("/artworks").text.contains("href=\"/test\(path)?in="))
        #expect(try await page(path).status == 200)
        #expect(try await page(path + "/history").status == 200)
        #expect(try await page(path + ".json").json().objectValue?["id"] == .string(id))
    }

    @Test func `an object whose slug is another's id keeps its id as address`() async throws {
        try artwork("a", ("slug", "b"), ("title", "One"))
        try artwork("b", ("title", "Two"))
        #expect(try await page("/artwork/a").text.contains("One"))
        #expect(try await page("/artwork/b").text.contains("Two"))
    }

    @Test func theOnlyMirrorIsAtTheFirstPageAndAtPathsWithoutItsName() async throws {
        let first = try await test.ask(.get, "/")
        #expect(first.status == 302 && first.headers[.location] == "/test")
        let artist = try await test.ask(.get, "/artist/x")
        #expect(artist.status == 302 && artist.headers[.location] == "/test/artist/x")
        let list = try await test.ask(.get, "/artworks.json?sort=date")
        #expect(list.status == 302 && list.headers[.location] == "/test/artworks.json?sort=date")
        #expect(try await test.ask(.get, "/nothing/here").status == 404)
    }

    @Test func `pages of one mirror among several lead to the list of mirrors`() async throws {
        let mirrors = ["test", "other"].map { ServedMirror(name: $0, store: test.store, files: test.files) }
        let several = CatalogueServer(mirrors: mirrors)
        let link = "<a href=\"/\">Other mirrors</a>"
        #expect(try await page("/artworks", several).text.contains(link))
        #expect(try await !page("/artworks").text.contains(link))
        let list = try await test.ask(.get, "/", of: several).text
        #expect(list.contains("href=\"/test\"") && list.contains("href=\"/other\""))
        #expect(list.contains(">The Partner (test)</a>") && list.contains(">The Partner (other)</a>"))
    }

    @Test func `the list of mirrors and pages of unknown ones say that they are for staff`() async throws {
        let mirrors = ["test", "other"].map { ServedMirror(name: $0, store: test.store, files: test.files) }
        let staff = CatalogueServer(mirrors: mirrors, configuration: .init(isStaff: true))
        let visitors = CatalogueServer(mirrors: mirrors)
        for path in ["/", "/nobody"] {
            #expect(try await test.ask(.get, path, of: staff).text.contains("Staff view"), "\(path)")
            #expect(try await !test.ask(.get, path, of: visitors).text.contains("Staff view"), "\(path)")
        }
        let guarded = CatalogueServer(
            mirrors: mirrors,
            configuration: .init(users: [ServedUser(name: "ada", password: "secret")], isStaff: true))
        #expect(try await !test.ask(.get, "/login", of: guarded).text.contains("Staff view"))
    }

    @Test(arguments: [("a", "?q=a"), (String(repeating: "a", count: 10_000), "")])
    func `the link to the JSON repeats only a short query`(words: String, query: String) async throws {
        let answer = try await page("/search?q=\(words)")
        #expect(answer.status == 200)
        let link = try #require(answer.headers.first { $0.name.canonicalName == "link" }?.value)
        #expect(link.hasPrefix("</test/search.json\(query)>;") && link.utf8.count <= 2_000)
        #expect(answer.text.contains("<a href=\"/test/search.json\(query)\">This page as JSON</a>"))
    }

    @Test func `a mirror with a title of its own is listed by it alone`() {
        let page = MirrorsPage([.init(unreadable: "one"), .init(unreadable: "two")])
        #expect(page.entries.map(\.title) == ["one", "two"])
    }

    @Test func `a page has another tag with another public address or other mirrors`() async throws {
        let mirror = ServedMirror(name: "test", store: test.store, files: test.files)
        let other = ServedMirror(name: "other", store: test.store, files: test.files)
        let servers = [
            test.server, CatalogueServer(mirrors: [mirror, other]),
            CatalogueServer(mirrors: [mirror], configuration: .init(publicURL: "https://museum.example")),
        ]
        var tags: Set<String> = []
        for server in servers { tags.insert(try #require(try await page("/artworks", server).etag)) }
        #expect(tags.count == servers.count)
    }

    @Test(arguments: ["/artwork/none", "/nothing", "/artwork/a/b", "/run/1", "/picture/0", "/history/run/99"])
    func anUnknownAddressIsAPageWithTheStatus404(path: String) async throws {
        let answer = try await page(path)
        #expect(answer.status == 404 && answer.text.contains("<h1"))
    }

    @Test func hostileTextsStayText() async throws {
        let fields = [
            "title", "date", "medium", "category", "series", "signature", "provenance", "literature",
            "exhibition_history", "additional_information", "image_rights", "inventory_id", "department",
            "url",
        ]
        try artist("r", Self.hostile)
        let body = JSONObject(
            fields.map { ($0, .string(Self.hostile)) } + [
                ("id", "a"), ("artist", ["id": "r"]), ("dimensions", ["cm": .string(Self.hostile)]),
                (Self.hostile, .string(Self.hostile)),
                ("edition_sets", [["editions": .string(Self.hostile)]]),
            ])
        _ = try store.apply([.object(ObjectRecord(.artwork, try Artwork(body), etag: nil))], run: nil)
        try store.put(.album, "b", JSONObject([("id", "b"), ("name", .string(Self.hostile))]).canonicalText)
        try store.put(["a"], in: Owner(.album, "b"))
        try store.updateSearchIndex()
        let query = PercentEncoding.encode(Self.hostile)
        for path in [
            "", "/artworks", "/artists", "/albums", "/artwork/a", "/artist/r", "/album/b",
            "/album/b/artwork/a",
            "/search?q=\(query)", "/search?q=onerror", "/artwork/a/history", "/artworks?category=\(query)",
            "/artwork/\(query)", "/history/run/\(query)", "/artwork/a?in=q%3D\(query)",
        ] {
            let text = try await page(path).text
            #expect(!text.contains("<script>alert"), "\(path)")
            #expect(!text.utf8.contains(0x01), "\(path)")
            #expect(!HostileText.isUnescaped(in: text), "\(path)")
        }
    }

    @Test func visitorsSeeNothingHidden() async throws {
        try artwork(
            "open", ("title", "Open work"), ("price", "secret-price"), ("confidential_notes", "secret-note"),
            ("published", true), ("edition_sets", [["prices": "secret-edition", "editions": "3"]]))
        try artwork("shut", ("title", "secret-title"), ("published", false), ("category", "secret-category"))
        try store.put(.album, "b", #"{"id":"b","name":"secret-album","private":true}"#)
        try store.updateSearchIndex()
        let paths = [
            "", "/artworks", "/albums", "/artwork/open", "/artwork/shut", "/album/b", "/search?q=secret",
            "/history",
            "/artwork/open/history", "/artwork/shut/history", "/artworks?category=secret-category",
        ]
        for path in paths {
            let question = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let json = "\(question[0]).json" + (question.count > 1 ? "?\(question[1])" : "")
            for path in [path, json] {
                let text = try await page(path).text
                let found = ["price", "note", "edition", "title", "album"].filter {
                    text.contains("secret-\($0)")
                }
                #expect(found == [], "\(path)")
            }
        }
        #expect(try await page("/artwork/shut").status == 404)
        #expect(try await page("/artworks.json").json().objectValue?["total"] == 1)
        let seen = try await page("/artwork/open", staff).text
        #expect(seen.contains("secret-price") && seen.contains("secret-note") && seen.contains("Staff view"))
        #expect(try await page("/artwork/shut", staff).status == 200)
        #expect(try await page("/artworks.json", staff).json().objectValue?["total"] == 2)
    }

    @Test func pagesForbidScriptsFramesAndOtherHosts() async throws {
        for path in ["", "/artworks", "/artwork/none"] {
            let headers = try await page(path).headers
            let all = headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n").lowercased()
            for part in [
                "content-security-policy: default-src 'none'", "frame-ancestors 'none'",
                "referrer-policy: no-referrer",
                "x-content-type-options: nosniff", "cross-origin-resource-policy: same-origin",
            ] { #expect(all.contains(part), "\(path) \(part)") }
            #expect(!all.contains("access-control-allow-origin"))
        }
    }

    @Test func anUnchangedPageIsNotSentAgain() async throws {
        let first = try await page("/artworks"), etag = try #require(first.etag)
        #expect(try await test.ask(.get, "/test/artworks", [.ifNoneMatch: etag]).status == 304)
        try artwork("a", ("title", "New"))
        try store.updateSearchIndex()
        #expect(try await test.ask(.get, "/test/artworks", [.ifNoneMatch: etag]).status == 200)
        #expect(try await test.ask(.get, "/test/artworks", [.ifNoneMatch: etag], of: staff).status == 200)
    }

    @Test func `a page that is not here is never answered with 304`() async throws {
        let etag = try #require(try await page("/artworks").etag)
        for condition in [etag, "*", " * "] {
            for path in ["/artwork/none", "/nothing", "/picture/0"] {
                let answer = try await test.ask(.get, "/test" + path, [.ifNoneMatch: condition])
                #expect(answer.status == 404, "\(path) \(condition)")
            }
            let answer = try await test.ask(.get, "/test/artworks", [.ifNoneMatch: condition])
            #expect(answer.status == 304, "\(condition)")
        }
        #expect(try await test.ask(.get, "/test/artworks.json", [.ifNoneMatch: etag]).status == 200)
    }

    @Test func withUsersNothingIsShownBeforeTheLogin() async throws {
        let guarded = CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: .init(users: [ServedUser(name: "ada", password: "secret")]))
        let refused = try await page("/artworks?sort=date", guarded)
        #expect(refused.status == 303 && refused.body.isEmpty)
        let login = try #require(refused.headers[.location])
        #expect(login == "/login?to=/test/artworks?sort=date")
        let form = try await test.ask(.get, login, of: guarded)
        #expect(
            form.status == 200 && form.text.contains("name=\"password\"")
                && !form.text.contains("The Partner"))
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let wrong = try await test.ask(
            .post, "/login", type, body: "name=ada&password=no&to=%2F", of: guarded)
        #expect(wrong.status == 403 && wrong.headers[.setCookie] == nil)
        let right = try await test.ask(
            .post, "/login", type, body: "name=ada&password=secret&to=%2Ftest%2Fartworks", of: guarded)
        #expect(right.status == 303 && right.headers[.location] == "/test/artworks")
        let cookie = try #require(right.headers[.setCookie]?.split(separator: ";").first)
        let shown = try await test.ask(.get, "/test/artworks", [.cookie: String(cookie)], of: guarded)
        #expect(shown.status == 200)
    }

    @Test(arguments: [
        "//evil.example", "/\\evil.example", "https://evil.example", "", "javascript:alert(1)", "/a\n",
    ])
    func aLoginLeadsOnlyToThisServer(to: String) { #expect(PageTarget.local(to) == "/") }

    @Test func `without a login, programs get 401 as JSON and people the form`() async throws {
        let guarded = CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: .init(users: [ServedUser(name: "ada", password: "secret")]))
        let picture = "/test/picture/" + String(repeating: "0", count: 64)
        for path in ["/test.json", "/test/artworks.json?sort=date", "/nope.json", picture] {
            let answer = try await test.ask(.get, path, [.accept: "image/avif,*/*"], of: guarded)
            #expect(answer.status == 401 && answer.text == #"{"error":"unauthorized"}"#, "\(path)")
            #expect(answer.headers[.contentType] == "application/json", "\(path)")
        }
        for path in ["/", "/test", "/test/artworks", picture] {
            let answer = try await test.ask(.get, path, [.accept: "text/html,*/*"], of: guarded)
            #expect(answer.status == 303, "\(path)")
        }
    }

    @Test(arguments: ["/login", "/login?to=%2F", "/login/", "/%6Cogin", "/login#x"])
    func `a login never leads back to its form`(to: String) async throws {
        let guarded = CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: .init(users: [ServedUser(name: "ada", password: "secret")]))
        let body = FormBody.encode([
            NameValue("name", "ada"), NameValue("password", "secret"), NameValue("to", to),
        ])
        let answer = try await test.ask(.post, "/login", body: body, of: guarded)
        #expect(answer.status == 303 && answer.headers[.location] == "/")
    }

    @Test func theChosenWallIsRemembered() async throws {
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let chosen = try await test.ask(.post, "/assets/wall", type, body: "wall=dark&to=%2Ftest")
        #expect(chosen.status == 303 && chosen.headers[.location] == "/test")
        #expect(chosen.headers[.setCookie]?.hasPrefix("Wall=dark;") == true)
        #expect(try await test.ask(.get, "/test", [.cookie: "Wall=dark"]).text.contains("data-wall=\"dark\""))
        #expect(
            try await test.ask(.get, "/test", [.cookie: "Wall=\"><b>"]).text.contains("<html lang=\"en\">"))
    }

    @Test(arguments: [
        ("localhost", true), ("localhost:8080", true), ("127.0.0.1:1", true), ("[::1]:80", true),
        ("10.0.0.9", true),
        ("mirror.localhost", true), ("gallery.example", true), ("GALLERY.example.:443", true),
        ("public.example", true),
        ("evil.example", false), ("localhost.evil.example", false), ("127.0.0.1.evil.example", false),
        ("", true), ("[::1]", true), ("[::1]evil.example", false), ("[::1]:80evil.example", false),
        ("[::1", false), ("127.0.0.1:evil.example", false), ("localhost:80.evil.example", false),
        ("localhost:", true),
    ])
    func onlyThisServersNamesAreAnswered(host: String, isAdmitted: Bool) {
        let check = HostCheck(host: "gallery.example", publicHost: "public.example", machine: "box.lan")
        #expect(check.admits(host) == isAdmitted)
    }

    @Test func aRequestForAnotherHostIsRefused() async throws {
        for path in ["/test", "/test/api/v1", "/status", "/assets/style.css"] {
            let answer = try await test.ask(.get, path, host: "evil.example")
            #expect(answer.status == 421, "\(path)")
        }
    }

    private func hasBareAttribute(_ template: String) -> Bool {
        template.firstMatch(of: /<[a-z0-9]+[^>]* [a-z-]+=\{\{/) != nil
    }

    @Test func everyTemplateEscapesByTheContentTypeOfPages() throws {
        for (name, bytes) in PageTemplates.sources {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("{{% CONTENT_TYPE:PAGE}}\n"), "\(name)")
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
            #expect(
                !text.contains(" style=") && !text.contains("<style") && !text.contains(" onclick="),
                "\(name)")
            // Attributes with values are quoted.
            #expect(!hasBareAttribute(text), "\(name)")
        }
        let templates = try PageTemplates()
        #expect(templates.stylesheet.utf8.count <= 20_000 && templates.script.utf8.count <= 6_000)
    }
}
