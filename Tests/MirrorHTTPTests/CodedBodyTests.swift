import MirrorHTTP
import MirrorTesting
import Testing

/// The session's handling of bodies that a transport decoded, or failed to decode.
@Suite struct CodedBodyTests {
    @Test func aTruncatedGzipBodyIsRequestedAgain() async throws {
        let test = try TestSession(interceptors: try .standard())
        let broken = ScriptedAnswer.truncated(Array("[1,2]".utf8), after: 3, code: .brokenCoding)
        test.transport.expect("GET", "/a", broken, broken, .text("[1,2]"))
        let response = try await test.session.response(for: Request(.relative("/a")))
        #expect(response.body == Array("[1,2]".utf8))
        try test.transport.verify()
    }

    @Test func anUnknownCodingIsNotRequestedAgainAndIsNamedInTheMessage() async throws {
        let test = try TestSession(
            interceptors: try .standard(),
            handler: { _ in
                throw TransportError(.unknownCoding, "origin.test sends Content-Encoding \"martian\".")
            })
        let error = try await httpError { _ = try await test.session.response(for: Request(.relative("/a"))) }
        #expect(error?.code == .badResponse && error?.isWorthRetry == false)
        #expect(
            error?.message
                == "The response of origin.test/api/v1/a can't be decoded. origin.test sends Content-Encoding \"martian\". Ask the server's owner to use gzip or no content coding."
        )
        #expect(test.transport.requests.count == 1)
    }

    @Test func theMessageAboutAFailedProxyContainsTheProxy() throws {
        let error = HTTPError.from(
            TransportError(
                .cannotConnectByProxy,
                "Cannot connect to museum.example through the proxy 10.0.0.1:3128 (https_proxy): refused"),
            at: try #require(WebAddress("https://museum.example/api/v1")))
        #expect(error.code == .unreachable && error.isWorthRetry)
        #expect(error.message.hasPrefix("museum.example can't be reached through its proxy ("))
        #expect(error.message.contains("10.0.0.1:3128 (https_proxy)") && error.message.contains("no_proxy"))
    }

    /// A transport that received 50 bytes for a body of 1,000 bytes.
    private struct Decoding: Transport {
        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            var head = TransportResponse(status: 200, headers: ["Content-Type": "application/json"])
            try sink.begin(head)
            try [UInt8](repeating: 0x20, count: 1_000).withUnsafeBytes(sink.receive)
            head.receivedBytes = 50
            return head
        }
    }

    @Test func receivedBytesAreCountedBeforeDecoding() async throws {
        let session = try InterceptableSession(base: TestSession.base, transport: Decoding())
        let response = try await session.response(for: Request(.relative("/a")))
        #expect(response.body.count == 1_000 && response.receivedBytes == 50)
        #expect(session.statistics.bytesReceived == 50)
    }
}
