import Testing

@testable import MirrorCLI
@testable import MirrorSync
@testable import OperationTree

@Suite("The remaining work of a run") struct RemainingWorkTests {
    private static let others = ["location", "artist", "show", "album"]

    private static func sample(artwork: NodeCounts, image: NodeCounts, artworks: Int) -> ProgressMeter.Sample
    {
        var read = NodeCounts()
        (read.lists, read.completeLists) = (1, 1)
        var sample = ProgressMeter.Sample()
        for kind in others {
            sample.counts[kind] = read
            sample.expected[kind] = 0
        }
        sample.counts["artwork"] = artwork
        sample.counts["image"] = image
        sample.expected["artwork"] = artworks
        return sample
    }

    /// The progress of a sync at a time. 5,087 artworks changed; 3,239 of them have 3,989 new pictures.
    ///
    /// The sync downloads a hundred pictures per second. At most 64 artworks wait for their pictures, like in a real run.
    private static func sample(at elapsed: Double) -> ProgressMeter.Sample {
        let artworks = 5_087.0, pictured = 3_239.0, pictures = 3_989.0
        let done = min(pictures, 100 * elapsed)
        let lists = done / pictures * pictured
        let passed = min(artworks, (lists + 64) * artworks / pictured)
        var artwork = NodeCounts()
        artwork.lists = 1
        artwork.completeLists = passed == artworks ? 1 : 0
        artwork.done = Int(passed)
        artwork.items = min(Int(artworks), artwork.done + 32)
        artwork.emitted = Int(passed * pictured / artworks)
        var image = NodeCounts()
        image.done = Int(done)
        image.items = min(Int(pictures), image.done + 16)
        image.completeLists = Int(lists)
        image.lists = min(artwork.emitted, image.completeLists + 16)
        image.pendingInputs = artwork.emitted - image.lists
        return sample(artwork: artwork, image: image, artworks: Int(artworks))
    }

    @Test func theRemainingTimeIsRightAfterATenthOfTheRunAndDecreases() throws {
        // The forecast is too short, because earlier runs had few changes.
        let forecast = Forecast(median: 1, p90: 2)
        var meter = ProgressMeter(), shown: [(at: Double, seconds: Double)] = []
        for step in 0..<(39 * 8) {
            var sample = Self.sample(at: Double(step) / 8)
            sample.forecast = forecast
            let state = meter.state(sample, elapsed: Double(step) / 8)
            if let left = state.left { shown.append((Double(step) / 8, left.seconds)) }
        }
        let checked = shown.filter { $0.at >= 4 && $0.at <= 37 }
        #expect(checked.count == 33 * 8 + 1)
        for (at, seconds) in checked {
            let truth = 39.89 - at
            #expect(seconds <= truth * 1.5 + 1 && seconds >= truth / 1.5 - 1, "at \(at) s: \(seconds) s")
        }
        let tens = [10.0, 20, 30].compactMap { at in checked.first { $0.at == at }?.seconds }
        #expect(tens.count == 3 && tens[0] > tens[1] && tens[1] > tens[2])
    }

    @Test func noNumberOfPicturesIsEstimatedBeforeTheFirstListIsRead() {
        var artwork = NodeCounts(), image = NodeCounts()
        (artwork.lists, artwork.items, artwork.done, artwork.emitted) = (1, 80, 60, 60)
        image.pendingInputs = 60
        #expect(RemainingWork(Self.sample(artwork: artwork, image: image, artworks: 1_000)).files.left == nil)
        artwork.emitted = 0
        image.pendingInputs = 0
        #expect(RemainingWork(Self.sample(artwork: artwork, image: image, artworks: 1_000)).files.left == 0)
    }

    @Test func documentsOfArtistsThatAreNotRequestedYetAreEstimated() {
        var artist = NodeCounts(), lists = NodeCounts(), files = NodeCounts()
        (artist.lists, artist.items, artist.done) = (1, 120, 100)
        (lists.lists, lists.completeLists, lists.items, lists.done, lists.emitted) = (100, 100, 20, 20, 20)
        (files.items, files.done, files.lists, files.completeLists) = (20, 20, 20, 20)
        var artwork = NodeCounts()
        (artwork.lists, artwork.completeLists) = (1, 1)
        var sample = Self.sample(artwork: artwork, image: NodeCounts(), artworks: 0)
        sample.counts["artist"] = artist
        sample.counts["artist documents"] = lists
        sample.counts["document file"] = files
        sample.expected["artist"] = 1_100
        #expect(RemainingWork(sample).files.left == 200)
    }
}
