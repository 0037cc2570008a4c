import Foundation
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorHTTP

extension TransportSuites {
    /// Reused connections and handles must not carry settings from one request to the next.
    @Suite struct CurlReuseTests {
        enum Kind: String, CaseIterable, Sendable {
            case get, getWithFields, getWithBody, range, head, post, postNothing, put, patch, delete,
                deleteBody
            case options, refused, tooLarge, empty

            func request(_ base: String) -> TransportRequest {
                let json: HeaderFields = ["Content-Type": "application/json", "Authorization": "secret"]
                let url = base + "/\(rawValue)"
                return switch self {
                case .get, .refused, .empty: .init(url: url)
                case .getWithFields:
                    .init(url: url, headers: ["Accept": "a/b", "X-Empty": "", "User-Agent": "t"])
                case .getWithBody: .init(url: url, headers: json, body: Array("get".utf8))
                case .range: .init(url: url, headers: ["Range": "bytes=5-"])
                case .head: .init(method: "HEAD", url: url)
                case .post: .init(method: "POST", url: url, headers: json, body: Array("posted".utf8))
                case .postNothing: .init(method: "POST", url: url)
                case .put: .init(method: "PUT", url: url, body: [])
                case .patch: .init(method: "PATCH", url: url, headers: json, body: Array("patch".utf8))
                case .delete: .init(method: "DELETE", url: url)
                case .deleteBody: .init(method: "DELETE", url: url, body: Array("gone".utf8))
                case .options: .init(method: "OPTIONS", url: url)
                case .tooLarge: .init(url: url, limits: .init(body: 1))
                }
            }
        }

        /// A request as the server received it, and its response as the caller received it.
        struct Exchange: Equatable {
            var request = ""
            var status = 0
            var body = ""
            var receivedBytes = 0
            var error: TransportError.Code?
        }

        final class Recorder: Sendable {
            let requests = Mutex<[LoopbackServer.Request]>([])

            func server() throws -> LoopbackServer {
                try LoopbackServer { [self] request, connection in
                    requests.withLock { $0.append(request) }
                    let body = "answer to \(request.path)"
                    switch request.path {
                    case "/refused": connection.close()
                    case "/empty": connection.send("HTTP/1.1 204 No Content\r\n\r\n")
                    default:
                        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
                        if request.method != "HEAD" { connection.send(body) }
                    }
                }
            }
        }

        private func send(
            _ kind: Kind, over transport: CurlTransport, to server: LoopbackServer, _ seen: Recorder
        )
            async -> Exchange
        {
            var exchange = Exchange()
            do {
                let (response, body) = try await transport.send(kind.request(server.base))
                exchange.status = response.status
                exchange.body = text(body)
                exchange.receivedBytes = response.receivedBytes
            } catch {
                exchange.error = (error as? TransportError)?.code
            }
            if let last = seen.requests.withLock(\.last) { exchange.request = last.head + text(last.body) }
            return exchange
        }

        @Test(arguments: Kind.allCases)
        func aRequestOnAReusedConnectionIsUnaffectedByEarlierOnes(kind: Kind) async throws {
            let seen = Recorder()
            let server = try seen.server()
            defer { server.stop() }
            let alone = await send(kind, over: CurlTransport(.init(addresses: .testing)), to: server, seen)
            #expect(!alone.request.isEmpty)
            for earlier in Kind.allCases {
                let transport = CurlTransport(.init(addresses: .testing))
                _ = await send(earlier, over: transport, to: server, seen)
                #expect(await send(kind, over: transport, to: server, seen) == alone, "after \(earlier)")
                #expect(await send(.get, over: transport, to: server, seen).body == "answer to /get")
                await transport.shutdown()
            }
        }

        @Test func onlyRequestsThatAreNotIdempotentGetANewConnection() async throws {
            let seen = Recorder()
            let server = try seen.server()
            defer { server.stop() }
            let transport = CurlTransport(.init(addresses: .testing))
            for kind in [Kind.get, .post, .get, .head, .postNothing, .options, .get] {
                let connections = server.connections
                _ = await send(kind, over: transport, to: server, seen)
                let isOwn = kind == .get && connections == 0 || kind == .post || kind == .postNothing
                #expect(server.connections == connections + (isOwn ? 1 : 0), "\(kind)")
            }
        }

        @Test func libcurlsRepetitionsAreCountedPerRequest() async throws {
            try await withServer { server in
                let transport = CurlTransport(.init(maxConnectionsPerHost: 1, addresses: .testing))
                for _ in 0..<20 {
                    let (response, _) = try await transport.send(
                        .init(url: server.base + "/second-time-closes"))
                    #expect(response.status == 200)
                }
                #expect(server.connections == 20)
            }
        }

        @Test func anHTTPRequestAfterAnHTTPSOneIsUnencrypted() async throws {
            try await withServer { server in
                let transport = CurlTransport(.init(addresses: .testing))
                let secure = "https" + server.base.dropFirst(4) + "/plain"
                for _ in 0..<2 {
                    let (_, body) = try await transport.send(.init(url: server.base + "/plain"))
                    #expect(text(body) == "hello")
                    #expect(
                        await failure { try await transport.send(.init(url: secure)) }?.code == .cannotConnect
                    )
                }
            }
        }

        @Test func loopbackIsNeverRequestedThroughAProxy() async {
            // In a separate process, because the environment is changed.
            await #expect(processExitsWith: .success) {
                let seen = Recorder()
                let server = try seen.server()
                for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
                setenv("http_proxy", server.base, 1)
                // The remote host's name is only sent to the proxy, which is this machine.
                let transport = CurlTransport(.init(addresses: .all))
                for _ in 0..<2 {
                    let near = try await transport.send(.init(url: server.base + "/near"))
                    let far = try await transport.send(.init(url: "http://museum.invalid/far"))
                    guard text(near.1) == "answer to /near",
                        text(far.1) == "answer to http://museum.invalid/far"
                    else { throw CancellationError() }
                }
                // Ends at once without cleaning up, as the command does: at exit OpenSSL frees memory that the
                // transport's thread may still use while it closes its connections.
                _exit(EXIT_SUCCESS)
            }
        }
    }
}
