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

    @Test func noTotalIsShownThatCouldStillGrow() {
        var meter = ProgressMeter()
        let growing = meter.state(sample(["artwork": counts(items: 40, done: 20)]), elapsed: 1)
        #expect(growing.rows == [.init(label: "artworks", count: 20, total: nil, failed: 0)])
        let read = meter.state(sample(["artwork": counts(items: 60, done: 60, read: true)]), elapsed: 2)
        #expect(read.rows == [.init(label: "artworks", count: 60, total: 60, failed: 0)])
    }

    @Test func aListedTotalIsShownFromTheBeginning() {
        var meter = ProgressMeter()
        let state = meter.state(
            sample(["artwork": counts(items: 40, done: 20)], listed: ["artwork": 500]), elapsed: 1)
        #expect(state.rows.map(ProgressBlock.share) == [4])
    }

    @Test func vouchedObjectsAreDoneWithAtTheEnd() {
        var meter = ProgressMeter()
        let state = meter.state(
            sample(["artwork": counts(items: 3, done: 3, read: true)], listed: ["artwork": 500]), elapsed: 1)
        #expect(state.rows == [.init(label: "artworks", count: 500, total: 500, failed: 0)])
    }

    @Test func sharedPicturesEndOnlyWithAllTheirParents() {
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

    @Test func countsNeverGoBackOrPastTheTotal() {
        var meter = ProgressMeter()
        _ = meter.state(sample(["artist": counts(items: 50, done: 50)], listed: ["artist": 60]), elapsed: 1)
        let less = meter.state(
            sample(["artist": counts(items: 50, done: 40)], listed: ["artist": 60]), elapsed: 2)
        #expect(less.rows.map(\.count) == [50])
        let more = meter.state(
            sample(["artist": counts(items: 70, done: 70)], listed: ["artist": 60]), elapsed: 3)
        #expect(more.rows.allSatisfy { $0.count <= $0.total ?? 0 })
    }

    @Test func theRateIsSmoothed() {
        var meter = ProgressMeter()
        _ = meter.state(sample([:], bytes: 0), elapsed: 0)
        #expect(meter.state(sample([:], bytes: 1_000), elapsed: 1).rate == 1_000)
        let burst = meter.state(sample([:], bytes: 11_000), elapsed: 2).rate
        #expect(burst > 1_000 && burst < 10_000)
    }
}
