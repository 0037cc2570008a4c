import Hummingbird
import Testing

@testable import MirrorServer

@Suite struct MetricsServerTests {
    private struct Unreadable: Error {}

    private func ask(_ path: String, _ method: HTTPRequest.Method = .get, fails: Bool = false) async
        -> (status: Int, type: String?, length: String?)
    {
        let responder = MetricsResponder {
            if fails { throw Unreadable() }
            return "# EOF\n"
        }
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        let answer = await responder.respond(
            to: Request(head: head, body: .init(buffer: ByteBuffer())), context: .init())
        return (answer.status.code, answer.headers[.contentType], answer.headers[.contentLength])
    }

    @Test func metricsAreServedAsOpenMetricsText() async {
        let answer = await ask("/metrics")
        #expect(answer.status == 200 && answer.length == "6")
        #expect(answer.type == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(await ask("/metrics?x=y").status == 200)
        #expect(await ask("/metrics", .head).length == "6")
    }

    @Test func theMetricsServerRejectsOtherPathsAndMethods() async {
        #expect(await ask("/").status == 404)
        #expect(await ask("/metrics/x").status == 404)
        #expect(await ask("/metrics", .post).status == 405)
    }

    @Test func unreadableMetricsGet500() async {
        #expect(await ask("/metrics", fails: true).status == 500)
    }
}
