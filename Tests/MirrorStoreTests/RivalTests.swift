import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// The decision which object keeps a slug, without a store.
@Suite("The decision between rivals for a slug") struct RivalDecisionTests {
    private typealias Claimant = Rivals.Claimant

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let claimants: [Rivals.Claimant]
        let winner: String
        let losers: [String]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a single claimant", claimants: [.init(id: "a")], winner: "a", losers: []),
        Case(
            name: "the later date wins",
            claimants: [.init(id: "a", updated: 1, held: true), .init(id: "b", updated: 2)],
            winner: "b", losers: ["a"]),
        Case(
            name: "a date wins against none",
            claimants: [.init(id: "a", held: true), .init(id: "b", updated: 1)],
            winner: "b", losers: ["a"]),
        Case(
            name: "a tie keeps the holder",
            claimants: [
                .init(id: "a", updated: 1, place: 0), .init(id: "b", updated: 1, held: true, place: 1),
            ],
            winner: "b", losers: ["a"]),
        Case(
            name: "without dates the holder wins",
            claimants: [.init(id: "a", place: 0), .init(id: "b", held: true, place: 1)], winner: "b",
            losers: ["a"]),
        Case(
            name: "without dates and a holder the first of the batch wins",
            claimants: [.init(id: "a", place: 1), .init(id: "b", place: 0)], winner: "b", losers: ["a"]),
        Case(
            name: "earlier losers win against the batch, the oldest row first",
            claimants: [.init(id: "a", place: 0), .init(id: "c", row: 9), .init(id: "b", row: 3)],
            winner: "b",
            losers: ["a", "c"]),
        Case(
            name: "the latest of three wins",
            claimants: [
                .init(id: "c", updated: 2), .init(id: "a", updated: 3),
                .init(id: "b", updated: 1, held: true),
            ], winner: "a", losers: ["b", "c"]),
        Case(
            name: "a kept object loses",
            claimants: [.init(id: "a", updated: 9, held: true, kept: true), .init(id: "b")], winner: "b",
            losers: ["a"]),
    ]

    @Test(arguments: cases) func oneOfTheClaimantsKeepsTheSlug(_ one: Case) throws {
        for claimants in [one.claimants, one.claimants.reversed()] {
            let rivals = try #require(Rivals(claimants))
            #expect(rivals.winner.id == one.winner)
            #expect(rivals.losers.map(\.id) == one.losers)
        }
    }

    @Test func aSettlementDependsOnIdsAndETagsButNotOnTheirOrder() throws {
        let one = [Claimant(id: "a", etag: "1"), Claimant(id: "b", etag: "2")]
        let settled = try #require(Rivals(one)).settled
        #expect(Rivals(one.reversed())?.settled == settled)
        #expect(Rivals([one[0], Claimant(id: "b", etag: "3")])?.settled != settled)
        #expect(Rivals([one[0], Claimant(id: "c", etag: "2")])?.settled != settled)
        #expect(Rivals([one[0]])?.settled != settled)
    }

    @Test func thereAreNoRivalsWithoutClaimants() { #expect(Rivals([]) == nil) }
}

@Suite("Rivals in a store") struct RivalTests {
    let test: TestStore
    let run: Int64

    init() throws {
        test = try TestStore()
        run = try test.beginRun()
    }

    /// The slugs of all objects, such as `a:s b:-(s)!`: `a` has the slug `s`, `b` lost it and is marked for refetching.
    private func state(_ kind: Kind = .artwork) throws -> String {
        try test.store.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT o.id || ':' || coalesce(o.slug, '-') || coalesce('(' || r.slug || ')', '')
                      || iif(o.refetch, '!', '') FROM "\(kind.table)" o
                    LEFT JOIN rival r ON r.kind = ? AND r.id = o.id WHERE o.ghost = 0 ORDER BY o.id
                    """, arguments: [kind.name])
        }.joined(separator: " ")
    }

    private func put(_ records: ObjectRecord...) throws {
        _ = try test.store.apply(records.map(Write.object), run: run)
    }

    private func day(_ number: Int) -> String { "2026-01-0\(number)T10:00:00Z" }

    @Test(arguments: [Kind.artwork, .artist, .show, .album])
    func theLaterDateKeepsTheSlug(_ kind: Kind) throws {
        try put(.claim(kind, "a", "s", updated: day(2)))
        try put(.claim(kind, "b", "s", updated: day(1)))
        #expect(try state(kind) == "a:s b:-(s)!")
        try put(.claim(kind, "c", "s", updated: day(3)))
        #expect(try state(kind) == "a:-(s)! b:-(s)! c:s")
    }

    @Test func datesOfRivalsAreComparedAsTimesAndNotAsText() throws {
        try put(.claim(.artwork, "a", "s", updated: "2026-01-01T12:00:00+02:00"))
        try put(.claim(.artwork, "b", "s", updated: "2026-01-01T10:00:00.500Z"))
        #expect(try state() == "a:-(s)! b:s")
    }

    @Test func aLocationKeepsItsSlugBecauseLocationsHaveNoDates() throws {
        try put(.claim(.location, "b", "s"), .claim(.location, "a", "s"))
        #expect(try state(.location) == "a:-(s)! b:s")
        try put(.claim(.location, "0", "s"))
        #expect(try state(.location) == "0:-(s)! a:-(s)! b:s")
    }

    @Test func slugsOfDifferentKindsAndDifferentBytesAreNoRivals() throws {
        try put(.claim(.artwork, "a", "caf\u{E9}"), .claim(.artwork, "b", "cafe\u{301}"))
        try put(.claim(.artist, "a", "caf\u{E9}"))
        #expect(try state() == "a:caf\u{E9} b:cafe\u{301}")
        #expect(try state(.artist) == "a:caf\u{E9}")
    }

    @Test func theServedBodyOfALosingRivalKeepsItsSlug() throws {
        let loser = ObjectRecord.claim(.artwork, "b", "s", updated: day(1))
        try put(.claim(.artwork, "a", "s", updated: day(2)), loser)
        #expect(try test.store.served(.artwork, "b")?.body == loser.json)
        #expect(try test.store.find(.artwork, "s")?.summary.id == "a")
    }

    @Test func twoSlugsThatAreSwappedInOneBatchLeaveNoRivals() throws {
        try put(.claim(.artwork, "a", "s"), .claim(.artwork, "b", "t"))
        try put(.claim(.artwork, "a", "t"), .claim(.artwork, "b", "s"))
        #expect(try state() == "a:t b:s")
    }

    @Test func twoSlugsThatAreSwappedInTwoBatchesLeaveNoRivals() throws {
        try put(.claim(.artwork, "a", "s", updated: day(1)), .claim(.artwork, "b", "t", updated: day(1)))
        try put(.claim(.artwork, "a", "t", updated: day(2)))
        #expect(try state() == "a:t b:-(t)!")
        try put(.claim(.artwork, "b", "s", updated: day(2)))
        #expect(try state() == "a:t b:s")
    }

    @Test func threeSlugsThatAreRotatedInOneBatchLeaveNoRivals() throws {
        try put(.claim(.artwork, "a", "1"), .claim(.artwork, "b", "2"), .claim(.artwork, "c", "3"))
        try put(.claim(.artwork, "a", "2"), .claim(.artwork, "b", "3"), .claim(.artwork, "c", "1"))
        #expect(try state() == "a:2 b:3 c:1")
    }

    @Test func whenTheHolderOfASlugTakesAnotherTheNextRivalGetsIt() throws {
        try put(.claim(.artwork, "a", "s", updated: day(3)), .claim(.artwork, "b", "s", updated: day(1)))
        try put(.claim(.artwork, "c", "s", updated: day(2)))
        try put(.claim(.artwork, "a", "t", updated: day(4)))
        #expect(try state() == "a:t b:-(s)! c:s!")
    }

    @Test func whenTheHolderOfASlugIsDeletedTheNextRivalGetsIt() throws {
        try put(.claim(.artwork, "a", "s", updated: day(2)), .claim(.artwork, "b", "s", updated: day(1)))
        _ = try test.store.apply([.tombstone(kind: .artwork, id: "a", evidence: "since")], run: run)
        #expect(try state() == "b:s!")
        #expect(try test.scalar("SELECT count(*) FROM rival") == 0)
    }

    @Test func whenTheHolderOfASlugIsSweptTheNextRivalGetsIt() throws {
        try put(.claim(.artwork, "a", "s", updated: day(2)), .claim(.artwork, "b", "s", updated: day(1)))
        try test.list(.artwork, ["b"], run: run)
        _ = try test.finish(run)
        #expect(try state() == "b:s!")
    }

    @Test func whenALosingRivalIsDeletedTheHolderKeepsTheSlug() throws {
        try put(.claim(.artwork, "a", "s", updated: day(2)), .claim(.artwork, "b", "s", updated: day(1)))
        _ = try test.store.apply([.tombstone(kind: .artwork, id: "b", evidence: "since")], run: run)
        #expect(try state() == "a:s")
        #expect(try test.scalar("SELECT count(*) FROM rival") == 0)
    }

    @Test func aLosingRivalThatTakesAnotherSlugIsNoLongerARival() throws {
        try put(.claim(.artwork, "a", "s", updated: day(2)), .claim(.artwork, "b", "s", updated: day(1)))
        try put(.claim(.artwork, "b", "t", updated: day(3)))
        #expect(try state() == "a:s b:t")
        #expect(try test.scalar("SELECT count(*) FROM rival") == 0)
    }

    @Test func aLosingRivalIsFetchedAgainOnlyWhenARivalChanges() throws {
        let winner = ObjectRecord.claim(.artwork, "a", "s", updated: day(3), etag: "1")
        let loser = ObjectRecord.claim(.artwork, "b", "s", updated: day(1), etag: "1")
        try put(winner, loser)
        #expect(try state() == "a:s b:-(s)!")
        try put(loser)
        #expect(try state() == "a:s b:-(s)", "fetched again, without a change")
        try put(winner, loser)
        #expect(try state() == "a:s b:-(s)", "nothing changed")
        try put(.claim(.artwork, "c", "other", updated: day(1)))
        #expect(try state() == "a:s b:-(s) c:other", "an object with another slug changes nothing")

        try put(.claim(.artwork, "a", "s", updated: day(4), etag: "2"))
        #expect(try state() == "a:s b:-(s)! c:other", "the winner has a new version")
        try put(loser)
        #expect(try state() == "a:s b:-(s) c:other")

        var touched = winner
        touched = .claim(.artwork, "a", "s", updated: day(4), etag: "3")
        try put(touched)
        #expect(try state() == "a:s b:-(s)! c:other", "the same body under another ETag")
        try put(loser)
        try put(loser)
        #expect(try state() == "a:s b:-(s) c:other")

        let later = ObjectRecord.claim(.artwork, "b", "s", updated: day(2), etag: "2")
        try put(later)
        #expect(try state() == "a:s b:-(s)! c:other", "the loser itself has a new version")
        try put(later)
        #expect(try state() == "a:s b:-(s) c:other")
    }

    @Test func aListIsUncleanWhileALosingRivalHasToBeFetched() throws {
        try test.list(.artwork, ["a", "b"], run: run, etag: "l")
        try test.store.write { try $0.execute(sql: "UPDATE list SET clean_etag = etag") }
        try put(.claim(.artwork, "a", "s"), .claim(.artwork, "b", "s"))
        #expect(try test.scalar("SELECT count(*) FROM list WHERE clean_etag IS NULL") == 1)
    }

    @Test func anObjectThatOccursTwiceInABatchIsNotARivalOfItself() throws {
        try put(.claim(.artwork, "a", "s"), .claim(.artwork, "a", "s", updated: day(1)))
        #expect(try state() == "a:s")
    }

    @Test func albumsThatClientsCreateAndRemoveCanBeRivals() throws {
        _ = try test.store.acceptAlbum(.claim(.album, "a", "s", updated: day(2)))
        _ = try test.store.acceptAlbum(.claim(.album, "b", "s", updated: day(1)))
        #expect(try state(.album) == "a:s b:-(s)!")
        #expect(try test.store.removeAlbum("a"))
        #expect(try state(.album) == "b:s!")
    }

    @Test func theOrderOfBatchesDoesNotChangeWhichRivalKeepsTheSlug() throws {
        let records = (1...4).map { ObjectRecord.claim(.artwork, "w\($0)", "s", updated: day($0)) }
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let other = try TestStore()
            let run = try other.beginRun()
            for index in order { try other.put(records[index], run: run) }
            #expect(try other.scalar("SELECT id FROM artwork WHERE slug = 's'") == "w4")
            #expect(try other.scalar("SELECT count(*) FROM rival") == 3)
        }
    }
}

extension ObjectRecord {
    /// An object that claims a slug. Its JSON contains all parameters.
    static func claim(
        _ kind: Kind, _ id: String, _ slug: String?, updated: String? = nil, etag: String? = nil
    ) -> ObjectRecord {
        let values = kind.columns.map { column -> FieldValue in
            switch column.name {
            case "slug": slug.map(FieldValue.text) ?? .null
            case "updated_at": updated.map(FieldValue.text) ?? .null
            default: .null
            }
        }
        return ObjectRecord(
            kind: kind, id: id, values: values,
            json: #"{"id":"\#(id)","slug":"\#(slug ?? "")","updated_at":"\#(updated ?? "")"}"#, etag: etag)
    }
}
