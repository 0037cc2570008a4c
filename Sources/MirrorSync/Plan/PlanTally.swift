import Catalogue
import MirrorStore

/// The counts of a dry run so far.
///
/// It stays small even for large mirrors. Only shows, albums and locations are stored one by one, since a changed object is
/// counted once even if lists under it change too.
struct PlanTally: Sendable {
    /// The size of a sample: of undecided objects for each kind, and of artworks whose pictures are sampled.
    static let sampleSize = 50
    /// The number of tiles that are measured if no tiles are stored.
    static let tileSampleSize = 20
    /// The maximum sample of changed artworks: it is larger, as only some of them have new pictures.
    static let changedSampleSize = 250

    /// A picture's file. A sampled tile represents `weight` tiles of its picture.
    typealias Picture = (url: String, format: String, weight: Double)

    struct Changes: Sendable, Hashable {
        var created = 0, updated = 0
    }

    /// Objects of one kind that have to be requested to see whether they changed.
    struct Undecided: Sendable {
        var total = 0
        var sample = Reservoir<PlannedObject>(capacity: sampleSize, seed: 10)
        /// The number of requested objects, and how many of them changed.
        var sampled = 0, changed = 0
        /// Whether a sync requests them conditionally, so that only changed ones are received.
        var areConditional = true
    }

    /// Stored objects of one kind whose lists have to be requested to see whether they changed.
    struct UndecidedOwners: Sendable {
        var sample = Reservoir<String>(capacity: sampleSize, seed: 5)
        /// The number of objects whose lists were requested, and how many of them changed only because a list did.
        var sampled = 0, changed = 0
        /// The number of changed lists of documents, and of changed lists of pictures.
        var otherDocuments = 0, otherPictures = 0
    }

    /// A show's pictures in one role.
    struct PictureList: Sendable, Hashable {
        let show: String
        let role: ImageRole
    }

    // MARK: Objects and lists

    var changes: [Kind: Changes] = [:]
    var undecided: [Kind: Undecided] = [:]
    var undecidedOwners: [Kind: UndecidedOwners] = [:]
    /// Documents that have to be requested to see whether they changed.
    var undecidedDocuments = Reservoir<UndecidedDocument>(capacity: sampleSize, seed: 6)
    /// Names of the lists under objects whose requests the plan answered itself.
    var answered: [Owner: Set<String>] = [:]
    /// The number of lists under objects that would have to be requested to see whether they changed: those without validators.
    var undecidedLists = 0
    /// Lists that were never stored, under stored objects: their members may be stored already.
    var openLists = 0
    /// Locations that will have other artworks.
    var changedLocations = 0
    /// Shows that a sync will request and that are unchanged.
    private(set) var confirmedShows = Set<String>()
    /// Shows, albums and locations that are already counted as new or changed.
    private var counted = Set<Owner>()
    /// What only concerns described sources.
    var described = DescribedTally()

    // MARK: Requests and bytes

    /// Requests that a sync would send and a plan doesn't.
    var requests = 0
    /// Requests among them, by kind, that a sync doesn't send if it sends since requests for the kind.
    var sparedBySince: [Kind: Int] = [:]
    /// Objects that a sync would receive, by kind.
    var bodies: [Kind: Int] = [:]
    /// Answers without a body.
    var confirmations = 0
    /// Lists that a sync would receive, and how many of them are empty.
    var lists = 0, emptyLists = 0
    /// Pushes of local edits.
    var pushes = 0
    /// The number of response heads of known length, and their bytes.
    var heads = 0, headBytes = 0
    /// Seconds that the plan's own requests took.
    var roundTrips: [Double] = []
    /// Answers that are large enough to measure the transfer rate.
    var largeAnswers: [Forecast.Answer] = []

    // MARK: Files

    /// Keys of the counted files.
    var files: Set<String> = []
    /// Known pictures to fetch, by format.
    var pictures: [String: Int] = [:]
    /// Known tiles to fetch.
    var tiles: Int { pictures[ImageTile.kind] ?? 0 }
    var pictureSample = Reservoir<Picture>(capacity: sampleSize, seed: 2)
    var tileSample = Reservoir<Picture>(capacity: tileSampleSize, seed: 11)
    /// Bytes of known documents to fetch whose JSON states a size.
    var documentBytes: Int64 = 0
    /// The number of known documents to fetch, and how many of them don't state a size.
    var documents = 0, documentsWithoutSize = 0
    /// The number of documents of shows and artists that the partner's own JSON states.
    var statedDocuments: Int?
    /// Stored documents whose list is empty by now.
    var lostDocuments = 0
    /// Files that were unavailable a day ago or longer, and are requested again.
    var openFiles = 0
    /// Stored pictures and tiles that are requested conditionally since their entry changed, by `image` or ``ImageTile/kind``.
    /// Only the answer shows whether their bytes changed.
    var conditionalFiles: [String: Int] = [:]
    /// New artworks, whose pictures are unknown, and changed ones, whose pictures may have changed.
    var newArtworks = 0, changedArtworks = 0
    var artworkSample = Reservoir<String>(capacity: sampleSize, seed: 1)
    var changedSample = Reservoir<String>(capacity: changedSampleSize, seed: 4)
    /// Changed lists of documents and pictures whose members are unknown without a request.
    var unknownDocumentLists = 0, unknownPictureLists = 0
    var documentListSample = Reservoir<Owner>(capacity: sampleSize, seed: 7)
    var pictureListSample = Reservoir<PictureList>(capacity: sampleSize, seed: 8)
    /// Sampled artworks that had changed, with the number of pictures to fetch for each.
    var picturesOfSampled: [String: Int] = [:]
}

// MARK: - Recording

extension PlanTally {
    /// Whether an object is already counted as new or changed.
    func counts(_ owner: Owner) -> Bool { counted.contains(owner) }

    /// Counts the predicted change of an object.
    ///
    /// - Returns: whether it is new or changes and was not counted before.
    mutating func note(_ change: PredictedChange, _ object: Owner) -> Bool {
        let kind = object.kind
        switch change {
        case .created, .updated:
            guard !kind.hasMembers || counted.insert(object).inserted else { return false }
            if change == .created {
                changes[kind, default: Changes()].created += 1
            } else {
                changes[kind, default: Changes()].updated += 1
            }
            return true
        case .unchanged:
            if kind == .show { confirmedShows.insert(object.id) }
            return false
        case .undecided:
            return false
        }
    }

    /// Counts a changed list of artworks or pictures: it changes a show or album that isn't new.
    ///
    /// - Returns: whether the owner was not counted before.
    mutating func noteList(of owner: Owner) -> Bool {
        if owner.kind == .location { changedLocations += 1 }
        return Self.countsLists(owner.kind) && note(.updated, owner)
    }

    mutating func noteDocuments(of owner: Owner) {
        unknownDocumentLists += 1
        documentListSample.offer(owner)
    }

    mutating func notePictures(of show: String, _ role: ImageRole) {
        unknownPictureLists += 1
        pictureListSample.offer(PictureList(show: show, role: role))
    }

    mutating func noteConditional(format: String) {
        conditionalFiles[ImageTile(format: format) == nil ? "image" : ImageTile.kind, default: 0] += 1
    }

    mutating func notePicture(_ url: String, format: String) {
        pictures[format, default: 0] += 1
        if format == ImageTile.kind {
            tileSample.offer((url, format, 1))
        } else {
            pictureSample.offer((url, format, 1))
        }
    }

    /// Whether a changed list of artworks or pictures counts as a change of its owner: only for shows and albums.
    static func countsLists(_ kind: Kind) -> Bool { kind == .show || kind == .album }
}

/// The change of an object that a sync will make, predicted from its list entry.
enum PredictedChange: Sendable, Hashable {
    case created, updated
    /// The object is requested, and the server confirms that it is unchanged.
    case unchanged
    /// The object has to be requested to see whether it changed.
    case undecided

    /// Compares the stored ETag with the listed one.
    ///
    /// - Parameters:
    ///   - trustsETags: `false` if the stored ETags are those of another server.
    ///   - becomesListed: whether the stored object is kept or linked, so that being listed is a change.
    init(stored: ListedMember.Stored, listed: String?, trustsETags: Bool = true, becomesListed: Bool = false)
    {
        switch (stored, listed) {
        case (.nothing, _): self = .created
        case (.row, _) where becomesListed: self = .updated
        case (.row(let etag?, _), let listed?) where trustsETags:
            self = etag == listed ? .unchanged : .updated
        case (.row, _): self = .undecided
        }
    }
}

/// An object that a sync will request.
struct PlannedObject: Sendable, Hashable {
    let owner: Owner
    let known: String?
    let isPruned: Bool
    /// Whether the list contains a version of it.
    var hasListedVersion = false
    /// Whether the answer contains it even if it didn't change, because the request has no condition.
    var isReceived = false
}

/// A stored document that has to be requested to see whether it changed.
struct UndecidedDocument: Sendable {
    let owner: Owner
    let stored: StoredDocument

    /// Unique among all owners.
    var name: String { "\(owner.id)/\(stored.id)" }
}
