import MirrorHTTP
import MirrorTesting
import Testing

extension TransportSuites {
    /// Every transport's behaviour with misbehaving servers, limits and cancellation.
    @Suite struct TransportFailureTests {
        @Test(arguments: TransportKind.allCases)
        func aBodyThatEndsEarlyIsAnError(kind: TransportKind) async throws {
            try await withServer { server in
                for path in ["/truncated", "/chunked-cut"] {
                    await kind.expecting(.truncatedBody) {
                        let error = await failure {
                            try await kind.make().send(.init(url: server.base + path))
                        }
                        #expect(error?.code == .truncatedBody, "\(path)")
                        #expect(error?.mayHaveReachedServer == true)
                    }
                }
            }
        }

        @Test(arguments: TransportKind.allCases, ["/reset", "/close-early"])
        func aBrokenConnectionIsReportedAsLost(kind: TransportKind, path: String) async throws {
            try await withServer { server in
                let error = await failure { try await kind.make().send(.init(url: server.base + path)) }
                #expect(error?.code == .connectionLost)
                #expect(error?.mayHaveReachedServer == true)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aResponseThatIsNotHTTPIsAnError(kind: TransportKind) async throws {
            try await withServer { server in
                let error = await failure { try await kind.make().send(.init(url: server.base + "/garbage")) }
                #expect(error?.code == .badResponse)
                #expect(error?.mayHaveReachedServer == true)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func anUnknownContentCodingFailsTheTransfer(kind: TransportKind) async throws {
            try await withServer { server in
                let request = TransportRequest(url: server.base + "/unknown-coding")
                let error = await failure { try await kind.make().send(request) }
                #expect(error != nil)
                // Foundation on Linux may fail before it reports the head.
                if !kind.lacks(.badCoding) { #expect(error?.code == .unknownCoding) }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func anEndlessHeaderSectionIsRefused(kind: TransportKind) async throws {
            try await withServer { server in
                await kind.expecting(.headerLimit) {
                    let request = TransportRequest(url: server.base + "/many-headers")
                    let error = await failure { try await kind.make().send(request) }
                    #expect(error?.code == .headersTooLarge)
                }
            }
        }

        @Test(arguments: TransportKind.allCases.filter { !$0.lacks(.unrequestedCoding) })
        func aDecompressionBombStopsAtTheLimitOfDecodedBytes(kind: TransportKind) async throws {
            try await withServer { server in
                let sink = ScriptedSink()
                let request = TransportRequest(url: server.base + "/bomb", limits: .init(body: 1 << 16))
                let error = await failure { try await kind.make().send(request, into: sink) }
                #expect(error?.code == .bodyTooLarge)
                #expect(sink.bytes <= 1 << 16)
            }
        }

        @Test func aDecompressionBombStopsLongBeforeALargeLimit() async throws {
            try await withServer { server in
                let sink = ScriptedSink()
                let request = TransportRequest(url: server.base + "/large-bomb")
                let error = await failure {
                    try await CurlTransport(.init(addresses: .testing)).send(request, into: sink)
                }
                #expect(error?.code == .bodyTooLarge)
                #expect(sink.bytes <= 16 << 20)
            }
        }

        @Test func aContentLengthThatOverflowsIsRefusedAtOnce() async throws {
            try await withServer { server in
                let error = await failure {
                    try await CurlTransport(.init(addresses: .testing)).send(
                        .init(url: server.base + "/beyond-numbers"))
                }
                #expect(error?.code == .bodyTooLarge)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aBodyOfExactlyTheLimitIsAllowed(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                for path in ["/plain", "/chunked"] {
                    let length = path == "/plain" ? 5 : 11
                    let fits = TransportRequest(url: server.base + path, limits: .init(body: length))
                    let (_, body) = try await transport.send(fits)
                    #expect(body.count == length)
                    let tooLarge = TransportRequest(url: server.base + path, limits: .init(body: length - 1))
                    let error = await failure { try await transport.send(tooLarge) }
                    #expect(error?.code == .bodyTooLarge)
                }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aSilentServerTimesOut(kind: TransportKind) async throws {
            try await withServer { server in
                let idle = TransportRequest(
                    url: server.base + "/never", limits: .init(idle: .milliseconds(60), whole: .seconds(20)))
                #expect(await failure { try await kind.make().send(idle) }?.code == .idleTimedOut)
                let totalLimited = TransportRequest(
                    url: server.base + "/never", limits: .init(idle: .seconds(20), whole: .milliseconds(60)))
                #expect(await failure { try await kind.make().send(totalLimited) }?.code == .timedOut)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aBodyThatNeverEndsReachesTheTotalLimit(kind: TransportKind) async throws {
            try await withServer { server in
                let limits = TransferLimits(idle: .seconds(5), whole: .milliseconds(60))
                let request = TransportRequest(url: server.base + "/drip", limits: limits)
                #expect(await failure { try await kind.make().send(request) }?.code == .timedOut)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aRefusedConnectionNeverReachedTheServer(kind: TransportKind) async throws {
            let server = try LoopbackServer()
            let url = server.base + "/plain"
            server.stop()
            // The listening thread closes the port after it was stopped.
            var error = await failure { try await kind.make().send(.init(method: "POST", url: url)) }
            for _ in 0..<100 where error?.code != .cannotConnect {
                error = await failure { try await kind.make().send(.init(method: "POST", url: url)) }
            }
            #expect(error?.code == .cannotConnect)
            #expect(error?.mayHaveReachedServer == false)
        }

        @Test(arguments: TransportKind.allCases)
        func aRequestToAnUnknownHostNeverReachedAServer(kind: TransportKind) async throws {
            // A label of 64 characters isn't a valid host name, so no DNS query is sent.
            let url = "http://\(String(repeating: "m", count: 64)).invalid/"
            let error = await failure { try await kind.make(addresses: .all).send(.init(url: url)) }
            #expect(error?.code == .cannotResolveHost)
            #expect(error?.mayHaveReachedServer == false)
        }

        @Test(arguments: TransportKind.allCases)
        func anHTTPSRequestToAnHTTPServerFails(kind: TransportKind) async throws {
            try await withServer { server in
                let url = "https" + server.base.dropFirst(4) + "/plain"
                let error = await failure { try await kind.make().send(.init(url: url)) }
                await kind.expecting(.handshakeFailure) {
                    #expect(error?.code == .cannotConnect)
                    #expect(error?.mayHaveReachedServer == false)
                }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aSinksErrorIsThrownUnchanged(kind: TransportKind) async throws {
            try await withServer { server in
                let head = ScriptedSink(onBegin: { _ in throw ScriptedSink.Refusal(reason: "head") })
                await #expect(throws: ScriptedSink.Refusal(reason: "head")) {
                    try await kind.make().send(.init(url: server.base + "/plain"), into: head)
                }
                #expect(head.bytes == 0)
                let piece = ScriptedSink(onPiece: { _ in throw ScriptedSink.Refusal(reason: "piece") })
                await #expect(throws: ScriptedSink.Refusal(reason: "piece")) {
                    try await kind.make().send(.init(url: server.base + "/huge"), into: piece)
                }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func cancellingEndsARunningTransfer(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                let (arrived, signal) = AsyncStream.makeStream(of: Void.self)
                let sink = ScriptedSink(onPiece: { _ in signal.yield() })
                let task = Task { try await transport.send(.init(url: server.base + "/drip"), into: sink) }
                for await _ in arrived { break }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func cancellingEndsAQueuedTransfer(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make(connections: 1)
                let (begun, signal) = AsyncStream.makeStream(of: Void.self)
                let first = Task {
                    try await transport.send(
                        .init(url: server.base + "/slow"),
                        into: ScriptedSink(onBegin: { _ in signal.yield() }))
                }
                for await _ in begun { break }
                let sink = ScriptedSink()
                let second = Task { try await transport.send(.init(url: server.base + "/never"), into: sink) }
                second.cancel()
                await #expect(throws: CancellationError.self) { try await second.value }
                let response = try await first.value
                #expect(response.status == 200)
                #expect(sink.begun == 0)
                #expect(server.requestLines.count == 1)
            }
        }

        /// Ending transfers let queued ones begin while these are cancelled; the server's responses never end.
        @Test(.timeLimit(.minutes(1)), arguments: TransportKind.allCases)
        func cancellingManyTransfersAtOnceEndsAllOfThem(kind: TransportKind) async throws {
            try await withServer { server in
                for _ in 0..<10 {
                    let transport = kind.make(connections: 4)
                    let (arrived, signal) = AsyncStream.makeStream(of: Void.self)
                    let tasks = (0..<60).map { _ in
                        Task {
                            let sink = ScriptedSink(onPiece: { _ in signal.yield() })
                            return try await transport.send(.init(url: server.base + "/drip"), into: sink)
                        }
                    }
                    for await _ in arrived { break }
                    await withTaskGroup { group in
                        for task in tasks { group.addTask { task.cancel() } }
                    }
                    for task in tasks {
                        await #expect(throws: CancellationError.self) { try await task.value }
                    }
                }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aCancelledTaskSendsNothing(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await transport.send(.init(url: server.base + "/plain"), into: MemorySink())
                }
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(server.requestLines.isEmpty)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func thousandsOfRequestsAreQueuedWithinTheConnectionLimit(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make(connections: 8)
                let count = kind == .curl ? 2000 : 300
                // A limit that would expire if the time in the queue were counted.
                let limits = TransferLimits(connect: .seconds(5), idle: .seconds(5), whole: .seconds(5))
                let total = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<count {
                        group.addTask {
                            try await transport.send(.init(url: server.base + "/plain", limits: limits)).1
                                .count
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(total == 5 * count)
                #expect(server.mostAtOnce <= 8)
                // URLSession may open another connection when one has just been closed.
                if kind == .curl { #expect(server.connections <= 8) }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func anIdempotentRequestSucceedsOnAStaleConnection(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                for _ in 0..<3 {
                    let (response, _) = try await transport.send(
                        .init(url: server.base + "/second-time-closes"))
                    #expect(response.status == 200)
                }
                #expect(server.connections == 3)
            }
        }

        @Test(arguments: TransportKind.allCases.filter { !$0.lacks(.unsafeOnStaleConnection) })
        func aRequestThatIsNotIdempotentIsNeverSentTwice(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                _ = try await transport.send(.init(url: server.base + "/plain"))
                let error = await failure {
                    try await transport.send(
                        .init(method: "POST", url: server.base + "/close-early", body: [1]))
                }
                #expect(error?.code == .connectionLost)
                #expect(error?.mayHaveReachedServer == true)
                #expect(server.requestLines.filter { $0.hasPrefix("POST") }.count == 1)
            }
        }

        @Test(
            arguments: TransportKind.allCases,
            [
                "ftp://127.0.0.1/a", "file:///etc/hosts", "museum.example/a", "http://", "http:///a",
                "http://:80/",
                "http://user:secret@127.0.0.1/", "http://127.0.0.1/a\nb", "http://127.0.0.1/a\u{0}b",
            ])
        func aURLThatIsNotHTTPIsRefused(kind: TransportKind, url: String) async throws {
            let error = await failure { try await kind.make().send(.init(url: url)) }
            #expect(error?.code == .unsupportedURL)
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.message.contains("secret") == false)
        }

        @Test(arguments: TransportKind.allCases)
        func aLineBreakInAHeaderFieldIsRefused(kind: TransportKind) async throws {
            let headers: [HeaderFields] = [["Authorization": "secret\n"], ["A\r\nB": "c"], ["": "c"]]
            for headers in headers {
                let error = await failure {
                    try await kind.make().send(.init(url: "http://127.0.0.1:1/", headers: headers))
                }
                #expect(error?.code == .unsupportedURL)
                #expect(error?.message.contains("secret") == false)
            }
            let error = await failure {
                try await kind.make().send(.init(method: "GET /", url: "http://127.0.0.1:1/"))
            }
            #expect(error?.code == .unsupportedURL)
        }
    }
}
