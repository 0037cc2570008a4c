import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Computes the totals of a plan: requests, files, bytes and disk space. It is pure, so that its tests are tables.
struct PlanSizes {
    let tally: PlanTally
    let history: SizeHistory
    let kinds: Kinds
    /// The bytes of all pictures and documents as the server states them; `nil` if it doesn't.
    let stated: Int64?
    let options: SyncOptions
    /// Whether the tree requests the total size (the node `estimate`).
    let hasEstimate: Bool
    let samples: FileSamples
    /// The plan's own requests before it sampled anything.
    let sent: SessionStatistics
    /// The number of artworks in the partner's list.
    let listedArtworks: Int
    let deletedArtworks: Int
    /// The kinds for which a sync sends since requests, whose answers contain the changed objects.
    let sinceKinds: Set<Kind>
    /// The announced size of the snapshot; `nil` if the sync will not load one.
    let snapshot: SnapshotLoad.Announcement?

    var plan: SyncPlan {
        var plan = SyncPlan()
        let documents = newDocuments
        plan.json = snapshot?.bytes.map { $0 + Estimate(Double(sent.jsonBytes)) } ?? json
        plan.requests = Estimate(Double(tally.requests - savedRequests + sent.sent))
        if snapshot == nil { plan.requests += documents }
        if options.media {
            plan.media = media
            plan.files["image"] = pictures
            if options.tiles { plan.files[ImageTile.kind] = tiles }
            plan.files["document"] = Estimate(Double(tally.documents)) + documents
            plan.requests += newPictures + documents
            plan.requests += Estimate(samples.conditional.values.reduce(0, +))
        }
        let areFilesExact = plan.files.values.allSatisfy(\.isExact)
        guard snapshot == nil else {
            plan.isExact = documents.isExact && areFilesExact
            return plan
        }
        for kind in tally.sampledKinds { plan.updated[kind.name] = tally.updated(kind) }
        plan.isExact =
            plan.updated.values.allSatisfy(\.isExact) && areFilesExact && tally.undecidedLists <= 0
            && tally.unknownDocumentLists + tally.openDocuments + tally.lostDocuments + tally.openLists == 0
            && tally.openFiles == 0 && tally.conditionalFiles.isEmpty && samples.conditional.isEmpty
        return plan
    }

    /// Recorded requests that a sync will not send, since it gets their contents in other answers.
    private var savedRequests: Int {
        if snapshot != nil {
            // A snapshot contains all JSON. Files are fetched as usual, and need the lists that lead to them. Without files,
            // a sync requests neither the lists nor the position of the feed of events.
            let lists = options.media ? 0 : kinds.listed.count
            return tally.bodies.values.reduce(0, +) + tally.lists + lists
        }
        let saved = sinceKinds.reduce(0) {
            $0 + tally.bodies[$1, default: 0] + tally.sparedBySince[$1, default: 0]
        }
        // If a sync requests no list, it doesn't request the total size either.
        let sparesSize = options.media && hasEstimate && sinceKinds.count == kinds.listed.count
        return saved + (sparesSize ? 1 : 0)
    }

    /// The free bytes that the volume needs, including a reserve.
    func disk(_ plan: SyncPlan) -> Int64 {
        let need =
            (bodies.value + bodies.margin) * PlanDefaults.diskPerJSON + plan.media.value + plan.media.margin
        return Int64(need * PlanDefaults.diskReserve) + FreeSpace.minimum
    }

    // MARK: - JSON

    private var json: Estimate {
        let received = Double(sent.jsonBytes)
        let heads = Double(tally.confirmations + tally.lists) * head.mean
        let members = Double(tally.lists - tally.emptyLists) * PlanDefaults.list
        let empty = Double(tally.emptyLists) * 2
        return Estimate(received + heads + members + empty, margin: heads * head.error + members) + bodies
    }

    /// The mean bytes of a response head, and the relative error of that.
    private var head: (mean: Double, error: Double) {
        tally.heads > 0 ? (Double(tally.headBytes) / Double(tally.heads), 0.1) : (PlanDefaults.head, 0.25)
    }

    /// The bytes of the objects that a sync will receive.
    private var bodies: Estimate {
        var sum = Estimate.zero
        // The errors of assumed sizes are not independent of each other, so their margins are added up linearly.
        var assumed = Estimate.zero
        for kind in kinds.all {
            if let count = tally.bodies[kind], count > 0 {
                let bodies = bodies(count, of: kind)
                if history.json[kind] == nil, !isSampled(kind) {
                    assumed.value += bodies.value
                    assumed.margin += bodies.margin
                } else {
                    sum += bodies
                }
            }
            // Objects of described sources that are received in any case are among the bodies above.
            if let undecided = tally.undecided[kind], undecided.areConditional {
                let share = Estimate.share(
                    changed: undecided.changed, of: undecided.sampled, in: undecided.total)
                sum += share * size(of: kind)
            }
        }
        return sum + assumed + newDocuments * size(of: .document)
    }

    private func bodies(_ count: Int, of kind: Kind) -> Estimate {
        let heads = Double(count) * head.mean
        let bodies =
            isSampled(kind)
            ? Estimate.total(of: Double(count), groups: samples.json) : .sum(of: count, known(kind))
        return bodies + Estimate(heads, margin: heads * head.error)
    }

    /// The mean bytes of an answer with an object, including its head.
    private func size(of kind: Kind) -> Double {
        (isSampled(kind) ? samples.json.mean : known(kind).mean) + head.mean
    }

    private func isSampled(_ kind: Kind) -> Bool { kind == .artwork && !samples.json.isEmpty }

    private func known(_ kind: Kind) -> SizeHistory.Sizes { history.json[kind] ?? PlanDefaults.json(kind) }

    // MARK: - Pictures and documents

    private var pictures: Estimate {
        let known = tally.pictures.reduce(0) { $0 + ($1.key == ImageTile.kind ? 0 : $1.value) }
        var pictures = Estimate(Double(known)) + newPictures + conditional("image")
        // Changed artworks may lose pictures that were counted but never fetched.
        pictures.value = max(0, pictures.value)
        return pictures
    }

    /// The tiles of known pictures. Tiles of estimated pictures are included in ``pictures``.
    private var tiles: Estimate { Estimate(Double(max(0, tally.tiles))) + conditional(ImageTile.kind) }

    /// Files that will be requested conditionally. Any number of them may have changed, so the margin covers none to all.
    private func conditional(_ kind: String) -> Estimate {
        let half = (Double(tally.conditionalFiles[kind] ?? 0) + (samples.conditional[kind] ?? 0)) / 2
        return Estimate(half, margin: half)
    }

    /// Pictures of new or changed artworks and lists whose contents are unknown without a request.
    private var newPictures: Estimate {
        let ofArtworks =
            samples.listed.isEmpty
            ? picturesOfNew + picturesOfChanged
            : .count(of: Estimate(Double(listedArtworks)), groups: samples.listed)
        return ofArtworks + tally.picturesOfUndecided + picturesOfLists
    }

    private var picturesOfNew: Estimate {
        guard samples.new.isEmpty else {
            return .count(of: Estimate(Double(tally.newArtworks)), groups: samples.new)
        }
        let mean = perArtwork
        // The mean is that of other artworks, so this is an estimate even for few new ones.
        return .sum(of: tally.newArtworks, .init(count: 30, mean: mean, variance: mean * mean))
    }

    private var picturesOfChanged: Estimate {
        guard samples.changed.isEmpty else {
            return .count(of: Estimate(Double(tally.changedArtworks)), groups: samples.changed)
        }
        let changed = Double(tally.changedArtworks) * perArtwork * PlanDefaults.changedPictures
        return Estimate(changed, margin: changed * 3)
    }

    private var picturesOfLists: Estimate {
        count(of: tally.pictureLists, samples.listPictures, each: PlanDefaults.picturesPerList)
    }

    /// The mean number of files of an artwork's pictures.
    private var perArtwork: Double {
        guard samples.new.isEmpty else { return samples.new.mean }
        return history.filesPerArtwork(options.pictureFormats)
    }

    /// Documents of changed lists, estimated from the lists of other owners; some of them may be stored already.
    private var newDocuments: Estimate {
        if history.documentsPerOwner == nil, let stated = tally.statedDocuments,
            tally.unknownDocumentLists > 0
        {
            return Estimate(Double(stated), margin: Double(stated) / 10)
        }
        return count(
            of: tally.documentLists, samples.documents,
            each: history.documentsPerOwner ?? PlanDefaults.documentsPerOwner)
    }

    /// The number of files in `lists` lists: estimated from sampled lists, or `each` per list if none was sampled.
    private func count(of lists: Estimate, _ groups: [SampledGroup], each: Double) -> Estimate {
        guard groups.isEmpty else { return .count(of: lists, groups: groups) }
        let count = lists.value * each
        return Estimate(count, margin: count + lists.margin * each)
    }

    private var media: Estimate {
        // The total size that the server states is more accurate than the sum of the estimated files.
        if let stated, options.wantsStatedMedia,
            tally.hasFiles || newPictures.value + newPictures.margin >= 1
        {
            let deleted = Double(deletedArtworks) * (history.picturesPerArtwork ?? 0) * pictureSize.mean
            let missing = max(0, Double(stated) - max(0, Double(history.storedMediaSize) - deleted))
            // Whether the server counts the second files of first pictures is unknown.
            let second = missing * secondShare / 2
            return Estimate(missing + second, margin: missing * 0.02 + second)
        }
        let document = history.documents ?? PlanDefaults.document
        var sum = Estimate(Double(tally.documentBytes)) + .sum(of: tally.documentsWithoutSize, document)
        sum += bytes(of: newDocuments, samples.documentSizes, document)
        for (format, count) in tally.pictures {
            let sampled = samples.sizes[format] ?? (format == ImageTile.kind ? samples.tileSizes : [])
            sum +=
                sampled.isEmpty
                ? .sum(of: count, history.pictures[format] ?? PlanDefaults.picture(format))
                : .total(of: Double(count), groups: sampled)
        }
        let tile = history.pictures[ImageTile.kind] ?? PlanDefaults.picture(ImageTile.kind)
        sum += bytes(of: conditional(ImageTile.kind), samples.tileSizes, tile)
        return sum
            + bytes(of: newPictures + conditional("image"), samples.sizes.values.flatMap(\.self), pictureSize)
    }

    private func bytes(of files: Estimate, _ sampled: [SampledGroup], _ known: SizeHistory.Sizes) -> Estimate
    {
        sampled.isEmpty ? files.times(known) : files.times(sampled)
    }

    /// The sizes of pictures if none were sampled.
    private var pictureSize: SizeHistory.Sizes { history.pictureSizes(options.pictureFormats) }

    /// The bytes of files in the second format of first pictures, relative to those of all other files: 0 if none is known to
    /// be offered.
    private var secondShare: Double {
        guard options.pictureFormats == .standard else { return 0 }
        let format = PictureFormats.firstFormat
        func bytes(_ format: String) -> Double {
            let known = Double(max(0, tally.pictures[format] ?? 0)) + (samples.formats[format] ?? 0)
            return known * (history.pictures[format] ?? PlanDefaults.picture(format)).mean
        }
        let others = Set(tally.pictures.keys).union(samples.formats.keys).subtracting([
            format, ImageTile.kind,
        ])
        let other = others.reduce(0) { $0 + bytes($1) }
        return other > 0 ? bytes(format) / other : 0
    }
}

/// The values that are assumed if neither the server nor the mirror nor a sample provides any.
///
/// Each is treated as a single measurement, so that its margin is as large as the value.
enum PlanDefaults {
    static func json(_ kind: Kind) -> SizeHistory.Sizes { guess(kind.typicalBytes) }
    static func picture(_ format: String) -> SizeHistory.Sizes { guess(pictures[format] ?? 250_000) }
    static let document = guess(1_000_000)
    /// Pictures per artwork, documents per show or artist that has any, and installation shots per show that has any.
    static let picturesPerArtwork = 1.2, documentsPerOwner = 2.0, picturesPerList = 5.0
    /// The number of second files of first pictures for each picture, where the server offers them.
    static let secondFiles = 0.8
    /// The file of a picture in the formats of a new mirror: the largest one, or a second one.
    static let standardPicture = guess((250_000 + secondFiles * 60_000) / (1 + secondFiles))
    /// The share of changed artworks whose pictures change too.
    static let changedPictures = 0.1
    /// Bytes of a response head, and of the members of a short list.
    static let head = 250.0, list = 50.0
    /// The size of a compressed snapshot relative to its size; measured: 0.20 to 0.29 in eight catalogues.
    static let compressed = Estimate(0.25, margin: 0.06)
    /// Bytes on disk per byte of JSON: the row with its columns, the served JSON, indexes, the search index, the cache.
    static let diskPerJSON = 4.5
    /// The factor by which the needed disk space is increased.
    static let diskReserve = 1.1

    private static let pictures = [
        "square": 20_000.0, "medium": 60_000, "larger": 250_000, "normalized": 1_000_000,
        ImageTile.kind: 15_000,
    ]

    private static func guess(_ mean: Double) -> SizeHistory.Sizes {
        SizeHistory.Sizes(count: 1, mean: mean, variance: 0)
    }
}
