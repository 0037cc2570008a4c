import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "`gone: {by: absence, lists: 3, apart: 2d}`: missing from three complete lists taken at least two days apart from first to last,
/// and `absent` by the object's own URL each time."
@Suite("Works that lists lack", .limitedConcurrency) struct DescribedAbsenceTests {
    /// A mirror of five works, of which the museum then removes 5.
    private func museumWithoutFive(
        _ change: (inout SmallDescription) -> Void = { _ in }
    ) async throws -> ScriptedMuseum {
        let museum = try ScriptedMuseum(SmallDescription(change))
        #expect(try await museum.sync().outcome == .complete)
        museum.mirror.pass(hours: 1)
        museum.remove("5")
        _ = museum.requests()
        return museum
    }

    /// Syncs after each of these numbers of hours.
    private func sync(
        _ museum: ScriptedMuseum, after hours: [Int], expecting outcome: SyncSummary.Outcome = .complete
    ) async throws {
        for hours in hours {
            museum.mirror.pass(hours: hours)
            let summary = try await museum.sync()
            #expect(summary.outcome == outcome, "\(summary.problems) \(summary.failure ?? "")")
        }
    }

    @Test(arguments: [
        ([0, 24, 25], false), ([0, 24, 23], true), ([0, 240], true), ([0, 1, 1, 45], true),
        ([0, 1, 1, 47], false),
    ])
    func `three lists that are two days apart remove a work`(hours: [Int], isKept: Bool) async throws {
        let museum = try await museumWithoutFive()
        try await sync(museum, after: hours)
        #expect(try museum.ids.contains("5") == isKept)
        #expect(try museum.missing == (isKept ? ["5": hours.count] : [:]))
        #expect(museum.requestedWorks() == hours.map { _ in "5" }, "its own URL is requested after each list")
    }

    @Test func `the description says how many lists, and how far apart`() async throws {
        let museum = try await museumWithoutFive { $0.gone = "{ by: absence, lists: 2, apart: 1h }" }
        try await sync(museum, after: [0])
        #expect(try museum.ids.contains("5"))
        try await sync(museum, after: [1])
        #expect(try !museum.ids.contains("5"))
    }

    @Test func `works that must never be removed stay`() async throws {
        let museum = try await museumWithoutFive { $0.gone = "{ by: never }" }
        try await sync(museum, after: [0, 48, 48, 48])
        #expect(try museum.ids.contains("5"))
        #expect(museum.requestedWorks() == [])
    }

    @Test func `a description that no longer removes missing works ends their counts, and reports none`()
        async throws
    {
        let museum = try await museumWithoutFive()
        func reported() throws -> [Kind: Int]? {
            let folder = try museum.mirror.mirror, now = museum.mirror.clock.now
            return try museum.mirror.read { try SourceStatus($0, in: folder, now: now) }?.missing
        }
        try await sync(museum, after: [0, 25])
        #expect(try museum.missing == ["5": 2] && reported() == [.artwork: 1])
        try museum.describe(SmallDescription { $0.gone = "{ by: never }" })
        #expect(try reported() == [:])
        try await sync(museum, after: [25, 25])
        #expect(try museum.ids.contains("5") && reported() == [:])
        #expect(try await museum.mirror.verify().findings == [])
        // With the rule again, the count begins again.
        try museum.describe(SmallDescription())
        try await sync(museum, after: [25, 25])
        #expect(try museum.missing == ["5": 2] && reported() == [.artwork: 1])
    }

    // MARK: - What is no absence

    @Test func `an incomplete list that contains a work resets its count`() async throws {
        let museum = try await museumWithoutFive()
        try await sync(museum, after: [0, 25])
        #expect(try museum.missing == ["5": 2])
        museum.works.append(ScriptedMuseum.work("5"))
        museum.answer { $0 == "/works?page=2&size=2" ? ScriptedMuseum.failure(500) : nil }
        try await sync(museum, after: [25], expecting: .partial)
        #expect(try museum.missing == [:])
        museum.answer()
        museum.remove("5")
        try await sync(museum, after: [25, 25])
        #expect(try museum.ids.contains("5"))
        #expect(try museum.missing == ["5": 2])
        try await sync(museum, after: [25])
        #expect(try !museum.ids.contains("5"))
    }

    @Test func `an incomplete list that lacks a work doesn't count, and doesn't reset`() async throws {
        let museum = try await museumWithoutFive()
        try await sync(museum, after: [0, 25])
        museum.answer { $0 == "/works?page=2&size=2" ? ScriptedMuseum.failure(500) : nil }
        try await sync(museum, after: [25], expecting: .partial)
        #expect(try museum.missing == ["5": 2])
        museum.answer()
        try await sync(museum, after: [25])
        #expect(try !museum.ids.contains("5"))
    }

    @Test(arguments: [
        ScriptedMuseum.html(404), ScriptedMuseum.html(410), ScriptedMuseum.html, ScriptedMuseum.failure(403),
        ScriptedMuseum.failure(500), ScriptedMuseum.otherShape,
        .text(#"{"id":"4","title":"Another"}"#), .failure(.connectionLost),
    ])
    func `an answer of its own URL that is no absence counts none`(answer: ScriptedAnswer) async throws {
        let museum = try await museumWithoutFive()
        museum.answer { $0 == "/works/5" ? answer : nil }
        // Three lists over two days would remove it.
        for _ in 0..<3 {
            museum.mirror.pass(days: 1, hours: 1)
            _ = try await museum.sync()
        }
        #expect(try museum.ids == ScriptedMuseum.ids(5))
        #expect(try museum.titles["4"] == "Work 4")
        museum.answer()
        // The lists before don't count.
        try await sync(museum, after: [25, 25])
        #expect(try museum.ids.contains("5"))
    }

    @Test func `a work that only the list lacks stays, and is updated`() async throws {
        let museum = try await museumWithoutFive()
        let answer = ScriptedAnswer.text(ScriptedMuseum.work("5", ["title": "Hidden"]).canonicalText)
        museum.answer { $0 == "/works/5" ? answer : nil }
        try await sync(museum, after: [0, 25, 25, 25])
        #expect(try museum.ids.contains("5"))
        #expect(try museum.titles["5"] == "Hidden")
    }

    @Test func `an answer that the description calls absent counts`() async throws {
        let museum = try await museumWithoutFive {
            $0.object = "absent: { where: \"SELECT :body ->> 'found' = 0\" }"
        }
        museum.answer { $0 == "/works/5" ? .text(#"{"found":0}"#) : nil }
        try await sync(museum, after: [0, 25])
        #expect(try museum.missing == ["5": 2])
        try await sync(museum, after: [25])
        #expect(try !museum.ids.contains("5"))
    }

    // MARK: - The delete guard

    @Test func `the delete guard holds on top of absences`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription { $0.list = "form: whole\nget: /works" }, works: ScriptedMuseum.works(60))
        try await sync(museum, after: [0])
        museum.works.removeFirst(13)
        try await sync(museum, after: [25, 25])
        try await sync(museum, after: [25, 25], expecting: .guarded)
        #expect(try museum.ids.count == 60)
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync { $0.maxDelete = .total(13) }.outcome == .complete)
        #expect(try museum.ids.count == 47)
    }
}
