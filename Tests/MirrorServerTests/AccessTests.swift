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
