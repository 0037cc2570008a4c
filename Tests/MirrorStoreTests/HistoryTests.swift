import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("The change log and the log of runs")
struct HistoryTests {
    let test: TestStore

    init() throws { test = try TestStore() }

    private func name(_ json: String?) -> String? {
        json.flatMap { $0.firstMatch(of: #/"name":"([^"]*)"/#).map { String($0.output.1) } }
    }

    private func history(_ filter: ChangeFilter = ChangeFilter()) throws -> [LoggedChange] {
        var changes: [LoggedChange] = []
        try test.store.history(filter) { changes.append($0) }
        return changes
    }

    @Test func everyChangeHasTheStateBeforeAndAfterIt() throws {
        let first = try test.beginRun()
        try test.put(.make(.artist, "x", name: "One"), run: first)
        let second = try test.beginRun()
        try test.put(.make(.artist, "x", name: "Two"), run: second)
        try test.put(.make(.artist, "x", name: "Three"), run: second)
        let third = try test.beginRun()
        try test.list(.artist, [], run: third)
        _ = try test.finish(third)
        let changes = try history()
        #expect(changes.map(\.action) == [.delete, .update, .update, .create])
        #expect(changes.map { name($0.before) } == ["Three", "Two", "One", nil])
        #expect(changes.map { name($0.after) } == [nil, "Three", "Two", "One"])
        #expect(changes.map(\.run) == [third, second, second, first])
        #expect(changes[0].evidence == "not in /partner/p/artists?ids=1&size=all")
    }

    @Test func aChangeOfAListHasItsMembersBeforeAndAfter() throws {
        let first = try test.beginRun()
        try test.put(.make(.album, "m"), run: first)
        _ = try test.members(Owner(.album, "m"), ["a"], run: first)
        _ = try test.finish(first, kinds: [])
        for ids in [["a", "b"], ["c"]] {
            let run = try test.beginRun()
            _ = try test.members(Owner(.album, "m"), ids, run: run)
            _ = try test.finish(run, kinds: [])
        }
        let changes = try history(ChangeFilter(kind: .album, id: "m")).filter { $0.list != nil }
        #expect(changes.map(\.before) == [#"["a","b"]"#, #"["a"]"#])
        #expect(changes.map(\.after) == [#"["c"]"#, #"["a","b"]"#])
    }

    @Test func aRunThatEndsInTheFutureIsTheLastRunOnlyIfThereIsNoOther() throws {
        func end(_ run: Int64) throws {
            try test.store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        }
        let first = try test.beginRun(), ahead = test.pass(86_400)
        try end(first)
        let now = test.pass(-80_000)
        #expect(try test.store.lastRun(outcome: "complete") == ahead)
        try end(test.beginRun())
        try end(test.beginRun())
        #expect(try test.store.lastRun(outcome: "complete") == now)
        #expect(try test.store.lastRun(outcome: "partial") == nil)
    }

    @Test func changesCanBeFilteredByKindIdTimeAndRun() throws {
        let first = try test.beginRun()
        try test.put(.make(.artist, "x"), .make(.artwork, "x"), .make(.artwork, "y"), run: first)
        let second = try test.beginRun()
        try test.put(.make(.artwork, "x", name: "Other"), run: second)
        #expect(try history(ChangeFilter(kind: .artwork)).count == 3)
        #expect(try history(ChangeFilter(kind: .artwork, id: "x")).count == 2)
        #expect(try history(ChangeFilter(run: second)).map(\.action) == [.update])
        #expect(try history(ChangeFilter(limit: 2)).count == 2)
        #expect(try history(ChangeFilter(since: test.store.timestamp())).count == 4)
        #expect(try history(ChangeFilter(since: "2100-01-01T00:00:00.000Z")).isEmpty)
    }

    @Test func theNextRunMarksAnUnfinishedRunAsKilled() throws {
        let first = try test.beginRun()
        #expect(try test.store.loggedRun(first)?.outcome == nil)
        let second = try test.beginRun()
        try test.store.endRun(
            second, outcome: "failed", summary: "{}",
            errors: [.init(what: "run", kind: nil, id: nil, message: "No.")])
        let runs = try test.store.runs()
        #expect(runs.map(\.outcome) == ["failed", "killed"])
        #expect(runs.map(\.errors) == [1, 0])
        #expect(runs[1].endedAt != nil)
        #expect(try test.store.problems(ofRun: second).map(\.message) == ["No."])
    }

    @Test func restoringDoesNotCountAsAnUpdateOfTheMirror() throws {
        let good = try test.beginRun()
        try test.store.endRun(good, outcome: "complete", summary: "{}", errors: [])
        let restore = try test.store.beginRun("restore")
        try test.store.endRun(restore, outcome: "complete", summary: "{}", errors: [])
        #expect(try test.store.lastUpdate()?.run == good)
        #expect(try test.store.lastComplete()?.run == good)
        #expect(try test.store.runs(limit: 1).first?.run == restore)
    }

    /// A run with an outcome and the kinds to which it was limited.
    private func run(_ outcome: String, only: String = "", command: String = "sync") throws -> Int64 {
        let run = try test.store.beginRun(command)
        let summary = only.isEmpty ? "{}" : #"{"only":["\#(only)"]}"#
        try test.store.endRun(run, outcome: outcome, summary: summary, errors: [])
        return run
    }

    @Test func `A guarded run waits until a sync of the same kinds or of everything has decided`() throws {
        let store = test.store
        _ = try run("complete")
        let guarded = try run("guarded")
        for (outcome, only, command) in [
            ("complete", "artist", "sync"), ("failed", "", "sync"), ("cancelled", "", "sync"),
            ("complete", "", "events"), ("complete", "", "verify"),
        ] {
            _ = try run(outcome, only: only, command: command)
            #expect(try store.undecidedRun()?.run == guarded, "\(outcome) \(only) \(command)")
            #expect(try store.stateRun()?.run == guarded)
            #expect(try store.mirrorFacts(for: .visitors).lastRun?.run == guarded)
        }
        _ = try store.beginRun("sync")
        #expect(try store.undecidedRun()?.run == guarded, "a sync that is under way has not decided")
        let last = try run("complete")
        #expect(try store.undecidedRun()?.run == nil)
        #expect(try store.stateRun()?.run == last)
    }

    @Test func `A guarded run of some kinds is decided by a later one of these kinds`() throws {
        let first = try run("complete")
        let guarded = try run("guarded", only: "artist")
        _ = try run("complete", only: "show")
        #expect(try test.store.undecidedRun()?.run == guarded)
        _ = try run("complete", only: "artist")
        #expect(try test.store.undecidedRun()?.run == nil)
        #expect(try test.store.stateRun()?.run == first)
    }

    @Test func `Only a sync or import of everything is a complete sync`() throws {
        let store = test.store, sync = try run("complete"), end = try store.lastCompleteSyncEnd()
        _ = test.pass(60)
        for command in ["events", "refresh", "restore"] { _ = try run("complete", command: command) }
        _ = try run("complete", only: "artist")
        _ = try run("partial", command: "events")
        #expect(end != nil)
        #expect(try store.lastCompleteSync()?.run == sync)
        #expect(try store.lastCompleteSyncEnd() == end)
        #expect(try store.mirrorFacts(for: .visitors).lastComplete == end)
        #expect(try store.updates(since: "2000-01-01").map { $0.count } == [1])
        #expect(try store.lastComplete()?.command == "refresh", "the run up to which a comparison is made")
        let imported = try run("complete", command: "import")
        #expect(try store.lastCompleteSync()?.run == imported)
    }

    @Test func `The facts of the history say how far events were followed`() throws {
        let store = test.store
        func following() throws -> HistoryFacts.Following? {
            try store.historyFacts(for: .visitors).following
        }
        _ = try run("complete")
        #expect(try following() == nil)
        _ = test.pass(60)
        let read = store.timestamp()
        try store.note(LoopRecord(id: LoopRecord.coreID, kind: .core, lastAt: read))
        #expect(try following() == HistoryFacts.Following(readAt: read, appliedAt: nil))
        _ = try run("complete", command: "events")
        let applied = try store.runs(limit: 1).first?.endedAt
        #expect(try following() == HistoryFacts.Following(readAt: read, appliedAt: applied))
        try store.note(LoopRecord(id: LoopRecord.coreID, kind: .core, state: "backingOff", failures: 1))
        #expect(try following() == nil, "requests for events fail")
        try store.note(LoopRecord(id: LoopRecord.coreID, kind: .core))
        _ = try run("partial")
        #expect(try following() == nil, "the sync left something out that no event names")
    }

    @Test func `The state follows from a run of some kinds only if there is no other`() throws {
        let artists = try run("failed", only: "artist")
        #expect(try test.store.stateRun()?.run == artists)
        let all = try run("failed")
        _ = try run("complete", only: "artist")
        #expect(try test.store.stateRun()?.run == all)
    }
}

@Suite("Net changes between two runs")
struct NetChangeTests {
    /// The change that a run makes to the artist `x`: it sets the name, deletes the artist, or does nothing.
    enum RunAction: Sendable { case name(String), delete, nothing }

    @Test(arguments: [
        // The actions of three runs, and the artist's name after the first and after the last.
        ([RunAction.name("A"), .name("B"), .name("C")], "A", "C"),
        ([.name("A"), .name("B"), .name("A")], "A", "A"),
        ([.nothing, .name("A"), .delete], nil, nil),
        ([.nothing, .name("A"), .name("B")], nil, "B"),
        ([.name("A"), .name("B"), .delete], "A", nil),
        ([.name("A"), .delete, .name("B")], "A", "B"),
        ([.name("A"), .delete, .name("A")], "A", "A"),
        ([.name("A"), .delete, .nothing], "A", nil),
        ([.delete, .name("A"), .nothing], nil, "A"),
    ])
    func netChangesCombineTheChangesOfSeveralRuns(actions: [RunAction], before: String?, after: String?)
        throws
    {
        let test = try TestStore()
        var runs: [Int64] = []
        for action in actions {
            let run = try test.beginRun()
            runs.append(run)
            switch action {
            case .name(let name): try test.put(.make(.artist, "x", name: name), run: run)
            case .delete:
                try test.list(.artist, [], run: run)
                _ = try test.finish(run)
            case .nothing: break
            }
        }
        for isReversed in [false, true] {
            let ends = (runs[0], runs[2])
            let from = try #require(try test.store.lastChange(ofRun: isReversed ? ends.1 : ends.0))
            let to = try #require(try test.store.lastChange(ofRun: isReversed ? ends.0 : ends.1))
            var found: [(String?, String?)] = []
            try test.store.netChanges(from: from, to: to) { change in
                found.append((change.before, change.after))
            }
            #expect(found.count == 1)
            let bodies = [before, after].map { name in name.map { #"{"id":"x","name":"\#($0)"}"# } }
            #expect(found.first?.0 == (isReversed ? bodies[1] : bodies[0]))
            #expect(found.first?.1 == (isReversed ? bodies[0] : bodies[1]))
        }
    }

    @Test func aDocumentIsDeletedAndCreatedWithItsOwner() throws {
        let test = try TestStore()
        let owner = Owner(.artist, "x"), list = TestStore.listName(.artist)
        func put(_ title: String, _ run: Int64) throws {
            try test.put(.make(.artist, "x"), run: run)
            _ = try test.store.apply(
                [
                    .document(
                        DocumentRecord(
                            owner: owner, id: "d", values: [.text(title), .null, .null, .null],
                            json: #"{"id":"d","title":"\#(title)"}"#, etag: nil, served: nil))
                ], run: run)
        }
        let first = try test.beginRun()
        try put("One", first)
        let second = try test.beginRun()
        try test.list(.artist, [], run: second)
        _ = try test.finish(second)
        let third = try test.beginRun()
        try put("Two", third)
        #expect(list.name == "artists")
        var states: [(String?, String?)] = []
        for (from, to) in [(first, third), (0, second), (0, third)] {
            let ends = try (test.store.lastChange(ofRun: from), test.store.lastChange(ofRun: to))
            try test.store.netChanges(from: try #require(ends.0), to: try #require(ends.1)) { change in
                if change.object.kind == .document { states.append((change.before, change.after)) }
            }
        }
        let one = #"{"id":"d","title":"One"}"#, two = #"{"id":"d","title":"Two"}"#
        #expect(states.map(\.0) == [one, nil, nil])
        #expect(states.map(\.1) == [two, nil, two])
    }

    @Test func theLastChangeOfARunWithoutChangesIsThatOfTheRunBefore() throws {
        let test = try TestStore()
        let first = try test.beginRun()
        try test.put(.make(.artist, "x"), run: first)
        let second = try test.beginRun(), third = try test.beginRun()
        try test.put(.make(.artist, "y"), run: third)
        #expect(try test.store.lastChange(ofRun: first) == 1)
        #expect(try test.store.lastChange(ofRun: second) == 1)
        #expect(try test.store.lastChange(ofRun: third) == 2)
        #expect(try test.store.lastChange(ofRun: 0) == 0)
        #expect(try test.store.lastChange(ofRun: 99) == nil)
    }

    @Test func aPrunedRunAndAnUnknownRunAreReportedAsSuch() throws {
        let test = try TestStore()
        for _ in 0..<3 { _ = try test.beginRun() }
        try test.store.write { try $0.execute(sql: "DELETE FROM sync_log WHERE run = 1") }
        func message(_ run: Int64) -> String? {
            do { try test.store.checkRun(run) } catch { return (error as? StoreError)?.message }
            return nil
        }
        #expect(message(1)?.contains("no longer in the history") == true)
        #expect(message(9)?.contains("There is no run 9") == true)
        #expect(message(3) == nil)
    }
}
