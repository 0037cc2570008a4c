import MirrorHTTP
import Testing

extension TransportSuites {
    /// Every transport's behaviour with correct servers.
    @Suite struct ConformanceTests {
        @Test(arguments: TransportKind.allCases)
        func aPlainBodyIsReceived(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, body) = try await kind.make().send(
                    TransportRequest(url: server.base + "/plain"))
                #expect(response.status == 200)
                #expect(response.headers["content-type"] == "text/plain")
                #expect(response.receivedBytes >= 5)
                #expect(text(body) == "hello")
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aChunkedBodyIsJoined(kind: TransportKind) async throws {
            try await withServer { server in
                let (_, body) = try await kind.make().send(TransportRequest(url: server.base + "/chunked"))
                #expect(text(body) == "hello world")
            }
        }

        @Test(arguments: TransportKind.allCases.filter { !$0.lacks(.chunkedTrailers) })
        func trailersAreNotPartOfTheHead(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, body) = try await kind.make().send(
                    TransportRequest(url: server.base + "/trailers"))
                #expect(text(body) == "hello")
                #expect(response.headers["X-Checksum"] == nil)
            }
        }

        @Test(arguments: TransportKind.allCases.filter { !$0.lacks(.unrequestedCoding) })
        func anEncodedBodyIsDecodedAndItsFieldsAreRemoved(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, body) = try await kind.make().send(
                    TransportRequest(url: server.base + "/gzip"))
                #expect(text(body) == "hello world")
                #expect(response.headers["Content-Encoding"] == nil)
                #expect(response.headers["Content-Length"] == nil)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aRequestWithAcceptEncodingGetsTheBodyAsSent(kind: TransportKind) async throws {
            try await withServer { server in
                let request = TransportRequest(
                    url: server.base + "/gzip", headers: ["Accept-Encoding": "gzip"])
                let (response, body) = try await kind.make().send(request)
                await kind.expecting(.rawContentCoding) { #expect(body.starts(with: [0x1F, 0x8B])) }
                #expect(response.headers["Content-Encoding"] == "gzip")
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aRangeRequestAcceptsNoContentCoding(kind: TransportKind) async throws {
            try await withServer { server in
                let request = TransportRequest(url: server.base + "/echo", headers: ["Range": "bytes=5-"])
                let (_, body) = try await kind.make().send(request)
                #expect(text(body).lowercased().contains("accept-encoding: identity\r\n"))
                #expect(text(body).lowercased().contains("range: bytes=5-\r\n"))
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aSlowBodyIsReceivedCompletely(kind: TransportKind) async throws {
            try await withServer { server in
                let (_, body) = try await kind.make().send(TransportRequest(url: server.base + "/slow"))
                #expect(text(body) == "ababababab")
            }
        }

        @Test(arguments: TransportKind.allCases)
        func informationalResponsesAreSkipped(kind: TransportKind) async throws {
            try await withServer { server in
                let sink = ScriptedSink()
                let request = TransportRequest(url: server.base + "/informational")
                let response = try await kind.make().send(request, into: sink)
                await kind.expecting(.informational) {
                    #expect(response.status == 200)
                    #expect(response.headers["Link"] == nil)
                }
                #expect(sink.begun == 1)
            }
        }

        @Test(arguments: TransportKind.allCases, ["/plain", "/gzip"])
        func aHeadResponseHasHeaderFieldsAndNoBody(kind: TransportKind, path: String) async throws {
            try await withServer { server in
                let (response, body) = try await kind.make().send(
                    TransportRequest(method: "HEAD", url: server.base + path))
                #expect(response.status == 200)
                #expect(body.isEmpty)
                #expect(server.requestLines == ["HEAD \(path) HTTP/1.1"])
            }
        }

        @Test(arguments: TransportKind.allCases, [("/204", 204), ("/304", 304)])
        func aStatusWithoutABodyEndsWithItsHead(kind: TransportKind, answer: (path: String, status: Int))
            async throws
        {
            try await withServer { server in
                let sink = ScriptedSink()
                let response = try await kind.make().send(
                    TransportRequest(url: server.base + answer.path), into: sink)
                #expect(response.status == answer.status)
                #expect(response.headers["ETag"] == "\"a\"")
                #expect(sink.begun == 1)
                #expect(sink.bytes == 0)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aRedirectIsReturnedAsAResponse(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, _) = try await kind.make().send(
                    TransportRequest(url: server.base + "/redirect"))
                #expect(response.status == 302)
                #expect(response.headers["Location"] == "/plain")
                #expect(server.requestLines.count == 1)
            }
        }

        @Test(arguments: TransportKind.allCases.filter { !$0.lacks(.basicChallenge) })
        func anAuthenticationChallengeIsReturnedAsAResponse(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, body) = try await kind.make().send(
                    TransportRequest(url: server.base + "/challenge"))
                #expect(response.status == 401)
                #expect(text(body) == "no")
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aLargeHeaderFieldIsReceived(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, _) = try await kind.make().send(
                    TransportRequest(url: server.base + "/large-header"))
                #expect(response.headers["X-Large"]?.utf8.count == 100_000)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func headerLinesKeepTheirOrderAndRepetition(kind: TransportKind) async throws {
            try await withServer { server in
                let (response, _) = try await kind.make().send(TransportRequest(url: server.base + "/fields"))
                await kind.expecting(.headerLines) {
                    #expect(response.headers.values(of: "X-One") == ["a", "b"])
                    #expect(response.headers.lines.prefix(3).map(\.name) == ["X-One", "X-Two", "x-one"])
                }
                #expect(response.headers["X-Two"] == "")
            }
        }

        @Test(arguments: TransportKind.allCases, ["POST", "PUT", "PATCH", "DELETE"])
        func aRequestBodyIsSentWithItsMethod(kind: TransportKind, method: String) async throws {
            try await withServer { server in
                let request = TransportRequest(
                    method: method, url: server.base + "/echo", headers: ["Content-Type": "application/json"],
                    body: Array("{}".utf8))
                let (_, body) = try await kind.make().send(request)
                let echo = text(body)
                #expect(echo.hasPrefix("\(method) /echo HTTP/1.1\r\n"))
                #expect(echo.hasSuffix("\r\n\r\n{}"))
                #expect(echo.lowercased().contains("content-length: 2\r\n"))
                #expect(echo.lowercased().contains("content-type: application/json\r\n"))
                #expect(!echo.lowercased().contains("expect:"))
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aRequestsHeaderFieldsReplaceTheDefaults(kind: TransportKind) async throws {
            try await withServer { server in
                let request = TransportRequest(
                    url: server.base + "/echo",
                    headers: [
                        "User-Agent": "tester/1", "Host": "museum.example", "X-Empty": "", "Accept": "a/b",
                    ])
                let (_, body) = try await kind.make().send(request)
                let lines = text(body).lowercased().split(separator: "\r\n")
                #expect(lines.filter { $0.hasPrefix("user-agent:") } == ["user-agent: tester/1"])
                #expect(lines.filter { $0.hasPrefix("host:") } == ["host: museum.example"])
                #expect(lines.filter { $0.hasPrefix("accept:") } == ["accept: a/b"])
                #expect(lines.contains { $0.trimmingPrefix("x-empty:").allSatisfy(\.isWhitespace) })
            }
        }

        @Test(arguments: TransportKind.allCases)
        func dotSegmentsAreSentUnchanged(kind: TransportKind) async throws {
            try await withServer { server in
                _ = try await kind.make().send(TransportRequest(url: server.base + "/../dots/./plain"))
                await kind.expecting(.pathAsIs) {
                    #expect(server.requestLines == ["GET /../dots/./plain HTTP/1.1"])
                }
            }
        }

        @Test(arguments: TransportKind.allCases)
        func connectionsAreReused(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                for _ in 0..<20 {
                    _ = try await transport.send(TransportRequest(url: server.base + "/plain"))
                }
                #expect(server.connections == 1)
            }
        }
    }
}
