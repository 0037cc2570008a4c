import Catalogue
import Testing

@testable import MirrorStore

@Suite("Objects that complete lists lack") struct AbsenceTests {
    private static let rule = AbsenceRule(lists: 3, apart: .seconds(2 * 86_400))
    private let test: TestStore

    init() throws {
        test = try TestStore()
        let run = try test.beginRun()
        for id in ["a", "b", "c"] { try test.put(.make(.artwork, id, name: "Work \(id)"), run: run) }
        try test.list(.artwork, ["a", "b", "c"], run: run)
        _ = try test.finish(run)
    }

    /// Stores a complete list, counts absences, and notes the answers of objects' own URLs.
    @discardableResult
    private func list(_ ids: [String], absent: [String] = [], found: [String] = []) throws -> [String] {
        let run = try test.beginRun()
        try test.list(.artwork, ids, run: run)
        let missing = try test.store.countAbsences(.artwork, run: run)
        for id in absent { try test.store.noteAnswer(.artwork, id, isAbsent: true) }
        for id in found { try test.store.noteAnswer(.artwork, id, isAbsent: false) }
        return missing
    }

    private func missing() throws -> [String] {
        var lines: [String] = []
        try test.store.missing(.artwork) { lines.append("\($0.summary.id) \($0.lists) \($0.isAbsent)") }
        return lines
    }

    private func lastRun() throws -> Int64 { try #require(try test.scalar("SELECT max(run) FROM sync_log")) }

    private func removable() throws -> [String] { try test.store.removable(.artwork, by: Self.rule) }

    @Test func anObjectIsRemovableAfterThreeListsOverTwoDaysAndAnAbsentAnswerAfterEach() throws {
        for list in 1...3 {
            #expect(try self.list(["a"], absent: ["b", "c"]) == ["b", "c"])
            #expect(try missing() == ["b \(list) true", "c \(list) true"])
            #expect(try removable() == (list == 3 ? ["b", "c"] : []))
            test.pass(86_400)
        }
    }

    @Test func manyListsInLessThanTwoDaysAllowNoRemoval() throws {
        for _ in 1...6 {
            try list(["a", "c"], absent: ["b"])
            test.pass(28_800)
        }
        #expect(try missing() == ["b 6 true"])
        #expect(try removable() == [])
        try list(["a", "c"], absent: ["b"])
        #expect(try removable() == ["b"])
    }

    @Test func anObjectThatAListContainsAgainIsForgotten() throws {
        for ids in [["a"], ["a"], ["a", "b"], ["a"]] {
            try list(ids, absent: ["b", "c"])
            test.pass(86_400)
        }
        #expect(try missing() == ["b 1 true", "c 4 true"])
        #expect(try removable() == ["c"])
    }

    @Test func anObjectWhoseURLAnsweredOrWasNotRequestedIsCountedFromTheNextListOn() throws {
        for day in 1...3 {
            try list(["a"], absent: day == 2 ? [] : ["b", "c"], found: day == 2 ? ["b"] : [])
            test.pass(86_400)
        }
        #expect(try missing() == ["b 1 true", "c 1 true"])
        #expect(try removable() == [])
        for _ in 4...5 {
            try list(["a"], absent: ["b", "c"])
            test.pass(86_400)
        }
        #expect(try removable() == ["b", "c"])
    }

    @Test func anObjectWithoutAnAnswerAfterTheLastListIsNotRemovable() throws {
        for day in 1...3 {
            try list(["a", "c"], absent: day == 3 ? [] : ["b"])
            test.pass(86_400)
        }
        #expect(try missing() == ["b 3 false"])
        #expect(try removable() == [])
        try test.store.noteAnswer(.artwork, "b", isAbsent: true)
        #expect(try removable() == ["b"])
    }

    @Test func aRunThatStartsOverCountsOnce() throws {
        let run = try test.beginRun()
        for _ in 1...2 {
            try test.list(.artwork, ["a", "c"], run: run)
            #expect(try test.store.countAbsences(.artwork, run: run) == ["b"])
            try test.store.noteAnswer(.artwork, "b", isAbsent: true)
        }
        #expect(try missing() == ["b 1 true"])
    }

    @Test func aListThatWasNotCompleteInTheRunCountsNothing() throws {
        try list(["a", "c"], absent: ["b"])
        let run = try test.beginRun()
        #expect(try test.store.countAbsences(.artwork, run: run) == [])
        #expect(try missing() == ["b 1 true"])
    }

    @Test func theEndOfARunRemovesOnlyWhatTheRuleAllows() throws {
        func finish(_ ids: [String], absent: [String]) throws -> FinishReport {
            try list(ids, absent: absent)
            let run = try lastRun()
            var request = FinishRequest(run: run)
            request.kinds = [.artwork]
            request.absences = [.artwork: Self.rule]
            let report = try test.store.finish(request)
            test.pass(86_400)
            return report
        }
        #expect(try finish(["a"], absent: ["b", "c"]).deleted.isEmpty)
        #expect(try finish(["a"], absent: ["b"]).deleted.isEmpty)
        #expect(try finish(["a"], absent: ["b", "c"]).deleted == [.artwork: 1])
        #expect(try test.ids(.artwork) == ["a", "c"])
        #expect(try missing() == ["c 1 true"])
        let evidence: String? = try test.scalar("SELECT evidence FROM change WHERE action = 'delete'")
        #expect(
            evidence?.hasPrefix(
                "not in /partner/p/artworks?ids=1&size=all; missing from 3 complete lists since 20") == true)
    }

    @Test func theDeleteGuardAppliesToRemovableObjects() throws {
        let run = try test.beginRun()
        let ids = (0..<40).map { "n\($0)" }
        for id in ids { try test.put(.make(.artwork, id), run: run) }
        for day in 1...3 {
            try list(["a", "b", "c"], absent: ids)
            test.pass(day == 3 ? 0 : 86_400)
        }
        var request = FinishRequest(run: try lastRun())
        request.kinds = [.artwork]
        request.absences = [.artwork: Self.rule]
        let report = try test.store.finish(request)
        #expect(report.objections.map(\.kind) == [.artwork])
        #expect(report.intended == 40)
        #expect(try test.ids(.artwork).count == 43)
    }

    @Test func aCheckOfTheListsExpectsMissingObjects() throws {
        try list(["a", "c"], absent: ["b"])
        let run = try lastRun()
        try test.store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        try test.store.check(.lists) { Issue.record("\($0)") }
        let next = try test.beginRun()
        try test.list(.artwork, ["a"], run: next)
        try test.store.endRun(next, outcome: "partial", summary: "{}", errors: [])
        var found: [StoreDefect] = []
        try test.store.check(.lists) { found.append($0) }
        #expect(found == [.unlisted(.artwork, "c")])
    }

    @Test func aNewServerForgetsTheCountsOfTheFormerOne() throws {
        try list(["a"], absent: ["b", "c"])
        try test.store.forgetValidators()
        #expect(try missing() == [])
    }

    @Test func keptAndRestoredObjectsAreNotCounted() throws {
        try test.store.pool.write { try $0.execute(sql: "UPDATE artwork SET kept = 1 WHERE id = 'b'") }
        #expect(try list(["a"]) == ["c"])
    }
}
