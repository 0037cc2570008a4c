import Catalogue
import MirrorStore

/// What a plan has found so far, in numbers. However large the mirror is, this stays small: only shows, albums and locations
/// are remembered one by one, since an object and a list under it count once.
struct PlanTally: Sendable {
    /// How many are requested where all can't be: conditional requests a kind, and artworks for their pictures.
    static let sampleSize = 50
    /// Tiles that are measured where nothing is known of their sizes.
    static let tileSampleSize = 20
    /// Changed artworks of which some bring pictures and some none: one in twenty is requested, up to this number.
    static let changedSampleSize = 250

    /// A picture's file; a tile stands for `weight` ones, so that a few of a picture's many are enough to know their sizes.
    typealias Picture = (url: String, format: String, weight: Double)

    struct Changes: Sendable, Hashable {
        var created = 0, updated = 0
    }

    /// Objects of one kind of which only a request tells whether they changed.
    struct Undecided: Sendable {
        var total = 0
        /// Some of them.
        var sample = Reservoir<PlannedObject>(capacity: sampleSize, seed: 10)
        /// Those that were requested, and those of them that changed.
        var sampled = 0, changed = 0
    }

    /// Objects of one kind that are stored, under which there are lists of which only a request tells whether they changed.
    struct UndecidedOwners: Sendable {
        var sample = Reservoir<String>(capacity: sampleSize, seed: 5)
        /// Those whose lists were requested, and those of them with another list, where nothing else had told that they change.
        var sampled = 0, changed = 0
        /// Lists of documents and of pictures under them that are others.
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
    /// Documents of which only a request tells whether they changed.
    var doubted = Reservoir<DoubtedDocument>(capacity: sampleSize, seed: 6)
    /// Names of lists under objects that the plan answered itself.
    var answered: [Owner: Set<String>] = [:]
    /// Lists under objects that stayed undecided: without validators only a request would tell.
    var undecidedLists = 0
    /// Lists of which nothing is stored, under objects that are: they may name what is stored already.
    var openLists = 0
    /// Locations that will have other artworks.
    var changedLocations = 0
    /// Shows that are requested and stay as they are: nothing is open about them afterwards.
    private(set) var confirmedShows = Set<String>()
    private var counted = Set<Owner>()

    // MARK: Requests and bytes

    /// Requests that a sync would send and a plan doesn't.
    var requests = 0
    /// Those among them, by kind, that a sync doesn't send where it asks what changed since a date.
    var spared: [Kind: Int] = [:]
    /// Bodies that a sync would receive, and answers without any.
    var bodies: [Kind: Int] = [:]
    var confirmations = 0
    /// Lists that a sync would receive, and those among them that are known to be empty.
    var lists = 0, emptyLists = 0
    /// Pushes of albums, and what else would be sent.
    var pushes = 0
    /// Heads of answers whose length was seen, and their bytes.
    var heads = 0, headBytes = 0
    /// Seconds that the plan's own requests took.
    var roundTrips: [Double] = []
    /// Answers that are long enough to tell how fast bytes come.
    var largeAnswers: [Forecast.Answer] = []

    // MARK: Files

    /// Addresses of files that are counted.
    var files: Set<String> = []
    /// Pictures that are known to be fetched, by format.
    var pictures: [String: Int] = [:]
    /// Tiles among them.
    var tiles: Int { pictures[ImageTile.kind] ?? 0 }
    var pictureSample = Reservoir<Picture>(capacity: sampleSize, seed: 2)
    var tileSample = Reservoir<Picture>(capacity: tileSampleSize, seed: 11)
    /// Bytes of documents that are known to be fetched, where their JSON says so, and how many it doesn't say of.
    var documentBytes: Int64 = 0
    var documents = 0, documentsWithoutSize = 0
    /// Documents of shows and artists as the partner's own JSON counts them.
    var statedDocuments: Int?
    /// Documents that lists named that are empty by now.
    var lostDocuments = 0
    /// Files that the server didn't have a day ago or longer.
    var openFiles = 0
    /// Pictures and tiles that are requested on the condition that they changed, by ``ImageTile/kind`` or `image`: their entry did,
    /// and only the answer says whether their bytes did.
    var conditionalFiles: [String: Int] = [:]
    /// Artworks whose pictures nothing is known of, and those whose pictures may have changed.
    var newArtworks = 0, changedArtworks = 0
    var artworkSample = Reservoir<String>(capacity: sampleSize, seed: 1)
    var changedSample = Reservoir<String>(capacity: changedSampleSize, seed: 4)
    /// Changed lists of documents and pictures whose members only a request would tell.
    var unknownDocumentLists = 0, unknownPictureLists = 0
    var documentListSample = Reservoir<Owner>(capacity: sampleSize, seed: 7)
    var pictureListSample = Reservoir<PictureList>(capacity: sampleSize, seed: 8)
    /// Undecided artworks that were requested and had changed, with the pictures that each will bring.
    var picturesOfSampled: [String: Int] = [:]
}

// MARK: - Noting

extension PlanTally {
    /// Whether an object is known to be new or to change.
    func counts(_ owner: Owner) -> Bool { counted.contains(owner) }

    /// Notes what will become of an object.
    ///
    /// - Returns: whether that is news.
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

    /// Notes another list of artworks or pictures: it changes a show or album that isn't new.
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

    /// Whether another list makes another object of it: a location stays what it is, and documents count by themselves.
    private static func countsLists(_ kind: Kind) -> Bool { kind == .show || kind == .album }
}

// MARK: - Sums

extension PlanTally {
    /// Updates of a kind: those that are known, and of the others as many as the samples say.
    func updated(_ kind: Kind) -> Estimate {
        var updated = Estimate(Double(changes[kind]?.updated ?? 0))
        // What was sampled and had changed is among those that are known.
        if let objects = undecided[kind] {
            updated += Estimate(-Double(objects.changed))
            updated += .share(changed: objects.changed, of: objects.sampled, in: objects.total)
        }
        if let owners = undecidedOwners[kind], Self.countsLists(kind) {
            updated += Estimate(-Double(owners.changed))
            updated += .share(changed: owners.changed, of: owners.sampled, in: owners.sample.seen)
        }
        return updated
    }

    /// Changed lists of documents: those that are known, and of the others as many as the samples say.
    var documentLists: Estimate { lists(unknownDocumentLists) { $0.otherDocuments } }
    /// The same of pictures.
    var pictureLists: Estimate { lists(unknownPictureLists) { $0.otherPictures } }

    private func lists(_ known: Int, _ others: (UndecidedOwners) -> Int) -> Estimate {
        undecidedOwners.values.reduce(Estimate(Double(known))) { sum, owners in
            // What was sampled is among those that are known.
            guard owners.sampled > 0 else { return sum }
            let found = others(owners)
            // A show has two lists of pictures: more may have changed than shows were sampled.
            let share = Estimate.share(
                changed: min(found, owners.sampled), of: owners.sampled, in: owners.sample.seen)
            let factor = found > owners.sampled ? Double(found) / Double(owners.sampled) : 1
            return sum + share * factor + Estimate(-Double(found))
        }
    }

    /// Pictures that undecided artworks which were not requested will bring, as those that were tell.
    var picturesOfUndecided: Estimate {
        guard let undecided = undecided[.artwork], undecided.sampled > 0 else { return .zero }
        let changed = picturesOfSampled.values.map { SampledGroup(count: 1, sum: Double($0)) }
        let same = max(0, undecided.sampled - changed.count)
        let groups = changed + Array(repeating: SampledGroup(count: 1, sum: 0), count: same)
        let known = picturesOfSampled.values.reduce(0, +)
        return Estimate.count(of: Estimate(Double(undecided.total)), groups: groups)
            + Estimate(-Double(known))
    }

    /// Kinds whose updates are known from samples.
    var sampledKinds: Set<Kind> {
        Set(undecided.keys).union(undecidedOwners.keys.filter(Self.countsLists))
    }

    /// How many objects each one stands for under which lists were requested. Where an artwork went that a location no longer
    /// lists, all locations tell, or none.
    var listShare: @Sendable (Kind) -> Double {
        let owners = undecidedOwners.mapValues { (all: $0.sample.seen, sampled: $0.sampled) }
        return { kind in
            guard let owners = owners[kind], owners.sampled > 0 else { return 1 }
            if kind == .location { return owners.sampled == owners.all ? 1 : 0 }
            return Double(owners.all) / Double(owners.sampled)
        }
    }

    /// Documents of which only a request would tell, where none was requested.
    var openDocuments: Int { undecided[.document] == nil ? doubted.seen : 0 }

    /// Whether any picture or document may come.
    var hasFiles: Bool {
        !pictures.isEmpty || documents + unknownDocumentLists + unknownPictureLists + newArtworks > 0
    }

    var hasChanges: Bool {
        changes.values.contains { $0.created + $0.updated > 0 }
            || !pictures.isEmpty || !conditionalFiles.isEmpty
            || documents + unknownDocumentLists + unknownPictureLists > 0
            || lostDocuments + pushes > 0
            || undecided.values.contains { $0.changed > 0 } || changedLocations > 0
    }
}

/// What a sync will do to an object, as far as the lists tell.
enum PredictedChange: Sendable, Hashable {
    case created, updated
    /// It is requested all the same, and confirmed.
    case unchanged
    /// Only the object itself tells.
    case undecided

    /// - Parameters:
    ///   - trustsETags: `false` if those that are stored are another server's.
    ///   - joins: whether it is stored as kept or linked, so that being listed is news.
    init(stored: ListedMember.Stored, listed: String?, trustsETags: Bool = true, joins: Bool = false) {
        switch (stored, listed) {
        case (.nothing, _): self = .created
        case (.row, _) where joins: self = .updated
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
}

/// A document of which only a request tells whether it changed.
struct DoubtedDocument: Sendable {
    let owner: Owner
    let stored: StoredDocument

    /// Unique among all owners.
    var name: String { "\(owner.id)/\(stored.id)" }
}
