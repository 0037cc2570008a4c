import MirrorHTTP
import MirrorStore
import PartnerAPI
import Testing

@testable import MirrorSync

@Suite("A run scores its own forecast", .fewAtATime) struct ForecastScoreTests {
    private static let took = #""seconds":12,"bytes":{"received":900},"requests":{"sent":110}"#

    @Test(
        arguments: [
            (
                #""forecast":{"seconds":{"median":10,"p90":15},"bytes":1000,"requests":100}"#, 1.2, true, 0.9,
                1.1
            ),
            (#""forecast":{"seconds":{"median":6,"p90":11},"bytes":450,"requests":110}"#, 2, false, 2, 1),
            (#""forecast":{"bytes":1000,"requests":100}"#, nil, nil, 0.9, 1.1),
            (#""forecast":{"seconds":{"median":0},"bytes":0}"#, nil, nil, nil, nil),
        ] as [(String, Double?, Bool?, Double?, Double?)])
    func whatItTookIsAShareOfWhatWasForetold(
        foretold: String, seconds: Double?, isWithin: Bool?, bytes: Double?, requests: Double?
    ) throws {
        let score = ForecastScore(try StepFixture.json("{\(foretold),\(Self.took)}"))
        #expect(
            score == ForecastScore(seconds: seconds, isWithinP90: isWithin, bytes: bytes, requests: requests))
    }

    @Test func aRunThatForetoldNothingHasNoScore() throws {
        #expect(ForecastScore(try StepFixture.json("{\(Self.took)}")) == nil)
        #expect(ForecastScore.largestError([0.96, 1.01]).map { ($0 * 100).rounded() } == 4)
        #expect(ForecastScore.largestError([]) == nil)
    }

    @Test func littleToDoIsNotForetold() {
        let few = RunForecast.Basis(expected: [.artwork: .init(new: 10)], hasMedia: false)
        #expect(RunForecast(few, past: { [] }, jobs: 16) == nil)
    }

    @Test func workIsWhatTheListsSayWillBeAskedFor() {
        var basis = RunForecast.Basis(
            expected: [.artist: .init(new: 100), .artwork: .init(new: 1_000)], hasMedia: false,
            hasValidators: true, sent: 9, received: 5_000)
        // Artists have a list of documents each.
        #expect(basis.work.requests == 9 + 200 + 1_000)
        basis.expected[.artist] = .init(changed: 100)
        #expect(basis.work.requests == 9 + 100 + 1_000)
        basis.hasMedia = true
        #expect(basis.work.requests == 1_109 + 1_000 * PlanDefaults.picturesPerArtwork)
        let without = basis.work.bytes
        basis.media = 1e9
        #expect(basis.work.bytes > 1e9 && basis.work.bytes != without)
    }

    @Test func bytesOfPicturesThatNothingIsKnownOfAreNotForetold() {
        var basis = RunForecast.Basis(expected: [.artwork: .init(lacking: 100, pictures: 120)])
        #expect(basis.work.requests == 120 && basis.work.files == 120)
        #expect(RunForecast(basis, past: { [] }, jobs: 16)?.bytes == nil)
        basis.history.pictures["larger"] = .init(count: 40, mean: 1_000, variance: 0)
        #expect(RunForecast(basis, past: { [] }, jobs: 16)?.bytes == 120_000)
        basis.media = 5_000
        #expect(RunForecast(basis, past: { [] }, jobs: 16)?.bytes == 5_000)
    }

    @Test func aRunThatOnlyLacksPicturesForetellsThem() async throws {
        let partner = FakePartner { state in
            for id in 0..<60 {
                state.artwork("a\(id)", image: "i\(id)")
                state.files["/artwork/a\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(id)]
            }
        }
        let mirror = try TestMirror(partner)
        _ = try await mirror.sync { $0.media = false }
        let second = try await mirror.sync()
        let foretold = try #require(second.forecast)
        #expect(second.objects["image"]?.created == 60)
        #expect(abs(foretold.requests - second.requests.sent) <= 6)
        // All is here now: no more than the objects are asked for.
        let third = try await mirror.sync()
        #expect(abs((third.forecast?.requests ?? 0) - third.requests.sent) <= 6 && third.requests.sent < 80)
    }

    @Test func timeIsForetoldOnlyFromRunsOfThatSize() {
        let basis = RunForecast.Basis(expected: [.artwork: .init(new: 1_000)], hasMedia: false)
        let small = Forecast.Past(work: .init(requests: 60, bytes: 0), seconds: 1)
        let large = Forecast.Past(work: .init(requests: 500, bytes: 0), seconds: 5)
        #expect(RunForecast(basis, past: { [small] }, jobs: 16)?.seconds == nil)
        let forecast = RunForecast(basis, past: { [small, large] }, jobs: 16)
        #expect(forecast?.requests == 1_000 && (forecast?.seconds?.median ?? 0) > 9)
    }

    @Test func aSyncHasItsForecastBesideWhatItTook() async throws {
        let partner = FakePartner { state in for id in 0..<60 { state.artwork("a\(id)") } }
        let mirror = try TestMirror(partner)
        let first = try await mirror.sync { $0.media = false }
        let foretold = try #require(first.forecast)
        #expect(abs(foretold.requests - first.requests.sent) <= 6 && foretold.seconds == nil)
        #expect(first.json["forecast"]?.objectValue?["requests"]?.numberValue?.intValue == foretold.requests)
        let scores = try mirror.read { try ForecastScore.last(5, in: $0) }
        #expect(scores.count == 1 && abs((scores.first?.requests ?? 0) - 1) < 0.1)
        // One artwork comes: too little to foretell.
        partner.change { $0.artwork("new") }
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(try mirror.read { try ForecastScore.last(5, in: $0) }.count >= 1)
    }
}
