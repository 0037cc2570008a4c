import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "`signal` removes what the server says is gone."
@Suite("Works that a list calls gone", .limitedConcurrency) struct DescribedSignalTests {
    private static let rows =
        "SELECT value ->> 'id' AS id, value ->> 'version' AS version, value ->> 'gone' AS gone FROM json_each(:body, '$.data')"

    private static func museum(_ count: Int, size: Int) throws -> ScriptedMuseum {
        try ScriptedMuseum(
            SmallDescription {
                $0.list = "form: page\nget: \"/works?page={page}&size={size}\"\nsize: \(size)"
                $0.rows = rows
                $0.gone = "{ by: signal }"
            }, works: ScriptedMuseum.works(count))
    }

    @Test func `a complete list removes what it calls gone, and keeps what it lacks`() async throws {
        let museum = try Self.museum(5, size: 2)
        #expect(try await museum.sync().outcome == .complete)
        museum.change("3", ["gone": true])
        museum.remove("4")
        for _ in 0..<4 {
            museum.mirror.pass(days: 1)
            let summary = try await museum.sync()
            #expect(summary.outcome == .complete, "\(summary.problems)")
            #expect(try museum.ids == ["1", "2", "4", "5"])
        }
        #expect(Array(try museum.mirror.deletions().keys) == ["artwork 3"])
    }

    /// A list in one answer, whose total is the number of different ids. A second row of work 2 that calls it gone comes before or
    /// after the other.
    @Test(arguments: [0, 5]) func `a work that a list contains and calls gone stays`(place: Int) async throws
    {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.list = "form: whole\nget: /works"
                $0.rows = Self.rows
                $0.total = "SELECT count(DISTINCT value ->> 'id') FROM json_each(:body, '$.data')"
                $0.gone = "{ by: signal }"
            })
        #expect(try await museum.sync().outcome == .complete)
        museum.works.insert(ScriptedMuseum.work("2", ["gone": true]), at: place)
        museum.change("3", ["gone": true])
        for _ in 0..<3 {
            museum.mirror.pass(days: 1)
            let summary = try await museum.sync()
            #expect(summary.outcome == .partial)
            let problem = summary.problems.first { $0.what == "incomplete list" }
            #expect(problem?.message.contains("also reports as deleted") == true, "\(summary.problems)")
            #expect(try museum.ids == ScriptedMuseum.ids(5))
        }
        museum.works.remove(at: place)
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ["1", "2", "4", "5"])
    }

    @Test func `a work stays that one selected part contains and another calls gone`() async throws {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top =
                    "select:\n  department: { get: \"/works?department={value}&page={page}&size={size}\" }"
                $0.rows = Self.rows
                $0.gone = "{ by: signal }"
            }, works: (1...4).map { ScriptedMuseum.work(String($0), ["department": $0 < 3 ? "a" : "b"]) })
        let selection: [SourceOptions.Selection] = [.init("department", "a"), .init("department", "b")]
        #expect(try await museum.sync { $0.source.selection = selection }.outcome == .complete)
        museum.works.append(ScriptedMuseum.work("1", ["department": "b", "gone": true]))
        museum.change("4", ["gone": true])
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ["1", "2", "3"])
    }

    @Test(arguments: [1, 2, 3]) func `an incomplete list removes nothing that it calls gone`(page: Int)
        async throws
    {
        let museum = try Self.museum(5, size: 2)
        #expect(try await museum.sync().outcome == .complete)
        for id in ["1", "3", "5"] { museum.change(id, ["gone": true]) }
        museum.answer { $0 == "/works?page=\(page)&size=2" ? ScriptedMuseum.failure(500) : nil }
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().outcome == .partial)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
        museum.answer()
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ["2", "4"])
    }

    /// "Up to 10 deletions are always allowed", and up to 20 %.
    @Test(arguments: [(60, 12, true), (60, 13, false), (11, 10, true), (50, 11, false)])
    func `the delete guard counts what a list calls gone`(stored: Int, gone: Int, isAllowed: Bool)
        async throws
    {
        let museum = try Self.museum(stored, size: 100)
        #expect(try await museum.sync().outcome == .complete)
        for number in 1...gone { museum.change(String(number), ["gone": true]) }
        museum.mirror.pass(days: 1)
        let summary = try await museum.sync()
        #expect(summary.outcome == (isAllowed ? .complete : .guarded), "\(summary.problems)")
        #expect(try museum.ids.count == (isAllowed ? stored - gone : stored))
        if isAllowed { return }
        #expect(summary.guarded.map(\.deletions) == [gone])
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync { $0.maxDelete = .total(gone) }.outcome == .complete)
        #expect(try museum.ids.count == stored - gone)
    }
}
