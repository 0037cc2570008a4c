import MirrorSync
import OperationTree

/// What a sync has done and has left, in its two lanes: requests for objects and the lists under them, and files.
struct WorkLeft: Sendable {
    let requests: TimeLeft.Lane
    let files: TimeLeft.Lane
    /// Pictures in all, as far as that can be estimated; `nil` before a tenth of the artworks was looked at.
    let pictures: Int?

    private static let kinds = ["location", "artist", "artwork", "show", "album"]
    private static let media = ["image", "document file"]
    /// The nodes under each kind that ask for a list of each object.
    private static let lists: [String: [String]] = {
        let nodes = SyncTree.tree.nodes
        return Dictionary(
            uniqueKeysWithValues: kinds.map { kind in
                (kind, nodes.filter { $0.parents.contains(kind) && !media.contains($0.name) }.map(\.name))
            })
    }()

    init(_ sample: ProgressMeter.Sample) {
        func counts(_ node: String) -> NodeCounts { sample.counts[node] ?? NodeCounts() }
        var done = 0, left: Int? = 0
        for kind in Self.kinds {
            let lists = Self.lists[kind] ?? []
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
            // As many of each owner to come as of those that were looked at.
            let done = counts("artwork").done
            let each: Double? =
                images.endedLists > 0
                ? Double(images.items) / Double(images.endedLists) : !sample.hasMedia || done >= 50 ? 0 : nil
            let havePictures = done > 0 ? Double(counts("artwork").emitted) / Double(done) : 1
            let owners = Double(images.pendingInputs + images.openLists) + Double(artworks) * havePictures
            pictures = owners == 0 ? Double(known) : each.map { Double(known) + $0 * owners }
            if sample.hasMedia, owners > 0, let media = sample.mediaLeft, images.done >= 30,
                sample.mediaBytes > 0
            {
                let size = Double(sample.mediaBytes) / Double(images.done)
                pictures = max(Double(known), (media - Double(sample.mediaBytes)) / size)
            }
        }
        let documentsLeft = documents.items - documents.ended + documents.pendingInputs
        files = TimeLeft.Lane(
            done: Double(images.ended + documents.ended), left: pictures.map { $0 + Double(documentsLeft) })
        let artwork = counts("artwork").ended
        let isTold = artworks.map { artwork >= 50 && artwork * 9 >= $0 && images.endedLists >= 30 } ?? false
        self.pictures = isTold ? pictures.map { images.ended + Int(min(max(0, $0), 1e12)) } : nil
    }

    /// Objects of a kind that will still be asked for; `nil` before its list has come.
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
