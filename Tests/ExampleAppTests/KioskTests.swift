import Catalogue
import Foundation
import MirrorStore
import MirrorSync
import MirrorTesting
import PeriodicLoops
import Synchronization
import Testing

@testable import ExampleApp

@Suite("Example app", .timeLimit(.minutes(5))) struct KioskTests {
    private let fixture: KioskFixture

    init() throws { fixture = try KioskFixture() }

    /// A showcase that checks for commits once and then ends instead of waiting.
    private func showcase() throws -> Showcase {
        try Showcase(fixture.kiosk, sleep: { _ in throw CancellationError() })
    }

    @Test func theKiosksReportHasALineForEachSync() async throws {
        try await fixture.sync()
        fixture.partner.change { server in
            server.remove(.artwork, "sky-piece")
            server.show("now", ["cut-piece"])
        }
        try await fixture.sync()
        #expect(
            try fixture.kiosk.report.lines == [
                "1 complete: 2 new, 0 deleted, 2 works", "2 complete: 0 new, 1 deleted, 1 works",
            ])
    }

    @Test func theKioskCanSyncAfterAFailedFirstSync() async throws {
        fixture.partner.change { $0.overrides["/partner/p/all"] = .text("{}", status: 404) }
        #expect(try await fixture.sync().outcome == .failed)
        #expect(try fixture.kiosk.report.lines.count == 1, "the app's files are not removed")
        fixture.partner.change { $0.overrides = [:] }
        #expect(try await fixture.sync().outcome == .complete)
    }

    @Test func aLikeForAnUnknownWorkIsRejectedAndCreatesNoAlbum() async throws {
        try await fixture.sync()
        let showcase = try showcase()
        #expect(try !showcase.like("nothing") && showcase.favourites == nil)
        try showcase.close()
    }

    @Test func theKiosksHookEndsBeforeAHookThatBeganEarlier() async throws {
        let lines = Mutex<[String]>([]), report = fixture.kiosk.report
        let outer = SyncHook(
            "outer", before: { _ in lines.withLock { $0.append("before") } },
            after: { _, _ in
                let count = try report.lines.count
                lines.withLock { $0.append("after \(count)") }
            })
        _ = try await Sync(
            partner: FakePartner.id, folder: fixture.kiosk.mirror, base: FakePartner.base,
            hooks: [outer] + fixture.kiosk.hooks, makeSession: fixture.partner.session
        ).run()
        #expect(lines.withLock { $0 } == ["before", "after 1"])
    }

    @Test func theCardsOfAShowHaveArtistsPicturesAndBorrowers() async throws {
        try await fixture.sync()
        try fixture.lend("sky-piece", to: "Tate")
        let loans = LoanLoop(book: fixture.kiosk.loans, notify: { _ in })
        try await loans.refresh(.everything, answer: nil, ticket: CommitTicket())
        let showcase = try showcase()
        let cards = try showcase.cards(of: Owner(.show, "now"))
        #expect(cards.map(\.title) == ["Sky Piece", "Cut Piece"])
        #expect(cards.map(\.borrower) == ["Tate", nil])
        #expect(cards.map(\.size) == [nil, JPEGSize(width: 640, height: 480)])
        #expect(cards.map(\.artists) == [["Artist ono"], ["Artist ono"]])
        let path = try #require(cards.last?.picture)
        #expect(FileManager.default.fileExists(atPath: path))
        try showcase.close()
    }

    @Test func theShowcaseReportsTheWorksThatASyncChanged() async throws {
        try await fixture.sync()
        let showcase = try showcase()
        fixture.partner.change {
            $0.artwork("cut-piece", title: "Cut Piece (1964)", artist: "ono", image: "i")
        }
        try await fixture.sync()
        var changed: [[String]?] = []
        try await showcase.follow { changed.append($0) }
        #expect(changed.count == 1 && Set(changed.first.flatMap(\.self) ?? []) == ["cut-piece"])
        try showcase.close()
    }

    @Test func theNextSyncSendsAVisitorsLikesToTheMuseum() async throws {
        try await fixture.sync()
        let showcase = try showcase()
        #expect(try showcase.like("cut-piece") && showcase.like("sky-piece"))
        #expect(try !showcase.like("no-piece"))
        #expect(try !showcase.hasSentAllLikes)
        #expect(try await fixture.sync().outcome == .complete)
        #expect(try showcase.hasSentAllLikes)
        #expect(fixture.partner.writes.contains { $0.hasPrefix("POST /partner/p/album {") })
        let album = try #require(try showcase.favourites)
        #expect(
            try showcase.cards(of: Owner(.album, album.id)).map(\.id).sorted() == ["cut-piece", "sky-piece"])
        try showcase.close()
    }

    @Test func theWatchOfTheKioskFollowsEventsLoansAndUpkeep() async throws {
        fixture.partner.change { server in
            server.extensions = ["validators", "since", "status", "events"]
            server.hasListETags = true
        }
        try fixture.lend("sky-piece", to: "Tate")
        let time = VirtualClock(start: try Date("2026-11-21T10:00:00Z", strategy: .iso8601))
        let watch = fixture.watch(time)
        let watching = time.spawn { try await watch.run() }
        // The first sync stores a picture on a real disk, which virtual time doesn't cover.
        #expect(try await time.settle { try fixture.kiosk.loans.content != nil })
        time.settle()
        #expect(watch.status.way == .events)
        #expect(watch.status.loops.map(\.id) == ["partner", "loans"])
        #expect(fixture.takeNotices() == [.loans])
        #expect(try fixture.kiosk.report.lines.count == 1)

        try fixture.lend("sky-piece", to: nil)
        fixture.partner.change { server in
            server.artwork("sky-piece", title: "Sky Piece (1963)", artist: "ono")
            server.report(.artwork, "sky-piece", at: "2026-11-21T10:00:10Z")
        }
        let hash = try #require(fixture.kiosk.sizes.hashes.first)
        try fixture.kiosk.sizes.remove(hash)
        time.advance(by: watch.interval)
        #expect(fixture.takeNotices() == [.loans])
        let showcase = try showcase()
        #expect(try showcase.cards(of: Owner(.show, "now")).first?.title == "Sky Piece (1963)")
        #expect(try showcase.cards(of: Owner(.show, "now")).first?.borrower == nil)
        try showcase.close()

        time.advance(by: .seconds(3_600))
        #expect(fixture.takeNotices() == [.sizes(added: 1, removed: 0)])
        #expect(try fixture.kiosk.report.lines.count == 1, "a page of events adds no line")
        watching.cancel()
        try await time.value(of: watching)
    }
}
