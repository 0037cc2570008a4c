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
        // The stored offset was wrong; the measured one agrees with the local clock.
        (1, 2 * day, false, true), (-200, 2 * day, false, true),
        // The clock was set back, or a proxy sent a cached answer.
        (-3_600, 0, false, false), (-60, 0, false, false), (day, 2 * day, false, false),
        (-3_600, 0, true, true),
    ])
    func aMeasuredClockOffsetIsAcceptedUnlessTheClockWentBack(
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

    /// By the local clock, the server's clock is right again.
    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func aServerClockThatWasTwoDaysAheadHasNoLastingEffect(extensions: [String]) async throws {
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

    /// Objects that were pulled by date are stored with the wrong date too.
    @Test func aDateOfAPullWithAClockThatWasAheadIsForgotten() async throws {
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

    /// The first sync takes it for cached answers of a proxy.
    @Test func aServerClockThatWasSetBackIsAcceptedByTheSecondSync() async throws {
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

    @Test func aFullSyncAcceptsAServerClockThatWasSetBackAtOnce() async throws {
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

    /// The full sync sends no since request, but it has to discard the stored date: with a wrong one, a later pull would miss
    /// the object that this run failed to fetch.
    @Test func aSinceDateFromAClockThatWasAheadIsForgottenByAFullSync() async throws {
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

    /// A proxy sends one cached list among current answers.
    @Test func aCachedListIsRecognisedAsOlderThanTheStoredOne() async throws {
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
