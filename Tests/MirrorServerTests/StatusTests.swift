import Catalogue
import Foundation
import Hummingbird
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorServer

@Suite("Status")
final class StatusTests: Sendable {
    private let home: TemporaryHome
    private let clock = Mutex(ContinuousClock.now)
    private let problems = Mutex(0)

    init() throws { home = try TemporaryHome() }

    private func make(_ name: String) throws -> MirrorFolder {
        let folder = try home.mirror(name)
        try folder.prepare()
        let store = try CatalogueStore.open(at: folder.database)
        try store.put(.partner, "p")
        try store.close()
        return folder
    }

    private func responder(_ load: RequestLoad = RequestLoad()) -> CatalogueResponder {
        CatalogueResponder(
            mirrors: MirrorDirectory(home: home.home, now: { [unowned self] in clock.withLock { $0 } }),
            access: AccessControl(token: "secret", users: []), hosts: HostCheck(host: "localhost"),
            pages: PageSettings(face: .visitors, publicURL: nil, templates: .embedded), load: load,
            onProblem: { [unowned self] _ in problems.withLock { $0 += 1 } })
    }

    private func ask(_ responder: CatalogueResponder, _ path: String, _ method: HTTPRequest.Method = .get)
        async throws -> (status: Int, cache: String?, length: String?)
    {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        let answer = try await responder.respond(
            to: Request(head: head, body: .init(buffer: ByteBuffer())), context: .init())
        return (answer.status.code, answer.headers[.cacheControl], answer.headers[.contentLength])
    }

    @Test func statusNeedsNoTokenAndRevealsNoMirror() async throws {
        _ = try make("one")
        let responder = responder()
        #expect(try await ask(responder, "/one/api/v1").status == 401)
        for path in ["/status", "/one/status", "/nothing/status", "/status/", "/status?x=y"] {
            let answer = try await ask(responder, path)
            #expect(answer.status == 200 && answer.cache == "no-store", "\(path)")
        }
        #expect(try await ask(responder, "/status", .head).length == "15")
        #expect(try await ask(responder, "/status", .post).status == 405)
        try responder.mirrors.close()
    }

    @Test func anUnreadableMirrorMakesTheStatusFailing() async throws {
        let one = try make("one")
        let responder = responder()
        #expect(try await ask(responder, "/status").status == 200)
        let two = try make("two")
        try Data("no database".utf8).write(to: URL(filePath: two.database))
        clock.withLock { $0 += .seconds(2) }
        for path in ["/status", "/one/status", "/two/status"] {
            let answer = try await ask(responder, path)
            #expect(answer.status == 500 && answer.cache == "no-store", "\(path)")
        }
        #expect(problems.withLock { $0 } == 3, "each error is reported to onProblem")
        try FileManager.default.removeItem(atPath: two.path)
        clock.withLock { $0 += .seconds(2) }
        #expect(try await ask(responder, "/status").status == 200, "a removed mirror is not an error")
        try FileManager.default.removeItem(atPath: one.path)
        clock.withLock { $0 += .seconds(2) }
        #expect(
            try await ask(responder, "/status").status == 200, "a home folder without mirrors is not an error"
        )
        try responder.mirrors.close()
    }

    @Test func requestsBeyondTheLoadLimitGet503() async throws {
        _ = try make("one")
        let load = RequestLoad(limit: 2), responder = responder(load)
        var tickets = [load.begin(), load.begin()]
        #expect(tickets.allSatisfy { $0 != nil } && load.begin() == nil)
        #expect(try await ask(responder, "/status").status == 503)
        let refused = try await ask(responder, "/one/api/v1")
        #expect(refused.status == 503 && refused.cache == "no-store")
        tickets.removeLast()
        #expect(try await ask(responder, "/status").status == 200)
        #expect(try await ask(responder, "/one/api/v1").status == 401)
        tickets.removeAll()
        #expect(!load.isFull)
        try responder.mirrors.close()
    }
}

@Suite("Streamed answers and the load limit")
struct RequestLoadTests {
    @Test func aStreamedAnswerCountsAsLoadUntilItsEnd() async throws {
        let test = try TestServer(), load = RequestLoad(limit: 1)
        // More objects than one part contains.
        for number in 0..<501 { try test.store.put(.artist, "\(number)") }
        var responder = test.server.responder
        responder.load = load
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost",
            path: "/api/v1/partner/p1/artists?since=2027-01-15T08:00:00Z")
        var answer: Response? = try await responder.respond(
            to: Request(head: head, body: .init(buffer: ByteBuffer())), context: .init())
        #expect(answer?.status == .ok && load.isFull)
        answer = nil
        // The thread that read the first part releases its ticket a moment after the answer.
        for _ in 0..<100_000 where load.isFull { await Task.yield() }
        #expect(!load.isFull)
    }
}
