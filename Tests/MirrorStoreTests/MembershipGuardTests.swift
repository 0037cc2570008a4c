import Catalogue
import Testing

@testable import MirrorStore

/// Losses of membership lists, and the delete guard.
@Suite("Membership lists that lose members")
struct MembershipGuardTests {
    let test: TestStore
    private let works = (0..<60).map { "w\($0)" }
    private let show = Owner(.show, "s")

    /// A catalogue of 60 artworks. The tests add shows, albums and locations.
    init() throws {
        test = try TestStore()
        let run = try test.beginRun()
        try test.list(.artwork, works, run: run)
        for id in works { try test.put(.make(.artwork, id), run: run) }
        _ = try test.finish(run)
    }

    private func put(_ kind: Kind, _ members: [String: [String]]) throws {
        let run = try test.beginRun()
        try test.list(kind, members.keys.sorted(), run: run)
        for (id, ids) in members.sorted(by: { $0.key < $1.key }) {
            try test.put(.make(kind, id), run: run)
            _ = try test.members(Owner(kind, id), ids, run: run)
        }
        _ = try test.finish(run)
    }

    private func members(_ kind: Kind, _ id: String) throws -> [String] {
        try test.store.members(of: Owner(kind, id))
    }

    /// Makes a run with the artwork lists of some owners, and with the own lists of some kinds.
    private func run(
        _ lists: [Owner: [String]], own: [Kind: [String]] = [:],
        limit: DeleteGuard.Limit = .standard
    ) throws -> FinishReport {
        let run = try test.beginRun()
        for (kind, ids) in own { try test.list(kind, ids, run: run) }
        for (owner, ids) in lists { _ = try test.members(owner, ids, run: run) }
        return try test.finish(run, kinds: Set(own.keys), limit: limit)
    }

    @Test(arguments: [Kind.show, .album, .location])
    func aListThatLosesTooManyMembersStopsAllDeletions(kind: Kind) throws {
        try put(kind, ["s": Array(works[..<50])])
        let report = try run([Owner(kind, "s"): Array(works[..<39])], own: [.artwork: Array(works[..<59])])
        let expected = DeleteGuard.Intent(
            kind: kind, members: .artworks, stored: 50, listed: 39, deletions: 11)
        #expect(report.objections == [expected] && report.intended == 12 && report.deleted.isEmpty)
        #expect(report.updatedByList.isEmpty && report.relocated == 0)
        #expect(try members(kind, "s").count == 50)
        #expect(try test.ids(.artwork).count == 60)
        let etag: String? = try test.scalar("SELECT etag FROM list WHERE name = 'artworks'")
        #expect(etag == nil, "the next run requests the list again")
        try test.store.check(.members) { Issue.record("\($0)") }
        // The next run allows the deletions.
        let allowed = try run([Owner(kind, "s"): Array(works[..<39])], limit: .total(11))
        #expect(allowed.objections.isEmpty)
        #expect(try members(kind, "s").count == 39)
    }

    @Test func aListThatLosesFewMembersIsApplied() throws {
        try put(.show, ["s": Array(works[..<12])])
        #expect(try run([show: ["w0", "w1"]]).objections.isEmpty)
        #expect(try members(.show, "s") == ["w0", "w1"])
    }

    @Test func aListThatLosesNothingIsAppliedEvenIfTheDeleteGuardStopsAnother() throws {
        try put(.show, ["s": Array(works[..<50]), "t": ["w1", "w0"]])
        let report = try run([show: [], Owner(.show, "t"): ["w0", "w1", "w2"]])
        #expect(report.objections.map(\.deletions) == [50])
        #expect(report.updatedByList == [.show: ["t"]])
        #expect(try members(.show, "t") == ["w0", "w1", "w2"])
        #expect(try members(.show, "s").count == 50)
    }

    @Test func aSyncFromANewOriginRemovesNoMembers() throws {
        try put(.show, ["s": ["w0", "w1"]])
        let run = try test.beginRun()
        _ = try test.members(show, ["w0"], run: run)
        var request = FinishRequest(run: run)
        request.mayDelete = false
        #expect(try test.store.finish(request).objections.isEmpty)
        #expect(try members(.show, "s") == ["w0", "w1"])
    }

    /// For example, a museum removes all old shows, and the remaining show has no artworks.
    @Test func theDeleteGuardDoesNotCountMembersOfAShowThatWasDeleted() throws {
        var shows: [String: [String]] = [:]
        for number in 0..<12 { shows["s\(number)"] = Array(works[number..<number + 5]) }
        shows["t"] = ["w0", "w1"]
        try put(.show, shows)
        let report = try run([Owner(.show, "t"): []], own: [.show: ["t"]], limit: .percent(100))
        #expect(report.objections.isEmpty && report.intended == 14)
        #expect(try test.ids(.show) == ["t"])
        #expect(try test.scalar("SELECT count(*) FROM show_artwork") == 0)
    }

    /// The artworks are deleted in the same run, or in an earlier one that left ghosts.
    @Test(arguments: [true, false])
    func theDeleteGuardDoesNotCountMembersWhoseArtworkWasDeleted(inSameRun: Bool) throws {
        try put(.show, ["s": Array(works[..<30])])
        let remaining = Array(works[12...])
        if !inSameRun { #expect(try run([:], own: [.artwork: remaining]).deleted == [.artwork: 12]) }
        let report = try run([show: Array(works[12..<30])], own: inSameRun ? [.artwork: remaining] : [:])
        #expect(report.objections.isEmpty && report.intended == (inSameRun ? 12 : 0))
        #expect(try members(.show, "s").count == 18)
        #expect(try test.ids(.artwork, ghosts: true) == [])
    }

    /// Their artworks were not deleted by the server, so their loss isn't explained.
    @Test func theDeleteGuardCountsMembersWhoseArtworkWasNeverStored() throws {
        try put(.show, ["s": (0..<20).map { "hidden\($0)" }])
        #expect(try run([show: []]).objections.map(\.deletions) == [20])
        #expect(try members(.show, "s").count == 20)
    }

    @Test func artworksThatAnotherLocationNowListsCountAsMoved() throws {
        try put(.location, ["l": Array(works[..<30]), "m": Array(works[30...])])
        let report = try run([
            Owner(.location, "l"): Array(works[30...]), Owner(.location, "m"): Array(works[..<30]),
        ])
        #expect(report.objections.isEmpty && report.intended == 0 && report.relocated == 2)
        #expect(try members(.location, "l") == Array(works[30...]))
        let stored = try run([Owner(.location, "l"): works, Owner(.location, "m"): []])
        #expect(stored.objections.isEmpty && stored.relocated == 2)
        let lost = try run([Owner(.location, "l"): []])
        #expect(lost.objections.map(\.name) == ["location_artwork"])
    }

    @Test func theDeleteGuardDoesNotCountArtworksThatWereRemovedLocally() throws {
        try put(.album, ["m": Array(works[..<20]), "n": Array(works[..<20])])
        for id in works[..<15] {
            #expect(try test.store.editAlbum("m", artwork: id, present: false, newKey: { "key" }))
        }
        let report = try run([Owner(.album, "m"): Array(works[15..<20])])
        #expect(report.objections.isEmpty && report.intended == 0)
        #expect(try members(.album, "m") == Array(works[15..<20]))
    }

    @Test func anAbsoluteDeleteLimitAppliesToObjectsAndMembersTogether() throws {
        try put(.show, ["s": Array(works[..<20])])
        let lists = [show: Array(works[..<15])], own = [Kind.artwork: Array(works[..<57])]
        #expect(
            try run(lists, own: own, limit: .total(7)).objections.map(\.name) == ["artwork", "show_artwork"])
        #expect(try run(lists, own: own, limit: .total(8)).objections.isEmpty)
    }

    /// The staged members of a killed run are applied by the next run, to which the guard applies.
    @Test func theDeleteGuardCountsTheLossesOfAKilledRunsListThatTheNextRunConfirms() throws {
        try put(.show, ["s": Array(works[..<20])])
        _ = try test.members(show, [], run: test.beginRun())
        let next = try test.beginRun()
        _ = try test.store.apply(
            [.confirmed(ListName(url: "/show/s/artworks", owner: Owner(.show, "s"), name: "artworks"))],
            run: next)
        #expect(try test.finish(next, kinds: [], limit: .standard).objections.map(\.deletions) == [20])
        #expect(try members(.show, "s").count == 20)
    }

    // MARK: - In a page of events

    private func page(_ ids: [String]) throws -> StoredPage? {
        let list = ListName(url: "/show/s/artworks", owner: show, name: "artworks")
        let commit = PageCommit(
            loop: LoopRecord.coreID, kind: .core, asked: try test.store.loop(LoopRecord.coreID)?.cursor,
            newestRun: try test.store.newestRun(), cursor: "\(try test.store.newestRun() ?? 0)",
            writes: [.members(list: ListAnswer(list: list, etag: "e", date: nil), ids: ids)])
        guard
            case .stored(let page) = try test.store.commit(
                commit, report: { _ in ("{}", []) }, check: {})
        else { return nil }
        return page
    }

    @Test func aPageOfEventsDoesNotApplyAListThatBecameEmpty() throws {
        try put(.show, ["s": Array(works[..<11]), "t": works])
        let held = UnappliedList(owner: show, name: "artworks", losses: 11)
        #expect(try page([])?.unapplied == [held])
        #expect(try members(.show, "s").count == 11)
        #expect(try run([show: []]).objections.isEmpty)
        #expect(try members(.show, "s").isEmpty)
    }

    @Test func aPageOfEventsDoesNotApplyAListThatTheDeleteGuardStops() throws {
        try put(.show, ["s": Array(works[..<20])])
        #expect(try page(Array(works[..<8]))?.unapplied.map(\.losses) == [12])
        #expect(try members(.show, "s").count == 20)
        #expect(try page(Array(works[..<10]))?.unapplied == [])
        #expect(try members(.show, "s").count == 10)
    }
}

@Suite("Lists of a show's pictures that lose pictures")
struct LostPictureTests {
    let test: TestStore
    private let show = Owner(.show, "s")

    init() throws {
        test = try TestStore()
        let run = try test.beginRun()
        try test.put(.make(.show, "s"), run: run)
        _ = try test.finish(run, kinds: [])
        _ = try applyList((0..<12).map { "i\($0)" })
    }

    private func answer(_ ids: [String], _ role: ImageRole = .installation) -> Write {
        let list = ListName(url: "/\(role.listName)", owner: show, name: role.listName)
        return .showImages(
            show: "s", role: role, images: ids.map { .make($0) },
            list: ListAnswer(list: list, etag: "e", date: nil))
    }

    private func applyList(_ ids: [String], limit: DeleteGuard.Limit = .standard) throws -> FinishReport {
        let run = try test.beginRun()
        _ = try test.store.apply([answer(ids)], run: run)
        return try test.finish(run, kinds: [], limit: limit)
    }

    private func pictures() throws -> [String] {
        try test.store.storedImages(of: show, role: .installation).map(\.id)
    }

    @Test func ifAShowLosesTooManyPicturesTheLostOnesStayAfterTheNewOnes() throws {
        let report = try applyList(["new", "i3"])
        #expect(report.objections.map(\.name) == ["installation_shot"])
        #expect(report.objections.map(\.deletions) == [11])
        #expect(try pictures().prefix(3) == ["new", "i3", "i0"] && pictures().count == 13)
        let etag: String? = try test.scalar("SELECT etag FROM list")
        #expect(etag == nil)
        try test.store.check(.members) { Issue.record("\($0)") }
        let allowed = try applyList(["new", "i3"], limit: .total(11))
        #expect(allowed.updatedByList == [.show: ["s"]])
        #expect(try pictures() == ["new", "i3"])
        try test.store.check(.members) { Issue.record("\($0)") }
    }

    @Test func aFewLostPicturesAreRemovedAtTheEndOfTheRunAndLogged() throws {
        let run = try test.beginRun()
        _ = try test.store.apply([answer(["i1"] + (3..<12).map { "i\($0)" })], run: run)
        #expect(try pictures().count == 12)
        #expect(try test.finish(run, kinds: [], limit: .standard).objections.isEmpty)
        #expect(try pictures().count == 10)
        let last: Int? = try test.scalar(
            "SELECT json_array_length(before) FROM change WHERE run = ? ORDER BY seq DESC", [run])
        #expect(last == 12)
    }

    @Test func noPicturesAreLostIfTheListContainsThemAgain() throws {
        _ = try applyList([])
        let all = (0..<12).map { "i\($0)" }
        #expect(try applyList(all).objections.isEmpty)
        #expect(try pictures() == all)
        #expect(try test.scalar("SELECT count(*) FROM list_member") == 0)
        #expect(try test.scalar("SELECT count(*) FROM list WHERE pending = 1") == 0)
    }

    @Test func aReplacedCoverIsNotALoss() throws {
        for cover in ["c", "d"] {
            let run = try test.beginRun()
            _ = try test.store.apply([answer([cover], .cover)], run: run)
            #expect(try test.finish(run, kinds: [], limit: .total(0)).intended == 0)
            #expect(try test.store.storedImages(of: show, role: .cover).map(\.id) == [cover])
        }
    }
}
