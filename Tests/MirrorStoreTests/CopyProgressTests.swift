import Catalogue
import Testing

@testable import MirrorStore

@Suite("How much of a source's lists is stored") struct CopyProgressTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    @Test func aListThatIsBeingReadCountsItsDraft() throws {
        #expect(try test.store.copyProgress() == [])
        _ = try test.store.begin(
            TestStore.listName(.artwork), with: ["a", "b", "c"].map { (id: $0, etag: nil, lists: nil) })
        try test.put(.make(.artwork, "b"), run: try test.beginRun())
        #expect(
            try test.store.copyProgress()
                == [CopyProgress(.artwork, listed: 3, stored: 1, isListComplete: false)])
    }

    @Test func aCompleteListCountsItsStoredMembersUntilAllAreStored() throws {
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b", "c"], run: run)
        try test.list(.artist, [], run: run)
        try test.put(.make(.artwork, "a"), .make(.artwork, "other"), run: run)
        #expect(try test.store.copyProgress() == [CopyProgress(.artwork, listed: 3, stored: 1)])
        try test.put(.make(.artwork, "b"), .make(.artwork, "c"), run: run)
        #expect(try test.store.copyProgress() == [])
    }

    @Test func `listed objects that the server does not have are counted, and are no defects`() throws {
        try test.store.setSource(RememberedSource(name: "met", base: "https://h.test", descriptionHash: ""))
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b", "c"], run: run)
        try test.put(.make(.artwork, "a"), run: run)
        _ = try test.store.apply([.tried(kind: .artwork, id: "b", isAbsent: true)], run: run)
        #expect(try test.store.copyProgress() == [CopyProgress(.artwork, listed: 3, stored: 1, absent: 1)])
        #expect(CopyProgress(.artwork, listed: 3, stored: 1, absent: 1).left == 1)
        _ = try test.store.apply([.tried(kind: .artwork, id: "c", isAbsent: true)], run: run)
        test.pass(86_400 * 3)
        #expect(try test.store.copyProgress() == [], "nothing is left to be fetched")
        #expect(try test.store.absentCounts() == [.artwork: 2])
        _ = try test.finish(run, kinds: [])
        try test.store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        var defects: [StoreDefect] = []
        try test.store.check(.lists) { defects.append($0) }
        #expect(defects.isEmpty, "\(defects)")
        try test.put(.make(.artwork, "b"), run: run)
        #expect(try test.store.absentCounts() == [.artwork: 1])
    }

    @Test func aLaterDraftDoesNotReplaceACompleteList() throws {
        let run = try test.beginRun()
        try test.list(.artwork, ["a", "b"], run: run)
        try test.put(.make(.artwork, "a"), run: run)
        _ = try test.store.begin(TestStore.listName(.artwork), with: [(id: "a", etag: nil, lists: nil)])
        #expect(try test.store.copyProgress() == [CopyProgress(.artwork, listed: 2, stored: 1)])
    }

    @Test func objectsThatTheLastListLackedAreCountedByKind() throws {
        let first = try test.beginRun()
        try test.list(.artwork, ["a", "b"], run: first)
        try test.put(.make(.artwork, "a"), .make(.artwork, "b"), run: first)
        _ = try test.finish(first)
        #expect(try test.store.missingCounts() == [:])
        let second = try test.beginRun()
        try test.list(.artwork, ["a"], run: second)
        _ = try test.store.countAbsences(.artwork, run: second)
        #expect(try test.store.missingCounts() == [.artwork: 1])
    }

    @Test func onlyTheRequestsOfTheGivenDayAreRead() throws {
        try test.store.setRequests(7, to: "https://h.test", onDay: 20_783)
        try test.store.setRequests(9, to: "https://h.test", onDay: 20_784)
        try test.store.setRequests(3, to: "https://other.test", onDay: 20_784)
        #expect(try test.store.requests(onDay: 20_784) == ["https://h.test": 9, "https://other.test": 3])
        #expect(try test.store.requests(onDay: 20_785) == [:])
    }
}
