import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct RedirectDecisionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var from = "https://a.test/x/y?q=1"
        var status = 302
        var location: String?
        var mayLeave = false
        var followed = 0
        /// `METHOD URL`, `none` or `refused`.
        var result: String
        var testDescription: String { "\(method) \(status) \(location ?? "-") → \(result)" }
    }

    static let cases: [Case] = [
        Case(location: "/z", result: "GET https://a.test/z"),
        Case(location: "z?w", result: "GET https://a.test/x/z?w"),
        Case(location: "?w", result: "GET https://a.test/x/y?w"),
        Case(location: "../z/./w", result: "GET https://a.test/z/w"),
        Case(location: "//a.test/z", result: "GET https://a.test/z"),
        Case(location: "https://A.test:443/z#f", result: "GET https://a.test/z"),
        Case(location: "/é z", result: "GET https://a.test/%C3%A9%20z"),
        Case(location: nil, result: "none"),
        Case(status: 304, location: "/z", result: "none"),
        Case(status: 300, location: "/z", result: "none"),
        Case(status: 200, location: "/z", result: "none"),
        Case(method: "POST", status: 301, location: "/z", result: "GET https://a.test/z"),
        Case(method: "POST", status: 302, location: "/z", result: "GET https://a.test/z"),
        Case(method: "POST", status: 303, location: "/z", result: "GET https://a.test/z"),
        Case(method: "POST", status: 307, location: "/z", result: "POST https://a.test/z"),
        Case(method: "POST", status: 308, location: "/z", result: "POST https://a.test/z"),
        Case(method: "PUT", status: 302, location: "/z", result: "PUT https://a.test/z"),
        Case(method: "PUT", status: 303, location: "/z", result: "GET https://a.test/z"),
        Case(method: "HEAD", status: 303, location: "/z", result: "HEAD https://a.test/z"),
        Case(location: "https://b.test/z", result: "refused"),
        Case(location: "https://b.test/z", mayLeave: true, result: "GET https://b.test/z"),
        Case(location: "https://a.test:444/z", result: "refused"),
        Case(location: "http://a.test/z", result: "refused"),
        Case(location: "http://a.test/z", mayLeave: true, result: "refused"),
        Case(method: "POST", status: 307, location: "https://b.test/z", mayLeave: true, result: "refused"),
        Case(
            from: "http://a.test/", location: "https://b.test/z", mayLeave: true,
            result: "GET https://b.test/z"),
        Case(location: "file:///etc/passwd", mayLeave: true, result: "refused"),
        Case(location: "javascript:alert(1)", mayLeave: true, result: "refused"),
        Case(location: "https://user:pw@b.test/", mayLeave: true, result: "refused"),
        Case(location: "/z\u{0}", result: "refused"),
        Case(location: "/z", followed: 4, result: "GET https://a.test/z"),
        Case(location: "/z", followed: 5, result: "refused"),
    ]

    @Test(arguments: cases)
    func eachRedirectIsFollowedIgnoredOrRefused(_ test: Case) throws {
        var request = Request(
            method: test.method, .absolute(test.from),
            body: test.method == "POST" || test.method == "PUT" ? [1] : nil)
        request.mayLeaveOrigin = test.mayLeave
        var headers: HeaderFields = [:]
        headers["Location"] = test.location
        let result: String
        do {
            let next = try Redirect.next(
                after: ResponseHead(status: test.status, headers: headers), to: request,
                at: try #require(WebAddress(test.from)), followed: test.followed, limit: 5)
            result = next.map { "\($0.request.method) \($0.address.text)" } ?? "none"
            if let next = next?.request {
                #expect((next.body == nil) == (next.method == "GET" || next.method == "HEAD"))
                #expect(next.isIdempotent == (next.method != "POST"))
            }
        } catch let error as HTTPError {
            #expect(error.code == .invalidRedirect && error.status == test.status)
            result = "refused"
        }
        #expect(result == test.result)
    }

    @Test func redirectsToAnotherHostSendNoCredentials() throws {
        let request = Request(
            .absolute("https://a.test/"),
            headers: ["authorization": "x", "Cookie": "y", "X-Access-Token": "z", "Accept": "w"],
            mayLeaveOrigin: true)
        let next = try Redirect.next(
            after: ResponseHead(status: 302, headers: ["Location": "https://b.test/"]), to: request,
            at: try #require(WebAddress("https://a.test/")), followed: 0, limit: 5)
        #expect(next?.request.headers == ["Accept": "w"])
    }
}

@Suite struct RedirectingSessionTests {
    @Test func theSixthRedirectIsAnError() async throws {
        let test = try TestSession(handler: { _ in .response(302, headers: ["Location": "again"]) })
        let error = try await httpError { _ = try await test.session.response(for: Request(.relative("/a"))) }
        #expect(error?.code == .invalidRedirect)
        #expect(test.transport.requests.count == 6)
    }

    @Test func everyRedirectedRequestPassesThroughTheInterceptors() async throws {
        let test = try TestSession(interceptors: [try AccessTokenInterceptor(token: "t"), RetryInterceptor()])
        test.transport.expect("GET", "/a", .response(302, headers: ["Location": "b"]))
        test.transport.expect("GET", "/b", .response(500), .text("b"))
        #expect(try await test.session.response(for: Request(.relative("/a"))).body == Array("b".utf8))
        #expect(test.transport.requests.allSatisfy { $0.headers["X-Access-Token"] == "t" })
        try test.transport.verify()
    }
}

@Suite struct AddressTests {
    @Test(arguments: [
        ("127.0.0.1", false), ("10.1.2.3", false), ("172.16.0.1", false), ("172.32.0.1", true),
        ("192.168.1.1", false), ("169.254.169.254", false), ("100.64.0.1", false), ("0.0.0.0", false),
        ("224.0.0.1", false), ("255.255.255.255", false), ("93.184.216.34", true), ("8.8.8.8", true),
        ("::1", false), ("::", false), ("fe80::1", false), ("fe80::1%eth0", false), ("fd00::1", false),
        ("ff02::1", false), ("2606:4700:4700::1111", true), ("2001:db8::1", false),
        ("::ffff:127.0.0.1", false), ("::ffff:8.8.8.8", true), ("::127.0.0.1", false),
        ("64:ff9b::7f00:1", false), ("2002:7f00:0001::", false), ("nonsense", false), ("1.2.3", false),
        ("1.2.3.4.5", false), (":::", false), ("1::2::3", false),
    ])
    func publicAddressesAreRecognised(address: String, isPublic: Bool) {
        #expect(AddressRange.isPublic(address) == isPublic)
    }

    static let names = [
        "origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"],
        "evil.test": ["93.184.216.36", "127.0.0.1"],
        "local.test": ["127.0.0.1"], "127.0.0.1": ["127.0.0.1"],
    ]

    @Test(arguments: [
        (TestSession.base, "http://cdn.test/p", true), (TestSession.base, "http://evil.test/p", false),
        (TestSession.base, "http://127.0.0.1/p", false), (TestSession.base, "http://unknown.test/p", false),
        ("http://local.test/api/v1", "http://127.0.0.1/p", true),
        ("http://local.test/api/v1", "http://cdn.test/p", true),
    ])
    func aPublicOriginsFilesAreOnlyRequestedFromPublicHosts(base: String, url: String, allowed: Bool)
        async throws
    {
        let test = try TestSession(base: base, addresses: Self.names)
        if allowed { test.transport.expect("GET", url, .text("p")) }
        let error = try await httpError { _ = try await test.session.response(for: Request(.absolute(url))) }
        #expect((error == nil) == allowed)
        try test.transport.verify()
    }

    @Test func anAllowedHostIsResolvedOnceAMinute() async throws {
        let lookups = CallRecord()
        let clock = VirtualClock()
        let transport = ScriptedTransport(handler: { _ in .text("p") })
        let session = try InterceptableSession(
            base: TestSession.base, transport: transport,
            configuration: SessionConfiguration(
                clock: clock.sessionClock,
                addressGuard: AddressGuard { host in
                    lookups.add(host)
                    return ["93.184.216.34"]
                }))
        for wait in [0, 30, 31] {
            clock.advance(by: .seconds(wait))
            _ = try await session.response(for: Request(.absolute("http://cdn.test/p")))
        }
        #expect(lookups.all == ["cdn.test", "cdn.test"])
    }

    @Test func theTargetsOfRedirectsAreChecked() async throws {
        let test = try TestSession(addresses: Self.names)
        test.transport.expect(
            "GET", "http://cdn.test/p", .response(302, headers: ["Location": "http://evil.test/p"]))
        let error = try await httpError {
            _ = try await test.session.response(
                for: Request(.absolute("http://cdn.test/p"), mayLeaveOrigin: true))
        }
        #expect(error?.code == .forbiddenAddress)
        try test.transport.verify()
    }

    @Test(arguments: [
        ("http://a.test", "http://a.test/"), ("HTTP://A.Test:80/x", "http://a.test/x"),
        ("https://a.test:8443?x", "https://a.test:8443/?x"), ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://a.test/x#f", "http://a.test/x"), ("http://a.test/a b", "http://a.test/a%20b"),
        ("ftp://a.test/", nil), ("http://", nil), ("http://u:p@a.test/", nil), ("http://a.test:0/", nil),
        ("http://a.test:99999/", nil), ("http://a.test:x/", nil), ("http://a\\b/", nil), ("a.test", nil),
        ("http://[::1/", nil), ("http://a.test/\r\nHost: b", nil), ("http://a%2e/", nil),
    ])
    func addressesAreParsedStrictly(text: String, expected: String?) {
        #expect(WebAddress(text)?.text == expected)
    }

    @Test func malformedRequestsAreNotSent() async throws {
        let test = try TestSession()
        for request in [
            Request(.relative("nope")), Request(.absolute("file:///etc/passwd")),
            Request(method: "G T", .relative("/a")),
            Request(.relative("/a"), headers: ["X": "a\r\nY: b"]), Request(.relative("/a\r\nX: y")),
            Request(.relative("/a"), headers: ["X y": "z"]),
        ] {
            #expect(try await httpError { _ = try await test.session.response(for: request) } != nil)
        }
        #expect(test.transport.requests.isEmpty)
    }
}
