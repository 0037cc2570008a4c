import CCurl
import Testing

@testable import MirrorHTTP

@Suite struct TransferQueueTests {
    @Test func theTransferQueueObeysTheLimitPerHostAndTheTotalLimit() {
        var queue = TransferQueue<Int>(perHost: 2, total: 3)
        for number in 0..<4 { queue.enqueue(number, host: "a") }
        for number in 10..<14 { queue.enqueue(number, host: "b") }
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == [0, 10, 1, nil])
        queue.finished(host: "a")
        #expect([queue.next(), queue.next()] == [11, nil])
        queue.finished(host: "b")
        #expect([queue.next(), queue.next()] == [2, nil])
    }

    @Test func aSlowHostDelaysNoOtherHost() {
        var queue = TransferQueue<Int>(perHost: 1, total: 8)
        for number in 0..<1000 { queue.enqueue(number, host: "slow") }
        queue.enqueue(7, host: "quick")
        #expect([queue.next(), queue.next(), queue.next()] == [0, 7, nil])
    }

    @Test func queuedTransfersBeginOnceAndInOrder() {
        var queue = TransferQueue<Int>(perHost: 3, total: 3)
        for number in 0..<5000 { queue.enqueue(number, host: "a") }
        var seen: [Int] = []
        while let number = queue.next() {
            seen.append(number)
            queue.finished(host: "a")
        }
        #expect(seen == Array(0..<5000))
        #expect(queue.active == 0)
    }

    @Test func emptyingTheQueueReturnsOnlyQueuedTransfers() {
        var queue = TransferQueue<Int>(perHost: 1, total: 1)
        for number in 0..<3 { queue.enqueue(number, host: "a") }
        #expect(queue.next() == 0)
        #expect(queue.removeAllWaiting() == [1, 2])
        queue.finished(host: "a")
        #expect(queue.next() == nil)
        queue.enqueue(3, host: "a")
        #expect(queue.next() == 3)
    }
}

@Suite struct TransferClockTests {
    private let start = SuspendingClock().now
    private let limits = TransferLimits(idle: .seconds(30), whole: .seconds(100))

    private func at(_ seconds: Int) -> TransferClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func connectingDoesNotCountAsIdleTime() {
        let clock = TransferClock(limits: limits, now: start)
        #expect(clock.expired(at: at(99), paused: false) == nil)
        #expect(clock.expired(at: at(100), paused: false) == .timedOut)
        #expect(clock.deadline(at: at(0), paused: false) == at(30))
    }

    @Test func activityRestartsTheIdleTime() {
        var clock = TransferClock(limits: limits, now: start)
        clock.recordActivity(at: at(10))
        #expect(clock.expired(at: at(39), paused: false) == nil)
        #expect(clock.expired(at: at(40), paused: false) == .idleTimedOut)
        clock.recordActivity(at: at(39))
        #expect(clock.expired(at: at(40), paused: false) == nil)
        #expect(clock.deadline(at: at(40), paused: false) == at(69))
        clock.recordActivity(at: at(90))
        #expect(clock.deadline(at: at(90), paused: false) == at(100))
    }

    @Test func aPauseCountsOnlyTowardsTheTotalLimit() {
        var clock = TransferClock(limits: limits, now: start)
        clock.recordActivity(at: at(1))
        #expect(clock.expired(at: at(60), paused: true) == nil)
        #expect(clock.expired(at: at(100), paused: true) == .timedOut)
    }
}

@Suite struct ResponseHeadReaderTests {
    private func read(_ lines: [[UInt8]]) -> (ResponseHeadReader, [ResponseHeadReader.Step]) {
        var reader = ResponseHeadReader()
        let steps = lines.map { line in line.withUnsafeBytes { reader.read($0) } }
        return (reader, steps)
    }

    private func read(_ lines: String...) -> (ResponseHeadReader, [ResponseHeadReader.Step]) {
        read(lines.map { Array(($0 + "\r\n").utf8) })
    }

    @Test func aFoldedHeaderLineIsJoinedToThePreviousOne() {
        let (reader, _) = read("HTTP/1.1 200 OK", "A: b", "\t c", "D:", "  e", "")
        #expect(reader.fields.lines.map { "\($0.name)=\($0.value)" } == ["A=b c", "D=e"])
    }

    @Test func informationalHeadsAreDiscarded() {
        let (reader, steps) = read("HTTP/1.1 103 Hints", "Link: a", "", "HTTP/2 404", "A: b", "")
        #expect(reader.status == 404)
        #expect(reader.fields.lines.map(\.name) == ["A"])
        #expect(steps.last == .complete)
    }

    @Test func trailersAreCountedButNotParsed() {
        let (reader, steps) = read("HTTP/1.1 200 OK", "", "X-Sum: 1", "")
        #expect(reader.fields.lines.isEmpty)
        #expect(steps == [.more, .complete, .more, .more])
        #expect(reader.bytes == 17 + 2 + 10 + 2)
    }

    @Test func headerBytesThatAreNotUTF8AreReadAsLatin1() {
        let (reader, _) = read([
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: caf".utf8) + [0xE9, 0x0D, 0x0A],
        ])
        #expect(reader.fields.lines.first?.value == "caf\u{E9}")
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 2x0", "HTTP/1.1 099 a", "hello"])
    func aBadStatusLineIsMalformed(line: String) {
        #expect(read(line).1 == [.malformed])
    }

    @Test(arguments: ["no colon", ": no name"])
    func aBadHeaderFieldIsMalformed(line: String) {
        #expect(read("HTTP/1.1 200 OK", line).1 == [.more, .malformed])
    }

    @Test func aHeaderSectionBeyondTheLimitIsTooLarge() {
        let line = "A: " + String(repeating: "b", count: 99_995)
        #expect(read("HTTP/1.1 200 OK", line, line, line).1 == [.more, .more, .more, .tooLarge])
    }
}

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("http://Museum.Example/a@b", "http://museum.example", false),
        ("HTTPS://museum.example:8443?q", "https://museum.example:8443", false),
        ("http://127.0.0.1:80#f", "http://127.0.0.1:80", true),
        ("http://[::1]:8080/", "http://[::1]:8080", true),
        ("http://localhost/", "http://localhost", true),
        ("http://127.museum.example.org/", "http://127.museum.example.org", false),
        ("http://127.0.0.1.example.org/", "http://127.0.0.1.example.org", false),
        ("http://LOCALHOST:81/", "http://localhost:81", true),
        ("http://a.localhost/", "http://a.localhost", true),
        ("http://notlocalhost/", "http://notlocalhost", false),
        ("http://localhost.example/", "http://localhost.example", false),
        ("http://[::12]/", "http://[::12]", false),
    ])
    func originAndLoopbackAreParsedFromAURL(url: String, origin: String, isLoopback: Bool) throws {
        let target = try RequestTarget(url)
        #expect(target.origin == origin)
        #expect(target.isLoopback == isLoopback)
    }
}

@Suite struct CurlFailureTests {
    struct Row: Sendable {
        var code: CURLcode
        var began = true
        var headComplete = false
        var headBytes = 0
        var expected: TransportError.Code
    }

    @Test(arguments: [
        Row(code: CURLE_URL_MALFORMAT, began: false, expected: .unsupportedURL),
        Row(code: CURLE_UNSUPPORTED_PROTOCOL, began: false, expected: .unsupportedURL),
        Row(code: CURLE_UNSUPPORTED_PROTOCOL, expected: .badResponse),
        Row(code: CURLE_COULDNT_RESOLVE_HOST, began: false, expected: .cannotResolveHost),
        Row(code: CURLE_COULDNT_CONNECT, began: false, expected: .cannotConnect),
        Row(code: CURLE_SSL_CONNECT_ERROR, began: false, expected: .cannotConnect),
        Row(code: CURLE_PEER_FAILED_VERIFICATION, began: false, expected: .badCertificate),
        Row(code: CURLE_SSL_CACERT_BADFILE, began: false, expected: .unreadableAuthorities),
        Row(code: CURLE_OPERATION_TIMEDOUT, began: false, expected: .connectTimedOut),
        Row(code: CURLE_GOT_NOTHING, expected: .connectionLost),
        Row(code: CURLE_RECV_ERROR, expected: .connectionLost),
        Row(code: CURLE_RECV_ERROR, headBytes: 250_000, expected: .headersTooLarge),
        Row(code: CURLE_RECV_ERROR, headComplete: true, headBytes: 250_000, expected: .connectionLost),
        Row(code: CURLE_TOO_LARGE, expected: .headersTooLarge),
        Row(code: CURLE_PARTIAL_FILE, headComplete: true, expected: .truncatedBody),
        Row(code: CURLE_BAD_CONTENT_ENCODING, headComplete: true, expected: .unknownCoding),
        Row(code: CURLE_HTTP2_STREAM, headComplete: true, expected: .connectionLost),
    ])
    func curlResultAndProgressDetermineTheError(row: Row) {
        let error = CurlFailure(
            code: row.code, authority: "museum.example", detail: "", requestBegan: row.began,
            headComplete: row.headComplete, headBytes: row.headBytes
        ).error
        #expect(error.code == row.expected)
        #expect(error.mayHaveReachedServer == row.began)
        #expect(error.message.contains("museum.example: "))
    }

    /// Failures before the server is reached are the proxy's; failures of the server itself are not.
    @Test(arguments: [
        (CURLE_COULDNT_CONNECT, TransportError.Code.cannotConnectByProxy),
        (CURLE_OPERATION_TIMEDOUT, .cannotConnectByProxy),
        (CURLE_COULDNT_RESOLVE_PROXY, .cannotConnectByProxy),
        // The proxy refuses the tunnel.
        (CURLE_RECV_ERROR, .cannotConnectByProxy), (CURLE_SSL_CONNECT_ERROR, .cannotConnect),
        (CURLE_PEER_FAILED_VERIFICATION, .badCertificate), (CURLE_URL_MALFORMAT, .unsupportedURL),
    ])
    func aFailedConnectionThroughAProxyIsReportedAsAProxyError(code: CURLcode, expected: TransportError.Code)
    {
        let error = CurlFailure(
            code: code, authority: "museum.example", detail: "", requestBegan: false, headComplete: false,
            headBytes: 0, proxy: .init(address: "10.0.0.1:3128", variable: "https_proxy")
        ).error
        #expect(error.code == expected && !error.mayHaveReachedServer)
        #expect(
            error.message.contains("museum.example through the proxy 10.0.0.1:3128 (https_proxy): ")
                == (expected == .cannotConnectByProxy))
    }

    /// Before the tunnel is established, TLS failures concern the connection to the proxy.
    @Test(
        arguments: [
            (CURLE_PEER_FAILED_VERIFICATION, true, false, .untrustedProxy),
            (CURLE_PEER_FAILED_VERIFICATION, true, true, .badCertificate),
            (CURLE_PEER_FAILED_VERIFICATION, false, false, .badCertificate),
            (CURLE_SSL_CONNECT_ERROR, true, false, .cannotConnectByProxy),
            (CURLE_SSL_CONNECT_ERROR, true, true, .cannotConnect),
            (CURLE_SSL_CACERT_BADFILE, true, false, .unreadableAuthorities),
        ] as [(CURLcode, Bool, Bool, TransportError.Code)])
    func anUntrustedCertificateBeforeTheTunnelIsReportedAsTheCertificateOfTheProxy(
        code: CURLcode, isSecure: Bool, isTunnelled: Bool, expected: TransportError.Code
    ) throws {
        let error = CurlFailure(
            code: code, authority: "museum.example", detail: "", requestBegan: false, headComplete: false,
            headBytes: 0,
            proxy: .init(address: "p.example:3129", variable: "https_proxy", isSecure: isSecure),
            isTunnelled: isTunnelled, authorities: "/nope (SSL_CERT_FILE)"
        ).error
        #expect(error.code == expected)
        let message = HTTPError.from(error, at: try #require(WebAddress("https://museum.example/"))).message
        #expect(message.contains("museum.example"))
        let isProxys = expected == .untrustedProxy || expected == .cannotConnectByProxy
        #expect(message.contains("the proxy p.example:3129 (https_proxy)") == isProxys)
        #expect(message.contains("/nope (SSL_CERT_FILE)") == (expected == .unreadableAuthorities))
    }

    @Test(arguments: [(407, false, true), (407, true, false), (401, false, false), (200, false, false)])
    func onlyA407ToAnHTTPRequestIsReportedAsAProxyError(status: Int, isSecure: Bool, isRefused: Bool) throws {
        let proxy = ProxyEnvironment.Proxy(address: "p.example:3128", variable: "http_proxy")
        let error = CurlFailure.refusal(
            status: status, isSecure: isSecure, authority: "museum.example", proxy: proxy)
        #expect((error != nil) == isRefused)
        #expect(
            CurlFailure.refusal(status: 407, isSecure: false, authority: "museum.example", proxy: nil) == nil)
        guard let error else { return }
        #expect(error.code == .cannotConnectByProxy && !error.mayHaveReachedServer)
        #expect(
            error.message
                == "Cannot connect to museum.example through the proxy p.example:3128 (http_proxy): it requires a name and password (407)"
        )
    }

    @Test func aConnectionLostAfterTheRequestIsNotReportedAsAProxyError() {
        let error = CurlFailure(
            code: CURLE_RECV_ERROR, authority: "museum.example", detail: "", requestBegan: true,
            headComplete: false, headBytes: 0, proxy: .init(address: "10.0.0.1:3128", variable: "https_proxy")
        ).error
        #expect(error.code == .connectionLost)
    }
}
