import Catalogue
import MirrorSync
import OperationTree

/// What a sync has done and has left, in its two lanes: requests for objects and the lists under them, and files.
struct WorkLeft: Sendable {
    let requests: TimeLeft.Lane
    let files: TimeLeft.Lane
    /// Pictures in all, as far as that can be estimated; `nil` before a tenth of the artworks was looked at.
    let pictures: Int?

    init(_ sample: ProgressMeter.Sample) {
        func counts(_ node: String) -> NodeCounts { sample.counts[node] ?? NodeCounts() }
        var done = 0, left: Int? = 0
        let media = ["image", "document file"]
        for kind in Kinds.standard.listed.map(\.name) {
            // The nodes under it that request a list of each object.
            let children = SyncTree.tree.node(named: kind)?.children ?? []
            let lists = children.filter { !media.contains($0) }
            done += counts(kind).ended
            for list in lists {
                done += counts(list).endedLists
                left = left.map { $0 + counts(list).pendingInputs + counts(list).openLists }
            }
            let objects = Self.left(kind, sample)
            left = if let left, let objects { left + objects * (1 + lists.count) } else { nil }
        }
        requests = TimeLeft.Lane(done: Double(done), left: left.map(Double.init))

        let images = counts("image"), documents = counts("document file")
        let artworks = Self.left("artwork", sample)
        let known = images.items - images.ended
        var pictures: Double?
        if ProgressMeter.isOver("image", sample) {
            pictures = 0
        } else if let artworks {
            // As many of each owner to come as of those that were looked at. What the mirror's own pictures or the server's
            // statement make of it may leave out what changed.
            let artwork = counts("artwork")
            let hasNone = !sample.hasMedia || artwork.done >= 50 && artwork.emitted == 0
            let each: Double? =
                images.endedLists > 0 ? Double(images.items) / Double(images.endedLists) : hasNone ? 0 : nil
            let owners =
                Double(images.pendingInputs + images.openLists)
                + Double(artworks) * Self.share(of: artwork.emitted, per: artwork.done, else: 1)
                // Lists of pictures of the shows that are still to come, as those that were looked at have them.
                + Self.toCome("show", ["installation shots", "show cover"], sample)
            pictures = owners == 0 ? Double(known) : each.map { Double(known) + $0 * owners }
        }
        let documentsLeft =
            Double(documents.items - documents.ended + documents.pendingInputs)
            + (Self.toCome("show", ["show documents"], sample)
                + Self.toCome("artist", ["artist documents"], sample))
        // Of tiles only those are known whose picture was fetched.
        let tiles = counts("image tiles")
        files = TimeLeft.Lane(
            done: Double(images.ended + tiles.ended + documents.ended),
            left: pictures.map { $0 + Double(tiles.items - tiles.ended) + documentsLeft })
        let artwork = counts("artwork").ended
        let isTold = artworks.map { artwork >= 50 && artwork * 9 >= $0 && images.endedLists >= 30 } ?? false
        self.pictures = isTold ? pictures.map { images.ended + Int(min(max(0, $0), 1e12)) } : nil
    }

    /// What nodes will have found under the owners that are still to come, as under those that were looked at.
    private static func toCome(_ owner: String, _ nodes: [String], _ sample: ProgressMeter.Sample) -> Double {
        let found = nodes.reduce(0) { $0 + (sample.counts[$1]?.emitted ?? 0) }
        return Double(left(owner, sample) ?? 0) * share(of: found, per: sample.counts[owner]?.done ?? 0)
    }

    private static func share(of count: Int, per owners: Int, else unknown: Double = 0) -> Double {
        owners > 0 ? Double(count) / Double(owners) : unknown
    }

    /// Objects of a kind that are still to be requested; `nil` before its list has come.
    private static func left(_ kind: String, _ sample: ProgressMeter.Sample) -> Int? {
        let counts = sample.counts[kind] ?? NodeCounts()
        let known = max(0, counts.items - counts.ended)
        if counts.lists > 0, counts.pendingInputs == 0, counts.openLists == 0 { return known }
        return sample.expected[kind].map { max(known, $0 - counts.ended) }
    }
}

extension NodeCounts {
    /// Items that are done with, in whatever way.
    var ended: Int { done + failed + repeated + abandoned }
    var endedLists: Int { completeLists + incompleteLists }
    var openLists: Int { max(0, lists - endedLists) }
}
