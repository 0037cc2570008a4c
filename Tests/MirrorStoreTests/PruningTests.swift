import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

@Suite("Pruning shows") struct PruningTests {
    let test: TestStore
    let run: Int64
    /// 2026-01-10, noon.
    let limit = Date(timeIntervalSince1970: 1_768_046_400)

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
    }

    private func show(
        _ id: String, end: String?, status: String? = "closed", etag: String? = "e", slug: String? = nil
    ) throws {
        let values = Kind.show.columns.map { column -> FieldValue in
            switch column.name {
            case "end_at": end.map(FieldValue.text) ?? .null
            case "status": status.map(FieldValue.text) ?? .null
            case "slug": slug.map(FieldValue.text) ?? .null
            default: .null
            }
        }
        try test.put(
            ObjectRecord(
                kind: .show, id: id, values: values,
                json: #"{"id":"\#(id)","end_at":"\#(end ?? "")","status":"\#(status ?? "")"}"#, etag: etag),
            run: run)
    }

    @discardableResult
    private func prune(_ limit: Date? = nil) throws -> Int {
        try test.store.pruneShows(endedBefore: limit ?? self.limit, keptDays: 30, run: run)
    }

    struct End: Sendable, CustomTestStringConvertible {
        let text: String?
        let isPruned: Bool
        var testDescription: String { text ?? "none" }
    }

    @Test(arguments: [
        End(text: "2026-01-10T11:59:59Z", isPruned: true), End(text: "2026-01-10T12:00:00Z", isPruned: false),
        End(text: "2026-01-10T12:00:01Z", isPruned: false),
        End(text: "2026-01-10T13:59:59+02:00", isPruned: true),
        End(text: "2026-01-10T11:00:00-02:00", isPruned: false),
        // A date without a time ends with its day.
        End(text: "2026-01-09", isPruned: true), End(text: "2026-01-10", isPruned: false),
        End(text: "1950-03-01", isPruned: true),
        // Texts that are no dates.
        End(text: nil, isPruned: false), End(text: "", isPruned: false), End(text: "2015", isPruned: false),
        End(text: "now", isPruned: false), End(text: "spring 2015", isPruned: false),
        End(text: "2015-99-99", isPruned: false),
    ]) func aShowIsPrunedIfItEndedBeforeTheLimit(_ end: End) throws {
        try show("s", end: end.text)
        #expect(try prune() == (end.isPruned ? 1 : 0))
        #expect(try test.ids(.show) == (end.isPruned ? [] : ["s"]))
    }

    @Test(arguments: [
        "INSERT INTO note (kind, id, text, made_at) VALUES ('show', 's', 'mine', '2026')",
        "UPDATE show SET kept = 1", "UPDATE show SET linked = 1", "UPDATE show SET refetch = 1",
        "UPDATE show SET status = 'running'",
        "INSERT INTO document (id, show_id, json, kept) VALUES ('d', 's', '{}', 1)",
    ]) func showsWithNotesOrLocalStateAndRunningShowsAreNotPruned(_ sql: String) throws {
        try show("s", end: "2015-01-12")
        try test.store.write { try $0.execute(sql: sql) }
        #expect(try prune() == 0)
        #expect(try test.ids(.show) == ["s"])
    }

    /// The show that lost the slug is marked for refetching, so it is not pruned yet. Without ETags it would be marked in each
    /// run, so it is pruned.
    @Test(arguments: [("e", ["t"]), (nil, [])] as [(String?, [String])])
    func twoShowsWithTheSameSlugArePrunedTogetherOnlyIfTheyHaveNoETags(_ etag: String?, _ remaining: [String])
        throws
    {
        try show("s", end: "2015-01-12", etag: etag, slug: "green")
        try show("t", end: "2015-01-12", etag: etag, slug: "green")
        try prune()
        #expect(try test.ids(.show) == remaining)
    }

    @Test func aNoteAboutAnotherObjectDoesNotPreventPruning() throws {
        try show("s", end: "2015-01-12")
        try test.store.write {
            try $0.execute(
                sql: "INSERT INTO note (kind, id, text, made_at) VALUES ('artwork', 's', 'x', '2026')")
        }
        #expect(try prune() == 1)
    }

    @Test func thePartsOfAPrunedShowAreRemovedAndTheReasonIsLogged() throws {
        try show("s", end: "2015-01-12")
        try test.put(.make(.artwork, "w"), run: run)
        _ = try test.members(Owner(.show, "s"), ["w", "missing"], run: run)
        let list = ListName(url: "/shots", owner: Owner(.show, "s"), name: "images?default=0")
        let file = StoredFile(hash: "h", size: 3, path: "media/h", type: "image/jpeg")
        _ = try test.store.apply(
            [
                .showImages(
                    show: "s", role: .installation, images: [.make("i")],
                    list: ListAnswer(list: list, etag: nil, date: nil)),
                .file(
                    FileRecord(
                        .image("i", format: "larger", role: .installation, of: Owner(.show, "s")),
                        entry: "e1", file: file, etag: nil, lastModified: nil)),
            ], run: run)
        _ = try test.finish(run, kinds: [])
        #expect(try test.ids(.artwork, ghosts: true) == ["missing"])
        try prune()
        #expect(try test.scalar("SELECT count(*) FROM image") == 0)
        #expect(try test.scalar("SELECT count(*) FROM list") == 0)
        #expect(try test.ids(.artwork, ghosts: true) == [], "only the show referred to it")
        #expect(try test.ids(.artwork) == ["w"])
        let evidence: String? = try test.scalar("SELECT evidence FROM change WHERE action = 'delete'")
        #expect(evidence == "ended 2015-01-12; shows are kept for 30 days after their end")
        _ = try test.store.collectFiles(in: test.folder.files)
        #expect(try test.scalar("SELECT count(*) FROM file WHERE released_at IS NOT NULL") == 1)
        test.pass(31 * 86_400)
        #expect(try test.store.collectFiles(in: test.folder.files) == 1)
    }

    @Test func theETagsOfPrunedShowsAreStored() throws {
        try show("s", end: "2015-01-12", etag: "v1")
        try show("t", end: "2015-01-13", etag: nil)
        try prune()
        #expect(try test.store.prunedETags() == [ExactText("s"): "v1", ExactText("t"): nil])
    }

    @Test func aPrunedShowThatIsFetchedAgainIsPrunedOnlyIfItEndedBeforeTheLimit() throws {
        try show("s", end: "2015-01-12", etag: "v1")
        try prune()
        try show("s", end: "2015-01-12", etag: "v2")
        #expect(try prune() == 1)
        #expect(try test.store.prunedETags() == [ExactText("s"): "v2"])
        try show("s", end: "2027-01-12", etag: "v3")
        #expect(try prune() == 0)
        #expect(try test.store.prunedETags() == [:])
        #expect(try test.ids(.show) == ["s"])
    }

    @Test func aPrunedShowIsForgottenWhenTheListNoLongerContainsIt() throws {
        try show("s", end: "2015-01-12")
        try prune()
        let next = try test.beginRun()
        _ = try test.store.pruneShows(endedBefore: limit, keptDays: 30, run: next)
        #expect(try test.store.prunedETags().count == 1, "no list was requested in that run")
        try test.list(.show, [], run: next)
        _ = try test.store.pruneShows(endedBefore: limit, keptDays: 30, run: next)
        #expect(try test.store.prunedETags().isEmpty)
    }

    /// The last list still contains the show, although the server has reported its deletion since.
    @Test func aPrunedShowThatTheServerDeletesNoLongerCounts() throws {
        try test.list(.show, ["s"], run: run)
        try show("s", end: "2015-01-12")
        try prune()
        #expect(try test.store.serverCount(.show) == 1, "the server has it")
        let next = try test.beginRun()
        #expect(
            try test.store.apply([.tombstone(kind: .show, id: "s", evidence: "event")], run: next)
                == [.unchanged])
        #expect(try test.store.serverCount(.show) == 0)
        try test.store.check(.lists) { Issue.record("\($0)") }
        #expect(try test.store.prunedETags() == [ExactText("s"): nil], "a new version would be fetched")
    }

    @Test func aLaterPruningLimitMakesPrunedShowsBeFetchedAgain() throws {
        try show("old", end: "2015-01-12")
        try show("late", end: "2025-12-31")
        try prune()
        try test.list(.show, ["old", "late"], run: run, etag: "l")
        try test.store.write { db in
            try db.execute(sql: "UPDATE list SET clean_etag = etag")
            try db.execute(sql: "INSERT INTO since (kind, since) VALUES ('show', 'x'), ('artwork', 'x')")
        }
        #expect(try !test.store.forgetPruned(endedSince: limit))
        #expect(try test.scalar("SELECT count(*) FROM list WHERE clean_etag IS NOT NULL") == 1)
        #expect(try test.store.forgetPruned(endedSince: limit.addingTimeInterval(-30 * 86_400)))
        #expect(try test.store.prunedETags().keys.map(\.text) == ["old"])
        #expect(try test.scalar("SELECT count(*) FROM list WHERE clean_etag IS NOT NULL") == 0)
        #expect(try test.scalar("SELECT group_concat(kind) FROM since") == "artwork")
        #expect(try test.store.forgetPruned(endedSince: nil))
        #expect(try test.store.prunedETags().isEmpty)
        #expect(try !test.store.forgetPruned(endedSince: nil))
    }

    @Test func aListIsCleanIfItsPrunedMembersHaveThePrunedVersion() throws {
        for (listed, isClean) in [("v1", true), ("v2", false)] {
            let test = try TestStore()
            let run = try test.beginRun()
            try test.put(.make(.show, "s", etag: "v1"), run: run)
            try test.store.write { db in
                try db.execute(sql: "UPDATE show SET end_at = '2015-01-12'")
            }
            #expect(try test.store.pruneShows(endedBefore: limit, keptDays: 30, run: run) == 1)
            let name = TestStore.listName(.show)
            let draft = try test.store.begin(name)
            try test.store.append(
                [(id: "s", etag: listed, lists: #"{"artworks":"x"}"#)], to: draft, at: 0)
            try test.store.commit(
                draft, answer: ListAnswer(list: name, etag: "l", date: nil), count: 1, run: run)
            var request = FinishRequest(run: run)
            request.kinds = [.show]
            request.clean = [name.url]
            _ = try test.store.finish(request)
            #expect(
                try test.scalar("SELECT count(*) FROM list WHERE clean_etag = 'l'") == (isClean ? 1 : 0))
            let expected = try test.store.membersToFetch(
                of: draft.number, version: draft.version, kind: .show)
            #expect(expected.new == (isClean ? 0 : 1))
            var defects: [StoreDefect] = []
            try test.store.check(.lists) { defects.append($0) }
            #expect(defects.isEmpty, "the pruned show need not be stored")
        }
    }
}
