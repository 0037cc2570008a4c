import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// Servers that send harmful answers: the run ends and reports them, stored objects stay intact, and the next run against a
/// well-behaved server makes the mirror complete again.
@Suite("A hostile server") struct HostileServerTests {
    typealias Answers = @Sendable (_ url: String) -> ScriptedAnswer?

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var extensions: [String] = []
        /// The expected outcome of a run.
        var outcome = SyncSummary.Outcome.partial
        /// The artworks in the mirror after the run.
        var artworks = ["good", "other"]
        /// The most requests that a run may send.
        var requests = 60
        let answers: Answers

        var testDescription: String { name }
    }

    private static let list = "/partner/p/artworks?ids=1&size=all"
    private static let deep = String(repeating: "[", count: 200_000)
    private static let control = #"\u001b[31mRED\u001b]0;x\u0007\u009b2J\u202e\r\n\b"#
    private static let sql = #"'; DROP TABLE artwork; -- <script>alert(1)</script>"#

    private static func at(_ place: String, _ answer: ScriptedAnswer) -> Answers {
        { $0 == place ? answer : nil }
    }

    /// A case in which the list of artworks has this body.
    private static func list(_ name: String, _ body: String, _ artworks: [String] = ["good", "other"]) -> Case
    {
        Case(name: name, artworks: artworks, answers: at(list, .text(body)))
    }

    private static func object(
        _ name: String, _ answer: ScriptedAnswer, _ outcome: SyncSummary.Outcome = .partial
    ) -> Case {
        Case(name: name, outcome: outcome, answers: at("/artwork/other", answer))
    }

    static let cases: [Case] = [
        list("a list that is an object", #"{"a":["good"]}"#), list("a list that is null", "null"),
        list("a list that is a number", "1e999"), list("a truncated list", #"["good","other""#),
        list("a list in a list", "[\(deep)"), list("a list with an empty id", #"["good",""]"#),
        list("an id with a NUL", #"["good","a\u0000b"]"#), list("a list of HTML", "<html>"),
        list("a list with an object as an id", #"["good",{"id":{"id":"other"}}]"#),
        list("an empty list body", ""),
        object("deep JSON", .text(#"{"id":"other","x":\#(deep)"#)),
        object("truncated JSON", .text(#"{"id":"other","title":"#)),
        object(
            "invalid UTF-8",
            .response(body: Array(#"{"id":"other","title":""#.utf8) + [0xC0, 0x80, 0x22, 0x7D])),
        object("another object's id", .text(#"{"id":"good","title":"Not good"}"#)),
        object("a list for an object", .text("[]")), object("an empty object body", .text("")),
        object("a body of 5 MB", .text(#"{"id":"other","x":"\#(String(repeating: "x", count: 5 << 20))"}"#)),
        object(
            "numbers out of range",
            .text(
                #"{"id":"other","title":1e999,"published":99,"width":-1e-999,"images":[{"id":1e400,"position":99999999999999999999,"aspect_ratio":-0.0,"original_width":9223372036854775808}],"edition_sets":7}"#
            ), .complete),
        object(
            "control characters", .text(#"{"id":"other","title":"\#(control)","slug":"\#(control)"}"#),
            .complete),
        object("SQL and HTML", .text(#"{"id":"other","title":"\#(sql)","slug":"\#(sql)"}"#), .complete),
        object(
            "an ETag of 100 kB",
            .text(#"{"id":"other"}"#, etag: "\"\(String(repeating: "e", count: 100_000))\""), .complete),
        object(
            "a cookie for another host",
            .text(#"{"id":"other"}"#, headers: ["Set-Cookie": "a=b; Domain=example.org"]), .complete),
        object("a redirect to a file", .response(302, headers: ["Location": "file:///etc/passwd"])),
        object(
            "a redirect to another host", .response(302, headers: ["Location": "http://169.254.169.254/"])),
        object("a redirect to itself", .response(302, headers: ["Location": "/api/v1/artwork/other"])),
        object("a status of its own", .text("{}", status: 299)),
        Case(
            name: "one id 20,000 times", outcome: .complete, artworks: ["good", "other"],
            answers: at(
                list, .text("[\(String(repeating: #""good","#, count: 20_000))\"other\"]"))),
        Case(
            name: "ids that look alike", outcome: .complete,
            artworks: ["good", "other", "caf\u{E9}", "cafe\u{301}", "../../x", sql],
            answers: { url in
                let ids = ["good", "other", "caf\u{E9}", "cafe\u{301}", "../../x", sql]
                let text = { (id: String) in JSONValue.string(id).canonicalText }
                if url == list { return .text("[\(ids.map(text).joined(separator: ","))]") }
                let path = url.split(separator: "/").last.map(String.init)?.removingPercentEncoding
                guard url.hasPrefix("/artwork/"), let path,
                    ids.dropFirst(2).contains(where: { same($0, path) })
                else { return nil }
                return .text(#"{"id":\#(text(path))}"#)
            }),
        Case(
            name: "a page that repeats for ever",
            answers: { url in
                let isList = url.hasPrefix("/partner/p/show/s/artworks")
                return isList ? .text(#"[{"id":"a","title":"A"},{"id":"b","title":"B"}]"#) : nil
            }),
        Case(
            name: "pages without end", outcome: .partial, requests: 600,
            answers: { url in
                guard url.hasPrefix("/partner/p/show/s/artworks") else { return nil }
                let page = url.firstMatch(of: #/[?&]page=(\d+)/#).map { String($0.output.1) } ?? "1"
                return .text(#"[{"id":"x\#(page)","title":"X"},{"id":"y\#(page)","title":"Y"}]"#)
            }),
        Case(
            name: "a cursor of 1 MB", extensions: ["events"], outcome: .complete,
            answers: at(
                "/partner/p/events/latest",
                .text(#"{"event_id":"\#(String(repeating: "9", count: 1 << 20))"}"#))),
        Case(
            name: "a feed that is nonsense", extensions: ["events"], outcome: .complete,
            answers: at("/partner/p/events/latest", .text(#"{"event_id":-1e400,"refresh":-7,"more":"yes"}"#))),
        Case(
            name: "too many changes", extensions: ["since"], outcome: .complete,
            answers: { url in
                guard url.hasPrefix("/partner/p/artworks?since=") else { return nil }
                let one = #"{"id":"good","deleted_at":"2026-11-21T00:00:00Z"},"#
                return .text("[\(String(repeating: one, count: 25_000))null]")
            }),
        Case(
            name: "a digest that lies", extensions: ["validators", "digest"], outcome: .complete,
            answers: { url in
                guard url.hasPrefix("/partner/p/digest") else { return nil }
                let hash = "\"\(String(repeating: "a", count: 64))\""
                let children = Array(repeating: hash, count: 16).joined(separator: ",")
                return .text(#"{"prefix":"","hash":\#(hash),"children":[\#(children)]}"#)
            }),
        Case(
            name: "50,000 extensions", extensions: [], outcome: .complete,
            answers: at("", .text(#"{"extensions":[\#(String(repeating: #""x","#, count: 50_000))"y"]}"#))),
    ]

    private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    @Test(arguments: cases)
    func aHostileAnswerIsReportedAndStoredObjectsStay(test: Case) async throws {
        let partner = FakePartner { state in
            state.extensions = test.extensions
            state.artwork("good", image: "g")
            state.artwork("other")
            state.show("s", ["good"])
            state.files["/artwork/good/image/g/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0]
        }
        let home = try TemporaryHome()
        #expect(try await Self.sync(home, partner).summary.outcome == .complete)

        for options in [SyncOptions(), Self.full] {
            let (summary, requests, longest) = try await Self.sync(home, partner, options, test.answers)
            #expect(summary.outcome == test.outcome, "\(summary.problems.prefix(3)) \(summary.cause as Any)")
            #expect(requests <= test.requests)
            #expect(longest < 20_000, "servers refuse longer headers")
            if summary.outcome != .complete { #expect(!summary.problems.isEmpty || summary.cause != nil) }
            #expect(try Self.artworks(home) == Set(test.artworks.map { Array($0.utf8) }))
        }
        #expect(try await Self.sync(home, partner, Self.full).summary.outcome == .complete)
        #expect(try Self.artworks(home) == [Array("good".utf8), Array("other".utf8)])
        let store = try Self.mirror(home).store()
        defer { try? store.close() }
        for check in StoreCheck.allCases { try store.check(check) { Issue.record("\($0)") } }
    }

    private static var full: SyncOptions {
        var options = SyncOptions()
        options.full = true
        return options
    }

    private static func mirror(_ home: TemporaryHome) throws -> MirrorFolder {
        try home.mirror("p")
    }

    private static func artworks(_ home: TemporaryHome) throws -> Set<[UInt8]> {
        let store = try mirror(home).store()
        defer { try? store.close() }
        return Set(try store.snapshot { try $0.ids(.artwork, withLinked: false) }.map { Array($0.utf8) })
    }

    /// - Returns: the summary, the number of requests, and the bytes of the longest request head.
    private static func sync(
        _ home: TemporaryHome, _ partner: FakePartner, _ options: SyncOptions = SyncOptions(),
        _ answers: @escaping Answers = { _ in nil }
    ) async throws -> (summary: SyncSummary, requests: Int, longest: Int) {
        var options = options
        options.synchronous = true
        options.maxObjects = 1_000
        let clock = VirtualClock(.jumping), seen = Mutex((count: 0, longest: 0))
        let summary = try await Sync(
            partner: "p", folder: mirror(home), base: "http://origin.test/api/v1", options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            let transport = ScriptedTransport(base: base) { request in
                let head = request.headers.lines.map { $0.name.utf8.count + $0.value.utf8.count }.reduce(0, +)
                seen.withLock { $0 = ($0.count + 1, max($0.longest, head + request.url.utf8.count)) }
                let url = request.url.split(separator: "/api/v1", maxSplits: 1).dropFirst().first
                return answers(url.map(String.init) ?? "") ?? partner.answer(request)
            }
            return try InterceptableSession(
                base: base, transport: transport, cache: cache, interceptors: .standard(),
                configuration: SessionConfiguration(clock: clock.sessionClock, random: { 0.5 }))
        }.run()
        return (summary, seen.withLock { $0.count }, seen.withLock { $0.longest })
    }
}
