import Catalogue
import Foundation
import MirrorSync
import OperationTree

/// Turns samples of a run into its progress: counts never decrease, and never exceed their total.
struct ProgressMeter: Sendable {
    /// The nodes that have a row, in order, with the row's label.
    private static let rows: [(node: String, label: String)] =
        SyncTree.tree.nodes.compactMap { node in
            Kinds.standard[node.name].flatMap { $0.isListed ? ($0.name, $0.plural) : nil }
        } + [("image", "pictures"), ("image tiles", "tiles"), ("document file", "documents")]

    /// The state of a run at one moment.
    struct Sample: Sendable {
        var counts: [String: NodeCounts] = [:]
        /// The number of members of the partner's own lists by kind, once a list has arrived.
        var listed: [String: Int] = [:]
        /// The number of those members that will be requested.
        var expected: [String: Int] = [:]
        var requests = 0
        var bytes: Int64 = 0
        var hasMedia = true
        var forecast: Forecast?
        /// How fast the description of a source allows requests; `nil` for a server with the Partner API.
        var pace: RequestPace?
        /// The snapshot that is being stored: the number of lines that were read, and of all lines.
        var loading: (taken: Int, count: Int)?
        /// The object whose fetch was started last.
        var current: (kind: String, id: String)?
    }

    private var totals: [String: Int] = [:]
    private var highest: [String: Int] = [:]
    private var last: (bytes: Int64, elapsed: Double)?
    private var rate: Double = 0
    private var timeLeft = TimeLeft()
    /// Seconds in which the run only waited for the server. They are left out of the pace.
    private var waited = 0.0
    private var lastUpdate: (done: Double, elapsed: Double) = (0, 0)
    /// The estimated number of pictures that was shown last.
    private var shownPictures: Int?

    /// - Parameter isWaiting: whether the run waits for the server.
    mutating func state(_ sample: Sample, elapsed: Double, isWaiting: Bool = false) -> ProgressState {
        var state = ProgressState(
            requests: sample.requests, bytes: sample.bytes, rate: rate(sample.bytes, elapsed),
            elapsed: elapsed)
        if let (taken, count) = sample.loading {
            state.rows = [ProgressState.Row(label: "snapshot", count: taken, total: count, failed: 0)]
            return state
        }
        let work = RemainingWork(sample)
        let done = work.requests.done + work.files.done
        // While the run only waits, the length of the wait is shown, but no time left.
        let isIdle = isWaiting && done <= lastUpdate.done
        if isIdle { waited += elapsed - lastUpdate.elapsed }
        lastUpdate = (done, elapsed)
        let left = timeLeft.update(
            [work.requests, work.files], elapsed: elapsed - waited, forecast: sample.forecast,
            least: work.least(at: sample.pace))
        state.left = isIdle ? nil : left
        if let (kind, id) = sample.current,
            sample.counts[kind == "document" ? "document file" : kind]?.running ?? 0 > 0
        {
            state.current = "\(kind == "image" ? "picture" : kind) \(id)".printable
        }
        for (node, label) in Self.rows {
            guard let counts = sample.counts[node],
                counts.items > 0 || sample.listed[node, default: 0] > 0
            else { continue }
            state.rows.append(row(node, label, counts, sample))
            if node == "image", state.rows.last?.total == nil {
                state.rows[state.rows.count - 1].about = estimate(work.pictures, found: counts.items)
            }
        }
        return state
    }

    /// The estimate to show. It changes only if it is more than 5 % wrong, so that it doesn't flicker.
    private mutating func estimate(_ now: Int?, found: Int) -> Int? {
        guard let now else { return shownPictures.map { max($0, found) } }
        let new = max(now, found)
        if let shown = shownPictures, shown >= found, abs(shown - new) * 20 <= new { return shown }
        shownPictures = new
        return new
    }

    private mutating func row(
        _ node: String, _ label: String, _ counts: NodeCounts, _ sample: Sample
    ) -> ProgressState.Row {
        let finished = counts.done + counts.failed
        let isFinished = Self.isFinished(node, sample)
        // The first total is kept, unless more items than that are finished.
        if let listed = sample.listed[node] {
            totals[node] = max(totals[node] ?? listed, finished)
        } else if isFinished, totals[node] == nil {
            totals[node] = finished
        }
        let total = totals[node].map { max($0, finished) }
        // Objects that a list vouches for are not items of the node. They count as done from the beginning.
        let vouched = max(0, (sample.listed[node] ?? 0) - (sample.expected[node] ?? .max))
        let soFar = vouched == 0 ? finished : min(finished + vouched, max(finished, (total ?? 1) - 1))
        let count = isFinished ? total ?? finished : soFar
        highest[node] = max(highest[node] ?? 0, count)
        return ProgressState.Row(
            label: label, count: min(highest[node] ?? count, total ?? .max), total: total,
            failed: counts.failed)
    }

    /// Whether a node gets no more items: its lists are read, and those of all nodes above it.
    static func isFinished(_ node: String, _ sample: Sample) -> Bool {
        let parents = (SyncTree.tiledTree.node(named: node)?.parents ?? []).filter { $0 != "Sync" }
        guard let counts = sample.counts[node], parents.allSatisfy({ isFinished($0, sample) }) else {
            return false
        }
        let isRead = counts.pendingInputs == 0 && counts.lists == counts.endedLists
        return isRead && counts.items == counts.ended && (counts.lists > 0 || !parents.isEmpty)
    }

    /// Bytes per second, smoothed over about 3 seconds.
    private mutating func rate(_ bytes: Int64, _ elapsed: Double) -> Double {
        guard let last, elapsed > last.elapsed else {
            if last == nil { last = (bytes, elapsed) }
            return rate
        }
        let interval = elapsed - last.elapsed
        let current = Double(max(0, bytes - last.bytes)) / interval
        let weight = rate == 0 ? 1 : 1 - exp(-interval / 3)
        rate += (current - rate) * weight
        self.last = (bytes, elapsed)
        return rate
    }
}

extension ProgressMeter.Sample {
    init(_ snapshot: SyncMonitor.Snapshot) {
        self.init(
            counts: snapshot.counts, listed: snapshot.listed, expected: snapshot.expected,
            requests: snapshot.statistics.sent,
            bytes: Int64(snapshot.statistics.bytesReceived + (snapshot.loading?.bytes ?? 0)),
            hasMedia: snapshot.hasMedia, forecast: snapshot.forecast, pace: snapshot.pace,
            loading: snapshot.loading.map { ($0.taken, $0.count) },
            current: snapshot.current.map { ($0.kind, $0.id) })
    }
}
