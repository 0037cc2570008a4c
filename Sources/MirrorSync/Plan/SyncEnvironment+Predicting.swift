import Catalogue
import MirrorStore

/// What a dry run concludes from the objects of a described source that it reads itself.
extension SyncEnvironment {
    /// The record of the dry run; `nil` in a sync.
    var planned: PlanRecorder? { (sender as? PlanSender)?.plan }

    /// The maximum number of requests for one sample of a dry run: 50, or the number that the source's rate allows in 20 seconds,
    /// but at least 10.
    var sampleLimit: Int {
        guard let rate = catalogue?.description.rate, let requests = rate.requests else {
            return PlanTally.sampleSize
        }
        let inTime = requests / (rate.interval / .seconds(1)) * 20
        return Int(min(Double(PlanTally.sampleSize), max(10, inTime)))
    }

    /// Records what a sync will change when it stores an object that was read from a list or a batch.
    ///
    /// - Parameter writes: the writes of the object (``writes(of:_:version:_:)``).
    func predict(_ object: any Payload, _ writes: [Write]) async throws {
        guard let plan = planned else { return }
        do {
            for write in writes {
                switch write {
                case .object(let record):
                    let owner = Owner(record.kind, record.id)
                    guard plan.isFirstReading(of: owner) else { return }
                    plan.received(owner, try store.effect(of: record))
                    try predictNames(of: record)
                    try predictPictures(of: object, owner)
                case .members(let list, let ids):
                    let former = try store.members(of: list.list.owner).map(ExactText.init)
                    try await applier.submit(write)
                    if former != ids.map(ExactText.init) { plan.willJoin(list.list.owner) }
                default: try await applier.submit(write)
                }
            }
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    /// Records the changes of the artists and the location that an artwork names, if they are gathered from artworks.
    func predictNames(of artwork: ObjectRecord) throws {
        guard let plan = planned, artwork.kind == .artwork, described != nil else { return }
        for object in artwork.parts.gathered {
            plan.gathered(
                Owner(object.kind, object.id), try store.effect(ofGathered: object))
        }
        // Without a stored list there is no stored object that could lose its last artwork.
        if hasLists { try store.stagePlannedNames(of: artwork) }
    }

    private func predictPictures(of object: any Payload, _ owner: Owner) throws {
        guard let plan = planned, options.media, owner.kind.imageRoles.contains(.picture) else { return }
        let pictures = try PlanSampler(environment: self, plan: plan).pictures(
            object.parts.images.map(StoredImage.init), of: owner, .picture)
        // The pictures of the stored version are not recorded, because the walk leaves out objects that were read.
        plan.note(
            picturesOf: owner.id, isSampled: false, pictures.new, insteadOf: [],
            conditional: pictures.conditional)
    }
}
