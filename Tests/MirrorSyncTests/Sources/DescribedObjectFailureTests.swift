import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Objects that the server lists, and that can't be requested or read.
@Suite("Listed objects of described sources that fail", .limitedConcurrency)
struct DescribedObjectFailureTests {
    // MARK: - Not available

    @Test(arguments: [404, 410])
    func `a listed work that doesn't exist is no failure, and is requested again after a day`(
        status: Int
    ) async throws {
        let museum = try ScriptedMuseum()
        museum.answer { $0 == "/works/3" ? ScriptedMuseum.failure(status) : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(summary.inaccessible == 1 && summary.objects["artwork"]?.failed == 0)
        #expect(try museum.ids == ["1", "2", "4", "5"])
        _ = museum.requests()
        museum.mirror.pass(hours: 23)
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requestedWorks() == [], "not within a day")
        museum.mirror.pass(hours: 2)
        #expect(try await museum.sync().inaccessible == 1)
        #expect(museum.requestedWorks() == ["3"], "after a day")
        museum.answer()
        museum.mirror.pass(days: 1, hours: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requestedWorks() == ["3"])
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test func `a full sync requests a work that wasn't available at once`() async throws {
        let museum = try ScriptedMuseum()
        museum.answer { $0 == "/works/3" ? ScriptedMuseum.failure(404) : nil }
        #expect(try await museum.sync().outcome == .complete)
        museum.answer()
        #expect(try await museum.sync { $0.full = true }.outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test func `an answer that the description calls absent is no failure`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription { $0.object = "absent: { where: \"SELECT :body ->> 'found' = 0\" }" })
        museum.answer { $0 == "/works/3" ? .text(#"{"found":0}"#) : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete && summary.inaccessible == 1, "\(summary.problems)")
        #expect(try museum.ids == ["1", "2", "4", "5"])
    }

    @Test func `a stored work that is listed stays although its own URL answers 404`() async throws {
        let museum = try ScriptedMuseum()
        #expect(try await museum.sync().outcome == .complete)
        museum.change("3", ["title": "New", "version": "b"])
        museum.answer { $0 == "/works/3" ? ScriptedMuseum.failure(404) : nil }
        for _ in 0..<4 {
            museum.mirror.pass(days: 1, hours: 1)
            #expect(try await museum.sync().outcome == .complete)
        }
        #expect(try museum.titles["3"] == "Work 3")
        museum.answer()
        museum.mirror.pass(days: 1, hours: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.titles["3"] == "New")
    }

    // MARK: - Failures

    @Test(arguments: [
        ScriptedMuseum.html(404), ScriptedMuseum.html, ScriptedMuseum.otherShape, ScriptedMuseum.failure(500),
        .text(#"{"id":"4","title":"Another"}"#),
    ])
    func `an answer that says nothing about the work is a failure, and the rest is stored`(
        answer: ScriptedAnswer
    )
        async throws
    {
        let museum = try ScriptedMuseum()
        museum.answer { $0 == "/works/3" ? answer : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .partial)
        #expect(summary.objects["artwork"]?.failed == 1 && summary.inaccessible == 0)
        let problem = summary.problems.first { $0.id == "3" }
        #expect(problem?.kind == "artwork" && problem?.message.isEmpty == false, "\(summary.problems)")
        #expect(try museum.titles == ["1": "Work 1", "2": "Work 2", "4": "Work 4", "5": "Work 5"])
        museum.answer()
        #expect(try await museum.sync().outcome == .complete, "and it is requested again at once")
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    // "An SQL error in `row`, `artists`, `images` or `members` fails that object"
    @Test(arguments: [SmallDescription.idsAndVersions, SmallDescription.ids, SmallDescription.objects])
    func `SQL that fails on a work is reported with its place, and the work is requested once a run`(
        rows: String
    )
        async throws
    {
        let description = SmallDescription {
            $0.rows = rows
            $0.row = "SELECT :body ->> 'title' AS title, (:body ->> 'extra') ->> '$.medium' AS medium"
        }
        let museum = try ScriptedMuseum(description)
        museum.change("2", ["extra": "{"])
        museum.change("4", ["extra": #"{"medium":"Oak"}"#])
        let line = try #require(description.line(of: "row"))
        for _ in 0..<2 {
            let summary = try await museum.sync()
            #expect(summary.outcome == .partial && summary.objects["artwork"]?.failed == 1)
            let problems = summary.problems.filter { $0.id == "2" }
            #expect(problems.count == 1 && problems.first?.kind == "artwork", "\(summary.problems)")
            let message = problems.first?.message ?? ""
            #expect(message.contains(/tiny\.yaml:(\d+):\d+/), "\(message)")
            #expect(message.contains("tiny.yaml:\(line):"), "\(message)")
            #expect(museum.requestedWorks().filter { $0 == "2" }.count == 1)
            #expect(try museum.ids == ["1", "3", "4", "5"])
            museum.mirror.pass(hours: 1)
        }
        museum.change("2", ["extra": .null])
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test func `SQL that fails on a stored work leaves it as it was`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.row = "SELECT :body ->> 'title' AS title, (:body ->> 'extra') ->> '$.medium' AS medium"
            })
        #expect(try await museum.sync().outcome == .complete)
        museum.change("2", ["title": "New", "extra": "{", "version": "b"])
        for _ in 0..<3 {
            museum.mirror.pass(days: 1)
            #expect(try await museum.sync().outcome == .partial)
        }
        #expect(try museum.titles["2"] == "Work 2")
    }

    // MARK: - Kinds

    @Test(arguments: [Kind.show, .artist, .location, .album])
    func `a kind without a list can't be the only one`(kind: Kind) async throws {
        let museum = try ScriptedMuseum(SmallDescription { $0.object = SmallDescription.artists })
        let error = try await museum.syncError { $0.only = [kind] }
        #expect(error?.message.contains(kind.plural) == true, "\(error?.message ?? "no error")")
        #expect(error?.message.contains("--only") == true, "\(error?.message ?? "no error")")
        #expect(museum.requests() == [])
        #expect(try museum.mirror.mirror.rememberedSource() == nil)
    }

    @Test func `a described kind can be the only one`() async throws {
        let museum = try ScriptedMuseum()
        #expect(try await museum.sync { $0.only = [.artwork] }.outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }
}
