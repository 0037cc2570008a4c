import Catalogue
import MirrorSync
import OperationTree

/// The finished and remaining work of a sync, in two lanes: requests for objects and their lists, and files.
struct RemainingWork: Sendable {
    let requests: TimeLeft.Lane
    let files: TimeLeft.Lane
    /// The estimated total number of pictures; `nil` until a tenth of the artworks is done.
    let pictures: Int?

    init(_ sample: ProgressMeter.Sample) {
        func counts(_ node: String) -> NodeCounts { sample.counts[node] ?? NodeCounts() }
        var done = 0, left: Int? = 0
        let media = ["image", "document file"]
        for kind in Kinds.standard.listed.map(\.name) {
            // The child nodes that request a list for each object.
            let children = SyncTree.tree.node(named: kind)?.children ?? []
            let lists = children.filter { !media.contains($0) }
            done += counts(kind).ended
            for list in lists {
                done += counts(list).endedLists
                left = left.map { $0 + counts(list).pendingInputs + counts(list).openLists }
            }
            let objects = Self.left(kind, sample)
            // The objects of a described source have no lists under them.
            let each = sample.pace == nil ? 1 + lists.count : 1
            left = if let left, let objects { left + objects * each } else { nil }
        }
        requests = TimeLeft.Lane(done: Double(done), left: left.map(Double.init))

        let images = counts("image"), documents = counts("document file")
        let artworks = Self.left("artwork", sample)
        let known = images.items - images.ended
        var pictures: Double?
        if ProgressMeter.isFinished("image", sample) {
            pictures = 0
        } else if let artworks {
            // The remaining owners are assumed to have as many pictures as the finished ones. The mirror's stored pictures and
            // the server's statement are not used, because they may leave out changes.
            let artwork = counts("artwork")
            let hasNone = !sample.hasMedia || artwork.done >= 50 && artwork.emitted == 0
            let each: Double? =
                images.endedLists > 0 ? Double(images.items) / Double(images.endedLists) : hasNone ? 0 : nil
            let owners =
                Double(images.pendingInputs + images.openLists)
                + Double(artworks) * Self.share(of: artwork.emitted, per: artwork.done, else: 1)
                // The lists of pictures that the remaining shows are expected to have.
                + Self.expected("show", ["installation shots", "show cover"], sample)
            pictures = owners == 0 ? Double(known) : each.map { Double(known) + $0 * owners }
        }
        let documentsLeft =
            Double(documents.items - documents.ended + documents.pendingInputs)
            + (Self.expected("show", ["show documents"], sample)
                + Self.expected("artist", ["artist documents"], sample))
        // The tiles of a picture are known only after the picture was fetched.
        let tiles = counts("image tiles")
        files = TimeLeft.Lane(
            done: Double(images.ended + tiles.ended + documents.ended),
            left: pictures.map { $0 + Double(tiles.items - tiles.ended) + documentsLeft })
        let artwork = counts("artwork").ended
        let isReliable =
            artworks.map { artwork >= 50 && artwork * 9 >= $0 && images.endedLists >= 30 } ?? false
        self.pictures = isReliable ? pictures.map { images.ended + Int(min(max(0, $0), 1e12)) } : nil
    }

    /// The least number of seconds that the remaining requests take at the rate of a source; `nil` if there is no limit, or the
    /// lists haven't arrived.
    func least(at pace: RequestPace?) -> Double? {
        guard let pace, pace.isLimited, let objects = requests.left else { return nil }
        return pace.seconds(for: objects, files: files.left ?? 0)
    }

    /// The number of items that nodes are expected to find for the remaining owners, as for the finished ones.
    private static func expected(_ owner: String, _ nodes: [String], _ sample: ProgressMeter.Sample) -> Double
    {
        let found = nodes.reduce(0) { $0 + (sample.counts[$1]?.emitted ?? 0) }
        return Double(left(owner, sample) ?? 0) * share(of: found, per: sample.counts[owner]?.done ?? 0)
    }

    private static func share(of count: Int, per owners: Int, else unknown: Double = 0) -> Double {
        owners > 0 ? Double(count) / Double(owners) : unknown
    }

    /// The number of objects of a kind that remain to be requested; `nil` until its list has arrived.
    private static func left(_ kind: String, _ sample: ProgressMeter.Sample) -> Int? {
        let counts = sample.counts[kind] ?? NodeCounts()
        let known = max(0, counts.items - counts.ended)
        if counts.lists > 0, counts.pendingInputs == 0, counts.openLists == 0 { return known }
        return sample.expected[kind].map { max(known, $0 - counts.ended) }
    }
}

extension NodeCounts {
    /// The number of items that are finished, with any result.
    var ended: Int { done + failed + repeated + abandoned }
    var endedLists: Int { completeLists + incompleteLists }
    var openLists: Int { max(0, lists - endedLists) }
}
