import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Shows that were pruned, and the lists that still name them.
@Suite("Pruned shows", .fewAtATime) struct PrunedShowTests {
    /// The clock stands in November 2026; `old` ended in 2015.
    let partner = FakePartner { state in
        state.hasListETags = true
        state.artwork("a")
        state.show("old", ["a"])
        state.show("new", ["a"])
        state.put(.show, "old", Self.old("Old"))
    }

    private static func old(_ name: String, end: String = "2015-01-12") -> String {
        #"{"id":"old","name":"\#(name)","end_at":"\#(end)"}"#
    }

    /// A sync that keeps shows for so many days after their end.
    @discardableResult
    private func sync(
        _ mirror: TestMirror, days: Int64? = 365, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        try await mirror.sync { options in
            options.keepShows = days.map { .seconds($0 * 86_400) }
            change(&options)
        }
    }

    /// A mirror that had both shows, and keeps only one of them by now.
    private func synchronised(_ extensions: [String]) async throws -> TestMirror {
        partner.change { $0.extensions = extensions }
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try mirror.ids(.show) == ["new", "old"])
        #expect(try await sync(mirror).objects["show"]?.deleted == 1)
        #expect(try mirror.ids(.show) == ["new"])
        _ = partner.takeRequests()
        return mirror
    }

    /// Requests for a show, or for what is under one.
    private func aboutShows() -> [String] {
        partner.takeRequests().filter { $0.contains("/show/") || $0.contains("/partner_show/") }
    }

    @Test func overValidatorsAnUnchangedListCostsNoRequestPerObject() async throws {
        let mirror = try await synchronised(["validators"])
        let summary = try await sync(mirror)
        #expect(summary.outcome == .complete)
        #expect(!summary.hasChanges)
        #expect(aboutShows() == [])
    }

    @Test func overValidatorsAChangedListLeavesThemAloneAndIsCleanAfterwards() async throws {
        let mirror = try await synchronised(["validators"])
        partner.change { $0.show("third", ["a"]) }
        #expect(try await sync(mirror).outcome == .complete)
        #expect(try mirror.ids(.show) == ["new", "third"])
        #expect(!aboutShows().contains { $0.contains("old") })
        #expect(
            try mirror.read { store in
                let scope = "/partner/p/shows?ids=1&size=all"
                let state = try store.listState(scope)
                return state?.cleanETag != nil && state?.cleanETag == state?.etag
            })
    }

    @Test func withoutValidatorsAConditionalRequestLeavesThemPruned() async throws {
        let mirror = try await synchronised([])
        let summary = try await sync(mirror)
        #expect(summary.outcome == .complete)
        #expect(!summary.hasChanges)
        #expect(aboutShows().filter { $0.contains("old") } == ["GET /partner/p/show/old"])
        #expect(try mirror.ids(.show) == ["new"])
    }

    @Test(arguments: [[], ["validators"]])
    func aNewVersionIsFetchedAndJudgedAgain(_ extensions: [String]) async throws {
        let mirror = try await synchronised(extensions)
        partner.change { $0.put(.show, "old", Self.old("Renamed")) }
        try await sync(mirror)
        #expect(aboutShows().contains("GET /partner/p/show/old"))
        #expect(try mirror.ids(.show) == ["new"], "it has not become younger")
        partner.change { $0.put(.show, "old", Self.old("Again", end: "2026-12-31")) }
        #expect(try await sync(mirror).objects["show"]?.created == 1)
        #expect(try mirror.ids(.show) == ["new", "old"])
    }

    @Test(arguments: [[], ["validators"]], [nil, 365 * 20] as [Int64?])
    func thoseThatAreToBeKeptAfterAllComeBack(_ extensions: [String], _ days: Int64?) async throws {
        let mirror = try await synchronised(extensions)
        #expect(try await sync(mirror, days: days).objects["show"]?.created == 1)
        #expect(try mirror.ids(.show) == ["new", "old"])
        #expect(try mirror.read { try $0.members(of: Owner(.show, "old")) } == ["a"])
        #expect(try await !sync(mirror, days: days).hasChanges)
    }

    @Test func aFullSyncAsksForThemAndLeavesThemInTheVersionThatWasPruned() async throws {
        let mirror = try await synchronised(["validators"])
        #expect(try await !sync(mirror) { $0.full = true }.hasChanges)
        #expect(aboutShows().filter { $0.contains("old") } == ["GET /partner/p/show/old"])
    }

    @Test func oneThatWasRestoredStaysWhileTheServerHasThatVersion() async throws {
        let mirror = try await synchronised(["validators"])
        let restored = try await Restore(mirror.mirror, now: { TestMirror.time }).run()
        #expect(restored.summary.objects["show"]?.created == 1)
        #expect(try await !sync(mirror).hasChanges)
        #expect(try mirror.ids(.show) == ["new", "old"])
    }
}
