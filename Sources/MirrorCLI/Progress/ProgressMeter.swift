import Catalogue
import Foundation
import MirrorSync
import OperationTree

/// Turns samples of a run into what is shown of it: counts never decrease, and never exceed their total.
struct ProgressMeter: Sendable {
    /// The nodes that have a row, in this order, and what it is called.
    private static let rows: [(node: String, label: String)] =
        SyncTree.tree.nodes.compactMap { node in
            Kinds.standard[node.name].flatMap { $0.isListed ? ($0.name, $0.plural) : nil }
        } + [("image", "pictures"), ("image tiles", "tiles"), ("document file", "documents")]

    /// What is looked at.
    struct Sample: Sendable {
        var counts: [String: NodeCounts] = [:]
        /// Members of the partner's own lists by kind, as soon as a list has come.
        var listed: [String: Int] = [:]
        /// Members of those lists that will be requested.
        var expected: [String: Int] = [:]
        var requests = 0
        var bytes: Int64 = 0
        var hasMedia = true
        var forecast: Forecast?
        /// A snapshot that is being stored: lines that were read, and lines in all.
        var loading: (taken: Int, count: Int)?
        /// What was begun last.
        var underWay: (kind: String, id: String)?
    }

    private var totals: [String: Int] = [:]
    private var highest: [String: Int] = [:]
    private var last: (bytes: Int64, elapsed: Double)?
    private var rate: Double = 0
    private var timeLeft = TimeLeft()
    /// Seconds in which nothing was done but wait for the server; they say nothing of the pace.
    private var waited = 0.0
    private var lastLook: (done: Double, elapsed: Double) = (0, 0)
    /// How many pictures there are about, as was last said.
    private var pictures: Int?

    /// - Parameter isWaiting: whether the run waits for the server.
    mutating func state(_ sample: Sample, elapsed: Double, isWaiting: Bool = false) -> ProgressState {
        var state = ProgressState(
            requests: sample.requests, bytes: sample.bytes, rate: rate(sample.bytes, elapsed),
            elapsed: elapsed)
        if let (taken, count) = sample.loading {
            state.rows = [ProgressState.Row(label: "snapshot", count: taken, total: count, failed: 0)]
            return state
        }
        let work = WorkLeft(sample)
        let done = work.requests.done + work.files.done
        // How long the wait is, is shown beside it; how long the rest takes is not known better than before.
        let isIdle = isWaiting && done <= lastLook.done
        if isIdle { waited += elapsed - lastLook.elapsed }
        lastLook = (done, elapsed)
        let left = timeLeft.update(
            [work.requests, work.files], elapsed: elapsed - waited, forecast: sample.forecast)
        state.left = isIdle ? nil : left
        if let (kind, id) = sample.underWay,
            sample.counts[kind == "document" ? "document file" : kind]?.running ?? 0 > 0
        {
            state.underWay = "\(kind == "image" ? "picture" : kind) \(id)".printable
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

    /// What was said stays while it is right within a twentieth: an estimate doesn't flicker.
    private mutating func estimate(_ now: Int?, found: Int) -> Int? {
        guard let now else { return pictures.map { max($0, found) } }
        let new = max(now, found)
        if let said = pictures, said >= found, abs(said - new) * 20 <= new { return said }
        pictures = new
        return new
    }

    private mutating func row(
        _ node: String, _ label: String, _ counts: NodeCounts, _ sample: Sample
    ) -> ProgressState.Row {
        let finished = counts.done + counts.failed
        let isOver = Self.isOver(node, sample)
        // A total stays what it was first said to be, unless more came all the same.
        if let listed = sample.listed[node] {
            totals[node] = max(totals[node] ?? listed, finished)
        } else if isOver, totals[node] == nil {
            totals[node] = finished
        }
        let total = totals[node].map { max($0, finished) }
        // Objects that a list vouches for are no items: they are done with from the beginning.
        let vouched = max(0, (sample.listed[node] ?? 0) - (sample.expected[node] ?? .max))
        let soFar = vouched == 0 ? finished : min(finished + vouched, max(finished, (total ?? 1) - 1))
        let count = isOver ? total ?? finished : soFar
        highest[node] = max(highest[node] ?? 0, count)
        return ProgressState.Row(
            label: label, count: min(highest[node] ?? count, total ?? .max), total: total,
            failed: counts.failed)
    }

    /// Whether nothing more will come to a node: its lists are read, and so are those of all nodes above it.
    static func isOver(_ node: String, _ sample: Sample) -> Bool {
        let parents = (SyncTree.tiledTree.node(named: node)?.parents ?? []).filter { $0 != "Sync" }
        guard let counts = sample.counts[node], parents.allSatisfy({ isOver($0, sample) }) else {
            return false
        }
        let isRead = counts.pendingInputs == 0 && counts.lists == counts.endedLists
        return isRead && counts.items == counts.ended && (counts.lists > 0 || !parents.isEmpty)
    }

    /// Smoothed over about three seconds.
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
            hasMedia: snapshot.hasMedia, forecast: snapshot.forecast,
            loading: snapshot.loading.map { ($0.taken, $0.count) },
            underWay: snapshot.underWay.map { ($0.kind, $0.id) })
    }
}
