import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "Anything else is incomplete: it adds and updates, never removes, and says why" (SOURCES.md C).
@Suite("Lists of described sources", .limitedConcurrency) struct DescribedListTests {
    private static func page(_ number: Int) -> String { "/works?page=\(number)&size=2" }

    /// A mirror of six works on three pages. Then the museum removes 5 and changes 1.
    private func changedMuseum(
        _ change: (inout SmallDescription) -> Void = { _ in }
    ) async throws -> ScriptedMuseum {
        let museum = try ScriptedMuseum(SmallDescription(change), works: ScriptedMuseum.works(6))
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(6))
        museum.remove("5")
        museum.change("1", ["title": "Better", "version": "b"])
        museum.mirror.pass(days: 1)
        return museum
    }

    /// Syncs on several days, and expects that nothing is removed, and that the reason is reported.
    private func expectIncomplete(
        _ museum: ScriptedMuseum, _ comment: Comment, _ isReason: (String) -> Bool = { _ in true }
    ) async throws {
        for _ in 0..<4 {
            let summary = try await museum.sync()
            #expect(summary.outcome == .partial, comment)
            let reasons = summary.problems.filter { $0.kind == "artwork" }.map(\.message)
            let isReported = reasons.contains(where: isReason)
            #expect(isReported, "\(comment): \(summary.problems)")
            museum.mirror.pass(days: 1)
        }
        #expect(try museum.ids == ScriptedMuseum.ids(6), comment)
        #expect(try museum.mirror.deletions() == [:], comment)
        #expect(try museum.missing == [:], comment)
    }

    // MARK: - Pages that fail

    @Test(arguments: [400, 500, 503]) func `a failed page in the middle makes the list incomplete`(
        status: Int
    )
        async throws
    {
        let museum = try await changedMuseum()
        museum.answer { $0 == Self.page(2) ? ScriptedMuseum.failure(status) : nil }
        try await expectIncomplete(museum, "\(status)") {
            $0.contains("nothing that is missing from it was removed")
        }
        #expect(try museum.titles["1"] == "Better", "what was read is stored")
    }

    @Test func `the pages after a failed one are read`() async throws {
        let museum = try await changedMuseum()
        museum.works.append(ScriptedMuseum.work("7"))
        museum.answer { $0 == Self.page(2) ? ScriptedMuseum.failure(500) : nil }
        #expect(try await museum.sync().outcome == .partial)
        #expect(try museum.ids == ScriptedMuseum.ids(7))
    }

    @Test(arguments: [1, 2, 3], [#"{"error":"x"}"#, #"{"total":4,"data":[{"x":1},{"x":2}]}"#])
    func `a page of another shape is reported and removes nothing`(page: Int, body: String) async throws {
        let museum = try await changedMuseum()
        museum.answer { $0 == Self.page(page) ? .text(body) : nil }
        try await expectIncomplete(museum, "page \(page): \(body)") { message in
            message.contains("The form of the answer may have changed") && message.contains("tiny.yaml:")
        }
    }

    @Test func `a page that is a web page is reported and removes nothing`() async throws {
        let museum = try await changedMuseum()
        museum.answer { $0 == Self.page(2) ? ScriptedMuseum.html : nil }
        try await expectIncomplete(museum, "HTML")
    }

    @Test func `a page of another shape doesn't end a list without a total`() async throws {
        let museum = try await changedMuseum { $0.total = nil }
        museum.answer { $0 == Self.page(2) ? ScriptedMuseum.otherShape : nil }
        try await expectIncomplete(museum, "page 2")
    }

    /// An error with status 200 looks like an empty list.
    @Test func `an answer without a total, entries and an array for them proves nothing`() async throws {
        let body = #"{"error":"x"}"#
        let museum = try await changedMuseum { $0.total = nil }
        museum.answer { $0.hasPrefix("/works") ? .text(body) : nil }
        for _ in 0..<4 {
            #expect(try await museum.sync().outcome != .complete)
            museum.mirror.pass(days: 1)
        }
        #expect(try museum.ids == ScriptedMuseum.ids(6))
        let new = try ScriptedMuseum(SmallDescription { $0.total = nil })
        new.answer { _ in .text(body) }
        #expect(try await new.sync().outcome != .complete)
        new.answer()
        #expect(try await new.sync().outcome == .complete)
        #expect(try new.ids == ScriptedMuseum.ids(5))
    }

    @Test func `an empty page ends a list without a total`() async throws {
        let museum = try await changedMuseum { $0.total = nil }
        _ = museum.requests()
        #expect(try await museum.sync().outcome == .complete)
        let pages = museum.requests().filter { $0.hasPrefix("/works?") }
        #expect(pages == [1, 2, 3, 4, 1].map(Self.page), "page 4 is empty, and page 1 is read again")
    }

    // MARK: - Lists that don't exist

    @Test func `a list that answers 404 removes nothing`() async throws {
        let museum = try await changedMuseum()
        museum.answer { $0.hasPrefix("/works?") ? ScriptedMuseum.failure(404) : nil }
        try await expectIncomplete(museum, "404")
    }

    @Test func `a list that answers 410 has ended, and nothing is touched`() async throws {
        let museum = try await changedMuseum()
        museum.answer { $0.hasPrefix("/works?") ? ScriptedMuseum.failure(410) : nil }
        let titles = try museum.titles
        for _ in 0..<4 {
            let summary = try await museum.sync()
            #expect(summary.outcome == .failed)
            #expect((summary.cause as? SyncError)?.code == .ended, "\(summary.failure ?? "")")
            museum.mirror.pass(days: 1)
        }
        #expect(try museum.titles == titles)
        #expect(try museum.missing == [:])
    }

    // MARK: - New mirrors

    static let mistyped: [ScriptedAnswer] = [
        ScriptedMuseum.html, ScriptedMuseum.html(404), ScriptedMuseum.failure(404),
    ]

    @Test(arguments: mistyped.indices) func `nothing is remembered of an address that isn't the museum's`(
        index: Int
    )
        async throws
    {
        let museum = try ScriptedMuseum(), answer = Self.mistyped[index]
        museum.answer { $0.hasPrefix("https://mistyped.test/") ? answer : nil }
        let first = try await museum.mirror.sync(base: "https://mistyped.test/v1")
        #expect(first.outcome == .failed)
        #expect(first.failure?.isEmpty == false)
        #expect(try museum.mirror.mirror.rememberedSource() == nil)
        let second = try await museum.sync()
        #expect(second.outcome == .complete, "\(second.problems) \(second.failure ?? "")")
        #expect(try museum.ids == ScriptedMuseum.ids(5))
        #expect(try museum.mirror.mirror.rememberedSource()?.base == ScriptedMuseum.base)
    }

    @Test func `nothing is remembered of a server whose lists have another shape`() async throws {
        let museum = try ScriptedMuseum()
        museum.answer { _ in ScriptedMuseum.otherShape }
        let summary = try await museum.sync()
        #expect(summary.outcome != .complete)
        #expect(try museum.mirror.mirror.rememberedSource() == nil)
    }

    @Test(arguments: [TransportError.Code.cannotConnect, .cannotResolveHost, .connectTimedOut])
    func `a new mirror of a server that can't be reached fails`(code: TransportError.Code) async throws {
        let museum = try ScriptedMuseum()
        museum.answer { _ in .failure(code, mayHaveReachedServer: false) }
        let summary = try await museum.sync()
        #expect(summary.outcome == .failed)
        #expect((summary.cause as? SyncError)?.code == .unreachable, "\(summary.failure ?? "")")
        #expect(try museum.mirror.mirror.rememberedSource() == nil)
    }

    @Test func `a service that has ended leaves no new mirror`() async throws {
        let museum = try ScriptedMuseum()
        museum.answer { _ in ScriptedMuseum.failure(410) }
        #expect(try await museum.syncError()?.code == .ended)
        #expect(try museum.mirror.mirror.rememberedSource() == nil)
    }
}
