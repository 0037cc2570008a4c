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
