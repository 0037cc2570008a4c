import Foundation
import MirrorHTTP
import Synchronization
import Testing

extension TransportSuites {
    /// Requests that share a connection without waiting for each other's answers.
    @Suite struct PipeliningTests {
        private static let offer = "HTTP/1.1 200 OK\r\nConnection: pipelining\r\nContent-Length: 0\r\n\r\n"

        private static func answer(_ text: String) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }

        /// A server that offers it at `/offer`, and answers the rest with their own paths, or as it is told.
        private func server(
            _ script: @escaping @Sendable (LoopbackServer.Request, Connection) -> Bool = { _, _ in false }
        ) throws -> LoopbackServer {
            try LoopbackServer { request, connection in
                if request.path == "/offer" { return connection.send(Self.offer) }
                if !script(request, connection) { connection.send(Self.answer(request.path)) }
            }
        }

        private func offered(_ transport: CurlTransport, _ server: LoopbackServer) async throws {
            _ = try await transport.send(.init(url: server.base + "/offer"))
        }

        /// What came of requests that were sent at once, by their number.
        private func all(
            _ count: Int, _ transport: CurlTransport, _ server: LoopbackServer,
            limits: TransferLimits = TransferLimits()
        ) async -> [Int: Result<String, any Error>] {
            await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
                for number in 0..<count {
                    group.addTask {
                        do {
                            let request = TransportRequest(url: "\(server.base)/\(number)", limits: limits)
                            return (number, .success(text(try await transport.send(request).1)))
                        } catch {
                            return (number, .failure(error))
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }

        private func texts(_ results: [Int: Result<String, any Error>]) -> [Int: String] {
            results.compactMapValues { try? $0.get() }
        }

        private func paths(_ numbers: Range<Int>) -> [Int: String] {
            Dictionary(uniqueKeysWithValues: numbers.map { ($0, "/\($0)") })
        }

        @Test func theyAreSentWithoutWaitingWhereTheServerOffersIt() async throws {
            // The first answer waits until three more have been asked for on the same connection.
            let server = try server { request, connection in
                if request.earlier == 0 { connection.awaitRequests(3) }
                return false
            }
            defer { server.stop() }
            let transport = CurlTransport(.init(maxConnectionsPerHost: 8))
            try await offered(transport, server)
            #expect(texts(await all(8, transport, server)) == paths(0..<8))
            #expect(server.connections == 2)
        }

        @Test func withoutThatEachWaitsForItsOwn() async throws {
            try await withServer { server in
                let transport = CurlTransport(.init(maxConnectionsPerHost: 4))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<40 {
                        group.addTask { _ = try await transport.send(.init(url: server.base + "/echo")) }
                    }
                    try await group.waitForAll()
                }
                #expect(server.mostAtOnce <= 4 && server.requestLines.count == 40)
            }
        }

        @Test func manyAreAnsweredEachWithItsOwn() async throws {
            let server = try server()
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            #expect(texts(await all(1000, transport, server)) == paths(0..<1000))
            #expect(server.connections <= 3)
        }

        /// Nobody knows which of them the server has seen; they are only asked again, so that does no harm.
        @Test func aConnectionThatEndsLosesNothing() async throws {
            let ended = Mutex(0)
            let server = try server { request, connection in
                guard request.earlier == 2,
                    ended.withLock({
                        $0 += 1; return $0 <= 3
                    })
                else { return false }
                connection.close()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            #expect(texts(await all(60, transport, server)) == paths(0..<60))
            #expect(ended.withLock { $0 } > 0)
        }

        @Test func theServerMayEndItBehindAnAnswer() async throws {
            let server = try server { request, connection in
                guard request.earlier == 4 else { return false }
                connection.send(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(request.path.utf8.count)\r\n\r\n"
                        + request.path)
                connection.close()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            #expect(texts(await all(60, transport, server)) == paths(0..<60))
        }

        @Test func aBodyThatBreaksOffFailsAlone() async throws {
            let server = try server { request, connection in
                guard request.path == "/5" else { return false }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
                connection.close()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            let results = await all(16, transport, server)
            #expect(texts(results).count == 15)
            #expect(throws: TransportError.self) { try results[5]?.get() }
        }

        @Test(arguments: [
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" + answer("nobody asked"),
        ]) func whatIsNotPlainIsAskedForAlone(text: String) async throws {
            let server = try server { request, connection in
                guard request.path == "/0" else { return false }
                connection.send(text)
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            #expect(texts(await all(1, transport, server)) == [0: "hello"])
            let later = (await all(20, transport, server)).filter { $0.key > 0 }
            #expect(texts(later) == paths(1..<20))
        }

        @Test func anAnswerThatIsTooLargeFailsAlone() async throws {
            let large = String(repeating: "x", count: 200_000)
            let server = try server { request, connection in
                if request.path == "/3" { connection.send(Self.answer(large)) }
                return request.path == "/3"
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            let results = await all(16, transport, server, limits: TransferLimits(body: 100_000))
            #expect(texts(results).count == 15)
            #expect(
                throws: TransportError(
                    .bodyTooLarge, "127.0.0.1:\(server.port) sent a body of more than 100000 bytes.")
            ) { try results[3]?.get() }
        }

        @Test func whoeverIsSilentRunsOutOfTimeAndHoldsUpNobody() async throws {
            let server = try server { request, connection in
                if request.path == "/2" { connection.awaitClose() }
                return request.path == "/2"
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            let results = await all(8, transport, server, limits: TransferLimits(idle: .milliseconds(300)))
            // Those behind it may run out of time together with it.
            #expect(texts(results).allSatisfy { $0.value == "/\($0.key)" })
            let error = #expect(throws: TransportError.self) { try results[2]?.get() }
            #expect(error?.code == .idleTimedOut)
        }

        @Test func cancellingOneLeavesTheOthers() async throws {
            let (asked, signal) = AsyncStream.makeStream(of: Void.self)
            let (cancelled, goOn) = AsyncStream.makeStream(of: Void.self)
            let server = try server { request, connection in
                if request.path == "/first" {
                    signal.yield()
                    connection.awaitRequests(1)
                    signal.yield()
                    let waiting = DispatchSemaphore(value: 0)
                    Task {
                        for await _ in cancelled { break }
                        waiting.signal()
                    }
                    waiting.wait()
                }
                return false
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            var signals = asked.makeAsyncIterator()
            let first = Task { try await transport.send(.init(url: server.base + "/first")).1 }
            await signals.next()
            let second = Task { try await transport.send(.init(url: server.base + "/second")).1 }
            await signals.next()
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            goOn.yield()
            #expect(text(try await second.value) == "/second")
            #expect(server.connections == 2)
        }

        /// A few bytes of a head, and no program may end of it.
        @Test func aLengthBeyondAllNumbersIsRefused() async throws {
            let server = try server { request, connection in
                guard request.path == "/0" else { return false }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n")
                connection.awaitClose()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.init(url: server.base + "/0"))
            }
            #expect(error?.code == .bodyTooLarge)
        }

        /// Of two that wait on one connection the second gives up first: the first one's answer comes all the same.
        @Test func whatRunsOutOfTimeBehindAnotherEndsAlone() async throws {
            let (asked, signal) = AsyncStream.makeStream(of: Void.self)
            let gaveUp = DispatchSemaphore(value: 0)
            let server = try server { request, connection in
                if request.path == "/first" {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
                    signal.yield()
                    gaveUp.wait()
                    connection.send("/first")
                    return true
                }
                return false
            }
            defer { server.stop() }
            let transport = CurlTransport(.init(maxConnectionsPerHost: 8))
            try await offered(transport, server)
            let first = Task { try await transport.send(.init(url: server.base + "/first")).1 }
            for await _ in asked { break }
            let second = TransportRequest(
                url: server.base + "/second", limits: TransferLimits(whole: .milliseconds(100)))
            let error = await #expect(throws: TransportError.self) { try await transport.send(second) }
            #expect(error?.code == .timedOut)
            gaveUp.signal()
            #expect(text(try await first.value) == "/first")
            #expect(text(try await transport.send(.init(url: server.base + "/third")).1) == "/third")
            #expect(server.connections == 2)
        }

        /// What nobody wants any more isn't read to its end while others wait behind it.
        @Test func aLargeAnswerThatWasCancelledHoldsUpNobody() async throws {
            let (asked, signal) = AsyncStream.makeStream(of: Void.self)
            let cancelled = DispatchSemaphore(value: 0)
            let server = try server { request, connection in
                guard request.path == "/large" else { return false }
                signal.yield()
                connection.awaitRequests(1)
                signal.yield()
                cancelled.wait()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 17179869184\r\n\r\nx")
                connection.awaitClose()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport(.init(maxConnectionsPerHost: 8))
            try await offered(transport, server)
            var signals = asked.makeAsyncIterator()
            let large = Task { try await transport.send(.init(url: server.base + "/large")).1 }
            await signals.next()
            let second = Task { try await transport.send(.init(url: server.base + "/second")).1 }
            await signals.next()
            large.cancel()
            await #expect(throws: CancellationError.self) { try await large.value }
            cancelled.signal()
            #expect(text(try await second.value) == "/second")
        }

        @Test func whatComesUnaskedOnAnIdleConnectionIsNobodysAnswer() async throws {
            let (stray, signal) = AsyncStream.makeStream(of: Void.self)
            let server = try server { request, connection in
                guard request.path == "/0" else { return false }
                connection.send(Self.answer("/0"))
                connection.send(Self.answer("stray"))
                signal.yield()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            #expect(text(try await transport.send(.init(url: server.base + "/0")).1) == "/0")
            for await _ in stray { break }
            #expect(text(try await transport.send(.init(url: server.base + "/1")).1) == "/1")
        }

        @Test func whereNobodyListensThatIsSaidOnce() async throws {
            let server = try server()
            let base = server.base
            server.stop()
            let transport = CurlTransport(.init(pipelining: .always))
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.init(url: base + "/0"))
            }
            #expect(error?.code == .cannotConnect)
            #expect(error?.mayHaveReachedServer == false)
        }

        @Test func shuttingDownEndsThem() async throws {
            let (asked, signal) = AsyncStream.makeStream(of: Void.self)
            let server = try server { _, connection in
                signal.yield()
                connection.awaitClose()
                return true
            }
            defer { server.stop() }
            let transport = CurlTransport()
            try await offered(transport, server)
            let sent = Task { try await transport.send(.init(url: server.base + "/0")).1 }
            for await _ in asked { break }
            await transport.shutdown()
            await #expect(throws: CancellationError.self) { try await sent.value }
        }

        @Test func addressThatIsNotPermittedGetsNone() async throws {
            let server = try server()
            defer { server.stop() }
            let transport = CurlTransport(
                .init(pipelining: .always, permitsAddress: { url, _ in !url.hasSuffix("/1") }))
            let results = await all(4, transport, server)
            #expect(texts(results) == paths(0..<4).filter { $0.key != 1 })
            #expect(!server.requestLines.contains("GET /1 HTTP/1.1"))
        }
    }
}
