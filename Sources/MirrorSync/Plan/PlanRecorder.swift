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
    func will(_ prospect: Prospect, _ kind: Kind, _ id: String) {
        let isNews = tally.withLock { tally in
            tally.requests += 1
            switch prospect {
            case .created, .updated: tally.bodies[kind, default: 0] += 1
            case .unchanged, .undecided: tally.confirmations += 1
            }
            if prospect == .undecided { tally.spared[kind, default: 0] += 1 }
            if kind == .artwork {
                if prospect == .created {
                    tally.newArtworks += 1
                    tally.artworkSample.offer(id)
                } else if prospect == .updated {
                    tally.changedArtworks += 1
                    tally.changedSample.offer(id)
                }
            }
            return tally.note(prospect, kind, id)
        }
        if isNews { tell(kind.name, id, prospect == .created ? "created" : "updated") }
    }

    /// What asking for an object told.
    func found(_ kind: Kind, _ id: String, _ effect: WriteEffect) {
        let prospect: Prospect =
            switch effect {
            case .created: .created
            case .updated: .updated
            case .unchanged, .ignored, .outdated, .deleted, .deletedWithLocalEdit: .unchanged
            }
        let isNews = tally.withLock { tally in
            if tally.undecided[kind] != nil {
                tally.undecided[kind]?.sampled += 1
                if effect == .updated {
                    tally.undecided[kind]?.changed += 1
                    if kind == .artwork { tally.picturesOfSampled[id] = 0 }
                }
            }
            return tally.note(prospect, kind, id)
        }
        if isNews { tell(kind.name, id, prospect == .created ? "created" : "updated") }
    }

    /// What the partner's own object says.
    func partnerStates(id: String, documents: Int?) {
        tally.withLock { tally in
            tally.partner = id
            tally.statedDocuments = documents
        }
    }

    /// So many of a kind will stay undecided: from now on ``takesSample(of:)`` chooses among them.
    func beginSampling(_ kind: Kind, among total: Int) {
        tally.withLock { tally in
            tally.undecided[kind] = PlanTally.Undecided(
                total: total,
                sampler: SelectionSampler(choosing: Self.sampleSize, of: total, seed: UInt64(total)))
        }
    }

    func takesSample(of kind: Kind) -> Bool {
        tally.withLock { $0.undecided[kind]?.sampler.takesNext() ?? false }
    }

    /// A request that a sync would send once as well, and that has been counted already.
    func sampled(bytes: Int) {
        tally.withLock { tally in
            tally.samples += 1
            tally.sampleBytes += bytes
        }
    }

    // MARK: - Lists under objects

    /// Whether a list has an ETag by which lists without members are known.
    func isEmpty(_ etag: String?) -> Bool { etag.map { emptyETags.contains($0) } ?? false }

    enum Listed: Equatable { case artworks, documents, pictures(ImageRole) }

    /// A list under an object that a sync would ask for.
    ///
    /// - Parameters:
    ///   - etag: as the partner's list says; `nil` without validators.
    ///   - stored: what is stored of it; `nil` if there is nothing yet.
    ///   - isBare: whether nothing that such a list would name is here.
    func willAsk(_ list: Listed, of owner: Owner, etag: String?, stored: ListState?, isBare: Bool = true) {
        let members = stored?.members ?? 0
        let isEmpty = isEmpty(etag)
        var requests = 1
        let isOfPictures = if case .pictures = list { true } else { false }
        if isOfPictures {
            // Pages are read until an empty one, then the others once more: unless there is nothing at all.
            let pages = etag == nil ? (members + 19) / 20 : isEmpty ? 0 : max(1, (members + 19) / 20)
            requests += pages * 2
        }
        let isAsBefore = etag != nil && stored?.known == etag && stored?.pending == false
        let staysBare = isEmpty && members == 0 && isBare
        let isNews = tally.withLock { tally in
            let before = tally.requests
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
                if stored != nil, list == (owner.kind == .artist ? .documents : .artworks) {
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
            if case .pictures(let role) = list, !isEmpty { tally.notePictures(of: owner.id, role) }
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

    /// From now on every ``found(_:_:_:)`` of a document counts for those that are doubted.
    ///
    /// - Returns: those that are to be looked at.
    func beginSamplingDocuments() -> [DoubtedDocument] {
        let doubted = tally.withLock { tally in
            tally.isDoubtSampled = true
            return tally.doubted
        }
        if doubted.seen > 0 { beginSampling(.document, among: doubted.seen) }
        return doubted.chosen
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
    func willSend(_ count: Int, confirmations: Int = 0, pushes: Int = 0) {
        tally.withLock { tally in
            tally.requests += count
            tally.confirmations += confirmations
            tally.pushes += pushes
        }
    }

    // MARK: - Files

    func willFetchPicture(_ id: String, of owner: Owner, format: String, url: String) {
        tally.withLock { tally in
            if owner.kind == .artwork, let count = tally.picturesOfSampled[owner.id] {
                tally.picturesOfSampled[owner.id] = count + 1
            }
            tally.requests += 1
            tally.pictures[format, default: 0] += 1
            tally.pictureSample.offer((url, format))
        }
        tell("image", id, "fetched", bytes: Int64(pictureSize(format).mean))
    }

    /// A file that the server didn't have when it was last asked for: only asking tells whether it has it now.
    func willAskAgainForFile() {
        tally.withLock { tally in
            tally.requests += 1
            tally.confirmations += 1
            tally.openFiles += 1
        }
    }

    func willFetchDocument(_ id: String, size: Int?) {
        tally.withLock { tally in
            tally.requests += 1
            tally.documents += 1
            tally.documentBytes += Int64(size ?? 0)
            if size == nil { tally.documentsWithoutSize += 1 }
        }
        tell("document", id, "fetched", bytes: Int64(size ?? Int(documentSize.mean)))
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
        owner.kind == .show || owner.kind == .album ? note(.updated, owner.kind, owner.id) : false
    }
}
