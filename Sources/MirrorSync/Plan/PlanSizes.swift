import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Adds up what a plan found: requests, files, bytes and room. Pure, so that its tests are tables.
struct PlanSizes {
    let tally: PlanTally
    let history: SizeHistory
    /// Bytes of all pictures and documents as the server states them.
    let stated: Int64?
    let options: SyncOptions
    let sample: PlanSampling.Result?
    /// What the plan itself sent and received before it sampled sizes.
    let sent: SessionStatistics
    /// Artworks in the partner's list.
    var listedArtworks = 0
    let deletedArtworks: Int
    /// Kinds of which a sync asks what changed, and gets the bodies with it.
    var pulled: Set<Kind> = []
    /// What a snapshot says of itself, if the sync will be one.
    var snapshot: SnapshotLoad.Prospect?

    var plan: SyncPlan {
        var plan = SyncPlan()
        let pictures = pictures, documents = newDocuments
        plan.json = json
        plan.media = options.media ? media : .zero
        if let snapshot { return whole(snapshot, plan, pictures, documents) }
        var inline = pulled.reduce(0) { $0 + tally.bodies[$1, default: 0] + tally.spared[$1, default: 0] }
        // Where no list is asked for, the size of everything isn't either.
        if options.media, pulled.count == Kinds.standard.listed.count { inline += 1 }
        plan.requests = Estimate(Double(tally.requests - inline + sent.sent)) + documents
        if options.media {
            plan.files["image"] = pictures
            plan.files["document"] = Estimate(Double(tally.documents)) + documents
            plan.requests += newPictures + documents
        }
        for kind in tally.sampledKinds { plan.updated[kind.name] = tally.updated(kind) }
        plan.isExact =
            plan.updated.values.allSatisfy(\.isExact) && plan.files.values.allSatisfy(\.isExact)
            && tally.undecidedLists <= 0
            && tally.unknownDocumentLists + tally.openDocuments + tally.lostDocuments + tally.openLists == 0
            && tally.openFiles == 0
        return plan
    }

    /// A snapshot brings all JSON in one request; what it has no bytes of is fetched as ever, with lists that lead to it.
    private func whole(
        _ snapshot: SnapshotLoad.Prospect, _ plan: SyncPlan, _ pictures: Estimate, _ documents: Estimate
    ) -> SyncPlan {
        var plan = plan
        if let bytes = snapshot.bytes {
            plan.json = bytes + Estimate(Double(sent.jsonBytes))
        }
        let inline = tally.bodies.values.reduce(0, +) + tally.lists
        // The lists, and where the feed of events stands, aren't asked for where no files are wanted.
        let spared = options.media ? 0 : snapshot.lists
        plan.requests = Estimate(Double(tally.requests - inline + sent.sent - spared))
        if options.media {
            plan.files["image"] = pictures
            plan.files["document"] = Estimate(Double(tally.documents)) + documents
            plan.requests += newPictures + documents
        }
        plan.isExact = documents.isExact && plan.files.values.allSatisfy(\.isExact)
        return plan
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
        for kind in Kinds.standard.all {
            if let count = tally.bodies[kind], count > 0 {
                let bodies = bodies(count, of: kind)
                if isAssumed(kind) {
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
        let bodies =
            kind == .artwork && !sampledJSON.isEmpty
            ? Estimate.total(of: Double(count), groups: sampledJSON)
            : .sum(of: count, history.json[kind] ?? PlanDefaults.json(kind))
        return bodies + Estimate(Double(count) * head.mean, margin: Double(count) * head.mean * head.doubt)
    }

    private func isAssumed(_ kind: Kind) -> Bool {
        history.json[kind] == nil && (kind != .artwork || sampledJSON.isEmpty)
    }

    private var sampledJSON: [SampledGroup] { sample?.json ?? [] }

    /// Of an answer with an object, its head included.
    private func size(of kind: Kind) -> Double {
        if kind == .artwork, !sampledJSON.isEmpty { return sampledJSON.mean + head.mean }
        return (history.json[kind] ?? PlanDefaults.json(kind)).mean + head.mean
    }

    // MARK: - Pictures and documents

    private var pictures: Estimate {
        var pictures = Estimate(Double(tally.pictures.values.reduce(0, +))) + newPictures
        // Changed artworks may lose pictures that were never fetched.
        pictures.value = max(0, pictures.value)
        return pictures
    }

    /// Pictures of artworks and lists of which only asking would tell.
    private var newPictures: Estimate {
        picturesOfArtworks + tally.picturesOfUndecided + picturesOfLists
    }

    /// Those of new and changed artworks.
    private var picturesOfArtworks: Estimate {
        if let sampled = sample?.listed, !sampled.isEmpty {
            return .count(of: Estimate(Double(listedArtworks)), groups: sampled)
        }
        return picturesOfNew + picturesOfChanged
    }

    private var picturesOfChanged: Estimate {
        if let sampled = sample?.changed, !sampled.isEmpty {
            return .count(of: Estimate(Double(tally.changedArtworks)), groups: sampled)
        }
        let changed = Double(tally.changedArtworks) * perArtwork * PlanDefaults.changedPictures
        return Estimate(changed, margin: changed * 3)
    }

    private var picturesOfLists: Estimate {
        let lists = tally.pictureLists
        if let sampled = sample?.shots, !sampled.isEmpty { return .count(of: lists, groups: sampled) }
        let count = lists.value * PlanDefaults.picturesPerList
        return Estimate(count, margin: count + lists.margin * PlanDefaults.picturesPerList)
    }

    private var picturesOfNew: Estimate {
        if let sampled = sample?.new, !sampled.isEmpty {
            return .count(of: Estimate(Double(tally.newArtworks)), groups: sampled)
        }
        let mean = perArtwork
        // Those of others, so that even of a few it is no more than an estimate.
        return .sum(of: tally.newArtworks, .init(count: 30, mean: mean, variance: mean * mean))
    }

    /// Pictures of an artwork.
    private var perArtwork: Double {
        if let sampled = sample?.new, !sampled.isEmpty { return sampled.mean }
        return history.picturesPerArtwork ?? PlanDefaults.picturesPerArtwork
    }

    /// Documents of changed lists, as many as others have; some of them may be here already.
    private var newDocuments: Estimate {
        if history.documentsPerOwner == nil, let stated = tally.statedDocuments,
            tally.unknownDocumentLists > 0
        {
            return Estimate(Double(stated), margin: Double(stated) / 10)
        }
        let lists = tally.documentLists
        if let sampled = sample?.documents, !sampled.isEmpty { return .count(of: lists, groups: sampled) }
        let each = history.documentsPerOwner ?? PlanDefaults.documentsPerOwner
        let count = lists.value * each
        return Estimate(count, margin: count + lists.margin * each)
    }

    private var media: Estimate {
        let known = Estimate(Double(tally.documentBytes))
        let documents =
            Estimate.sum(of: tally.documentsWithoutSize, documentSize)
            + (sampledDocuments.isEmpty
                ? newDocuments.times(documentSize) : newDocuments.times(sampledDocuments))
        // The sum of what pictures and lists will bring is trusted less than what the server states of all.
        if let stated, options.formats == nil, tally.hasFiles || newPictures.value + newPictures.margin >= 1 {
            let gone = Double(deletedArtworks) * (history.picturesPerArtwork ?? 0) * pictureSize.mean
            let rest = max(0, Double(stated) - max(0, Double(history.heldMedia) - gone))
            return Estimate(rest, margin: rest * 0.02)
        }
        var sum = known + documents
        for (format, count) in tally.pictures {
            let sampled = sample?.sizes[format] ?? []
            sum +=
                sampled.isEmpty
                ? .sum(of: count, history.pictures[format] ?? PlanDefaults.picture(format))
                : .total(of: Double(count), groups: sampled)
        }
        let sampled = sampledSizes
        return sum + (sampled.isEmpty ? newPictures.times(pictureSize) : newPictures.times(sampled))
    }

    private var sampledDocuments: [SampledGroup] { sample?.documentSizes ?? [] }

    private var documentSize: SizeHistory.Sizes { history.documents ?? PlanDefaults.document }

    /// Of wanted pictures, of all formats.
    private var sampledSizes: [SampledGroup] { sample?.sizes.values.flatMap(\.self) ?? [] }

    /// Of wanted pictures where none were sampled: of the format of which most is known.
    private var pictureSize: SizeHistory.Sizes {
        let format = options.formats?.last ?? "larger"
        return history.pictures[format] ?? history.pictures.values.max { $0.count < $1.count }
            ?? PlanDefaults.picture(format)
    }
}

extension PlanTally {
    /// Whether any picture or document may come.
    var hasFiles: Bool {
        !pictures.isEmpty || documents + unknownDocumentLists + unknownPictureLists + newArtworks > 0
    }
}
