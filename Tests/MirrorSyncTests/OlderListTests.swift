import Catalogue
import MirrorTesting
import Testing

@testable import MirrorSync

/// Such lists come from a cache between the mirror and the server, or from a server whose clock was set back.
@Suite("Lists that are older than the stored one", .fewAtATime)
struct OlderListTests {
    /// Otherwise no list would count as newer for years. If the stored date is only a day ahead, it is unclear at first which
    /// of the two dates is wrong; the second such list decides (``ServerClock``).
    @Test(arguments: [true, false]) func anOlderListIsUsedIfTheStoredOneWasDatedInTheFuture(isFar: Bool)
        async throws
    {
        let partner = FakePartner { state in
            state.date = isFar ? "Sun, 21 Nov 2066 10:00:00 GMT" : "Sun, 22 Nov 2026 10:00:00 GMT"
            for id in ["a", "b"] { state.artwork(id) }
            state.show("s", ["a", "b"])
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 10:00:00 GMT"
            state.remove(.artwork, "b")
            state.show("s", ["a"])
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == (isFar ? .complete : .partial))
        #expect(try mirror.ids(.artwork) == (isFar ? ["a"] : ["a", "b"]))
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }

    /// The stored list doesn't name the object, so a 304 for that list must not keep it.
    @Test func anObjectThatOnlyAnOlderListNamesIsSweptByTheNextNewList() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators"]
            state.hasListETags = true
            state.artwork("b")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 09:00:00 GMT"
            state.artwork("a")
        }
        #expect(try await mirror.sync { $0.media = false }.outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 11:00:00 GMT"
            state.remove(.artwork, "a")
        }
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete)
        #expect(summary.requests.notModified > 0)
        #expect(try mirror.ids(.artwork) == ["b"])
    }

    @Test func anOlderListRemovesNothingThatASnapshotStored() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators", "snapshot"]
            for id in ["a", "b"] { state.artwork(id) }
        }
        partner.offer(partner.snapshot())
        try await expectAnOlderListToRemoveNothing(partner, lists: "Sat, 21 Nov 2026 09:59:59 GMT")
    }

    /// The list is newer than the stored list, but older than the changes that were applied since.
    @Test func anOlderListRemovesNothingThatASyncBySinceStored() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators", "since"]
            state.artwork("a")
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { state in
            state.date = "Sat, 21 Nov 2026 12:00:00 GMT"
            state.artwork("b")
            state.touch("artworks", "b", at: "2026-11-21T11:59:00Z")
        }
        try await expectAnOlderListToRemoveNothing(partner, mirror, lists: "Sat, 21 Nov 2026 11:58:00 GMT")
    }

    private func expectAnOlderListToRemoveNothing(
        _ partner: FakePartner, _ mirror: TestMirror? = nil, lists date: String
    ) async throws {
        let mirror = try mirror ?? TestMirror(partner)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        let requests = partner.takeRequests()
        #expect(requests.contains { $0.contains("snapshot") || $0.contains("since=") })
        partner.change { state in
            state.date = date
            state.remove(.artwork, "b")
        }
        let options = { (options: inout SyncOptions) in (options.media, options.full) = (false, true) }
        #expect(try await mirror.sync(options).outcome == .partial)
        #expect(try mirror.ids(.artwork) == ["a", "b"])
        partner.change { $0.date = "Sat, 21 Nov 2026 13:00:00 GMT" }
        #expect(try await mirror.sync(options).outcome == .complete)
        #expect(try mirror.ids(.artwork) == ["a"])
    }
}
