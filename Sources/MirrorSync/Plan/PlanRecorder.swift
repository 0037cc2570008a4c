import Catalogue
import MirrorStore
import Synchronization

/// What a sync would do, noted by the steps while the tree is walked for planning; tells each planned action as it is
/// found. In a real sync there is none.
package final class PlanRecorder: Sendable {
    /// How many are looked at where all can't be: conditional requests a kind, and artworks for their pictures.
    package static let sampleSize = 50
    /// Changed artworks of which some bring pictures and some none: one in twenty is requested, up to this number.
    package static let changedSampleSize = 250
    /// Round trips that are remembered.
    private static let roundTripLimit = 256

    let history: SizeHistory
    /// ETags by which lists without members are known.
    private let emptyETags: Set<String>
    /// It has the tree's run, and that this: kept, none of the three would go.
    private let monitor: @Sendable () -> SyncMonitor?
    private let tally = Mutex(PlanTally())
    private let trips = Mutex<[Double]>([])
    private let answers = Mutex<[Forecast.Answer]>([])

    init(history: SizeHistory, emptyETags: Set<String>, monitor: SyncMonitor) {
        self.history = history
        self.emptyETags = emptyETags
        self.monitor = { [weak monitor] in monitor }
    }

    var current: PlanTally { tally.withLock { $0 } }
    var roundTrips: [Double] { trips.withLock { $0 } }

    /// Answers that are long enough to tell how fast bytes come.
    var largeAnswers: [Forecast.Answer] { answers.withLock { $0 } }

    /// A request was answered, with that number of bytes on the wire.
    func tookTime(_ seconds: Double, bytes: Int) {
        trips.withLock { if $0.count < Self.roundTripLimit { $0.append(seconds) } }
        guard bytes >= Forecast.Answer.least else { return }
        answers.withLock {
            if $0.count < Self.roundTripLimit { $0.append(.init(bytes: Double(bytes), seconds: seconds)) }
        }
    }

    /// The head of an answer, with as many bytes as came beside the body.
    func sawHead(bytes: Int) {
        tally.withLock { tally in
            tally.heads += 1
            tally.headBytes += bytes
        }
    }

    // MARK: - Objects

    /// What an object's list and row say will become of it; it costs a sync one request.
    func note(_ change: PredictedChange, of object: PlannedObject) {
        let kind = object.owner.kind, id = object.owner.id
        let isNews = tally.withLock { tally in
            tally.requests += 1
            switch change {
            case .created, .updated: tally.bodies[kind, default: 0] += 1
            case .unchanged, .undecided: tally.confirmations += 1
            }
            if change == .undecided {
                tally.spared[kind, default: 0] += 1
                tally.undecided[kind, default: PlanTally.Undecided()].sample.offer(object)
            }
            if kind == .artwork {
                if change == .created {
                    tally.newArtworks += 1
                    tally.artworkSample.offer(id)
                } else if change == .updated {
                    tally.changedArtworks += 1
                    tally.changedSample.offer(id)
                }
            }
            return tally.note(change, object.owner)
        }
        if isNews { tell(kind.name, id, change == .created ? "created" : "updated") }
    }

    /// What requesting an object told.
    func found(_ object: Owner, _ effect: WriteEffect) {
        let change: PredictedChange =
            switch effect {
            case .created: .created
            case .updated: .updated
            case .unchanged, .ignored, .outdated, .deleted, .deletedWithLocalEdit: .unchanged
            }
        let isNews = tally.withLock { tally in
            tally.undecided[object.kind]?.sampled += 1
            if effect == .updated { tally.undecided[object.kind]?.changed += 1 }
            return tally.note(change, object)
        }
        if isNews { tell(object.kind.name, object.id, change == .created ? "created" : "updated") }
    }

    /// What the partner's own object says.
    func notePartner(documents: Int?) { tally.withLock { $0.statedDocuments = documents } }

    // MARK: - Lists under objects

    /// Whether a list has an ETag by which lists without members are known.
    func isEmpty(_ etag: String?) -> Bool { etag.map { emptyETags.contains($0) } ?? false }

    /// A list under an object that a sync would ask for.
    ///
    /// - Parameters:
    ///   - etag: as the partner's list says; `nil` without validators.
    ///   - stored: what is stored of it; `nil` if there is nothing yet.
    ///   - isBare: whether nothing that such a list would name is here.
    func note(
        _ list: ObjectList, of owner: Owner, etag: String?, stored: ListState?, isBare: Bool = true
    ) {
        let members = stored?.members ?? 0
        let isEmpty = isEmpty(etag)
        var requests = 1
        if list.imageRole != nil {
            // Pages are read until an empty one, then the others once more: unless there is nothing at all.
            let pages = etag == nil ? (members + 19) / 20 : isEmpty ? 0 : max(1, (members + 19) / 20)
            requests += pages * 2
        }
        let isAsBefore = etag != nil && stored?.known == etag && stored?.pending == false
        let staysBare = isEmpty && members == 0 && isBare
        let isNews = tally.withLock { tally in
            let before = tally.requests
            tally.answered.insert(PlanTally.AnsweredList(owner: owner, name: list.rawValue))
            tally.requests += requests
            if isAsBefore {
                tally.confirmations += requests
                return false
            }
            tally.lists += 1
            if isEmpty { tally.emptyLists += 1 }
            guard etag != nil else {
                tally.undecidedLists += 1
                tally.spared[owner.kind, default: 0] += tally.requests - before
                // Of an artist there are documents alone; of a show all is asked for together.
                if stored != nil, list == owner.kind.lists.first {
                    tally.undecidedOwners[owner.kind, default: PlanTally.UndecidedOwners()].sample.offer(
                        owner.id)
                }
                return false
            }
            if staysBare { return false }
            if list == .artworks, owner.kind == .location {
                tally.changedLocations += 1
                if stored == nil, !tally.counts(owner) { tally.openLists += 1 }
            }
            if list == .documents {
                if isEmpty { tally.lostDocuments += members } else { tally.noteDocuments(of: owner) }
            }
            if let role = list.imageRole, !isEmpty { tally.notePictures(of: owner.id, role) }
            guard list != .documents else { return false }
            let isNews = tally.noteList(of: owner)
            if isNews, stored == nil { tally.openLists += 1 }
            return isNews
        }
        if isNews { tell(owner.kind.name, owner.id, "updated") }
    }

    /// What asking for the lists under an object told.
    func found(_ look: PlanListSampling.Look, under owner: Owner) {
        let isNews = tally.withLock { tally in
            tally.undecidedLists -= look.decided
            tally.undecidedOwners[owner.kind]?.sampled += 1
            if look.hasOtherDocuments {
                tally.noteDocuments(of: owner)
                tally.undecidedOwners[owner.kind]?.otherDocuments += 1
            }
            for role in look.otherPictures { tally.notePictures(of: owner.id, role) }
            tally.undecidedOwners[owner.kind]?.otherPictures += look.otherPictures.count
            guard look.hasOtherArtworks || !look.otherPictures.isEmpty else { return false }
            let isNews = tally.noteList(of: owner)
            if isNews { tally.undecidedOwners[owner.kind]?.changed += 1 }
            if owner.kind == .location { tally.changedLocations += 1 }
            return isNews
        }
        if isNews { tell(owner.kind.name, owner.id, "updated") }
    }

    /// A document that may have changed although the list that names it may be current.
    func doubts(_ document: DoubtedDocument) {
        tally.withLock { $0.doubted.offer(document) }
    }

    /// Documents of which a request has to tell whether they changed.
    func beginSamplingDocuments() -> [DoubtedDocument] {
        tally.withLock { tally in
            tally.isDoubtSampled = true
            if tally.doubted.seen > 0 {
                tally.undecided[.document] = PlanTally.Undecided(seen: tally.doubted.seen)
            }
            return tally.doubted.chosen
        }
    }

    /// Whether the plan itself answered the request for a list.
    func hasAnswered(_ list: ListName) -> Bool {
        tally.withLock { $0.answered.contains(PlanTally.AnsweredList(owner: list.owner, name: list.name)) }
    }

    /// A list that is current but was never joined to its owner will be.
    func willJoin(_ owner: Owner) {
        let isNews = tally.withLock { tally in
            if owner.kind == .location { tally.changedLocations += 1 }
            return tally.noteList(of: owner)
        }
        if isNews { tell(owner.kind.name, owner.id, "updated") }
    }

    /// Requests that a sync would send: for documents that are stored, flags and pushes.
    func note(requests count: Int, confirmations: Int = 0, pushes: Int = 0) {
        tally.withLock { tally in
            tally.requests += count
            tally.confirmations += confirmations
            tally.pushes += pushes
        }
    }

    // MARK: - Files

    /// A file that a sync will request.
    func note(_ file: WantedFile) {
        let isNew = tally.withLock { tally in
            guard tally.files.insert(file.key).inserted else { return false }
            tally.requests += 1
            switch file.state {
            case .unavailable:
                // It may be there by now.
                tally.confirmations += 1
                tally.openFiles += 1
                return false
            case .stored:
                tally.confirmations += 1
                return false
            case .absent: break
            }
            guard let format = file.use.format else {
                tally.documents += 1
                tally.documentBytes += Int64(file.size ?? 0)
                if file.size == nil { tally.documentsWithoutSize += 1 }
                return true
            }
            tally.pictures[format, default: 0] += 1
            tally.pictureSample.offer((file.url, format))
            return true
        }
        guard isNew else { return }
        if let format = file.use.format {
            tell("image", file.use.id, "fetched", bytes: Int64(pictureSize(format).mean))
        } else {
            tell("document", file.use.id, "fetched", bytes: Int64(file.size ?? Int(documentSize.mean)))
        }
    }

    /// Pictures of an artwork of which a request told that it changed: those that it brings, and those that were counted of the stored
    /// artwork.
    func note(picturesOf artwork: String, _ new: [ImageStep.Item], insteadOf counted: [ImageStep.Item]) {
        func key(_ item: ImageStep.Item) -> String { "\(item.image.id)/\(item.format)/\(item.url)" }
        let before = Set(counted.map(key)), after = Set(new.map(key))
        tally.withLock { tally in
            tally.picturesOfSampled[artwork] = new.count
            for item in counted where !after.contains(key(item)) {
                tally.requests -= 1
                tally.pictures[item.format, default: 0] -= 1
            }
            for item in new where !before.contains(key(item)) {
                tally.requests += 1
                tally.pictures[item.format, default: 0] += 1
                tally.pictureSample.offer((item.url, item.format))
            }
        }
        for item in new where !before.contains(key(item)) {
            tell("image", item.image.id, "fetched", bytes: Int64(pictureSize(item.format).mean))
        }
    }

    func pictureSize(_ format: String) -> SizeHistory.Sizes {
        history.pictures[format] ?? PlanDefaults.picture(format)
    }

    var documentSize: SizeHistory.Sizes { history.documents ?? PlanDefaults.document }

    private func tell(_ kind: String, _ id: String, _ action: String, bytes: Int64? = nil) {
        monitor()?.item(kind: kind, id: id, action: action, bytes: bytes)
    }
}

extension PlanTally {
    fileprivate mutating func noteDocuments(of owner: Owner) {
        unknownDocumentLists += 1
        documentListSample.offer(owner)
    }

    fileprivate mutating func notePictures(of show: String, _ role: ImageRole) {
        unknownPictureLists += 1
        pictureListSample.offer(PictureList(show: show, role: role))
    }

    /// A list of artworks or pictures changes a show or album that isn't new; a location stays what it is.
    fileprivate mutating func noteList(of owner: Owner) -> Bool {
        owner.kind == .show || owner.kind == .album ? note(.updated, owner) : false
    }
}
