import Foundation
import MirrorTesting
import Testing

@testable import MirrorHTTP

/// "`Retry-After` wins" (SOURCES.md D): in a session that obeys rules, nothing is sent to a host before that time.
@Suite("Retry-After of described sources") struct RetryAfterTests {
    private static let names = ["origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"]]

    private func session(
        waits limit: Duration? = .seconds(3_600), blocks: [HostBlockRule] = []
    ) throws -> (InterceptableSession, TestSession) {
        let test = try TestSession(addresses: Self.names, interceptors: try .standard())
        let session = test.session.obeying(try HostRules(blocks: blocks, hosts: ["cdn.test"]))
        if let limit { session.limitWaits(to: limit) }
        return (session, test)
    }

    private func error(_ session: InterceptableSession, _ target: Request.Target) async throws -> HTTPError? {
        try await httpError { _ = try await session.fetch(Request(target), known: nil) }
    }

    /// The values are more than the limit of 4 s, and more than any number or year that the program computes with.
    @Test(arguments: [
        "600", "5", "99999999999999999999", "9223372036854775807", "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func `a wait that is longer than the run may wait ends requests to the host`(value: String) async throws {
        let (session, test) = try session(waits: .seconds(4))
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": value]))
        test.transport.always("GET", "http://cdn.test/b", .text("b"))
        for path in ["/a", "/a", "/b", "/c"] {
            let error = try await error(session, .relative(path))
            #expect(error?.code == .waitTooLong && error?.status == nil, "\(path): \(error?.message ?? "")")
            #expect(error?.message.contains("--max-wait") == true)
            #expect(try #require(error?.retryAfter) <= .seconds(10 * 365 * 86_400))
        }
        #expect(try await error(session, .absolute("http://cdn.test/b")) == nil, "another host is requested")
        #expect(test.transport.lines == ["GET /a", "GET http://cdn.test/b"])
        #expect(test.clock.waits.isEmpty)
    }

    /// A request by itself may wait for 5 minutes, and other throttling is reduced to an hour.
    @Test func `a wait that the run may wait is kept however long it is`() async throws {
        let (session, test) = try session(waits: .seconds(10_000))
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "7200"]), .text("a"))
        #expect(try await error(session, .relative("/a")) == nil)
        #expect(test.clock.waits == [.seconds(7_200)])
        test.transport.expect("GET", "/b", .response(503, headers: ["Retry-After": "7200"]))
        #expect(try await error(session, .relative("/b"))?.code == .waitTooLong, "2,800 s are left")
        try test.transport.verify()
    }

    @Test(arguments: [403, 413, 429, 500, 502, 503])
    func `each refusal and failure with Retry-After holds all requests to the host`(status: Int) async throws
    {
        let (session, test) = try session(waits: .seconds(100))
        test.transport.expect("GET", "/a", .response(status, headers: ["Retry-After": "60"]), .text("a"))
        #expect(try await error(session, .relative("/a")) == nil)
        #expect(test.clock.waits == [.seconds(60)])
        test.transport.expect("GET", "/b", .response(status, headers: ["Retry-After": "60"]))
        #expect(try await error(session, .relative("/b"))?.retryAfter == .seconds(60))
        #expect(try await error(session, .relative("/c"))?.code == .waitTooLong)
        // Its time has come.
        test.clock.advance(by: .seconds(60))
        test.transport.expect("GET", "/c", .text("c"))
        #expect(try await error(session, .relative("/c")) == nil)
        try test.transport.verify()
    }

    @Test func `a request that must not wait is not sent before the time`() async throws {
        let (session, test) = try session()
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "9000"]))
        _ = try await error(session, .relative("/a"))
        var request = Request(.relative("/b"))
        request.mayWait = false
        let refused = try await httpError { _ = try await session.fetch(request, known: nil) }
        #expect(refused?.code == .waitTooLong)
        try test.transport.verify()
    }

    @Test func `a block with Retry-After is kept, too`() async throws {
        let block = HostBlockRule(.status(403), .wait(.seconds(120)))
        let (session, test) = try session(waits: .seconds(10_000), blocks: [block])
        let blocked = ScriptedAnswer.response(403, headers: ["Retry-After": "4000"])
        test.transport.expect("GET", "/a", blocked, blocked, blocked)
        #expect(try await error(session, .relative("/a"))?.code == .waitTooLong)
        #expect(test.clock.waits == [.seconds(4_000), .seconds(4_000)])
        #expect(try await error(session, .relative("/b"))?.code == .waitTooLong)
        try test.transport.verify()
    }

    @Test func `without a limit of the session a request keeps its own`() async throws {
        let (session, test) = try session(waits: nil)
        test.transport.expect("GET", "/a", .response(429, headers: ["Retry-After": "600"]))
        let error = try await error(session, .relative("/a"))
        #expect(error?.code == .waitTooLong && error?.message.contains("--max-wait") == false)
        try test.transport.verify()
    }

    @Test func `an absent object with Retry-After is an absent object`() async throws {
        let (session, test) = try session()
        test.transport.always("GET", "/a", .response(404, headers: ["Retry-After": "600"]))
        #expect(try await error(session, .relative("/a"))?.status == 404)
        #expect(test.clock.waits.isEmpty)
    }
}
