import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Estimates at the beginning of a run", .limitedConcurrency) struct RunEstimateTests {
    private static func estimate(
        _ work: Forecast.Work, knowsBytes: Bool = true, past: [Forecast.Past] = []
    ) -> RunEstimate? {
        RunEstimate(work, knowsBytes: knowsBytes, past: past, jobs: 16)
    }

    @Test func aRunWithLittleWorkHasNoEstimate() {
        #expect(Self.estimate(Forecast.Work([.artwork: .init(new: 10)], hasMedia: false)) == nil)
    }

    @Test func theEstimatedWorkIsComputedFromTheLists() {
        func work(
            artists: ExpectedMembers, hasMedia: Bool = false, media: Double? = nil
        ) -> Forecast.Work {
            Forecast.Work(
                [.artist: artists, .artwork: .init(new: 1_000)], media: media, hasMedia: hasMedia,
                hasValidators: true)
        }
        // Each new artist has a list of documents.
        #expect(work(artists: .init(new: 100)).requests == 200 + 1_000)
        #expect(work(artists: .init(changed: 100)).requests == 100 + 1_000)
        let pictures = work(artists: .init(changed: 100), hasMedia: true)
        #expect(pictures.requests == 1_100 + 1_000 * PlanDefaults.picturesPerArtwork)
        let stated = work(artists: .init(changed: 100), hasMedia: true, media: 1e9)
        #expect(stated.bytes > 1e9 && stated.bytes != pictures.bytes)
    }

    @Test func picturesAreEstimatedWithTheirKnownSizes() {
        let expected = [Kind.artwork: ExpectedMembers(withoutRequest: 100, pictures: 120)]
        let unknown = Forecast.Work(expected)
        #expect(unknown.requests == 120 && unknown.files == 120)
        #expect(Self.estimate(unknown, knowsBytes: false)?.bytes == nil)
        var history = SizeHistory()
        history.pictures["larger"] = .init(count: 40, mean: 1_000, variance: 0)
        #expect(Self.estimate(Forecast.Work(expected, history))?.bytes == 120_000)
        #expect(Self.estimate(Forecast.Work(expected, history, media: 5_000))?.bytes == 5_000)
    }

    @Test func theRequestsOfARunThatOnlyFetchesMissingPicturesAreEstimated() async throws {
        let partner = FakePartner { state in
            for id in 0..<60 {
                state.artwork("a\(id)", image: "i\(id)")
                state.files["/artwork/a\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(id)]
            }
        }
        let mirror = try TestMirror(partner)
        _ = try await mirror.sync { $0.media = false }
        let second = try await mirror.sync()
        let forecast = try #require(second.forecast)
        #expect(second.objects["image"]?.created == 60)
        #expect(abs(forecast.requests - second.requests.sent) <= 6)
        // All pictures are stored now, so only objects are requested.
        let third = try await mirror.sync()
        #expect(abs((third.forecast?.requests ?? 0) - third.requests.sent) <= 6 && third.requests.sent < 80)
    }

    /// Pulled artworks are stored before the tree runs; the tree fetches their pictures.
    @Test func picturesOfPulledArtworksAreEstimated() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators", "since"]
            for id in 0..<60 { state.artwork("a\(id)") }
        }
        let mirror = try TestMirror(partner)
        _ = try await mirror.sync()
        partner.change { state in
            for id in 0..<60 {
                state.artwork("a\(id)", image: "i\(id)")
                state.touch("artworks", "a\(id)", at: "2026-11-21T09:58:00.000Z")
                state.files["/artwork/a\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(id)]
            }
        }
        let monitor = SyncMonitor()
        let second = try await mirror.observed({ _ in }, { sync, _ in try await sync.run(monitor) }).summary
        #expect(second.ways[.artwork]?.isSince == true && second.objects["image"]?.created == 60)
        #expect(monitor.snapshot?.expected["artwork"] == 60)
        let forecast = try #require(second.forecast)
        #expect(abs(forecast.requests - second.requests.sent) <= 10)
    }

    @Test func theDurationIsEstimatedOnlyFromRunsOfASimilarSize() {
        let work = Forecast.Work([.artwork: .init(new: 1_000)], hasMedia: false)
        let small = Forecast.Past(work: .init(requests: 60, bytes: 0), seconds: 1)
        let large = Forecast.Past(work: .init(requests: 500, bytes: 0), seconds: 5)
        #expect(Self.estimate(work, past: [small])?.seconds == nil)
        let estimate = Self.estimate(work, past: [small, large])
        #expect(estimate?.requests == 1_000 && (estimate?.seconds?.median ?? 0) > 9)
    }

    @Test func aSyncSummaryContainsItsForecast() async throws {
        let partner = FakePartner { state in for id in 0..<60 { state.artwork("a\(id)") } }
        let mirror = try TestMirror(partner)
        let first = try await mirror.sync { $0.media = false }
        let forecast = try #require(first.forecast)
        #expect(abs(forecast.requests - first.requests.sent) <= 6 && forecast.seconds == nil)
        #expect(first.json["forecast"]?.objectValue?["requests"]?.numberValue?.intValue == forecast.requests)
    }
}

extension RunEstimateTests {
    @Test func theForecastOfASourceFollowsFromItsRate() throws {
        var work = Forecast.Work(
            [.artwork: .init(new: 498_000), .artist: .init(new: 10)], hasMedia: false, hasLists: false)
        #expect(work.requests == 498_010)
        let pace = RequestPace(spacing: 1)
        let estimate = try #require(
            RunEstimate(work, knowsBytes: false, past: [], jobs: 16, pace: pace))
        #expect(estimate.seconds?.median == 498_010)
        work.requests = 60
        #expect(
            RunEstimate(work, knowsBytes: false, past: [], jobs: 16, pace: RequestPace(spacing: 0))?.seconds
                == nil)
    }
}
