import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Adds up what a plan found: requests, files, bytes and room. Pure, so that its tests are tables.
struct PlanSizes {
    let tally: PlanTally
    let history: SizeHistory
    let kinds: Kinds
    /// Bytes of all pictures and documents as the server states them.
    let stated: Int64?
    let options: SyncOptions
    /// Whether the tree requests the size of everything.
    let hasEstimate: Bool
    let samples: FileSamples
    /// What the plan itself sent and received before it sampled sizes.
    let sent: SessionStatistics
    /// Artworks in the partner's list.
    let listedArtworks: Int
    let deletedArtworks: Int
    /// Kinds of which a sync asks what changed, and gets the bodies with it.
    let pulled: Set<Kind>
    /// What a snapshot says of itself, if the sync will be one.
    let snapshot: SnapshotLoad.Announcement?

    var plan: SyncPlan {
        var plan = SyncPlan()
        let documents = newDocuments
        plan.json = snapshot?.bytes.map { $0 + Estimate(Double(sent.jsonBytes)) } ?? json
        plan.requests = Estimate(Double(tally.requests - inline + sent.sent))
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

    /// Requests of the tally that a sync doesn't send, since it gets their answers with others.
    private var inline: Int {
        if snapshot != nil {
            // A snapshot brings all JSON in one request; what it has no bytes of is fetched as ever, with lists that lead to it.
            // Without files, the lists aren't requested, nor where the feed of events stands.
            let lists = options.media ? 0 : kinds.listed.count
            return tally.bodies.values.reduce(0, +) + tally.lists + lists
        }
        let inline = pulled.reduce(0) { $0 + tally.bodies[$1, default: 0] + tally.spared[$1, default: 0] }
        // Where no list is requested, the size of everything isn't either.
        let sparesSize = options.media && hasEstimate && pulled.count == kinds.listed.count
        return inline + (sparesSize ? 1 : 0)
    }

    /// Bytes that the volume must have free, with a reserve.
    func disk(_ plan: SyncPlan) -> Int64 {
        let need =
            (bodies.value + bodies.margin) * PlanDefaults.diskPerJSON + plan.media.value + plan.media.margin
        return Int64(need * PlanDefaults.diskReserve) + FreeSpace.least
    }

    // MARK: - JSON

    private var json: Estimate {
        let received = Double(sent.jsonBytes)
        let bare = Double(tally.confirmations + tally.lists) * head.mean
        let members = Double(tally.lists - tally.emptyLists) * PlanDefaults.list
        let empty = Double(tally.emptyLists) * 2
        return Estimate(received + bare + members + empty, margin: bare * head.doubt + members) + bodies
    }

    /// Bytes of an answer's head: of one whose length was seen, and how far others may be from it.
    private var head: (mean: Double, doubt: Double) {
        tally.heads > 0 ? (Double(tally.headBytes) / Double(tally.heads), 0.1) : (PlanDefaults.head, 0.25)
    }

    /// Objects whose bodies come.
    private var bodies: Estimate {
        var sum = Estimate.zero
        // What is only assumed is wrong in the same way everywhere: such margins don't make up for each other.
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
            if let undecided = tally.undecided[kind] {
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
        return bodies + Estimate(heads, margin: heads * head.doubt)
    }

    /// Of an answer with an object, its head included.
    private func size(of kind: Kind) -> Double {
        (isSampled(kind) ? samples.json.mean : known(kind).mean) + head.mean
    }

    private func isSampled(_ kind: Kind) -> Bool { kind == .artwork && !samples.json.isEmpty }

    private func known(_ kind: Kind) -> SizeHistory.Sizes { history.json[kind] ?? PlanDefaults.json(kind) }

    // MARK: - Pictures and documents

    private var pictures: Estimate {
        let known = tally.pictures.reduce(0) { $0 + ($1.key == ImageTile.kind ? 0 : $1.value) }
        var pictures = Estimate(Double(known)) + newPictures + conditional("image")
        // Changed artworks may lose pictures that were never fetched.
        pictures.value = max(0, pictures.value)
        return pictures
    }

    /// Those of pictures that are known; of what is only estimated, they are among ``pictures``.
    private var tiles: Estimate { Estimate(Double(max(0, tally.tiles))) + conditional(ImageTile.kind) }

    /// Files of which only the answer says whether they changed: any number of them.
    private func conditional(_ kind: String) -> Estimate {
        let half = (Double(tally.conditionalFiles[kind] ?? 0) + (samples.conditional[kind] ?? 0)) / 2
        return Estimate(half, margin: half)
    }

    /// Pictures of artworks and lists of which only a request would tell.
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
        // Those of others, so that even of a few it is no more than an estimate.
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
        count(of: tally.pictureLists, samples.shots, each: PlanDefaults.picturesPerList)
    }

    /// Pictures of an artwork.
    private var perArtwork: Double {
        guard samples.new.isEmpty else { return samples.new.mean }
        return history.picturesPerArtwork ?? PlanDefaults.picturesPerArtwork
    }

    /// Documents of changed lists, as many as others have; some of them may be stored already.
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

    /// How many files that number of lists bring: as the sampled ones say, else that number each.
    private func count(of lists: Estimate, _ groups: [SampledGroup], each: Double) -> Estimate {
        guard groups.isEmpty else { return .count(of: lists, groups: groups) }
        let count = lists.value * each
        return Estimate(count, margin: count + lists.margin * each)
    }

    private var media: Estimate {
        // The sum of what pictures and lists will bring is trusted less than what the server states of all.
        if let stated, options.wantsStatedMedia,
            tally.hasFiles || newPictures.value + newPictures.margin >= 1
        {
            let gone = Double(deletedArtworks) * (history.picturesPerArtwork ?? 0) * pictureSize.mean
            let rest = max(0, Double(stated) - max(0, Double(history.heldMedia) - gone))
            return Estimate(rest, margin: rest * 0.02)
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

    /// Of wanted pictures where none were sampled: of the format of which most is known.
    private var pictureSize: SizeHistory.Sizes {
        let format = options.formats?.last ?? "larger"
        return history.pictures[format] ?? history.mostPictures ?? PlanDefaults.picture(format)
    }
}

/// What is assumed where neither the server nor the mirror nor a sample says anything. Each counts as one measurement:
/// the margin is as large as the number.
enum PlanDefaults {
    static func json(_ kind: Kind) -> SizeHistory.Sizes { guess(kind.typicalBytes) }
    static func picture(_ format: String) -> SizeHistory.Sizes { guess(pictures[format] ?? 250_000) }
    static let document = guess(1_000_000)
    /// Pictures of an artwork, documents of a show or artist that has any, installation shots of a show that has any.
    static let picturesPerArtwork = 1.2, documentsPerOwner = 2.0, picturesPerList = 5.0
    /// Of the artworks that change, those whose pictures change too.
    static let changedPictures = 0.1
    /// Bytes of an answer's head where none was seen, and of a short list's members.
    static let head = 250.0, list = 50.0
    /// Of a snapshot's bytes, those that gzip leaves: 0.20 to 0.29 in eight catalogues.
    static let compressed = Estimate(0.25, margin: 0.06)
    /// Bytes in the database for a byte of JSON: the row with its columns, what is served, indexes, search, the cache.
    static let diskPerJSON = 4.5
    /// More than is needed by so much.
    static let diskReserve = 1.1

    private static let pictures = [
        "square": 20_000.0, "medium": 60_000, "larger": 250_000, "normalized": 1_000_000,
        ImageTile.kind: 15_000,
    ]

    private static func guess(_ mean: Double) -> SizeHistory.Sizes {
        SizeHistory.Sizes(count: 1, mean: mean, variance: 0)
    }
}
