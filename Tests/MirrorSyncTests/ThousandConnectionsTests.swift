import Foundation
import MirrorTesting
import Testing

@testable import MirrorSimulation

/// The built `mirror` as a server, with a thousand connections whose clients send no complete request, or read no answer.
@Suite("A server with a thousand connections") struct ThousandConnectionsTests {
    private static let count = 1_000

    /// Whether the binary is built, and this process may open 2,048 file descriptors.
    private static var isPossible: Bool {
        var limit = rlimit()
        return BuiltProgram.isBuilt
            && getrlimit(resource, &limit) == 0 && limit.rlim_max >= 2_048
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    @Test(.enabled(if: Self.isPossible, "The binary is not built, or this process may open too few files."))
    func aServerStillAnswersDuringAThousandOtherConnections() async throws {
        let place = try TemporaryFolder()
        let answers = try await OffloadedThread.run { try Self.answers(under: place.file("stage")) }
        #expect(answers == Array(repeating: "HTTP/1.1 200 OK", count: 3))
    }

    /// - Returns: the status lines of three answers: before the thousand connections, during them, and after them.
    private static func answers(under folder: String) throws -> [String] {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { throw POSIXError(.EINVAL) }
        limit.rlim_cur = max(limit.rlim_cur, 2_048)
        guard setrlimit(resource, &limit) == 0 else { throw POSIXError(.EPERM) }
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 2, formats: "square", hasLaterCatalogue: false)
        let (server, port) = try stage.launch(stage.origin(.first))
        defer { server.kill() }
        var answers = [try ask(port)]
        var others: [LoopbackSocket] = []
        for number in 0..<count {
            let other = try LoopbackSocket.connected(to: port)
            // A third of the clients send nothing, a third send half of a head, a third send requests and never read.
            switch number % 3 {
            case 1: try other.write(Array("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nX-Half: ".utf8)[...])
            case 2: try other.write(Array(String(repeating: request, count: 10).utf8)[...])
            default: break
            }
            others.append(other)
        }
        answers.append(try ask(port))
        others = []
        answers.append(try ask(port))
        server.kill(by: SIGTERM)
        #expect(try server.wait().status == 0)
        try stage.end()
        return answers
    }

    private static let request =
        "GET /\(KillCatalogue.partner)/api/v1/partner/\(KillCatalogue.partner)/all HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func ask(_ port: Int) throws -> String {
        let socket = try LoopbackSocket.connected(to: port)
        try socket.write(Array(request.utf8)[...])
        let head = try socket.readHead().map { String(decoding: $0, as: UTF8.self) }
        return String((head ?? "").prefix { $0 != "\r\n" })
    }
}
