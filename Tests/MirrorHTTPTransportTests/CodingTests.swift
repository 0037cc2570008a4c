import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// A body that the test server sends with a correct `Content-Length`, and its decoded bytes.
struct CodedBody: Sendable {
    let name: String
    /// The value of `Content-Encoding`.
    let field: String
    let bytes: [UInt8]
    /// The decoded bytes, or the expected error.
    let result: Ending

    enum Ending: Sendable, Equatable {
        case success(String)
        case failure(TransportError.Code)
    }

    private init(_ name: String, as field: String = "gzip", _ bytes: [UInt8], _ result: Ending) {
        (self.name, self.field, self.bytes, self.result) = (name, field, bytes, result)
    }

    static let all: [CodedBody] = {
        let hello = Gzip.stored(Array("hello ".utf8)), world = Gzip.stored(Array("world".utf8))
        func changed(_ index: Int) -> [UInt8] {
            var bytes = hello
            bytes[index] ^= 1
            return bytes
        }
        let end = hello.count
        return [
            CodedBody("one-member", hello, .success("hello ")),
            CodedBody("two-members", hello + world, .success("hello world")),
            CodedBody("empty-member", hello + Gzip.stored([]) + world, .success("hello world")),
            CodedBody("nothing", [], .success("")),
            CodedBody("x-gzip", as: "X-GZip", hello, .success("hello ")),
            CodedBody("identity-and-gzip", as: "identity, gzip", hello, .success("hello ")),
            CodedBody("identity", as: "identity", Array("hello".utf8), .success("hello")),
            CodedBody("no-coding", as: "", Array("hello".utf8), .success("hello")),
            CodedBody("cut-in-data", Array(hello.prefix(18)), .failure(.brokenCoding)),
            CodedBody("cut-in-head", Array(hello.prefix(5)), .failure(.brokenCoding)),
            CodedBody("cut-in-trailer", Array(hello.prefix(end - 1)), .failure(.brokenCoding)),
            CodedBody("cut-in-second", hello + world.prefix(20), .failure(.brokenCoding)),
            CodedBody("garbage-behind", hello + Array("garbage".utf8), .failure(.brokenCoding)),
            CodedBody("one-byte-behind", hello + [0x1F], .failure(.brokenCoding)),
            CodedBody("wrong-sum", changed(end - 8), .failure(.brokenCoding)),
            CodedBody("wrong-length", changed(end - 1), .failure(.brokenCoding)),
            CodedBody("wrong-data", changed(16), .failure(.brokenCoding)),
            CodedBody("not-coded", Array("hello".utf8), .failure(.brokenCoding)),
            CodedBody("unknown", as: "martian", hello, .failure(.unknownCoding)),
            CodedBody("not-asked-for", as: "br", hello, .failure(.unknownCoding)),
            CodedBody("coded-twice", as: "gzip, gzip", hello, .failure(.unknownCoding)),
        ]
    }()
}

extension TransportSuites {
    /// Bodies with content codings, which are decoded completely or fail the transfer.
    @Suite struct CodingTests {
        @Test(arguments: TransportKind.allCases.filter { !$0.lacks(.unrequestedCoding) })
        func anEncodedBodyIsDecodedCompletelyOrFails(kind: TransportKind) async throws {
            try await withServer { server in
                // One after another, on one connection if a damaged body leaves it usable.
                let transport = kind.make(connections: 1)
                for coded in CodedBody.all {
                    let request = TransportRequest(url: server.base + "/coded/" + coded.name)
                    do {
                        let found = text(try await transport.send(request).1)
                        #expect(coded.result == .success(found), "\(coded.name)")
                    } catch let error as TransportError {
                        #expect(coded.result == .failure(error.code), "\(coded.name)")
                        #expect(error.mayHaveReachedServer)
                    }
                }
            }
        }

        /// Foundation decodes unrequested content codings, and accepts truncated data as complete.
        @Test(arguments: ["one-member", "cut-in-data", "two-members"])
        func urlSessionTransportRefusesUnrequestedContentCodings(name: String) async throws {
            try await withServer { server in
                let request = TransportRequest(url: server.base + "/coded/" + name)
                let sink = ScriptedSink()
                let error = await failure {
                    try await URLSessionTransport(addresses: .testing).send(request, into: sink)
                }
                #expect(error?.code == .unknownCoding)
                #expect(sink.begun == 0 && sink.bytes == 0)
            }
        }

        @Test(arguments: TransportKind.allCases)
        func aHeadResponseWithAContentCodingSucceeds(kind: TransportKind) async throws {
            try await withServer { server in
                let transport = kind.make()
                for coded in CodedBody.all {
                    let request = TransportRequest(method: "HEAD", url: server.base + "/coded/" + coded.name)
                    let (response, body) = try await transport.send(request)
                    #expect(response.status == 200 && body.isEmpty, "\(coded.name)")
                }
            }
        }

        @Test func curlTransportRequestsGzipAndURLSessionTransportIdentity() async throws {
            for (kind, coding) in [(TransportKind.curl, "gzip"), (.urlSession, "identity")] {
                try await withServer { server in
                    let (_, body) = try await kind.make().send(.init(url: server.base + "/echo"))
                    let lines = text(body).lowercased().split(separator: "\r\n")
                    #expect(
                        lines.filter { $0.hasPrefix("accept-encoding:") } == ["accept-encoding: \(coding)"])
                }
            }
        }

        @Test func receivedBytesAreCountedAsTransferred() async throws {
            try await withServer { server in
                let (response, body) = try await CurlTransport(.init(addresses: .testing)).send(
                    .init(url: server.base + "/bomb"))
                #expect(body.count == 1 << 20)
                #expect(response.receivedBytes > 1_000 && response.receivedBytes < 2_000)
            }
        }

        /// A thousand received bytes decode to a mebibyte, which would be in memory if the sink could not pause within it.
        @Test(.timeLimit(.minutes(1)))
        func aSinkMayPauseWithinADecodedPiece() async throws {
            final class OneAtATime: PausableSink {
                struct State {
                    var isOpen = true
                    var bytes = 0
                    var largest = 0
                    var resume: (@Sendable () -> Void)?
                }
                let state = Mutex(State())
                let paused: AsyncStream<Void>.Continuation

                init(_ paused: AsyncStream<Void>.Continuation) { self.paused = paused }

                func begin(_ response: TransportResponse) throws {}

                func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
                    let isOpen = state.withLock { state in
                        if !state.isOpen { state.resume = resume }
                        return state.isOpen
                    }
                    if !isOpen { paused.yield() }
                    return isOpen
                }

                func receive(_ bytes: UnsafeRawBufferPointer) throws {
                    state.withLock { state in
                        #expect(state.isOpen)
                        state.isOpen = false
                        state.bytes += bytes.count
                        state.largest = max(state.largest, bytes.count)
                    }
                }

                func resumeTransfer() {
                    let resume = state.withLock { state in
                        state.isOpen = true
                        return state.resume.take()
                    }
                    resume?()
                }
            }
            try await withServer { server in
                let (pauses, signal) = AsyncStream.makeStream(of: Void.self)
                let sink = OneAtATime(signal), url = server.base + "/bomb"
                let transfer = Task {
                    defer { signal.finish() }
                    return try await CurlTransport(.init(addresses: .testing)).send(
                        .init(url: url), into: sink)
                }
                for await _ in pauses { sink.resumeTransfer() }
                _ = try await transfer.value
                #expect(sink.state.withLock(\.bytes) == 1 << 20)
                #expect(sink.state.withLock(\.largest) <= 32 << 10)
            }
        }
    }
}
