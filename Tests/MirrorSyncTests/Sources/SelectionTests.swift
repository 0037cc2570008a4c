import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "With a changed selection of an existing mirror nothing is removed in that sync; what the new selection doesn't list goes only with
/// `--max-delete`."
@Suite("Selections of a described source", .limitedConcurrency) struct SelectionTests {
    /// A museum with the works 1 to 3 in department a, and 4 and 5 in b.
    private func museum(_ change: (inout SmallDescription) -> Void = { _ in }) throws -> ScriptedMuseum {
        let works = (1...5).map { ScriptedMuseum.work(String($0), ["department": $0 < 4 ? "a" : "b"]) }
        return try ScriptedMuseum(
            SmallDescription {
                $0.top =
                    "select:\n  department: { get: \"/works?department={value}&page={page}&size={size}\" }"
                $0.more = "since: { get: \"/works?since={since:date}&page={page}&size={size}\" }"
                change(&$0)
            }, works: works)
    }

    @discardableResult
    private func sync(
        _ museum: ScriptedMuseum, _ departments: [String]?, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        try await museum.sync {
            $0.source.selection = departments?.map { .init("department", $0) }
            change(&$0)
        }
    }

    private func remembered(_ museum: ScriptedMuseum) throws -> RememberedSource {
        try #require(try museum.mirror.mirror.rememberedSource())
    }

    @Test func `a selection is a part of the catalogue, and is remembered`() async throws {
        let museum = try museum()
        #expect(try await sync(museum, ["a"]).outcome == .complete)
        #expect(try museum.ids == ["1", "2", "3"])
        #expect(try remembered(museum).selection == [.init("department", "a")])
        _ = museum.requests()
        museum.mirror.pass(days: 1)
        #expect(try await sync(museum, nil).hasChanges == false)
        let lists = museum.requests().filter { $0.hasPrefix("/works?") }
        #expect(
            lists.allSatisfy { $0.contains("department=a") }, "there is no since with a selection: \(lists)")
    }

    @Test func `several selections are read one after the other`() async throws {
        let museum = try museum()
        #expect(try await sync(museum, ["a", "b"]).outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test func `a selected work that the museum removes is removed like others`() async throws {
        let museum = try museum()
        try await sync(museum, ["a"])
        museum.remove("3")
        for _ in 0..<3 {
            museum.mirror.pass(days: 1, hours: 1)
            #expect(try await sync(museum, nil).outcome == .complete)
        }
        #expect(try museum.ids == ["1", "2"])
    }

    @Test func `a changed selection removes nothing`() async throws {
        let museum = try museum()
        try await sync(museum, ["a"])
        for day in 0..<5 {
            museum.mirror.pass(days: 1, hours: 1)
            let summary = try await sync(museum, day == 0 ? ["b"] : nil)
            #expect(summary.outcome == .complete, "\(summary.problems)")
            #expect(try museum.ids == ScriptedMuseum.ids(5))
        }
        #expect(try remembered(museum).hasFormerSelection)
        #expect(try museum.mirror.deletions() == [:])
    }

    @Test func `works of a former selection are no findings, and what is lost of the present one is`()
        async throws
    {
        let museum = try museum()
        try await sync(museum, ["a"])
        museum.mirror.pass(days: 1)
        try await sync(museum, ["b"])
        for remote in [false, true] {
            let (summary, findings) = try await museum.mirror.verify { $0.remote = remote }
            #expect(summary.outcome == .complete && findings == [], "\(findings)")
        }
        museum.mirror.pass(days: 1)
        try await sync(museum, nil) { ($0.maxDelete, $0.maxDeleteIsChosen) = (.total(3), true) }
        #expect(try await museum.mirror.verify().findings == [])
        museum.works.append(ScriptedMuseum.work("6", ["department": "b"]))
        #expect(try await museum.mirror.verify().findings == ["found new artwork 6"])
    }

    @Test func `the sync that changes the selection removes nothing whatever may be deleted`() async throws {
        let museum = try museum()
        try await sync(museum, ["a"])
        museum.mirror.pass(days: 1)
        let summary = try await sync(museum, ["b"]) {
            ($0.maxDelete, $0.maxDeleteIsChosen) = (.total(100), true)
        }
        #expect(summary.outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test func `a later sync removes what the selection doesn't list if the user says so`() async throws {
        let museum = try museum()
        try await sync(museum, ["a"])
        museum.mirror.pass(days: 1)
        try await sync(museum, ["b"])
        museum.mirror.pass(days: 1)
        let few = try await sync(museum, nil) { ($0.maxDelete, $0.maxDeleteIsChosen) = (.total(2), true) }
        #expect(few.outcome == .guarded)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
        museum.mirror.pass(days: 1)
        let enough = try await sync(museum, nil) { ($0.maxDelete, $0.maxDeleteIsChosen) = (.total(3), true) }
        #expect(enough.outcome == .complete)
        #expect(try museum.ids == ["4", "5"])
        #expect(try !remembered(museum).hasFormerSelection)
    }

    @Test func `the whole catalogue again clears the former selection, and removes as usual`() async throws {
        let museum = try museum()
        try await sync(museum, ["a"])
        museum.mirror.pass(days: 1)
        #expect(try await sync(museum, []).outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
        let remembered = try remembered(museum)
        #expect(remembered.selection.isEmpty && !remembered.hasFormerSelection)
        museum.remove("1")
        for _ in 0..<3 {
            museum.mirror.pass(days: 1, hours: 1)
            #expect(try await sync(museum, nil).outcome == .complete)
        }
        #expect(try museum.ids == ["2", "3", "4", "5"])
    }

    /// Works of a selection are requested without `since`, and in these lists without versions.
    @Test(arguments: [["a"], []])
    func `works that were removed with a selection are requested again when it is selected again`(
        selection: [String]
    ) async throws {
        let museum = try museum { $0.rows = SmallDescription.ids }
        try await sync(museum, ["a"])
        museum.mirror.pass(hours: 1)
        try await sync(museum, ["b"])
        museum.mirror.pass(hours: 1)
        try await sync(museum, nil) { ($0.maxDelete, $0.maxDeleteIsChosen) = (.total(3), true) }
        #expect(try museum.ids == ["4", "5"])
        museum.mirror.pass(hours: 1)
        let summary = try await sync(museum, selection)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test(arguments: [true, false]) func `a selection that lists nothing is reported`(isNew: Bool)
        async throws
    {
        let museum = try museum()
        if !isNew { try await sync(museum, ["a"]) }
        museum.mirror.pass(days: 1)
        let summary = try await sync(museum, ["zebra"])
        #expect(summary.outcome != .complete)
        let sentences = summary.problems.map(\.message) + [summary.failure ?? ""]
        #expect(sentences.contains { $0.contains("zebra") }, "\(sentences)")
        #expect(try museum.ids == (isNew ? [] : ["1", "2", "3"]))
        museum.mirror.pass(days: 1)
        #expect(try await sync(museum, ["a"]).outcome == .complete)
        #expect(try museum.ids == ["1", "2", "3"])
    }

    @Test func `an unknown selection is an error before anything is requested`() async throws {
        let museum = try museum()
        let error = try await museum.syncError { $0.source.selection = [.init("colour", "red")] }
        #expect(error?.code == .source)
        #expect(error?.message.contains("department") == true)
        #expect(museum.requests() == [])
    }
}
