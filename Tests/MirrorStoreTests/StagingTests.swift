import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Members that are joined at the end of a run")
struct StagingTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    @Test(arguments: [
        ["a", "b"], ["b", "a", "b"], ["\"", "\\", "\u{1}", "\u{7F}"],
        ["../../etc/passwd", "é", "e\u{301}", "🖼"],
        ["1", "1.0", "null", "[\"a\"]", " "],
    ])
    func membersAreJoinedInOrderForAnyIds(ids: [String]) throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "s"), .make(.artwork, "a"), .make(.artwork, "b"), run: run)
        _ = try test.members(Owner(.album, "s"), ids, run: run)
        #expect(try joined() == [])
        _ = try test.finish(run)
        #expect(try joined().map(ExactText.init) == ids.map(ExactText.init))
        #expect(try test.scalar("SELECT count(*) FROM list_member") == 0)
        #expect(try test.scalar("SELECT count(*) FROM pragma_foreign_key_check") == 0)
    }

    @Test func aMemberThatIsNotStoredBecomesAGhost() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "s"), .make(.artwork, "a"), run: run)
        _ = try test.members(Owner(.album, "s"), ["a", "gone", "gone"], run: run)
        _ = try test.finish(run)
        #expect(try joined() == ["a", "gone", "gone"])
        #expect(try test.ids(.artwork, ghosts: true) == ["gone"])
    }

    @Test func aLaterAnswerReplacesAnEarlierOneThatIsNotJoinedYet() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "s"), .make(.artwork, "a"), .make(.artwork, "b"), run: run)
        _ = try test.members(Owner(.album, "s"), ["a"], run: run)
        _ = try test.members(Owner(.album, "s"), ["b"], run: run)
        _ = try test.finish(run)
        #expect(try joined() == ["b"])
    }

    /// Objects that only the older answer names may be stored now. So the stored list's ETag must not vouch for the list.
    @Test func anOlderAnswerClearsTheETagOfTheStoredList() throws {
        let run = try test.beginRun()
        try test.put(.make(.artist, "s"), run: run)
        let list = ListName(url: "/artist/s/documents", owner: Owner(.artist, "s"), name: "documents")
        func answer(_ ids: [String], _ etag: String, at date: Double) throws -> WriteEffect {
            try test.store.apply(
                [.members(list: ListAnswer(list: list, etag: etag, date: date), ids: ids)], run: run)[0]
        }
        _ = try answer([], "\"none\"", at: 2_000)
        #expect(try test.store.listState(list.url)?.etag == "\"none\"")
        #expect(try answer(["d"], "\"one\"", at: 1_000) == .outdated)
        let state = try test.store.listState(list.url)
        #expect(state?.etag == nil && state?.members == 0 && state?.date == 2_000)
    }

    @Test func anIncompleteListOfDocumentsLeavesNoPendingMembers() throws {
        let run = try test.beginRun()
        try test.put(.make(.artist, "s"), run: run)
        let list = ListName(url: "/artist/s/documents", owner: Owner(.artist, "s"), name: "documents")
        let answer = ListAnswer(list: list, etag: "e", date: nil, isComplete: false)
        #expect(try test.store.apply([.members(list: answer, ids: ["d"])], run: run) == [.updated])
        _ = try test.finish(run)
        #expect(try test.store.listState(list.url)?.pending == false)
        #expect(try test.scalar("SELECT count(*) FROM list_member") == 0)
    }

    /// An earlier version left such rows if it was killed.
    @Test func pendingMembersThatAnEarlierVersionStoredInOneRowAreJoined() throws {
        let run = try test.beginRun()
        try test.put(.make(.album, "s"), .make(.artwork, "a"), .make(.artwork, "b"), run: run)
        _ = try test.members(Owner(.album, "s"), ["a"], run: run)
        try test.store.write { db in
            let list = try Row.fetchOne(db, sql: "SELECT number, version FROM list WHERE pending = 1")
            let number: Int64 = try #require(list)[0], version: Int64 = try #require(list)[1]
            try db.execute(sql: "DELETE FROM list_member")
            for (position, ids) in [(-2, "[\"c\"]"), (-1, "[\"b\",\"a\"]")] {
                try db.execute(
                    sql: "INSERT INTO list_member (list, version, position, id) VALUES (?, ?, ?, ?)",
                    arguments: [number, version, position, ids])
            }
        }
        _ = try test.finish(run)
        #expect(try joined() == ["b", "a", "c"])
    }

    private func joined() throws -> [String] {
        try test.store.read {
            try String.fetchAll($0, sql: "SELECT artwork_id FROM album_artwork ORDER BY position")
        }
    }
}
