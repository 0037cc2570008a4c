import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@Suite struct AccessTokenTests {
    @Test func theTokenIsSentToTheOriginOnly() async throws {
        let test = try TestSession(
            addresses: ["cdn.test": ["93.184.216.34"], "origin.test": ["93.184.216.35"]],
            interceptors: [try AccessTokenInterceptor(token: "s3cret")])
        test.transport.expect("GET", "/a", .text("a"))
        test.transport.expect("GET", test.transport.beside("/status"), .text("ok"))
        test.transport.expect("GET", "http://cdn.test/p.jpg", .text("p"))
        test.transport.expect("GET", "http://origin.test:81/p.jpg", .text("p"))
        for target: Request.Target in [
            .relative("/a"), .beside("/status"), .absolute("http://cdn.test/p.jpg"),
            .absolute("http://origin.test:81/p.jpg"),
        ] {
            _ = try await test.session.response(for: Request(target))
        }
        #expect(
            test.transport.requests.map { $0.headers["X-Access-Token"] } == ["s3cret", "s3cret", nil, nil])
        try test.transport.verify()
    }

    @Test(arguments: ["", "a b", "a\nb", "é"])
    func tokensThatAreInvalidInAHeaderFieldAreRefused(token: String) {
        #expect(throws: HTTPError.self) { try AccessTokenInterceptor(token: token) }
    }

    @Test func dumpsDoNotContainTheToken() throws {
        let interceptor = try AccessTokenInterceptor(token: "s3cret")
        var text = ""
        dump(interceptor, to: &text)
        #expect(!"\(interceptor) \(text) \(String(reflecting: interceptor))".contains("s3cret"))
    }

    @Test func aWrongTokenIsReportedAsNotAuthorised() async throws {
        let test = try TestSession(interceptors: [try AccessTokenInterceptor(token: "s3cret")])
        test.transport.expect("GET", "/a?secret=x", .response(401))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a?secret=x")), known: nil)
        }
        #expect(error?.code == .notAuthorised)
        #expect(error?.status == 401)
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.contains("origin.test/api/v1/a") == true)
    }
}

/// A server on which only the latest login is valid.
final class LoginServer: Sendable {
    struct State {
        var logins = 0
        var bodies: [String] = []
        var isDown = false
        var password = "p&w d"
    }
    let state = Mutex(State())
    let refusal: ScriptedAnswer

    init(refusal: ScriptedAnswer = .response(401)) { self.refusal = refusal }

    var logins: Int { state.withLock { $0.logins } }

    /// Invalidates the current login.
    func endSession() { state.withLock { $0.logins += 1000 } }

    func answer(_ request: TransportRequest) async -> ScriptedAnswer? {
        await Task.yield()
        return state.withLock { state in
            if request.url.hasSuffix("/_session") {
                let body = String(decoding: request.body ?? [], as: UTF8.self)
                state.bodies.append(body)
                guard body == "name=ann&password=p%26w%20d", state.password == "p&w d" else {
                    return .response(403)
                }
                state.logins += 1
                return .response(
                    200, headers: ["Set-Cookie": "AuthSession=c\(state.logins); Path=/; HttpOnly"])
            }
            return request.headers["Cookie"] == "AuthSession=c\(state.logins)" ? .text("ok") : refusal
        }
    }
}

@Suite struct CookieLoginTests {
    static func make(
        _ server: LoginServer, password: String = "p&w d", more: [any Interceptor] = []
    ) throws -> TestSession {
        try TestSession(
            interceptors: [CookieLoginInterceptor(name: "ann", password: password)] + more,
            handler: { await server.answer($0) })
    }

    @Test func theFirstRequestLogsInOnce() async throws {
        let server = LoginServer()
        let test = try Self.make(server)
        for _ in 0..<3 {
            #expect(try await test.session.response(for: Request(.relative("/a"))).status == 200)
        }
        #expect(server.logins == 1)
        #expect(
            test.transport.lines == ["POST http://origin.test/_session", "GET /a", "GET /a", "GET /a"])
        #expect(test.transport.requests[0].headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        ScriptedAnswer.response(401), .text(#"{"error":"credentials_expired"}"#, status: 403),
    ])
    func aHundredConcurrentRefusalsCauseOneLogin(refusal: ScriptedAnswer) async throws {
        let server = LoginServer(refusal: refusal)
        let test = try Self.make(server)
        _ = try await test.session.response(for: Request(.relative("/first")))
        server.endSession()
        let session = test.session
        try await withThrowingTaskGroup(of: Int.self) { group in
            for n in 0..<100 {
                group.addTask { try await session.response(for: Request(.relative("/\(n)"))).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.logins == 1002)
        #expect(session.statistics.sent <= 2 + 100 + 1 + 100)
    }

    @Test func aForbiddenWithAnotherReasonCausesNoLogin() async throws {
        let server = LoginServer(refusal: .text(#"{"error":"read_only"}"#, status: 403))
        let test = try Self.make(server)
        _ = try await test.session.response(for: Request(.relative("/a")))
        server.endSession()
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a")), known: nil)
        }
        #expect(error?.code == .forbidden)
        #expect(error?.reason == "read_only")
        #expect(server.logins == 1001)
    }

    @Test func aRequestRefusedAfterALoginFailsWithoutALoop() async throws {
        let test = try TestSession(
            interceptors: [CookieLoginInterceptor(name: "ann", password: "x")],
            handler: { request in
                request.url.hasSuffix("/_session")
                    ? .response(200, headers: ["Set-Cookie": "AuthSession=1"]) : .response(401)
            })
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a")), known: nil)
        }
        #expect(error?.code == .notAuthorised)
        #expect(test.transport.requests.count == 4)
    }

    @Test func aWrongPasswordIsSentOnlyOnce() async throws {
        let server = LoginServer()
        let test = try Self.make(server, password: "wrong")
        for _ in 0..<3 {
            let error = try await httpError {
                _ = try await test.session.response(for: Request(.relative("/a")))
            }
            #expect(error?.code == .notAuthorised)
            #expect(error?.message.contains("wrong") == false)
        }
        #expect(test.transport.lines == ["POST http://origin.test/_session"])
    }

    @Test func aLoginThatLostItsConnectionIsRepeated() async throws {
        let test = try TestSession(
            interceptors: [CookieLoginInterceptor(name: "ann", password: "p"), RetryInterceptor()])
        test.transport.expect(
            "POST", test.transport.beside("/_session"), .failure(.connectionLost), .response(503),
            .response(200, headers: ["Set-Cookie": "AuthSession=1"]))
        test.transport.expect("GET", "/a", .text("ok"))
        // Without a Path, the cookie is sent to the path at which it was set; the login is at the root.
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 200)
        #expect(test.transport.requests.last?.headers["Cookie"] == "AuthSession=1")
        try test.transport.verify()
    }

    @Test func cancellingOneWaitingRequestKeepsTheLoginForOthers() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let entered = AsyncStream<Void>.makeStream()
        let test = try TestSession(
            interceptors: [CookieLoginInterceptor(name: "ann", password: "p")],
            handler: { request in
                guard request.url.hasSuffix("/_session") else { return .text("ok") }
                entered.continuation.yield()
                for await _ in gate.stream { break }
                return .response(200, headers: ["Set-Cookie": "AuthSession=1; Path=/"])
            })
        let session = test.session
        let first = Task { try await session.response(for: Request(.relative("/1"))).status }
        for await _ in entered.stream { break }
        let second = Task { try await session.response(for: Request(.relative("/2"))).status }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.continuation.yield()
        // The second request succeeds, whether it waited for the first one's login or started its own.
        gate.continuation.yield()
        #expect(try await second.value == 200)
    }
}

@Suite struct CookieTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [
        ("https://a.test/frick/_session", "s=1", "https://a.test/frick/api/v1/me", "s=1"),
        ("https://a.test/frick/_session", "s=1", "https://a.test/frick", "s=1"),
        ("https://a.test/frick/_session", "s=1", "https://a.test/frickx", nil),
        ("https://a.test/frick/_session", "s=1", "https://a.test/met/api/v1/me", nil),
        ("https://a.test/_session", "s=1", "https://a.test/x", "s=1"),
        ("https://a.test/_session", "s=1; Path=/api", "https://a.test/x", nil),
        ("https://a.test/_session", "s=1; Domain=test", "https://b.test/x", nil),
        ("https://a.test/_session", "s=1; Domain=.a.test", "https://sub.a.test/x", nil),
        ("https://a.test/_session", "s=1", "https://a.test:444/x", nil),
        ("https://a.test/_session", "s=1; Secure", "http://a.test:443/x", nil),
        ("https://a.test/_session", "s=1; Secure", "https://a.test/x", "s=1"),
        ("http://a.test/_session", "s=1; Secure", "http://a.test/x", nil),
        ("https://a.test/_session", "s=1; Max-Age=0", "https://a.test/x", nil),
        ("https://a.test/_session", "s=1; Max-Age=10", "https://a.test/x", "s=1"),
        ("https://a.test/_session", "s=1; Expires=Tue, 14 Nov 2023 00:00:00 GMT", "https://a.test/x", nil),
        ("https://a.test/_session", "s=1; Expires=Tue, 14 Nov 2033 00:00:00 GMT", "https://a.test/x", "s=1"),
        ("https://a.test/_session", "nonsense", "https://a.test/x", nil),
        ("https://a.test/_session", "=1", "https://a.test/x", nil),
    ])
    func cookiesAreSentOnlyToTheirHostAndPath(from: String, line: String, to: String, sent: String?) throws {
        var jar = CookieJar()
        jar.store(["Set-Cookie": line], from: try #require(WebAddress(from)), now: Self.now)
        #expect(jar.header(for: try #require(WebAddress(to)), now: Self.now) == sent)
    }

    /// As in browsers: the server's clock may differ from the local one.
    @Test(arguments: [
        ("Tue, 14 Nov 2023 21:13:20 GMT", "Tue, 14 Nov 2023 21:23:20 GMT", true),
        ("Tue, 14 Nov 2023 23:13:20 GMT", "Tue, 14 Nov 2023 23:03:20 GMT", false),
    ])
    func aCookiesExpiryIsRelativeToTheResponsesDate(date: String, expires: String, isSent: Bool) throws {
        let address = try #require(WebAddress("https://a.test/x"))
        var jar = CookieJar()
        jar.store(["Date": date, "Set-Cookie": "s=1; Expires=\(expires)"], from: address, now: Self.now)
        #expect((jar.header(for: address, now: Self.now) != nil) == isSent)
        #expect(jar.header(for: address, now: Self.now.addingTimeInterval(601)) == nil)
    }

    @Test func aCookieIsReplacedAndCookiesAreSortedByPathLength() throws {
        let address = try #require(WebAddress("https://a.test/x/y"))
        var jar = CookieJar()
        jar.store(
            HeaderFields([
                ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/x"), ("Set-Cookie", "a=3; Path=/"),
            ]),
            from: address, now: Self.now)
        #expect(jar.header(for: address, now: Self.now) == "b=2; a=3")
    }
}
