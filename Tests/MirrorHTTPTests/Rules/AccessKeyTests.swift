import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// The key of a server, which must appear in requests to its origin only.
@Suite struct AccessKeyTests {
    static let secret = "s3cret/key+1"
    /// The query item that is sent.
    static let item = "apikey=s3cret%2Fkey%2B1"
    private static let names = ["origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"]]

    private static func rules(_ place: AccessKey.Place = .query("apikey")) throws -> HostRules {
        try HostRules(key: AccessKey(place, value: secret), hosts: ["cdn.test"])
    }

    /// Whether a text contains the key in any form.
    private func containsSecret(_ text: String) -> Bool { text.contains("s3cret") }

    @Test func aQueryKeyIsAddedToEachAttemptOnce() async throws {
        let test = try TestSession(interceptors: [RetryInterceptor()])
        let session = test.session.obeying(try Self.rules())
        for (path, sent) in [
            ("", "?"), ("/a", "/a?"), ("/a?", "/a?"), ("/a?b=1", "/a?b=1&"), ("/a?b=1&", "/a?b=1&"),
        ] {
            test.transport.expect("GET", sent + Self.item, .response(500), .text("a"))
            #expect(try await session.response(for: Request(.relative(path))).status == 200)
        }
        try test.transport.verify()
    }

    @Test func aHeaderKeyIsAddedToRequestsToTheOriginOnly() async throws {
        let test = try TestSession(addresses: Self.names)
        let session = test.session.obeying(try Self.rules(.header("X-Api-Key")))
        test.transport.expect("GET", "/a", .response(302, headers: ["Location": "http://cdn.test/a"]))
        test.transport.expect("GET", "http://cdn.test/a", .text("a"))
        _ = try await session.response(for: Request(.relative("/a")))
        #expect(test.transport.requests.map { $0.headers["X-Api-Key"] } == [Self.secret, nil])
        try test.transport.verify()
    }

    @Test func aRedirectWithinTheOriginGetsTheKeyOnceAndIsRelativeToTheAddress() async throws {
        let test = try TestSession()
        let session = test.session.obeying(try Self.rules())
        test.transport.expect("GET", "/x/a?" + Self.item, .response(302, headers: ["Location": "b?c=1"]))
        // The server repeats the key, and one that it got earlier.
        test.transport.expect(
            "GET", "/x/b?c=1&" + Self.item,
            .response(302, headers: ["Location": "?\(Self.item)&d=2&apikey=old"]))
        test.transport.expect("GET", "/x/b?d=2&" + Self.item, .text("b"))
        #expect(try await session.response(for: Request(.relative("/x/a"))).body == Array("b".utf8))
        try test.transport.verify()
    }

    @Test(arguments: ["?\(item)&c=1", "?key=\(secret)&c=1", "?c=1&\(item)"])
    func aRedirectToAnotherHostLosesTheKey(query: String) async throws {
        let test = try TestSession(addresses: Self.names) { request in
            request.url.hasPrefix("http://cdn.test")
                ? .text("b") : .response(302, headers: ["Location": "http://cdn.test/b" + query])
        }
        let session = test.session.obeying(try Self.rules())
        #expect(try await session.response(for: Request(.relative("/a"))).status == 200)
        let last = try #require(test.transport.requests.last)
        #expect(last.url.hasPrefix("http://cdn.test/b?") && last.url.contains("c=1"))
        #expect(!containsSecret("\(last.url) \(last.headers)"))
    }

    /// A short key can't be told from a word, so it is only removed with its name.
    @Test(arguments: [
        ("/a?apikey=10&size=10", "/a?size=10"), ("/a?%61pikey=old", "/a"), ("/a?apikey", "/a"),
        ("/a?APIKEY=1&b", "/a?APIKEY=1&b"),
        ("http://cdn.test/a?apikey=10&size=10", "http://cdn.test/a?size=10"),
        ("http://cdn.test/a?apikey=signature", "http://cdn.test/a?apikey=signature"),
    ])
    func theKeyIsRemovedFromAddresses(written: String, expected: String) throws {
        let rules = try HostRules(key: AccessKey(.query("apikey"), value: "10"), hosts: ["cdn.test"])
        let session = try TestSession().session.obeying(rules)
        let isOwn = written.hasPrefix("/")
        let address = try session.address(of: isOwn ? .relative(written) : .absolute(written))
        #expect(address.text == (isOwn ? TestSession.base : "") + expected)
    }

    @Test func noErrorContainsTheKey() async throws {
        let test = try TestSession { request in
            switch request.url {
            case let url where url.contains("/certificate"):
                throw TransportError(.badCertificate, "The certificate of \(url) (\(Self.secret)) is wrong.")
            case let url where url.contains("/loop"): return .response(302, headers: ["Location": url])
            case let url where url.contains("/leave"):
                return .response(302, headers: ["Location": "http://evil.test/?\(Self.item)"])
            case let url where url.contains("/reason"):
                return .text(#"{"error": "s3cretkey1"}"#, status: 403)
            default: return .text("\(request.url)", status: 404)
            }
        }
        let rules = try HostRules(key: AccessKey(.query("apikey"), value: "s3cretkey1"))
        for (path, rules) in [
            ("/certificate", try Self.rules()), ("/loop", try Self.rules()), ("/leave", try Self.rules()),
            ("/missing", try Self.rules()), ("/reason", rules),
        ] {
            let session = test.session.obeying(rules)
            let error = try #require(
                try await httpError {
                    _ = try await session.fetch(Request(.relative(path + "?b=1")), known: nil)
                })
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!containsSecret("\(error) \(dumped)"))
            #expect(error.message.contains(path) || error.cause != nil)
        }
    }

    @Test func theRequestLogContainsOnlyTheNameOfTheKey() async throws {
        let lines = Mutex<[String]>([])
        let test = try TestSession(
            interceptors: try .standard(log: { line in lines.withLock { $0.append(line) } }))
        let session = test.session.obeying(try Self.rules())
        test.transport.always("GET", "/a?" + Self.item, .text("a"))
        _ = try await session.response(for: Request(.relative("/a")))
        #expect(
            lines.withLock { $0 } == ["GET origin.test/api/v1/a", "200 GET origin.test/api/v1/a?apikey"])
    }

    /// The answer contains the key three times: in its body as in JSON and percent-encoded, and in a header field.
    @Test func theCacheAndTheCallerGetAnswersWithoutTheKey() async throws {
        let folder = try TemporaryFolder(), clock = VirtualClock(.jumping)
        let cache = CanonicalURLCache(
            file: URL(fileURLWithPath: folder.file("cache.sqlite")), origin: TestSession.base,
            now: { clock.now.timeIntervalSince1970 })
        let test = try TestSession(clock: clock, cache: cache)
        let session = test.session.obeying(try Self.rules())
        test.transport.expect(
            "GET", "/a?b=1&" + Self.item,
            .text(
                #"{"key": "s3cret\/key+1", "next": "/a?apikey=s3cret%2fkey%2b1&b=2"}"#, etag: "\"1\"",
                headers: ["Cache-Control": "max-age=99", "Link": "</a?\(Self.item)&b=2>; rel=\"next\""]))
        let request = Request(.relative("/a?apikey=\(Self.secret)&b=1"))
        let response = try await session.response(for: request)
        cache.flush()
        let hidden = #"{"key": "xxxxxxxxxxxxx", "next": "/a?apikey=xxxxxxxxxxxxxxxx&b=2"}"#
        #expect(String(decoding: response.body, as: UTF8.self) == hidden)
        #expect(response.headers["Link"] == "</a?apikey=xxxxxxxxxxxxxxxx&b=2>; rel=\"next\"")
        let entry = try #require(cache.entry(for: "/a?b=1"))
        #expect(!containsSecret("\(entry.key) \(entry.headers)") && entry.body == Array(hidden.utf8))
        for name in try folder.names() {
            let bytes = try #require(folder.contents(name))
            #expect(Data(bytes).range(of: Data("s3cret".utf8)) == nil, "\(name)")
        }
        #expect(try await session.response(for: request).source == .fresh)
        try test.transport.verify()
    }

    @Test(arguments: ["", " key", "key\n", "k\u{0}ey", "schlüssel"])
    func aKeyThatIsNotValidIsRefusedWithoutBeingShown(value: String) throws {
        let error = #expect(throws: HTTPError.self) { try AccessKey(.query("key"), value: value) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "The key for the server is empty, begins or ends with a space, or contains line breaks or characters that aren't ASCII. Check the environment variable that contains it."
        )
        #expect(throws: HTTPError.self) { try AccessKey(.header("X Key"), value: "key") }
    }

    @Test func printedAndDumpedKeysAndRulesDoNotShowTheSecret() throws {
        for place in [AccessKey.Place.query("key"), .header("key")] {
            let rules = try Self.rules(place), key = try AccessKey(place, value: Self.secret)
            var dumped = ""
            dump(key, to: &dumped)
            dump(rules, to: &dumped)
            dump(rules.added(to: []).last, to: &dumped)
            #expect(!containsSecret("\(key) \(rules) \(String(reflecting: key)) \(dumped)"))
        }
    }
}
