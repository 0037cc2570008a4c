import Catalogue
import Foundation
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("A server on a socket")
struct LiveServerTests {
    let test: TestServer

    init() throws {
        test = try TestServer()
        try test.store.put(.artwork, "../a b", #"{"id":"../a b"}"#)
    }

    @Test func connectionsAreKeptAliveAndAnswersHaveADate() async throws {
        let first = #"{"id":"../a b"}"#, second = #""digest"]}"#
        try await test.server.whileRunning { port in
            let connection = try #require(RawConnection(port: port))
            let answer = await connection.ask(
                "GET /test/api/v1/artwork/..%2Fa%20b HTTP/1.1\r\nHost: localhost\r\n\r\n", until: first)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            let field = answer.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("date: ") }
            let date = try #require(field).dropFirst(6)
            let format = Date.ParseStrategy(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
            // The header has whole seconds and is updated once a second.
            #expect(abs(try Date(String(date), strategy: format).timeIntervalSinceNow) < 60)
            let next = await connection.ask("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", until: second)
            #expect(next.hasPrefix("HTTP/1.1 200") && next.hasSuffix(second))
        }
    }

    /// By default, an HTTP/1.0 client reads to the end of the connection.
    @Test(arguments: [
        "HTTP/1.0", "HTTP/1.1\r\nConnection: Close", "HTTP/1.1\r\nConnection: TE, close",
    ])
    func aConnectionIsClosedWhenTheClientRequestsIt(_ head: String) async throws {
        let whole = "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await test.server.whileRunning { port in
            for earlier in ["", whole] {
                let connection = try #require(RawConnection(port: port))
                let answers = await connection.ask(
                    "\(earlier)GET /api/v1 \(head)\r\nHost: localhost\r\n\r\n\(whole)", until: "never sent")
                #expect(answers.components(separatedBy: "HTTP/1.1 200").count == (earlier.isEmpty ? 2 : 3))
            }
        }
    }

    @Test func malformedRequestsGetAnAnswerOrCloseTheConnection() async throws {
        let requests = [
            "\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
            "GET  HTTP/1.1\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET http:// HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET http://h?q HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /api/v1/artwork/%ff%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nBad Header\r\nConnection: close\r\n\r\n",
            "POST /api/v1/partner/p1/album HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\nConnection: close\r\n\r\n",
            "POST /api/v1/partner/p1/album HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
            "GET /" + String(repeating: "a", count: 200_000)
                + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /api/v1 HTTP/1.1\r\nX: " + String(repeating: "a", count: 200_000)
                + "\r\nConnection: close\r\n\r\n",
        ]
        try await test.server.whileRunning { port in
            for request in requests {
                let connection = try #require(RawConnection(port: port))
                let answer = await connection.ask(request, until: "\r\n\r\n", isLast: true)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."), "\(request.prefix(40))")
                #expect(!answer.hasPrefix("HTTP/1.1 200"), "\(request.prefix(40))")
            }
            let connection = try #require(RawConnection(port: port))
            let answer = await connection.ask("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", until: "]}")
            #expect(answer.hasPrefix("HTTP/1.1 200"), "the server still answers")
        }
    }

    @Test func requestsWithLongIdsAreAccepted() async throws {
        let id = String(repeating: "ü", count: 5_000)
        try test.store.put(.show, id)
        try test.store.put(document: id, of: Owner(.show, id))
        let path = Router(partner: TestServer.partner).document(id, of: Owner(.show, id)).canonicalURL
        #expect(path.utf8.count > 60_000)
        try await test.server.whileRunning { port in
            let connection = try #require(RawConnection(port: port))
            let answer = await connection.ask(
                "GET /api/v1\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", until: "title")
            #expect(answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func theServerStopsAtOnceWhileConnectionsAreOpen() async throws {
        // Repeated, because connections that are being accepted during the stop are the critical case.
        for _ in 0..<20 {
            let (stopped, connections) = try await test.server.whileRunning { port in
                let connections = (0..<20).compactMap { _ in RawConnection(port: port) }
                let used = try #require(connections.first)
                _ = await used.ask("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", until: "]}")
                return (
                    ContinuousClock.now, connections + (0..<20).compactMap { _ in RawConnection(port: port) }
                )
            }
            #expect(stopped.duration(to: .now) < .seconds(30))
            #expect(connections.count == 40)
        }
    }

    @Test func anUploadThatNeverEndsDoesNotDelayTheServersStop() async throws {
        let head = "POST /api/v1/partner/p1/album HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        let (stopped, _) = try await test.server.whileRunning { port in
            let stuck = try #require(RawConnection(port: port)),
                other = try #require(RawConnection(port: port))
            stuck.send(head)
            _ = await other.ask("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", until: "]}")
            return (ContinuousClock.now, stuck)
        }
        #expect(stopped.duration(to: .now) < .seconds(30))
    }

    /// Idle connections, connections with an incomplete head, and connections that request much and read nothing.
    @Test func idleAndStalledConnectionsDoNotBlockOthers() async throws {
        let plain = "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let list = "GET /api/v1/partner/p1/artworks?page=1&size=20 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for number in 0..<20 { try test.store.put(.artwork, "work \(number)") }
        try await test.server.whileRunning { port in
            let others = (0..<90).compactMap { _ in RawConnection(port: port) }
            #expect(others.count == 90)
            for (number, connection) in others.enumerated() {
                if number % 3 == 1 { connection.send("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nX-Half: ") }
                if number % 3 == 2 { connection.send(String(repeating: list, count: 40)) }
            }
            let connection = try #require(RawConnection(port: port))
            #expect(await connection.ask(plain, until: "]}").hasPrefix("HTTP/1.1 200"))
            #expect(await connection.ask(list, until: "}]").hasPrefix("HTTP/1.1 200"))
            _ = others.count
        }
    }

    /// A client would read bytes after the head as the beginning of the next answer.
    @Test func anAnswerToHEADHasNoBodyForAnyLengthOfTheList() async throws {
        let router = Router(partner: TestServer.partner)
        let time = test.store.timestamp()
        for number in 0..<600 { try test.store.put(.artwork, "\(number)") }
        let paths = [router.snapshot(), router.since(.artwork, time)].map(\.canonicalURL)
        try await test.server.whileRunning { port in
            for path in paths {
                let connection = try #require(RawConnection(port: port))
                let rest = " HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let answers = await connection.ask(
                    "HEAD /api/v1\(path)\(rest)GET /api/v1\(rest)", until: #""digest"]}"#)
                let parts = answers.components(separatedBy: "\r\n\r\n")
                try #require(parts.count == 3, "two heads, and a body: \(answers)")
                #expect(parts[0].hasPrefix("HTTP/1.1 200") && parts[1].hasPrefix("HTTP/1.1 200"))
                // The same header as in the answer to a GET.
                #expect(parts[0].lowercased().contains("transfer-encoding: chunked"))
            }
        }
    }

    @Test func atTheLimitTheLongestIdleConnectionIsClosed() async throws {
        var configuration = CatalogueServer.Configuration()
        configuration.connectionLimit = 2
        let server = CatalogueServer(
            mirrors: [.init(name: "test", store: test.store, files: test.files)],
            configuration: configuration)
        try await server.whileRunning { port in
            let plain = "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let first = try #require(RawConnection(port: port))
            #expect(await first.ask(plain, until: "]}").hasPrefix("HTTP/1.1 200"))
            let second = try #require(RawConnection(port: port))
            #expect(await second.ask(plain, until: "]}").hasPrefix("HTTP/1.1 200"))
            #expect(await first.ask(plain, until: "]}").hasPrefix("HTTP/1.1 200"))
            let third = try #require(RawConnection(port: port))
            #expect(await third.ask(plain, until: "]}").hasPrefix("HTTP/1.1 200"))
            #expect(await second.ask(plain, until: "]}").isEmpty, "it is closed")
            #expect(await first.ask(plain, until: "]}").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func aPortInUseIsReported() async throws {
        try await test.server.whileRunning { port in
            let other = CatalogueServer(mirrors: [], configuration: .init(port: port))
            let error = await #expect(throws: ServerError.self) { try await other.run() }
            #expect(error?.code == .cannotListen)
        }
    }
}
