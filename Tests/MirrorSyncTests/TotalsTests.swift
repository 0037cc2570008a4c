import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Totals before the downloads start", .fewAtATime) struct TotalsTests {
    private static func state(_ change: (inout SyncReport.State) -> Void) -> SyncReport.State {
        var state = SyncReport.State()
        state.listed[.artwork] = 100
        change(&state)
        return state
    }

    private static func history(pictures: Int, held: Int64) -> SizeHistory {
        var history = SizeHistory()
        history.pictures["larger"] = .init(count: pictures, mean: 1_000, variance: 0)
        history.picturesPerArtwork = 2
        history.storedMediaSize = held
        return history
    }

    @Test func withoutStatedSizeOrHistoryNoMediaTotalIsReported() {
        let totals = Totals(Self.state { _ in })
        #expect(totals.objects == ["artwork": 100] && totals.media == nil)
        #expect(Totals(Self.state { $0.history = Self.history(pictures: 29, held: 0) }).media == nil)
    }

    @Test func theMediaTotalIsTheStatedSizeMinusTheStoredBytes() {
        let totals = Totals(
            Self.state { state in
                state.statedSize = 500_000
                state.history = Self.history(pictures: 100, held: 100_000)
            })
        #expect(totals.isStated && totals.media == Estimate(400_000, margin: 10_000))
    }

    @Test func withoutAStatedSizeTheMediaTotalIsEstimatedFromStoredPictures() {
        let totals = Totals(Self.state { $0.history = Self.history(pictures: 100, held: 50_000) })
        #expect(!totals.isStated && totals.media?.value == 150_000)
    }

    @Test func theMediaTotalCoversAllPicturesThatAreKnownToBeMissing() {
        let totals = Totals(
            Self.state { state in
                state.history = Self.history(pictures: 100, held: 200_000)
                state.expected[.artwork] = ExpectedMembers(lacking: 60, pictures: 70)
            })
        #expect(totals.media?.value == 70_000)
    }

    @Test func aSyncReportsTotalsFromTheSizeThatTheServerStates() async throws {
        let partner = FakePartner { state in
            state.artwork("a", image: "i")
            state.files["/artwork/a/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
            state.overrides["/partner/p/size"] = .text(#"{"total":700}"#)
        }
        let mirror = try TestMirror(partner)
        let monitor = SyncMonitor()
        _ = try await mirror.observed({ _ in }, { sync, _ in try await sync.run(monitor) })
        let totals = try #require(monitor.snapshot?.totals)
        #expect(totals.media?.value == 700 && totals.objects["artwork"] == 1)
    }
}
