import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Shows that were pruned, while the server's lists still name them.
@Suite("Pruned shows", .fewAtATime) struct PrunedShowTests {
    /// The tests' clock shows November 2026; the show `old` ended in 2015.
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

    /// Runs a sync that keeps shows for a number of days after their end.
    @discardableResult
    private func sync(
        _ mirror: TestMirror, days: Int64? = 365, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        try await mirror.sync { options in
            options.keepShows = days.map { .seconds($0 * 86_400) }
            change(&options)
        }
    }

    /// A mirror that had both shows, and has pruned one.
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

    /// The requests for shows and their lists.
    private func aboutShows() -> [String] {
        partner.takeRequests().filter { $0.contains("/show/") || $0.contains("/partner_show/") }
    }

    @Test func withValidatorsAnUnchangedListOfPrunedShowsCostsNoRequests() async throws {
        let mirror = try await synchronised(["validators"])
        let summary = try await sync(mirror)
        #expect(summary.outcome == .complete)
        #expect(!summary.hasChanges)
        #expect(aboutShows() == [])
    }

    @Test func withValidatorsAChangedListSkipsPrunedShowsAndIsCleanAfterwards() async throws {
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

    @Test func withoutValidatorsPrunedShowsAreRevalidatedAndStayPruned() async throws {
        let mirror = try await synchronised([])
        let summary = try await sync(mirror)
        #expect(summary.outcome == .complete)
        #expect(!summary.hasChanges)
        #expect(aboutShows().filter { $0.contains("old") } == ["GET /partner/p/show/old"])
        #expect(try mirror.ids(.show) == ["new"])
    }

    @Test(arguments: [[], ["validators"]])
    func aNewVersionOfAPrunedShowIsFetchedAndKeptOnlyIfItIsRecent(_ extensions: [String]) async throws {
        let mirror = try await synchronised(extensions)
        partner.change { $0.put(.show, "old", Self.old("Renamed")) }
        try await sync(mirror)
        #expect(aboutShows().contains("GET /partner/p/show/old"))
        #expect(try mirror.ids(.show) == ["new"], "its end is still too long ago")
        partner.change { $0.put(.show, "old", Self.old("Again", end: "2026-12-31")) }
        #expect(try await sync(mirror).objects["show"]?.created == 1)
        #expect(try mirror.ids(.show) == ["new", "old"])
    }

    @Test(arguments: [[], ["validators"]], [nil, 365 * 20] as [Int64?])
    func prunedShowsAreStoredAgainIfTheOptionsKeepThem(_ extensions: [String], _ days: Int64?) async throws {
        let mirror = try await synchronised(extensions)
        #expect(try await sync(mirror, days: days).objects["show"]?.created == 1)
        #expect(try mirror.ids(.show) == ["new", "old"])
        #expect(try mirror.read { try $0.members(of: Owner(.show, "old")) } == ["a"])
        #expect(try await !sync(mirror, days: days).hasChanges)
    }

    @Test func aFullSyncRequestsPrunedShowsAndKeepsThemPruned() async throws {
        let mirror = try await synchronised(["validators"])
        #expect(try await !sync(mirror) { $0.full = true }.hasChanges)
        #expect(aboutShows().filter { $0.contains("old") } == ["GET /partner/p/show/old"])
    }

    @Test func aRestoredShowIsNotPrunedAgainWhileTheServerHasThatVersion() async throws {
        let mirror = try await synchronised(["validators"])
        let restored = try await Restore(mirror.mirror, now: { TestMirror.time }).run()
        #expect(restored.summary.objects["show"]?.created == 1)
        #expect(try await !sync(mirror).hasChanges)
        #expect(try mirror.ids(.show) == ["new", "old"])
    }
}
