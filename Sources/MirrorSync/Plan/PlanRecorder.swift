import Catalogue
import MirrorStore
import Synchronization

/// Takes down what a sync would do while the tree is walked for planning, and reports each planned action as it is found.
final class PlanRecorder: Sendable {
    /// Round trips and long answers that are remembered.
    private static let timeLimit = 256

    let history: SizeHistory
    /// ETags by which lists without members are known.
    private let emptyETags: Set<String>
    /// It has the tree's run, and that this: kept, none of the three would go.
    private let monitor: @Sendable () -> SyncMonitor?
    private let tally = Mutex(PlanTally())

    init(history: SizeHistory, emptyETags: Set<String>, monitor: SyncMonitor) {
        self.history = history
        self.emptyETags = emptyETags
        self.monitor = { [weak monitor] in monitor }
    }

    var current: PlanTally { tally.withLock { $0 } }

    /// Changes the tally.
    func note(_ change: (inout PlanTally) -> Void) { tally.withLock { change(&$0) } }

    /// Changes the tally, and reports an object of which that made known that it is new or changes.
    private func note(
        _ object: Owner, as change: PredictedChange = .updated, _ isNews: (inout PlanTally) -> Bool
    ) {
        guard tally.withLock({ isNews(&$0) }) else { return }
        tell(object.kind.name, object.id, change == .created ? "created" : "updated")
    }

    private func tell(_ kind: String, _ id: String, _ action: String, bytes: Int64? = nil) {
        monitor()?.item(kind: kind, id: id, action: action, bytes: bytes)
    }

    // MARK: - Requests

    /// A request was answered, with that number of bytes on the wire.
    func tookTime(_ seconds: Double, bytes: Int) {
        note { tally in
            if tally.roundTrips.count < Self.timeLimit { tally.roundTrips.append(seconds) }
            if bytes >= Forecast.Answer.least, tally.largeAnswers.count < Self.timeLimit {
                tally.largeAnswers.append(.init(bytes: Double(bytes), seconds: seconds))
            }
        }
    }

    /// Requests that a sync would send: for documents that are stored, flags and pushes.
    func note(requests count: Int, confirmations: Int = 0, pushes: Int = 0) {
        note { tally in
            tally.requests += count
            tally.confirmations += confirmations
            tally.pushes += pushes
        }
    }

    // MARK: - Objects

    /// What an object's list and row say will become of it; it costs a sync one request.
    func note(_ change: PredictedChange, of object: PlannedObject) {
        let kind = object.owner.kind, id = object.owner.id
        note(object.owner, as: change) { tally in
            tally.requests += 1
            switch change {
            case .created, .updated: tally.bodies[kind, default: 0] += 1
            case .unchanged: tally.confirmations += 1
            case .undecided:
                tally.confirmations += 1
                tally.spared[kind, default: 0] += 1
                tally.undecided[kind, default: .init()].total += 1
                tally.undecided[kind]?.sample.offer(object)
            }
            if kind == .artwork, change == .created {
                tally.newArtworks += 1
                tally.artworkSample.offer(id)
            } else if kind == .artwork, change == .updated {
                tally.changedArtworks += 1
                tally.changedSample.offer(id)
            }
            return tally.note(change, object.owner)
        }
    }

    /// What requesting an object told.
    func found(_ object: Owner, _ effect: WriteEffect) {
        let change: PredictedChange =
            switch effect {
            case .created: .created
            case .updated: .updated
            case .unchanged, .ignored, .outdated, .deleted, .deletedWithLocalEdit: .unchanged
            }
        note(object, as: change) { tally in
            tally.undecided[object.kind]?.sampled += 1
            if effect == .updated { tally.undecided[object.kind]?.changed += 1 }
            return tally.note(change, object)
        }
    }

    /// Documents of which a request has to tell whether they changed.
    func beginSamplingDocuments() -> [DoubtedDocument] {
        tally.withLock { tally in
            if tally.doubted.seen > 0 { tally.undecided[.document] = .init(total: tally.doubted.seen) }
            return tally.doubted.chosen
        }
    }

    // MARK: - Lists under objects

    /// Whether a list has an ETag by which lists without members are known.
    func isEmpty(_ etag: String?) -> Bool { etag.map { emptyETags.contains($0) } ?? false }

    /// A list under an object that a sync would request.
    ///
    /// - Parameters:
    ///   - etag: as the partner's list says; `nil` without validators.
    ///   - stored: what is stored of it; `nil` if there is nothing yet.
    ///   - isBare: whether nothing that such a list would name is stored.
    func note(_ list: ObjectList, of owner: Owner, etag: String?, stored: ListState?, isBare: Bool) {
        let members = stored?.members ?? 0, isEmpty = isEmpty(etag)
        var requests = 1
        if list.imageRole != nil {
            // Pages are read until an empty one, then the others once more: unless there is nothing at all.
            let pages = (members + Router.pageSize - 1) / Router.pageSize
            requests += 2 * (etag == nil ? pages : isEmpty ? 0 : max(1, pages))
        }
        let isAsBefore = etag != nil && stored?.known == etag && stored?.pending == false
        note(owner) { tally in
            tally.answered[owner, default: []].insert(list.rawValue)
            tally.requests += requests
            if isAsBefore {
                tally.confirmations += requests
                return false
            }
            tally.lists += 1
            if isEmpty { tally.emptyLists += 1 }
            guard etag != nil else {
                tally.undecidedLists += 1
                tally.spared[owner.kind, default: 0] += requests
                // Of an artist there are documents alone; of a show all is requested together.
                if stored != nil, list == owner.kind.lists.first {
                    tally.undecidedOwners[owner.kind, default: .init()].sample.offer(owner.id)
                }
                return false
            }
            if isEmpty, members == 0, isBare { return false }
            if list == .documents {
                if isEmpty { tally.lostDocuments += members } else { tally.noteDocuments(of: owner) }
                return false
            }
            if let role = list.imageRole, !isEmpty { tally.notePictures(of: owner.id, role) }
            let isKnown = tally.counts(owner), isNews = tally.noteList(of: owner)
            if stored == nil, isNews || owner.kind == .location && !isKnown { tally.openLists += 1 }
            return isNews
        }
    }

    /// What requesting the lists under an object told.
    func found(_ look: PlanSampler.ListLook, under owner: Owner) {
        note(owner) { tally in
            tally.undecidedLists -= look.decided
            tally.undecidedOwners[owner.kind]?.sampled += 1
            if look.hasOtherDocuments {
                tally.noteDocuments(of: owner)
                tally.undecidedOwners[owner.kind]?.otherDocuments += 1
            }
            for role in look.otherPictures { tally.notePictures(of: owner.id, role) }
            tally.undecidedOwners[owner.kind]?.otherPictures += look.otherPictures.count
            guard look.hasOtherArtworks || !look.otherPictures.isEmpty, tally.noteList(of: owner) else {
                return false
            }
            tally.undecidedOwners[owner.kind]?.changed += 1
            return true
        }
    }

    /// Whether the plan itself answered the request for a list.
    func hasAnswered(_ list: ListName) -> Bool {
        tally.withLock { $0.answered[list.owner]?.contains(list.name) == true }
    }

    /// A list that is current but was never joined to its owner will be.
    func willJoin(_ owner: Owner) { note(owner) { $0.noteList(of: owner) } }

    // MARK: - Files

    /// A file that a sync will request.
    func note(_ file: FileDownload) {
        let isNew = tally.withLock { tally in
            guard tally.files.insert(file.key).inserted else { return false }
            tally.requests += 1
            guard file.state == .absent else {
                tally.confirmations += 1
                // What the server didn't have may be there by now.
                if file.state == .unavailable { tally.openFiles += 1 }
                // One whose entry did not change is requested only where that is asked for, and mostly is the same.
                if file.state == .stored, let format = file.use.format,
                    !file.environment.options.revalidateMedia
                {
                    tally.noteConditional(format: format)
                }
                return false
            }
            if let format = file.use.format {
                tally.notePicture(file.url, format: ImageTile.sizeGroup(of: format))
            } else {
                tally.documents += 1
                tally.documentBytes += Int64(file.size ?? 0)
                if file.size == nil { tally.documentsWithoutSize += 1 }
            }
            return true
        }
        guard isNew else { return }
        if let format = file.use.format {
            tellPicture(file.use.id, format)
        } else {
            let size = file.size.map(Double.init) ?? (history.documents ?? PlanDefaults.document).mean
            tell("document", file.use.id, "fetched", bytes: Int64(size))
        }
    }

    /// Pictures of an artwork of which a request told that it changed: those that it brings, and those that were counted of the
    /// stored artwork.
    ///
    /// - Parameter conditional: those that are stored, with an entry that the request showed to be another.
    func note(
        picturesOf artwork: String, _ new: [ImageStep.Item], insteadOf counted: [ImageStep.Item],
        conditional: [ImageStep.Item]
    ) {
        func key(_ item: ImageStep.Item) -> String { "\(item.image.id)/\(item.format)/\(item.url)" }
        let before = Set(counted.map(key)), after = Set(new.map(key))
        let added = new.filter { !before.contains(key($0)) }
        note { tally in
            tally.picturesOfSampled[artwork] = new.count
            for item in counted where !after.contains(key(item)) {
                tally.requests -= 1
                tally.pictures[ImageTile.sizeGroup(of: item.format), default: 0] -= 1
            }
            tally.requests += added.count + conditional.count
            tally.confirmations += conditional.count
            for item in conditional { tally.noteConditional(format: item.format) }
            for item in added { tally.notePicture(item.url, format: ImageTile.sizeGroup(of: item.format)) }
        }
        for item in added { tellPicture(item.image.id, item.format) }
    }

    private func tellPicture(_ id: String, _ format: String) {
        let group = ImageTile.sizeGroup(of: format)
        let size = history.pictures[group] ?? PlanDefaults.picture(group)
        tell(group == ImageTile.kind ? group : "image", id, "fetched", bytes: Int64(size.mean))
    }
}
