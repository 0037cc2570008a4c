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
    let deletedArtworks: Int

    var plan: SyncPlan {
        var plan = SyncPlan()
        let pictures = pictures, documents = newDocuments
        plan.json = json
        plan.media = options.media ? media : .zero
        plan.requests = Estimate(Double(tally.requests + sent.sent - tally.samples)) + documents
        if options.media {
            plan.files["image"] = pictures
            plan.files["document"] = Estimate(Double(tally.documents)) + documents
            plan.requests += newPictures + documents
        }
        for kind in tally.undecided.keys { plan.updated[kind.rawValue] = tally.updated(kind) }
        plan.isExact =
            plan.updated.values.allSatisfy(\.isExact) && tally.undecidedLists == 0
            && tally.unknownDocumentLists == 0
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
        let received = Double(sent.jsonBytes - tally.sampleBytes)
        let heads = Double(tally.confirmations) * PlanDefaults.head + Double(tally.lists) * PlanDefaults.list
        return Estimate(received + heads, margin: heads / 4) + bodies
    }

    /// Objects whose bodies come.
    private var bodies: Estimate {
        var sum = Estimate.zero
        for kind in ObjectKind.allCases {
            let size = size(of: kind)
            if let count = tally.bodies[kind] { sum += .sum(of: count, size) }
            if let undecided = tally.undecided[kind] {
                let share = Estimate.share(
                    changed: undecided.changed, of: undecided.sampled, in: undecided.total)
                sum += share * size.mean
            }
        }
        return sum + newDocuments * size(of: .document).mean
    }

    /// Of an answer with an object, its head included.
    private func size(of kind: ObjectKind) -> SizeHistory.Sizes {
        if kind == .artwork, let json = sample?.json, json.count > 1 {
            let sizes = SizeHistory.Sizes(json)
            return SizeHistory.Sizes(
                count: sizes.count, mean: sizes.mean + PlanDefaults.head, variance: sizes.variance)
        }
        let body = history.json[kind] ?? PlanDefaults.json(kind)
        return SizeHistory.Sizes(
            count: body.count, mean: body.mean + PlanDefaults.head, variance: body.variance)
    }

    // MARK: - Pictures and documents

    private var pictures: Estimate {
        Estimate(Double(tally.pictures.values.reduce(0, +))) + newPictures
    }

    /// Pictures of artworks and lists of which only asking would tell.
    private var newPictures: Estimate {
        let each = perArtwork
        let changed = Double(tally.changedArtworks) * each.mean * PlanDefaults.changedPictures
        let lists = Double(tally.unknownPictureLists) * PlanDefaults.picturesPerList
        let new = Estimate.total(of: tally.newArtworks, sample: each)
        return new + Estimate(changed + lists, margin: changed * 3 + lists)
    }

    /// Pictures of an artwork.
    private var perArtwork: SizeHistory.Sizes {
        if let pictures = sample?.pictures, pictures.count > 1 { return SizeHistory.Sizes(pictures) }
        let mean = history.picturesPerArtwork ?? PlanDefaults.picturesPerArtwork
        return SizeHistory.Sizes(count: 30, mean: mean, variance: mean * mean)
    }

    /// Documents of changed lists, as many as others have; some of them may be here already.
    private var newDocuments: Estimate {
        if history.documentsPerOwner == nil, let stated = tally.statedDocuments,
            tally.unknownDocumentLists > 0
        {
            return Estimate(Double(stated), margin: Double(stated) / 10)
        }
        let each = history.documentsPerOwner ?? PlanDefaults.documentsPerOwner
        let count = Double(tally.unknownDocumentLists) * each
        return Estimate(count, margin: count)
    }

    private var media: Estimate {
        let known = Estimate(Double(tally.documentBytes))
        let documents =
            Estimate.sum(of: tally.documentsWithoutSize, documentSize) + newDocuments * documentSize.mean
        // The sum of what pictures and lists will bring is trusted less than what the server states of all.
        if let stated, options.formats == nil, tally.hasFiles {
            let gone = Double(deletedArtworks) * (history.picturesPerArtwork ?? 0) * pictureSize.mean
            let rest = max(0, Double(stated) - max(0, Double(history.heldMedia) - gone))
            return Estimate(rest, margin: rest * 0.02)
        }
        var sum = known + documents
        for (format, count) in tally.pictures { sum += .sum(of: count, pictureSize(format)) }
        return sum + newPictures.times(pictureSize)
    }

    private var documentSize: SizeHistory.Sizes { history.documents ?? PlanDefaults.document }

    /// Of wanted pictures: as they were sampled, else of the format of which most is known.
    private var pictureSize: SizeHistory.Sizes {
        let sampled = sample?.sizes.values.flatMap(\.self) ?? []
        if sampled.count > 1 { return SizeHistory.Sizes(sampled) }
        let format = options.formats?.last ?? "larger"
        return history.pictures[format] ?? history.pictures.values.max { $0.count < $1.count }
            ?? pictureSize(format)
    }

    private func pictureSize(_ format: String) -> SizeHistory.Sizes {
        if let sizes = sample?.sizes[format], sizes.count > 1 { return SizeHistory.Sizes(sizes) }
        return history.pictures[format] ?? PlanDefaults.picture(format)
    }
}

extension PlanTally {
    /// Whether any picture or document may come.
    var hasFiles: Bool {
        !pictures.isEmpty || documents + unknownDocumentLists + unknownPictureLists + newArtworks > 0
    }
}
