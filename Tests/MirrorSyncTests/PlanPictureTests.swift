import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Pictures and documents of changed objects, in a dry run", .limitedConcurrency) struct PlanPictureTests
{
    private static let size = 40

    /// A server with artworks without pictures.
    private func partner(_ count: Int, extensions: [String] = ["validators"]) -> FakePartner {
        FakePartner { state in
            state.extensions = extensions
            state.hasListETags = true
            for number in 0..<count { state.artwork("w\(number)") }
        }
    }

    /// Changes all artworks, and adds a picture to three of five.
    ///
    /// - Returns: the number of pictures.
    private func change(_ count: Int, of partner: FakePartner) -> Int {
        let pictured = (0..<count).filter { $0 % 5 < 3 }
        partner.change { state in
            for number in 0..<count { state.artwork("w\(number)", title: "Another title") }
            for number in pictured {
                state.artwork("w\(number)", title: "Another title", image: "i\(number)")
                state.files["/artwork/w\(number)/image/i\(number)/larger.jpg"] =
                    [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: UInt8(number % 200), count: Self.size - 4)
            }
        }
        return pictured.count
    }

    @Test func aDryRunCountsThePicturesOfFewChangedArtworksExactly() async throws {
        let partner = partner(40), mirror = try TestMirror(partner)
        try await mirror.sync()
        let pictures = change(40, of: partner)
        let plan = try #require(await mirror.plan().summary.plan)
        #expect(plan.files["image"] == Estimate(Double(pictures), sampled: 40) && plan.isExact)
        #expect(plan.media.rounded == pictures * Self.size)
        let done = try await mirror.sync()
        #expect(done.objects["image"]?.created == pictures)
        #expect(plan.requests.rounded == done.requests.sent)
    }

    @Test func aDryRunEstimatesThePicturesOfManyChangedArtworks() async throws {
        let partner = partner(200), mirror = try TestMirror(partner)
        try await mirror.sync()
        let pictures = change(200, of: partner)
        _ = partner.takeRequests()
        let plan = try #require(await mirror.plan().summary.plan),
            estimate = try #require(plan.files["image"])
        #expect(partner.takeRequests().count { $0.hasPrefix("GET /artwork/") } == 50)
        #expect(!plan.isExact && estimate.margin > 0 && estimate.sampled == 50)
        #expect(abs(estimate.value - Double(pictures)) <= estimate.margin * 1.5, "\(estimate)")
        #expect(abs(plan.media.value - estimate.value * Double(Self.size)) < 1)
        #expect(plan.media.margin > 0)
    }

    /// If no sampled artwork has a picture, others may still have one.
    @Test func aSampleWithoutPicturesGivesAnEstimateThatIsNotExact() async throws {
        let partner = partner(200), mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            for number in 0..<200 { state.artwork("w\(number)", title: "Another title") }
        }
        let plan = try #require(await mirror.plan().summary.plan),
            estimate = try #require(plan.files["image"])
        #expect(estimate.rounded == 0 && estimate.margin > 1 && !plan.isExact)
    }

    @Test func withoutValidatorsTheNumberOfPicturesIsEstimatedFromTheSampledArtworks() async throws {
        let partner = partner(200, extensions: []), mirror = try TestMirror(partner)
        try await mirror.sync()
        let pictures = change(200, of: partner)
        let plan = try #require(await mirror.plan().summary.plan),
            estimate = try #require(plan.files["image"])
        #expect(!plan.isExact)
        #expect(abs(estimate.value - Double(pictures)) <= estimate.margin * 1.5, "\(estimate)")
    }

    @Test func pagesOfAbridgedArtworksDoNotMeanThatThereAreNoPictures() async throws {
        let partner = partner(0)
        partner.change { state in
            for number in 0..<30 {
                state.artwork("w\(number)", image: "i\(number)")
                state.files["/artwork/w\(number)/image/i\(number)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1]
            }
            let abridged = (0..<30).map { #"{"id":"w\#($0)","title":"Work"}"# }.joined(separator: ",")
            state.overrides["/partner/p/artworks?page=1&size=500"] = .text("[\(abridged)]")
        }
        let mirror = try TestMirror(partner)
        let plan = try #require(await mirror.plan().summary.plan)
        #expect(plan.files["image"] == Estimate(30, sampled: 30))
        #expect(plan.media.rounded == 30 * 5)
    }

    @Test func aDryRunRequestsAChangedListOfDocuments() async throws {
        let partner = partner(1)
        partner.change { $0.show("s", []) }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.lists["/partner/p/show/s/documents"] = ["d", "e"]
            for id in ["d", "e"] {
                state.objects["/partner/p/show/s/document/\(id)"] =
                    #"{"id":"\#(id)","title":"Paper","uri":"show/s/\#(id).pdf"}"#
                state.files["/show/s/\(id).pdf"] = Array("%PDF-1.4 and so on".utf8)
            }
        }
        let plan = try #require(await mirror.plan().summary.plan)
        #expect(plan.files["document"]?.rounded == 2 && !plan.isExact)
        #expect(plan.media.rounded == 36)
        #expect(try await mirror.sync().objects["document"]?.created == 2)
    }

    @Test func aDryRunRequestsAChangedListOfInstallationShots() async throws {
        let partner = partner(1)
        partner.change { $0.show("s", []) }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.lists["/partner_show/s/images?default=0"] = (0..<3).map { number in
                state.files["/show/s/image/i\(number)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(number)]
                return
                    #"{"id":"i\#(number)","image_url":"show/s/image/i\#(number)/larger.jpg","image_versions":["larger"]}"#
            }
        }
        let plan = try #require(await mirror.plan().summary.plan)
        #expect(plan.files["image"] == Estimate(3, sampled: 1))
        #expect(plan.media.rounded == 15)
    }
}

@Suite("The numbers of a dry run") struct PlanNumberTests {
    /// The bytes of snapshots of real catalogues, uncompressed and compressed by gzip.
    @Test(arguments: [
        (7_887_359, 2_314_721), (10_008_199, 2_455_562), (465_744, 109_263), (463_389, 110_763),
        (265_813, 64_423), (196_401, 53_041), (132_922, 26_740), (79_556, 17_872),
    ]) func theTransferredSizeOfASnapshotIsWithinItsEstimatedMargin(bytes: Int, compressed: Int) {
        let compressedSize = SnapshotLoad.received(of: bytes)
        #expect(abs(compressedSize.value - Double(compressed)) <= compressedSize.margin)
        #expect(compressedSize.margin < compressedSize.value * 0.3)
    }

    @Test func aSampleWithoutHitsHasAMarginAboveZero() {
        let none = Array(repeating: SampledGroup(count: 1, sum: 0), count: 50)
        let some = Estimate.count(of: Estimate(1_000), groups: none)
        // If 50 samples have none, up to 5.1 % of the 950 others may have one.
        #expect(some.value == 0 && abs(some.margin - 950 * 0.0513) < 1 && some.sampled == 50)
        #expect(Estimate.count(of: Estimate(50), groups: none).isExact)
    }

    @Test(arguments: [
        // Bytes, seconds, round trip in seconds, bytes a second.
        (600_000.0, 0.02, 0.001, 44_100_000.0),
        // TCP slow start explains most of the time, so the connection isn't slow.
        (600_000, 0.3, 0.04, 13_580_000),
        // A slow connection.
        (600_000, 0.8, 0.02, 893_000),
    ]) func theTransferRateIsEstimatedFromLongAnswers(
        bytes: Double, seconds: Double, trip: Double, rate: Double
    ) throws {
        let found = try #require(Forecast.Answer(bytes: bytes, seconds: seconds).rate(trip: trip))
        #expect(abs(found - rate) < rate * 0.05, "\(found)")
        #expect(Forecast.Answer(bytes: bytes, seconds: 0).rate(trip: trip) == nil)
    }

    @Test func theForecastUsesTheTransferRateOfLongAnswers() {
        let work = Forecast.Work(requests: 0, bytes: 50_000_000)
        let slow = Forecast.of(work, past: [], roundTrips: [0.001], jobs: 16)
        let fast = Forecast.of(
            work, past: [], roundTrips: [0.001], jobs: 16, answers: [.init(bytes: 600_000, seconds: 0.02)])
        #expect(slow.median > 10 && fast.median < 1.2)
    }
}
