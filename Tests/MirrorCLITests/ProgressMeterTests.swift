import Testing

@testable import MirrorCLI
@testable import OperationTree

@Suite struct ProgressMeterTests {
    private func counts(
        items: Int, done: Int, failed: Int = 0, lists: Int = 1, read: Bool = false, waiting: Int = 0
    ) -> NodeCounts {
        var counts = NodeCounts()
        (counts.items, counts.done, counts.failed, counts.lists) = (items, done, failed, lists)
        (counts.completeLists, counts.pendingInputs) = (read ? lists : 0, waiting)
        return counts
    }

    private func sample(_ counts: [String: NodeCounts], listed: [String: Int] = [:], bytes: Int64 = 0)
        -> ProgressMeter.Sample
    {
        var sample = ProgressMeter.Sample()
        (sample.counts, sample.listed, sample.bytes) = (counts, listed, bytes)
        return sample
    }

    @Test func theProgressShowsATotalOnlyWhenItsListIsComplete() {
        var meter = ProgressMeter()
        let growing = meter.state(sample(["artwork": counts(items: 40, done: 20)]), elapsed: 1)
        #expect(growing.rows == [.init(label: "artworks", count: 20, total: nil, failed: 0)])
        let read = meter.state(sample(["artwork": counts(items: 60, done: 60, read: true)]), elapsed: 2)
        #expect(read.rows == [.init(label: "artworks", count: 60, total: 60, failed: 0)])
    }

    @Test func theProgressShowsAListedTotalFromTheBeginning() {
        var meter = ProgressMeter()
        let state = meter.state(
            sample(["artwork": counts(items: 40, done: 20)], listed: ["artwork": 500]), elapsed: 1)
        #expect(state.rows.map(ProgressBlock.share) == [4])
    }

    @Test func objectsThatNeedNoRequestCountAsDoneWhenTheListIsComplete() {
        var meter = ProgressMeter()
        let state = meter.state(
            sample(["artwork": counts(items: 3, done: 3, read: true)], listed: ["artwork": 500]), elapsed: 1)
        #expect(state.rows == [.init(label: "artworks", count: 500, total: 500, failed: 0)])
    }

    @Test func theShareReaches100PercentOnlyWhenTheListIsComplete() {
        var meter = ProgressMeter()
        var sample = sample(["artwork": counts(items: 3, done: 2)], listed: ["artwork": 500])
        sample.expected = ["artwork": 10]
        #expect(meter.state(sample, elapsed: 1).rows.map(\.count) == [492])
        sample.counts = ["artwork": counts(items: 12, done: 12)]
        #expect(meter.state(sample, elapsed: 2).rows.map(ProgressBlock.share) == [99])
        sample.counts = ["artwork": counts(items: 12, done: 12, read: true)]
        #expect(meter.state(sample, elapsed: 3).rows.map(ProgressBlock.share) == [100])
    }

    @Test func theNumberOfPicturesIsEstimatedWhenATenthOfTheArtworksIsDone() {
        var meter = ProgressMeter()
        func about(_ artworks: Int, _ pictures: Int, elapsed: Double) -> ProgressState.Row? {
            var artwork = counts(items: artworks, done: artworks)
            artwork.emitted = artworks
            var image = counts(items: pictures, done: pictures - 10, lists: artworks)
            image.completeLists = artworks
            var sample = sample(["artwork": artwork, "image": image], listed: ["artwork": 1_000])
            sample.expected = ["artwork": 1_000]
            return meter.state(sample, elapsed: elapsed).rows.last
        }
        #expect(about(60, 120, elapsed: 1)?.about == nil)
        let row = about(100, 200, elapsed: 2)
        #expect(row == .init(label: "pictures", count: 190, total: nil, failed: 0, about: 2_000))
        #expect(about(200, 408, elapsed: 3)?.about == 2_000, "a little more changes nothing")
        #expect(about(500, 1_200, elapsed: 4)?.about == 2_400)
    }

    @Test func theObjectInProgressIsShownWithoutControlCharacters() {
        var meter = ProgressMeter()
        var artwork = counts(items: 3, done: 2)
        artwork.running = 1
        var sample = sample(["artwork": artwork])
        sample.underWay = ("artwork", "a\u{1B}[2J")
        #expect(meter.state(sample, elapsed: 1).underWay == "artwork a\u{FFFD}[2J")
        sample.underWay = ("image", "i")
        #expect(meter.state(sample, elapsed: 2).underWay == nil, "no item of this node is running any more")
    }

    @Test func aSharedNodeIsOverOnlyWhenAllItsParentsAreOver() {
        let pictures = counts(items: 9, done: 9, lists: 3, read: true)
        let over = counts(items: 3, done: 3, read: true)
        var nodes = [
            "image": pictures, "artwork": over, "show": counts(items: 2, done: 1), "installation shots": over,
            "show cover": over,
        ]
        #expect(!ProgressMeter.isOver("image", sample(nodes)))
        nodes["show"] = over
        #expect(ProgressMeter.isOver("image", sample(nodes)))
    }

    @Test func countsOfTheProgressNeverDecreaseOrExceedTheTotal() {
        var meter = ProgressMeter()
        _ = meter.state(sample(["artist": counts(items: 50, done: 50)], listed: ["artist": 60]), elapsed: 1)
        let less = meter.state(
            sample(["artist": counts(items: 50, done: 40)], listed: ["artist": 60]), elapsed: 2)
        #expect(less.rows.map(\.count) == [50])
        let more = meter.state(
            sample(["artist": counts(items: 70, done: 70)], listed: ["artist": 60]), elapsed: 3)
        #expect(more.rows.allSatisfy { $0.count <= $0.total ?? 0 })
    }

    @Test func theTransferRateIsSmoothed() {
        var meter = ProgressMeter()
        _ = meter.state(sample([:], bytes: 0), elapsed: 0)
        #expect(meter.state(sample([:], bytes: 1_000), elapsed: 1).rate == 1_000)
        let burst = meter.state(sample([:], bytes: 11_000), elapsed: 2).rate
        #expect(burst > 1_000 && burst < 10_000)
    }

    /// The server makes a run of 20 seconds wait for two minutes, at its half.
    @Test func waitsForTheServerDoNotChangeTheRemainingTime() throws {
        var meter = ProgressMeter()
        func left(_ done: Int, _ elapsed: Double, isWaiting: Bool = false) -> TimeLeft.Range? {
            var sample = sample(
                ["artwork": counts(items: done, done: done)], listed: ["artwork": 100])
            (sample.expected, sample.hasMedia) = (["artwork": 100], false)
            for kind in ["location", "artist", "show", "album"] {
                sample.counts[kind] = counts(items: 0, done: 0, read: true)
            }
            return meter.state(sample, elapsed: elapsed, isWaiting: isWaiting).left
        }
        for second in 0...10 { _ = left(second * 5, Double(second)) }
        for second in 11...130 { #expect(left(50, Double(second), isWaiting: true) == nil) }
        let after = try #require(left(55, 131))
        #expect((7...14).contains(after.seconds), "\(after)")
    }
}
