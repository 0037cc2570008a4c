import Catalogue
import Foundation
import Hummingbird
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Errors as pages") struct ErrorPagesTests {
    private let test: TestServer

    init() throws { test = try TestServer(catalogue: false) }

    private func expectPage(
        _ answer: TestServer.Answer, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
        #expect(answer.text.contains("<h1>"), sourceLocation: sourceLocation)
        let policy = HTTPFields.Element.Name("Content-Security-Policy").flatMap { answer.headers[$0] }
        #expect(policy?.hasPrefix("default-src 'none'") == true, sourceLocation: sourceLocation)
    }

    @Test func `a refused request for a page is answered with a page`() async throws {
        expectPage(try await test.ask(.get, "/test/%zz"), 400)
        let wrong = try await test.ask(.post, "/test/artworks")
        expectPage(wrong, 405)
        #expect(wrong.headers[.allow] == "GET, HEAD")
        let long = try await test.ask(.get, "/test/" + String(repeating: "x", count: 100_000))
        expectPage(long, 414)
        #expect(long.body.count < 10_000, "the address isn't repeated")
        expectPage(try await test.ask(.get, "/test/artworks", host: "evil.example"), 421)
    }

    @Test(arguments: [
        "/api/v1/artwork/%zz", "/test/api/v1/artwork/%zz", "/test/api/v2/me", "/test/artworks.json?%zz",
        "/nope.json", "/no/pe.json", "/test/nope.json", "/test/artwork/a/b.json?x=y",
    ])
    func `programs get errors as JSON`(path: String) async throws {
        let answer = try await test.ask(.get, path)
        #expect([400, 404].contains(answer.status))
        #expect(answer.headers[.contentType] == "application/json")
        #expect(try answer.json().objectValue?["error"] != nil)
    }

    private static let refusals: [Refusal] = [
        .badRequest, .notFound, .methodNotAllowed([.get]), .bodyTooLarge, .targetTooLong,
        .unsatisfiable(size: 3), .misdirected, .failed, .unavailable, .overloaded, .readOnly,
        .foreignOrigin, .tooManyAttempts(retryAfter: 60),
    ]

    @Test func `each refusal has its own words and the same status and code`() throws {
        var titles: Set<String> = []
        for refusal in Self.refusals {
            let page = MessagePage(refusal)
            #expect(page.status == refusal.status && page.json["error"] == .string(refusal.code))
            titles.insert(page.title)
        }
        #expect(titles.count == Self.refusals.count)
    }

    @Test func `a document whose file is lost is a page that says what to do`() async throws {
        let owner = Owner(.show, "s")
        try test.store.put(.show, "s")
        try test.store.put(document: "d", of: owner)
        let file = try test.files.store([1, 2, 3], type: "application/pdf")
        let record = FileRecord(
            .document("d", of: owner), entry: "entry", file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
        #expect(try await test.page("/show/s/document/d").body == [1, 2, 3])
        try FileManager.default.removeItem(atPath: test.files.absolutePath(file))
        let lost = try await test.page("/show/s/document/d")
        expectPage(lost, 404)
        #expect(lost.text.contains("<code>mirror verify --repair</code>, then sync."))
    }

    @Test func `a mirror that can't be read is listed, and doesn't hide the others`() async throws {
        let home = try TemporaryHome()
        for name in ["good", "bad"] {
            let folder = try home.mirror(name)
            try folder.prepare()
            let store = try CatalogueStore.open(at: folder.database)
            try store.put(.partner, name)
            try store.close()
        }
        let bad = try home.mirror("bad").database
        #expect(FileManager.default.createFile(atPath: bad, contents: Data("no database".utf8)))
        let problems = Problems()
        let server = CatalogueServer(
            home: home.home, configuration: .init(onProblem: { _ in problems.count.withLock { $0 += 1 } }))
        let list = try await test.ask(.get, "/", of: server)
        expectPage(list, 200)
        #expect(list.text.contains("href=\"/good\"") && list.text.contains("Can’t be read"))
        #expect(problems.count.withLock { $0 } == 1)
        expectPage(try await test.ask(.get, "/bad", of: server), 503)
        #expect(try await test.ask(.get, "/good", of: server).status == 200)
        try server.responder.mirrors.close()
    }

    @Test func `Visitors don't learn the id of an object that only something hidden names`() async throws {
        let hidden = ("published", JSONValue.bool(false))
        try test.put(artwork: "shut", hidden, ("artists", [["id": "secret"]]))
        try test.put(artwork: "open", ("artists", [["id": "known"]]))
        #expect(try await test.page("/artist/known").text.contains("only referred to"))
        #expect(try await test.page("/artist/secret").text.contains("There is no artist"))
        #expect(try await test.page("/artist/secret", of: test.forStaff()).text.contains("only referred to"))
    }

    private final class Problems: Sendable {
        let count = Mutex(0)
    }

    @Test func `a message as JSON has the same sentences and links as the page`() throws {
        let page = MessagePage(
            .notFound, code: "c", title: "T",
            [
                .init("There is no artist", code: "x", after: " here. See", link: ("all artists", "/a")),
                .init("Run", code: "mirror sync", after: ", then reload."),
            ])
        #expect(
            page.json["message"]
                == .string("There is no artist x here. See all artists. Run mirror sync, then reload."))
        #expect(page.json["links"] == .array(["/a"]))
        let html = try #require(PageTemplates.embedded.render("message", page.shown))
        #expect(html.contains("<code>x</code> here. See <a href=\"/a\">all artists</a>.</p>"))
    }
}
