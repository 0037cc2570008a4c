import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

extension TransportSuites {
    /// Guarantees of ``CurlTransport`` that other transports don't have.
    @Suite struct CurlTransportTests {
        @Test func shutdownEndsRunningAndQueuedTransfers() async throws {
            try await withServer { server in
                let transport = CurlTransport(.init(maxConnectionsPerHost: 1, addresses: .testing))
                let (begun, signal) = AsyncStream.makeStream(of: Void.self)
                let running = Task {
                    try await transport.send(
                        .init(url: server.base + "/drip"),
                        into: ScriptedSink(onBegin: { _ in signal.yield() }))
                }
                for await _ in begun { break }
                let waiting = Task { try await transport.send(.init(url: server.base + "/plain")) }
                await transport.shutdown()
                await #expect(throws: CancellationError.self) { try await running.value }
                let late = await failure { try await transport.send(.init(url: server.base + "/plain")) }
                #expect(late?.code == .cannotConnect)
                #expect(late?.mayHaveReachedServer == false)
                // The request was posted either before or after the shutdown.
                await #expect(throws: (any Error).self) { try await waiting.value }
                await transport.shutdown()
            }
        }

        @Test func aReleasedTransportClosesItsConnections() async throws {
            let (closed, signal) = AsyncStream.makeStream(of: Void.self)
            let server = try LoopbackServer { request, connection in
                Script.answer(request, on: connection)
                connection.awaitClose()
                signal.yield()
            }
            defer { server.stop() }
            _ = try await CurlTransport(.init(addresses: .testing)).send(.init(url: server.base + "/plain"))
            for await _ in closed { break }
        }

        @Test func anAddressThatIsNotPermittedGetsNoRequest() async throws {
            try await withServer { server in
                let requested = Mutex<[String]>([])
                let transport = CurlTransport(
                    .init(
                        addresses: .testing,
                        permitsAddress: { url, address in
                            requested.withLock { $0.append("\(url) \(address)") }
                            return !url.hasSuffix("/plain")
                        }))
                let error = await failure { try await transport.send(.init(url: server.base + "/plain")) }
                #expect(error?.code == .cannotConnect)
                #expect(error?.mayHaveReachedServer == false)
                #expect(server.requestLines.isEmpty)
                #expect(requested.withLock { $0 } == [server.base + "/plain 127.0.0.1"])
                let (response, _) = try await transport.send(.init(url: server.base + "/204"))
                #expect(response.status == 204)
            }
        }

        @Test func aPausedTransferContinuesWithoutLoss() async throws {
            final class Hesitant: PausableSink {
                struct State {
                    var refusals = 0
                    var bytes = 0
                    var resume: (@Sendable () -> Void)?
                }
                let state = Mutex(State())
                let paused: AsyncStream<Void>.Continuation

                init(_ paused: AsyncStream<Void>.Continuation) { self.paused = paused }

                func begin(_ response: TransportResponse) throws {}

                func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
                    let isReady = state.withLock { state in
                        guard state.refusals < 3, state.bytes >= state.refusals << 16 else { return true }
                        state.refusals += 1
                        state.resume = resume
                        return false
                    }
                    if !isReady { paused.yield() }
                    return isReady
                }

                func receive(_ bytes: UnsafeRawBufferPointer) throws {
                    state.withLock { $0.bytes += bytes.count }
                }
            }
            try await withServer { server in
                let transport = CurlTransport(.init(addresses: .testing))
                let (pauses, signal) = AsyncStream.makeStream(of: Void.self)
                let sink = Hesitant(signal)
                let transfer = Task {
                    try await transport.send(.init(url: server.base + "/huge"), into: sink)
                }
                var count = 0
                for await _ in pauses {
                    count += 1
                    // The paused transfer doesn't delay another one.
                    let (_, body) = try await transport.send(.init(url: server.base + "/plain"))
                    #expect(text(body) == "hello")
                    sink.state.withLock { $0.resume }?()
                    if count == 3 { break }
                }
                _ = try await transfer.value
                #expect(sink.state.withLock(\.bytes) == 32 << 20)
            }
        }

        @Test func aTLSHandshakeWithoutAnAnswerReachesTheConnectLimit() async throws {
            // The system accepts the connection, but no program reads from it.
            let silent = try Sockets.listen()
            defer { Sockets.close(silent.descriptor) }
            let request = TransportRequest(
                method: "POST", url: "https://127.0.0.1:\(silent.port)/", body: [1],
                limits: .init(connect: .milliseconds(60), idle: .milliseconds(20)))
            let error = await failure { try await CurlTransport(.init(addresses: .testing)).send(request) }
            #expect(error?.code == .connectTimedOut)
            #expect(error?.mayHaveReachedServer == false)
        }
    }
}
