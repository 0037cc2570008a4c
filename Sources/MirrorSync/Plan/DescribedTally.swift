import Catalogue
import MirrorStore

/// The counts of a dry run that only concern described sources: what it has read itself, so that a sync requests it no more.
struct DescribedTally: Sendable {
    /// The objects that the dry run has read from lists, batches and samples, by kind.
    var received: [Kind: Set<ExactText>] = [:]
    /// The objects that a sync would mark for refetching, by kind.
    var marked: [Kind: Set<ExactText>] = [:]
    /// The kinds whose changed objects a sync requests several at a time, and whose batches the dry run doesn't request.
    var batched: Set<Kind> = []
    /// The number of objects that a sync requests one by one or in batches, and that may be new or changed, by kind.
    var unread: [Kind: Int] = [:]
    /// The number of artworks among them that were read as samples.
    var sampled = 0
    /// The objects that artworks name, and that were counted as new or changed, by kind.
    var gathered: [Kind: Set<ExactText>] = [:]
    /// Objects that lists lack and that were not requested, although a sync will request them.
    var openAbsences = 0

    /// The number of requests for an object that the list contains.
    func requests(for object: PlannedObject, _ change: PredictedChange) -> Int {
        let isInBatch = change == .created || object.hasListedVersion
        return batched.contains(object.owner.kind) && isInBatch ? 0 : 1
    }

    /// Whether artworks are unknown, so that the artists and locations that they name are unknown, too.
    var hasUnknownNames: Bool { unread[.artwork, default: 0] > sampled }
}

extension PlanRecorder {
    /// Whether the dry run has read an object, so that a sync needs no request for it.
    func hasReceived(_ object: Owner) -> Bool {
        current { $0.described.received[object.kind]?.contains(ExactText(object.id)) == true }
    }

    /// Records that an object was read.
    ///
    /// - Returns: `false` if it was read before, on an earlier page of the same list.
    func isFirstReading(of object: Owner) -> Bool {
        changing { $0.described.received[object.kind, default: []].insert(ExactText(object.id)).inserted }
    }

    /// Records the effect of storing an object that was read from a list or a batch.
    func received(_ object: Owner, _ effect: WriteEffect) {
        let change = PredictedChange(effect)
        note(object, as: change) { $0.note(change, object) }
    }

    /// Records the effect of storing an object that an artwork names. It counts once.
    func gathered(_ object: Owner, _ effect: WriteEffect) {
        let change = PredictedChange(effect)
        guard change != .unchanged else { return }
        note(object, as: change) { tally in
            guard
                tally.described.gathered[object.kind, default: []].insert(ExactText(object.id)).inserted
            else { return false }
            return tally.note(change, object)
        }
    }

    /// Records that a sync requests the new and changed objects of a kind several at a time.
    func noteBatches(of kind: Kind, requests: Int) {
        note { tally in
            tally.described.batched.insert(kind)
            tally.requests += requests
        }
    }
}

extension PredictedChange {
    /// The change that storing an object makes.
    init(_ effect: WriteEffect) {
        self =
            switch effect {
            case .created: .created
            case .updated: .updated
            case .unchanged, .ignored, .outdated, .deleted, .deletedWithLocalEdit: .unchanged
            }
    }
}
