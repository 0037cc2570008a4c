import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "Version of an object: the list's, else an ETag, else a hash of what was read without the `volatile` columns."
@Suite("Versions of described objects", .limitedConcurrency) struct DescribedVersionTests {
    @Test func `an object with another version in the list is requested, and no other`() async throws {
        let museum = try ScriptedMuseum()
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.requestedWorks() == ["1", "2", "3", "4", "5"])
        museum.change("1", ["title": "The version is the same"])
        museum.change("2", ["title": "New", "version": "b"])
        let summary = try await museum.sync()
        #expect(museum.requestedWorks() == ["2"])
        #expect(summary.objects["artwork"]?.updated == 1)
        #expect(try museum.titles["1"] == "Work 1" && museum.titles["2"] == "New")
        #expect(try await museum.sync().hasChanges == false)
        #expect(museum.requests().count == 3, "the pages of the list")
    }

    @Test func `an object without a listed version is confirmed by its ETag`() async throws {
        let museum = try ScriptedMuseum(SmallDescription { $0.rows = SmallDescription.ids })
        let conditional: @Sendable (String, String) -> ScriptedMuseum.Answers = { changed, tag in
            { target in
                guard target.hasPrefix("/works/") else { return nil }
                let id = String(target.dropFirst(7)), isChanged = id == changed
                let work = ScriptedMuseum.work(id, isChanged ? ["title": "New"] : [:])
                return .conditional(work.canonicalText, etag: isChanged ? "\"\(tag)\"" : "\"a\"")
            }
        }
        museum.answer(conditional("", ""))
        #expect(try await museum.sync().outcome == .complete)
        _ = museum.mirror.network.take()
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().hasChanges == false)
        let second = museum.mirror.network.take().filter { $0.url.contains("/works/") }
        #expect(second.map(\.status) == [304, 304, 304, 304, 304])
        #expect(second.allSatisfy { $0.headers["if-none-match"] == "\"a\"" })
        museum.answer(conditional("3", "b"))
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().objects["artwork"]?.updated == 1)
        let third = museum.mirror.network.take().filter { $0.url.contains("/works/") }
        #expect(third.filter { $0.status == 200 }.map { ScriptedMuseum.target($0.url) } == ["/works/3"])
        #expect(try museum.titles["3"] == "New")
    }

    @Test(arguments: [true, false])
    func `an object without any version is unchanged if all but its volatile columns are`(isVolatile: Bool)
        async throws
    {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.rows = SmallDescription.ids
                $0.row = "SELECT :body ->> 'title' AS title, :body ->> 'views' AS views"
                $0.object = isVolatile ? "volatile: [views]" : ""
            }, works: ScriptedMuseum.works(3, ["views": "1"]))
        #expect(try await museum.sync().outcome == .complete)
        museum.change("2", ["views": "2"])
        museum.mirror.pass(days: 1)
        let second = try await museum.sync()
        #expect(second.hasChanges == !isVolatile)
        #expect(try museum.mirror.log(second.run) == (isVolatile ? [] : ["update artwork 2"]))
        museum.change("2", ["title": "New", "views": "3"])
        museum.mirror.pass(days: 1)
        #expect(try museum.mirror.log(try await museum.sync().run) == ["update artwork 2"])
        #expect(try museum.titles["2"] == "New")
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().hasChanges == false)
    }

    // MARK: - Without versions and changes

    // "without `since` either, each is requested again, oldest first, within the budget"
    @Test func `missing objects are requested first, and then the oldest, within each day's budget`()
        async throws
    {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "rate: { per_day: 4 }"
                $0.list = "form: whole\nget: /works"
                $0.rows = SmallDescription.ids
            }, works: ScriptedMuseum.works(7))
        var days: [[String]] = []
        for _ in 0..<5 {
            let summary = try await museum.sync()
            #expect(summary.outcome == .partial)
            let targets = museum.requests()
            #expect(targets.count == 4 && targets.first == "/works", "\(targets)")
            days.append(ScriptedMuseum.workIDs(targets))
            museum.mirror.pass(days: 1)
        }
        let order = days.flatMap(\.self)
        #expect(Set(order[..<7]).count == 7, "nothing is requested twice before all are stored: \(days)")
        #expect(try museum.ids == ScriptedMuseum.ids(7))
        #expect(Set(order[7..<10]) == Set(days[0]), "the oldest first: \(days)")
        #expect(Set(order[10..<13]) == Set(days[1]), "the oldest first: \(days)")
    }

    @Test func `a new object is requested before the oldest`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.list = "form: whole\nget: /works"
                $0.rows = SmallDescription.ids
            })
        #expect(try await museum.sync().outcome == .complete)
        _ = museum.requests()
        museum.works.append(ScriptedMuseum.work("9"))
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().outcome == .complete)
        let requested = museum.requestedWorks()
        #expect(requested.first == "9" && requested.count == 6)
    }

    @Test func `with changes, only what changed is requested`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.list = "form: whole\nget: /works"
                $0.rows = SmallDescription.ids
                $0.more = "since: { get: \"/works?since={since:date}\", overlap: 2d }"
            }, works: ScriptedMuseum.works(5, ["changed": "2020-01-01"]))
        #expect(try await museum.sync().outcome == .complete)
        _ = museum.requests()
        museum.mirror.pass(days: 10)
        museum.change("4", ["title": "New", "changed": "2026-02-10"])
        #expect(try await museum.sync().outcome == .complete)
        let targets = museum.requests()
        #expect(ScriptedMuseum.workIDs(targets) == ["4"])
        // The last sync began on 2026-02-01. The engine's own overlap may add to that of the description.
        let since = targets.compactMap { $0.split(separator: "since=").dropFirst().first }
        #expect(since.count == 1 && since[0] >= "2026-01-28" && since[0] <= "2026-01-30", "\(targets)")
        #expect(try museum.titles["4"] == "New")
    }

    /// With `--full`, each object is requested by its own URL, whose answer doesn't contain what the list says of it.
    @Test func `a full sync of an unchanged catalogue changes nothing`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.rows =
                    "SELECT value ->> 'id' AS id, value ->> 'version' AS version, instant(value ->> 'changed') AS changed, value AS object FROM json_each(:body, '$.data')"
                $0.more = "order: changed_desc\nuntil_older: true"
            }, works: ScriptedMuseum.works(5, ["changed": "2026-01-01T00:00:00Z"]))
        #expect(try await museum.sync().outcome == .complete)
        for isFull in [true, false, true] {
            museum.mirror.pass(days: 1)
            let summary = try await museum.sync { $0.full = isFull }
            #expect(summary.outcome == .complete && summary.hasChanges == false, "full: \(isFull)")
            #expect(try museum.mirror.log(summary.run) == [])
        }
    }
}
