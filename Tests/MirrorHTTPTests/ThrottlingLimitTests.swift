import MirrorHTTP
import MirrorTesting
import Testing

/// The waits, attempts and messages for servers that refuse requests with 429 or 503.
@Suite struct ThrottlingLimitTests {
    @Test func aServersFastClockDoesNotExtendItsRequestedWait() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        let fast: HeaderFields = [
            "Date": "Tue, 14 Nov 2023 22:20:00 GMT", "Retry-After": "Tue, 14 Nov 2023 22:20:02 GMT",
        ]
        test.transport.expect("GET", "/a", .response(429, headers: fast), .text("ok"))
        _ = try await test.session.response(for: Request(.relative("/a")))
        #expect(test.clock.waits == [.seconds(2)])
        test.transport.expect("GET", "/b", .response(500, headers: fast))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/b")), known: nil)
        }
        #expect(error?.retryAfter == .seconds(2))
    }

    /// The wait is limited to an hour, but the message contains the time that the server requested.
    @Test func theThrottlingMessageContainsTheWaitThatTheServerRequested() async throws {
        let test = try TestSession(interceptors: [ThrottleInterceptor()])
        for path in ["/a", "/b"] {
            test.transport.expect("GET", path, .response(429, headers: ["Retry-After": "86400"]))
        }
        // The first refusal may concern its address only; after the second, the host isn't requested any more.
        for path in ["/a", "/b", "/c"] {
            let error = try await httpError {
                _ = try await test.session.fetch(Request(.relative(path)), known: nil)
            }
            #expect(error?.code == .tooManyRequests && error?.retryAfter == .seconds(86_400))
            #expect(error?.message.contains("a wait of 86400 s") == true)
        }
        #expect(test.clock.waits.isEmpty)
        // An earlier delay that has ended doesn't change the next message.
        test.clock.advance(by: .seconds(3_600))
        test.transport.expect("GET", "/d", .response(429, headers: ["Retry-After": "900"]))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/d")), known: nil)
        }
        #expect(error?.retryAfter == .seconds(900))
        try test.transport.verify()
    }

    @Test(arguments: [nil, "0"])
    func theThrottlingMessageContainsNoWaitIfTheServerRequestedNone(retryAfter: String?) async throws {
        let test = try TestSession(
            longestWait: .milliseconds(1), interceptors: [ThrottleInterceptor()])
        let headers: HeaderFields = retryAfter.map { ["Retry-After": $0] } ?? [:]
        for path in ["/a", "/b"] { test.transport.always("GET", path, .response(429, headers: headers)) }
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 429)
        // After the second refused address, requests to the host are delayed by the client's own back-off.
        let error = try await httpError {
            _ = try await test.session.response(for: Request(.relative("/b")))
        }
        #expect(error?.code == .tooManyRequests && error?.retryAfter == nil)
        #expect(
            error?.message
                == "origin.test refused requests, because there were too many (429), and the next one would have to wait longer than a request may wait. Try again later."
        )
        #expect(test.clock.waits.isEmpty)
    }

    @Test func anAddressRefusedWithATooLongWaitDelaysNoOtherRequest() async throws {
        let test = try TestSession(interceptors: try .standard())
        test.transport.always("GET", "/a", .response(429, headers: ["Retry-After": "86400"]))
        for path in ["/b", "/c"] { test.transport.always("GET", path, .text(path)) }
        for path in ["/a", "/b", "/a", "/c"] {
            let status = try await test.session.response(for: Request(.relative(path))).status
            #expect(status == (path == "/a" ? 429 : 200))
        }
        #expect(test.transport.lines == ["GET /a", "GET /b", "GET /a", "GET /c"])
        #expect(test.clock.waits.isEmpty)
    }

    @Test func aRequestThatMustNotWaitDelaysNoOtherRequest() async throws {
        let test = try TestSession(interceptors: try .standard())
        test.transport.expect("GET", "/status", .response(429, headers: ["Retry-After": "60"]))
        test.transport.expect("GET", "/b", .text("b"))
        var status = Request(.relative("/status"))
        status.mayWait = false
        #expect(try await test.session.response(for: status).status == 429)
        #expect(try await test.session.response(for: Request(.relative("/b"))).status == 200)
        #expect(test.clock.waits.isEmpty)
    }

    @Test func anAlwaysRefusedRequestHasEightAttemptsAndOthersContinue() async throws {
        let test = try TestSession(interceptors: try .standard())
        test.transport.always("GET", "/a", .response(429, headers: ["Retry-After": "1"]))
        test.transport.always("GET", "/b", .text("b"))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a")), known: nil)
        }
        #expect(error?.status == 429)
        #expect(test.transport.lines == [String](repeating: "GET /a", count: 8))
        #expect(test.clock.waits == [Duration](repeating: .seconds(1), count: 7))
        #expect(try await test.session.response(for: Request(.relative("/b"))).status == 200)
        // It is sent only once when it is requested again, as it has used up its attempts.
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 429)
        #expect(test.transport.lines.count == 10)
        // After another response, it has all attempts again.
        test.transport.expect(
            "GET", "/a", .text("a"), .response(429, headers: ["Retry-After": "1"]), .text("a"))
        for _ in 0..<2 {
            #expect(try await test.session.response(for: Request(.relative("/a"))).status == 200)
        }
        #expect(test.transport.lines.count == 13)
    }

    @Test func aRequestThatUsedUpItsWaitsIsSentOnlyOnceTheNextTime() async throws {
        let test = try TestSession(longestWait: .seconds(100), interceptors: try .standard())
        test.transport.always("GET", "/a", .response(429, headers: ["Retry-After": "40"]))
        _ = try await httpError { _ = try await test.session.response(for: Request(.relative("/a"))) }
        #expect(test.transport.requests.count == 3)
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 429)
        #expect(test.transport.requests.count == 4)
        #expect(test.clock.waits == [.seconds(40), .seconds(40)])
    }

    /// A 503 with `Retry-After` is a refusal as well.
    @Test func aRequestThatTheThrottleGivesUpIsNotRepeatedByTheRetryInterceptor() async throws {
        let test = try TestSession(interceptors: try .standard())
        test.transport.always("GET", "/a", .response(503, headers: ["Retry-After": "1"]))
        #expect(try await test.session.response(for: Request(.relative("/a"))).status == 503)
        #expect(test.transport.requests.count == 8)
    }
}
