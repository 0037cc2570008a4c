import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A server's clock that was wrong once", .fewAtATime)
struct ServerClockTests {
    private static let day = 86_400.0

    @Test(arguments: [
        (0.0, 0.0, false, true), (-4, 0, false, true), (3_600, 0, false, true),
        // What was remembered was wrong, and this agrees with the clock here.
        (1, 2 * day, false, true), (-200, 2 * day, false, true),
        // Set back, or an answer that something on the way had kept.
        (-3_600, 0, false, false), (-60, 0, false, false), (day, 2 * day, false, false),
        (-3_600, 0, true, true),
    ])
    func whatIsMeasuredIsThePresentWhereNothingSpeaksAgainstIt(
        measured: Double, remembered: Double, isReload: Bool, isPresent: Bool
    ) {
        #expect(
            ServerClock.isPresent(measured, remembered: remembered, isReload: isReload) == isPresent)
    }

    private static let today = "Wed, 18 Nov 2026 11:06:40 GMT"

    private func partner(_ extensions: [String], at date: String) -> FakePartner {
        FakePartner { state in
            (state.extensions, state.date, state.hasListETags) = (extensions, date, true)
            for id in ["a", "b"] { state.artwork(id) }
            state.show("s", ["a", "b"])
        }
    }

    /// The clock here says that it is right by now.
    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func twoDaysAheadCostsNothingAfterwards(extensions: [String]) async throws {
        let partner = partner(extensions, at: "Fri, 20 Nov 2026 11:06:40 GMT")
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        partner.change { state in
            state.date = Self.today
            state.remove(.artwork, "b")
            state.show("s", ["a"])
            state.touch("artworks", "b", at: "2026-11-18T11:06:00.000Z")
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try mirror.ids(.artwork) == ["a"])
        #expect(try mirror.read { try $0.members(of: Owner(.show, "s")) } == ["a"])
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
    }

    /// What came past the list, by a date, carries the wrong date too.
    @Test func aDateOfChangesThatWasAheadIsForgotten() async throws {
        let partner = partner(["validators", "since"], at: Self.today)
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Fri, 20 Nov 2026 11:06:40 GMT"
            state.artwork("c")
            state.touch("artworks", "c", at: "2026-11-20T11:06:00.000Z")
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try $0.appliedDate(.artwork) } != nil)
        partner.change { state in
            state.date = "Wed, 18 Nov 2026 11:08:00 GMT"
            state.remove(.artwork, "b")
            state.show("s", ["a"])
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try mirror.ids(.artwork) == ["a", "c"])
    }

    /// That looks like something on the way that kept its answers, until the next run finds the same.
    @Test func aClockThatWasSetBackCountsFromTheSecondSyncOn() async throws {
        let partner = partner(["validators"], at: Self.today)
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Tue, 17 Nov 2026 11:06:40 GMT"
            state.remove(.artwork, "b")
            state.show("s", ["a"])
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    @Test func aFullSyncTakesTheNewTimeAtOnce() async throws {
        let partner = partner(["validators"], at: Self.today)
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Tue, 17 Nov 2026 11:06:40 GMT"
            state.remove(.artwork, "b")
            state.show("s", ["a"])
        }
        #expect(try await mirror.sync { ($0.media, $0.full) = (false, true) }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    /// A run that takes another way than the dates' remembers the clock, too: what it doesn't bring, only a date that was
    /// right would tell of once the wrong one has passed.
    @Test func aDateThatWasAheadIsForgottenByARunThatDoesNotAskWithIt() async throws {
        let partner = partner(["validators", "since"], at: "Fri, 20 Nov 2026 11:06:40 GMT")
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = Self.today
            state.artwork("c")
            state.touch("artworks", "c", at: "2026-11-18T11:06:00.000Z")
            state.overrides["/artwork/c"] = .text("{}", status: 500)
        }
        #expect(try await mirror.sync { ($0.media, $0.full) = (false, true) }.outcome == .partial)
        #expect(try mirror.read { try $0.sinceRecords()[.artwork]?.since } == nil)
        partner.change { $0.overrides = [:] }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && summary.ways[.artwork] == .lists(.first))
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    /// One list that something on the way had kept, among answers of the present.
    @Test func aKeptListIsStillOlderThanTheOneThatIsStored() async throws {
        let partner = partner([], at: "Wed, 18 Nov 2026 11:06:40 GMT")
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.overrides[FakePartner.State.listURL(.artwork)] = .text(
                #"["a"]"#, headers: ["Date": "Wed, 18 Nov 2026 10:00:00 GMT"])
        }
        for isFull in [false, true] {
            let summary = try await mirror.sync { ($0.media, $0.full) = (false, isFull) }
            #expect(summary.outcome == .partial)
            #expect(try mirror.ids(.artwork) == ["a", "b"])
        }
    }
}
