import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

private typealias State = FakePartner.State

/// No failure may delete objects.
@Suite("Failing lists", .fewAtATime)
struct FailingListTests {
    static let broken: [(String, ScriptedAnswer)] = [
        ("500", .text("{}", status: 500)), ("no answer", .failure(.timedOut)),
        ("a truncated body", .truncated(Array(#"["a"]"#.utf8), after: 3)), ("null", .text("null")),
        ("a broken coding", .truncated(Array(#"["a"]"#.utf8), after: 5, code: .brokenCoding)),
        ("an unknown coding", .failure(.unknownCoding)),
        ("an object", .text(#"{"a":1}"#)), ("a web page", .text("<html>", contentType: "text/html")),
        ("partial content", .text(#"["a"]"#, status: 206)), ("accepted only", .text(#"["a"]"#, status: 202)),
        ("transformed by a proxy", .text(#"["a"]"#, status: 203)),
        ("cut JSON", .text(#"["a","#)), ("an element without an id", .text(#"["a",{"name":"b"}]"#)),
    ]

    @Test(arguments: broken.indices)
    func aFailedListDeletesNoneOfItsMembers(index: Int) async throws {
        let partner = FakePartner { state in
            for id in ["a", "b", "c"] { state.artwork(id) }
            for id in ["x", "y"] { state.artist(id) }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove(.artwork, "b")
            state.remove(.artist, "y")
            state.overrides[FakePartner.State.listURL(.artwork)] = Self.broken[index].1
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial, "\(Self.broken[index].0)")
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try mirror.ids(.artist) == ["x"], "other lists are swept nevertheless")
    }

    @Test func aListOlderThanTheLastOneDeletesNothing() async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove(.artwork, "b")
            state.date = "Fri, 20 Nov 2026 10:00:00 GMT"
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test(arguments: [
        ScriptedAnswer.text("{broken"), .text("{}", status: 500),
        .truncated(Array(#"{"id":"a"}"#.utf8), after: 10, code: .brokenCoding), .failure(.unknownCoding),
    ])
    func anObjectWithAFailedAnswerStays(answer: ScriptedAnswer) async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("a", title: "New")
            state.overrides["/artwork/a"] = answer
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial)
        #expect(summary.objects["artwork"]?.failed == 1)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().objects["artwork"]?.updated == 1)
    }

    @Test func aListedObjectThatIsNotFoundAndThenUnlistedIsDeleted() async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let url = FakePartner.State.listURL(.artwork)
        partner.change { state in
            state.remove(.artwork, "b")
            state.once[url] = [.text(#"["a","b"]"#)]
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .complete)
        #expect(summary.objects["artwork"]?.deleted == 1)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func anObjectThatStaysListedButIsNotFoundIsAFailureAndStays() async throws {
        let partner = FakePartner { state in for id in ["a", "b"] { state.artwork(id) } }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.objects["/artwork/b"] = nil }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
    }

    @Test func anUnexpectedlyEmptyListIsStoppedByTheDeleteGuard() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            for id in ["x", "y"] { state.artist(id) }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            for id in ["a", "b"] { state.remove(.artwork, id) }
            state.remove(.artist, "y")
            state.artist("z")
        }
        let summary = try await mirror.sync()
        #expect(summary.outcome == .guarded)
        #expect(summary.guarded.map(\.kind) == [.artwork])
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(
            try mirror.ids(.artist) == ["x", "y", "z"],
            "no object of any kind was deleted, and the new one was stored")
        let agreed = try await mirror.sync { $0.maxDelete = .total(3) }
        #expect(agreed.outcome == .complete)
        #expect(try mirror.ids(.artwork) == [])
    }

    @Test func aFailedPageOfAListDeletesNothing() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            state.album("m", ["a", "b"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            let list = "/partner/p/album/m/artworks"
            state.overrides["\(list)?ids=1&size=all"] = .text(#"[{"id":"a","title":"Work a"}]"#)
            state.overrides["\(list)?page=1&size=20"] = .text(#"[{"id":"a","title":"Work a"}]"#)
            state.overrides["\(list)?page=2&size=20"] = .text("{}", status: 500)
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "b"])
    }

    @Test func pagesThatChangeDuringReadingAreIncomplete() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            state.album("m", ["a", "b"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let list = "/partner/p/album/m/artworks"
        partner.change { state in
            state.overrides["\(list)?ids=1&size=all"] = .text(#"[{"id":"a","title":"Work a"}]"#)
            state.once["\(list)?page=1&size=20"] = [
                .text(#"[{"id":"a"}]"#), .text(#"[{"id":"new"}]"#), .text(#"[{"id":"a"}]"#),
                .text(#"[{"id":"new"}]"#),
            ]
            state.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"b"}]"#)
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["a", "b"])
    }

    @Test func aListOfIdsThatTheServerAnswersInPagesIsRead() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
            state.album("m", [])
            let list = "/partner/p/album/m/artworks"
            state.overrides["\(list)?ids=1&size=all"] = .text(#"[{"id":"b","title":"Work b"}]"#)
            state.overrides["\(list)?page=1&size=20"] = .text(#"[{"id":"b"}]"#)
            state.overrides["\(list)?page=2&size=20"] = .text(#"[{"id":"a"}]"#)
            state.overrides["\(list)?page=3&size=20"] = .text("[]")
        }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["b", "a"])
    }
}
