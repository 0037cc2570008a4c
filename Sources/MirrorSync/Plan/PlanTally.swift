import Catalogue
import MirrorStore

/// What a plan has found so far, in numbers. However large the mirror is, this stays small: only shows, albums and locations
/// are remembered one by one, since an object and a list under it count once.
struct PlanTally: Sendable {
    struct Changes: Sendable, Hashable {
        var created = 0, updated = 0
        /// Asked for, and found or known to be as they are.
        var unchanged = 0
    }

    /// Objects of one kind of which only asking would tell.
    struct Undecided: Sendable {
        /// Those of which only a request tells, and some of them.
        var sample = Reservoir<PlannedObject>(capacity: PlanRecorder.sampleSize, seed: 10)
        /// Those that were requested, and those of them that changed.
        var sampled = 0, changed = 0
        private var seen: Int?
        var total: Int { seen ?? sample.seen }

        init(seen: Int? = nil) { self.seen = seen }
    }

    /// A list under an object that the plan answered itself.
    struct AnsweredList: Sendable, Hashable {
        let owner: Owner
        let name: String
    }

    var answered: Set<AnsweredList> = []
    /// Addresses of files that are counted.
    var files: Set<String> = []

    var changes: [Kind: Changes] = [:]
    var undecided: [Kind: Undecided] = [:]
    /// Requests that a sync would send and a plan doesn't.
    var requests = 0
    /// Those among them, by kind, that a sync doesn't send where it asks what changed since a date.
    var spared: [Kind: Int] = [:]
    /// Bodies that a sync would receive, and answers without any.
    var bodies: [Kind: Int] = [:]
    var confirmations = 0
    /// Lists that a sync would receive, and those among them that are known to be empty.
    var lists = 0, emptyLists = 0
    /// Lists of which nothing is stored, under objects that are: they may name what is here already.
    var openLists = 0
    /// Heads of answers whose length was seen, and their bytes.
    var heads = 0, headBytes = 0
    /// Pushes of albums, and what else would be sent.
    var pushes = 0

    // MARK: Files

    /// Pictures that are known to be fetched, by format.
    var pictures: [String: Int] = [:]
    /// Bytes of documents that are known to be fetched, where their JSON says so, and how many it doesn't say of.
    var documentBytes: Int64 = 0
    var documents = 0, documentsWithoutSize = 0
    /// Files that the server didn't have a day ago or longer.
    var openFiles = 0
    /// Artworks whose pictures nothing is known of, and those whose pictures may have changed.
    var newArtworks = 0, changedArtworks = 0
    /// Changed lists of documents and pictures whose members only asking would tell.
    var unknownDocumentLists = 0, unknownPictureLists = 0
    /// Documents that lists named that are empty by now.
    var lostDocuments = 0
    var artworkSample = Reservoir<String>(capacity: PlanRecorder.sampleSize, seed: 1)
    var changedSample = Reservoir<String>(capacity: PlanRecorder.changedSampleSize, seed: 4)
    var documentListSample = Reservoir<Owner>(capacity: PlanRecorder.sampleSize, seed: 7)
    var pictureListSample = Reservoir<PictureList>(capacity: PlanRecorder.sampleSize, seed: 8)
    /// Undecided artworks that were asked for and had changed, with the pictures that each will bring.
    var picturesOfSampled: [String: Int] = [:]
    var pictureSample = Reservoir<(url: String, format: String)>(capacity: PlanRecorder.sampleSize, seed: 2)

    /// A show's pictures in one role.
    struct PictureList: Sendable, Hashable {
        let show: String
        let role: ImageRole
    }

    /// Documents of shows and artists as the partner's own JSON counts them.
    var statedDocuments: Int?

    /// Lists under objects that stayed undecided: without validators only asking would tell.
    var undecidedLists = 0
    /// Objects that are here, under which such lists are.
    struct UndecidedOwners: Sendable {
        var sample = Reservoir<String>(capacity: PlanRecorder.sampleSize, seed: 5)
        /// Asked for, and found to have another list, where nothing else had told that they change.
        var sampled = 0, changed = 0
        /// Lists of documents and of pictures among those asked for that are others.
        var otherDocuments = 0, otherPictures = 0
    }

    var undecidedOwners: [Kind: UndecidedOwners] = [:]

    /// How many objects each one stands for under which lists were looked at. Where an artwork went that a location no longer
    /// lists, all locations tell, or none.
    var listShare: @Sendable (Kind) -> Double {
        let owners = undecidedOwners.mapValues { (all: $0.sample.seen, sampled: $0.sampled) }
        return { kind in
            guard let owners = owners[kind], owners.sampled > 0 else { return 1 }
            if kind == .location { return owners.sampled == owners.all ? 1 : 0 }
            return Double(owners.all) / Double(owners.sampled)
        }
    }
    /// Documents that only asking for them tells of, and whether some, or all, were asked for.
    var doubted = Reservoir<DoubtedDocument>(capacity: PlanRecorder.sampleSize, seed: 6)
    var isDoubtSampled = false
    var openDocuments: Int { isDoubtSampled ? 0 : doubted.seen }
    /// Locations that will have other artworks.
    var changedLocations = 0
    /// Shows that are asked for and stay as they are: nothing is open about them afterwards.
    private(set) var confirmedShows = Set<String>()
    private var counted = Set<Owner>()

    /// Whether an object is known to be new or to change.
    func counts(_ owner: Owner) -> Bool { counted.contains(owner) }

    /// Notes what will become of an object.
    ///
    /// - Returns: whether that is news.
    mutating func note(_ change: PredictedChange, _ object: Owner) -> Bool {
        let kind = object.kind
        switch change {
        case .created, .updated:
            if kind.hasMembers {
                guard counted.insert(object).inserted else { return false }
            }
            if change == .created {
                changes[kind, default: Changes()].created += 1
            } else {
                changes[kind, default: Changes()].updated += 1
            }
            return true
        case .unchanged:
            changes[kind, default: Changes()].unchanged += 1
            if kind == .show { confirmedShows.insert(object.id) }
            return false
        case .undecided:
            return false
        }
    }

    /// Updates of a kind: those that are known, and of the others as many as the samples say.
    func updated(_ kind: Kind) -> Estimate {
        var updated = Estimate(Double(changes[kind]?.updated ?? 0))
        // What was sampled and had changed is among those that are known.
        if let undecided = undecided[kind] {
            updated += Estimate(-Double(undecided.changed))
            updated += .share(changed: undecided.changed, of: undecided.sampled, in: undecided.total)
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
            // A show has two lists of pictures: more may have changed than were asked for shows.
            let share = Estimate.share(
                changed: min(found, owners.sampled), of: owners.sampled, in: owners.sample.seen)
            let factor = found > owners.sampled ? Double(found) / Double(owners.sampled) : 1
            return sum + share * factor + Estimate(-Double(found))
        }
    }

    /// Pictures that undecided artworks which were not asked for will bring, as those that were tell.
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

    /// Whether another list makes another object of it: a location stays what it is, and documents count by themselves.
    static func countsLists(_ kind: Kind) -> Bool { kind == .show || kind == .album }

    var hasChanges: Bool {
        changes.values.contains { $0.created + $0.updated > 0 }
            || !pictures.isEmpty || documents + unknownDocumentLists + unknownPictureLists > 0
            || lostDocuments + pushes > 0
            || undecided.values.contains { $0.changed > 0 } || changedLocations > 0
    }
}
