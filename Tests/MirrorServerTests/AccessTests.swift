import Hummingbird
import Synchronization
import Testing

@testable import MirrorServer

@Suite("Access")
struct AccessTests {
    private let token: HTTPFields.Element.Name

    init() throws { token = try #require(HTTPFields.Element.Name("X-Access-Token")) }

    @Test func requestsWithoutTheAccessTokenGet401() async throws {
        let test = try TestServer(token: "secret")
        for path in ["/api/v1", "/api/v1/partner/p1/all", "/api/v1/nothing", "/test/api/v1/me"] {
            for headers in [[:], [token: ""], [token: "secre"], [token: "secrets"]] as [HTTPFields] {
                let answer = try await test.ask(.get, path, headers)
                #expect(answer.status == 401 && answer.text == #"{"error":"unauthorized"}"#, "\(path)")
            }
        }
        #expect(
            try await test.ask(.put, "/api/v1/partner/p1/partner_flags", body: "key=a&value=b").status == 401)
        #expect(try await test.ask(.get, "/api/v1/partner/p1/all", [token: "secret"]).status == 200)
    }

    @Test func usingALoginSessionExtendsItsLifetime() async throws {
        let test = try TestServer(users: [.init(name: "ann", password: "a&b c")])
        let login = try await test.ask(.post, "/test/_session", body: "name=ann&password=a%26b+c")
        #expect(login.status == 200)
        let cookie = try #require(login.headers[.setCookie])
        #expect(cookie.hasPrefix("AuthSession=") && cookie.contains("HttpOnly"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try await test.ask(.get, "/api/v1", [.cookie: "x=y; \(pair)"]).status == 200)
        #expect(try await test.ask(.get, "/api/v1", [.cookie: "\(pair)0"]).status == 401)
        #expect(try await test.ask(.get, "/api/v1").status == 401)
        for body in ["name=ann&password=a", "name=bob&password=a%26b+c", "name=&password="] {
            #expect(try await test.ask(.post, "/_session", body: body).status == 401, "\(body)")
        }
        #expect(try await test.ask(.post, "/_session", body: "name=ann").status == 400)
        #expect(try await test.ask(.get, "/_session").status == 405)
    }

    @Test func loginSessionsExpireWhenUnusedAndTheOldestIsEvictedAtTheLimit() {
        let now = Mutex(ContinuousClock.now)
        let sessions = LoginSessions(lifetime: .seconds(60), limit: 2, now: { now.withLock { $0 } })
        func wait(_ seconds: Int) { now.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
        func holds(_ session: String) -> Bool { sessions.holds(cookie: "AuthSession=\(session)") }
        let first = sessions.begin()
        wait(50)
        #expect(holds(first))
        wait(50)
        #expect(holds(first))
        wait(61)
        #expect(!holds(first))
        let second = sessions.begin(), third = sessions.begin(), fourth = sessions.begin()
        #expect([second, third].filter(holds).count == 1 && holds(fourth))
        #expect(second.utf8.count == 64 && second != third)
    }

    @Test func afterTenWrongPasswordsANameIsRefusedForAMinute() {
        let now = Mutex(ContinuousClock.now)
        let limit = LoginLimit(names: 2, now: { now.withLock { $0 } })
        func wait(_ seconds: Int) { now.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
        #expect((1...10).allSatisfy { _ in limit.begin("ann") == nil })
        #expect(limit.begin("ann") == 60 && limit.begin("bob") == nil)
        wait(59)
        #expect(limit.begin("ann") == 1)
        wait(1)
        #expect((1...9).allSatisfy { _ in limit.begin("ann") == nil })
        limit.succeed("ann")
        #expect((1...10).allSatisfy { _ in limit.begin("ann") == nil })
        #expect(limit.begin("ann") == 60)
        wait(30)
        // Of more names than the limit, the one that would be forgotten first is.
        #expect(limit.begin("bob") == nil && limit.begin("eve") == nil && limit.begin("ann") == nil)
    }

    @Test(arguments: ["/login", "/_session"])
    func wrongPasswordsAreLimited(_ path: String) async throws {
        let test = try TestServer(users: [
            .init(name: "ann", password: "a"), .init(name: "bob", password: "b"),
        ])
        for _ in 1...10 {
            let answer = try await test.ask(.post, path, body: "name=ann&password=x")
            #expect([401, 403].contains(answer.status))
        }
        let refused = try await test.ask(.post, path, body: "name=ann&password=a")
        #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
        #expect(refused.headers[.setCookie] == nil)
        #expect(try await test.ask(.post, path, body: "name=bob&password=b").headers[.setCookie] != nil)
    }

    @Test func theLoginCookieIsSecureIfThePublicAddressIsHTTPS() async throws {
        let test = try TestServer()
        let servers: [(url: String?, isSecure: Bool)] = [
            ("https://museum.example", true), ("http://museum.example", false), (nil, false),
        ]
        for (url, isSecure) in servers {
            let server = CatalogueServer(
                mirrors: [.init(name: "test", store: test.store, files: test.files)],
                configuration: .init(users: [.init(name: "ann", password: "a")], publicURL: url))
            for path in ["/login", "/_session"] {
                let answer = try await test.ask(.post, path, body: "name=ann&password=a", of: server)
                let cookie = try #require(answer.headers[.setCookie])
                #expect(cookie.hasSuffix("; Secure") == isSecure, "\(path)")
            }
        }
    }

    @Test(
        arguments: [
            (nil, nil, true), ("http://museum.example:80", nil, true), ("https://pub.example", nil, true),
            ("HTTPS://PUB.EXAMPLE", "same-origin", true), ("null", "same-origin", true), ("null", nil, true),
            (nil, "none", true), ("null", "cross-site", false), ("http://evil.example", nil, false),
            ("http://museum.example:81", nil, false), ("http://museum.example:80.evil.example", nil, false),
            ("https://pub.example.evil.example", nil, false),
            ("http://museum.example:80", "same-site", false),
            ("", nil, false),
        ] as [(String?, String?, Bool)])
    func onlyOwnPagesMaySendForms(_ origin: String?, _ site: String?, _ isAdmitted: Bool) throws {
        var headers: HTTPFields = [:]
        headers[.origin] = origin
        let fetchSite = try #require(HTTPFields.Element.Name("Sec-Fetch-Site"))
        headers[fetchSite] = site
        let check = OriginCheck(publicURL: "https://pub.example")
        #expect(check.admits(headers, authority: "museum.example:80") == isAdmitted)
    }

    @Test(arguments: ["/login", "/_session", "/assets/wall", "/api/v1/partner/p1/album"])
    func aRequestOfAnotherSiteChangesNothing(_ path: String) async throws {
        let test = try TestServer(users: [.init(name: "ann", password: "a")])
        let body = "name=ann&password=a&wall=dark"
        let answer = try await test.ask(.post, path, [.origin: "http://evil.example"], body: body)
        #expect(answer.status == 403 && answer.headers[.setCookie] == nil)
        #expect(try await test.ask(.post, path, [.origin: "http://localhost"], body: body).status != 403)
    }

    @Test func aServerWithoutATokenOnlyListensOnLoopback() throws {
        for host in ["127.0.0.1", "127.1.2.3", "::1", "localhost", "LocalHost"] {
            try CatalogueServer.Configuration(host: host).validate()
        }
        for host in ["0.0.0.0", "::", "192.168.1.2", "example.org", "127.0.0.1.example.org", "127.0.0", ""] {
            #expect(code(.init(host: host)) == .accessOpen, "\(host)")
            #expect(code(.init(host: host, token: "t")) == nil, "\(host)")
            #expect(code(.init(host: host, users: [.init(name: "a", password: "b")])) == nil, "\(host)")
        }
        for token in ["", " ", "a b", "ä", "a\n"] {
            #expect(code(.init(host: "0.0.0.0", token: token)) == .invalidAccess, "\(token)")
        }
        #expect(code(.init(port: 70_000)) == .cannotListen)
    }

    @Test func aUsersFileIsReadLineByLine() throws {
        let users = try ServedUser.parse("# people\nann:a:b\r\n\nbob:c\n", path: "f")
        #expect(users.map(\.name) == ["ann", "bob"] && users.map(\.password) == ["a:b", "c"])
        for text in ["", "#\n", "ann\n", ":x\n", "ann:\n"] {
            #expect(throws: ServerError.self, "\(text)") { try ServedUser.parse(text, path: "f") }
        }
        #expect(throws: ServerError.self) { try ServedUser.read(file: "/nonexistent/users") }
    }

    private func code(_ configuration: CatalogueServer.Configuration) -> ServerError.Code? {
        do {
            try configuration.validate()
            return nil
        } catch {
            return (error as? ServerError)?.code
        }
    }
}
