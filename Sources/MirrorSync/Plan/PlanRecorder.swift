import Catalogue
import MirrorStore
import Synchronization

/// Records what a sync would do while a dry run walks the tree, and reports each planned action to the monitor.
final class PlanRecorder: Sendable {
    /// The maximum number of recorded round trips, and of recorded large answers.
    private static let timingLimit = 256

    let history: SizeHistory
    /// The ETags of empty lists.
    private let emptyETags: Set<String>
    /// Weak: the monitor refers to the tree's run, which refers to this recorder.
    private let monitor: @Sendable () -> SyncMonitor?
    private let tally = Mutex(PlanTally())

    init(history: SizeHistory, emptyETags: Set<String>, monitor: SyncMonitor) {
        self.history = history
        self.emptyETags = emptyETags
        self.monitor = { [weak monitor] in monitor }
    }

    var current: PlanTally { tally.withLock { $0 } }

    /// Reads a value of the tally, without a copy of all of it.
    func current<Value: Sendable>(_ value: (PlanTally) -> Value) -> Value { tally.withLock { value($0) } }

    /// Changes the tally.
    func note(_ change: (inout PlanTally) -> Void) { tally.withLock { change(&$0) } }

    /// Changes the tally, and returns a result.
    func changing<Value: Sendable>(_ change: (inout PlanTally) -> Value) -> Value {
        tally.withLock { change(&$0) }
    }

    /// Changes the tally; if `isFirst` returns `true`, the object was not recorded before as new or changed, and is reported.
    func note(
        _ object: Owner, as change: PredictedChange = .updated, _ isFirst: (inout PlanTally) -> Bool
    ) {
        guard tally.withLock({ isFirst(&$0) }) else { return }
        report(object.kind.name, object.id, change == .created ? "created" : "updated")
    }

    private func report(_ kind: String, _ id: String, _ action: String, bytes: Int64? = nil) {
        monitor()?.item(kind: kind, id: id, action: action, bytes: bytes)
    }

    // MARK: - Requests

    /// Records the duration of one of the plan's own requests, and the bytes that its answer had on the wire.
    func noteTiming(_ seconds: Double, bytes: Int) {
        note { tally in
            if tally.roundTrips.count < Self.timingLimit { tally.roundTrips.append(seconds) }
            if bytes >= Forecast.Answer.minimumBytes, tally.largeAnswers.count < Self.timingLimit {
                tally.largeAnswers.append(.init(bytes: Double(bytes), seconds: seconds))
            }
        }
    }

    /// Records requests that a sync would send for stored documents, flags and pushes.
    func note(requests count: Int, confirmations: Int = 0, pushes: Int = 0) {
        note { tally in
            tally.requests += count
            tally.confirmations += confirmations
            tally.pushes += pushes
        }
    }

    // MARK: - Objects

    /// Records the change of an object that its list entry and its row predict; a sync sends one request for it.
    func note(_ change: PredictedChange, of object: PlannedObject) {
        let kind = object.owner.kind, id = object.owner.id
        note(object.owner, as: change) { tally in
            tally.requests += tally.described.requests(for: object, change)
            if change != .unchanged { tally.described.unread[kind, default: 0] += 1 }
            switch change {
            case .created, .updated: tally.bodies[kind, default: 0] += 1
            case .unchanged: tally.confirmations += 1
            case .undecided:
                if object.isReceived { tally.bodies[kind, default: 0] += 1 } else { tally.confirmations += 1 }
                tally.sparedBySince[kind, default: 0] += 1
                tally.undecided[kind, default: .init()].total += 1
                tally.undecided[kind]?.sample.offer(object)
                if object.isReceived { tally.undecided[kind]?.areConditional = false }
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

    /// Records the result of requesting a sampled object.
    func found(_ object: Owner, _ effect: WriteEffect) {
        let change = PredictedChange(effect)
        note(object, as: change) { tally in
            tally.undecided[object.kind]?.sampled += 1
            if effect == .updated { tally.undecided[object.kind]?.changed += 1 }
            return tally.note(change, object)
        }
    }

    /// Returns a sample of the documents that have to be requested to see whether they changed.
    func beginSamplingDocuments() -> [UndecidedDocument] {
        tally.withLock { tally in
            if tally.undecidedDocuments.seen > 0 {
                tally.undecided[.document] = .init(total: tally.undecidedDocuments.seen)
            }
            return tally.undecidedDocuments.chosen
        }
    }

    // MARK: - Lists under objects

    /// Whether this is the ETag of an empty list.
    func isEmptyList(_ etag: String?) -> Bool { etag.map { emptyETags.contains($0) } ?? false }

    /// Records a list under an object that a sync would request.
    ///
    /// - Parameters:
    ///   - etag: the list's ETag in the partner's list; `nil` without validators.
    ///   - stored: the stored state of the list; `nil` if it was never stored.
    ///   - hasNoMembers: whether no member that such a list could name is stored.
    func note(_ list: ObjectList, of owner: Owner, etag: String?, stored: ListState?, hasNoMembers: Bool) {
        let members = stored?.members ?? 0, isEmpty = isEmptyList(etag)
        var requests = 1
        if list.imageRole != nil {
            // A sync reads pages up to an empty one, then each non-empty page a second time. An empty list is one request.
            let pages = (members + Router.pageSize - 1) / Router.pageSize
            requests += 2 * (etag == nil ? pages : isEmpty ? 0 : max(1, pages))
        }
        let isUnchanged = etag != nil && stored?.conditionalETag == etag && stored?.pending == false
        note(owner) { tally in
            tally.answered[owner, default: []].insert(list.rawValue)
            tally.requests += requests
            if isUnchanged {
                tally.confirmations += requests
                return false
            }
            tally.lists += 1
            if isEmpty { tally.emptyLists += 1 }
            guard etag != nil else {
                tally.undecidedLists += 1
                tally.sparedBySince[owner.kind, default: 0] += requests
                // All lists of an owner are sampled together, so the owner is offered once: with its first list.
                if stored != nil, list == owner.kind.lists.first {
                    tally.undecidedOwners[owner.kind, default: .init()].sample.offer(owner.id)
                }
                return false
            }
            if isEmpty, members == 0, hasNoMembers { return false }
            if list == .documents {
                if isEmpty { tally.lostDocuments += members } else { tally.noteDocuments(of: owner) }
                return false
            }
            if let role = list.imageRole, !isEmpty { tally.notePictures(of: owner.id, role) }
            let isKnown = tally.counts(owner), isFirst = tally.noteList(of: owner)
            if stored == nil, isFirst || owner.kind == .location && !isKnown { tally.openLists += 1 }
            return isFirst
        }
    }

    /// Records the result of requesting the lists under a sampled object.
    func found(_ result: PlanSampler.ListComparison, under owner: Owner) {
        note(owner) { tally in
            tally.undecidedLists -= result.decided
            tally.undecidedOwners[owner.kind]?.sampled += 1
            if result.hasOtherDocuments {
                tally.noteDocuments(of: owner)
                tally.undecidedOwners[owner.kind]?.otherDocuments += 1
            }
            for role in result.otherPictures { tally.notePictures(of: owner.id, role) }
            tally.undecidedOwners[owner.kind]?.otherPictures += result.otherPictures.count
            guard result.hasOtherArtworks || !result.otherPictures.isEmpty, tally.noteList(of: owner) else {
                return false
            }
            tally.undecidedOwners[owner.kind]?.changed += 1
            return true
        }
    }

    /// Whether the dry run answered the request for a list itself, without sending it.
    func hasAnswered(_ list: ListName) -> Bool {
        tally.withLock { $0.answered[list.owner]?.contains(list.name) == true }
    }

    /// Records that a sync will join a current list to its owner, which has not been done yet.
    func willJoin(_ owner: Owner) { note(owner) { $0.noteList(of: owner) } }

    // MARK: - Files

    /// Records a file that a sync will request.
    func note(_ file: FileDownload) {
        let isNew = tally.withLock { tally in
            guard tally.files.insert(file.key).inserted else { return false }
            tally.requests += 1
            guard file.state == .absent else {
                tally.confirmations += 1
                // The server may have the file by now.
                if file.state == .unavailable { tally.openFiles += 1 }
                // With `revalidateMedia`, files whose entry did not change are requested too; nearly all are unchanged.
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
            reportPicture(file.use.id, format)
        } else {
            let size = file.size.map(Double.init) ?? (history.documents ?? PlanDefaults.document).mean
            report("document", file.use.id, "fetched", bytes: Int64(size))
        }
    }

    /// Records the pictures of a sampled artwork that changed.
    ///
    /// - Parameters:
    ///   - isSampled: whether the artwork was drawn at random. If not, it represents no other artworks.
    ///   - new: the pictures that a sync will fetch for the artwork's new version.
    ///   - counted: the pictures of the stored version, which were recorded already; those that the new version lacks are
    ///     subtracted again.
    ///   - conditional: stored pictures whose entry differs in the new version.
    func note(
        picturesOf artwork: String, isSampled: Bool = true, _ new: [ImageStep.Item],
        insteadOf counted: [ImageStep.Item], conditional: [ImageStep.Item]
    ) {
        func key(_ item: ImageStep.Item) -> String { "\(item.image.id)/\(item.format)/\(item.url)" }
        let before = Set(counted.map(key)), after = Set(new.map(key))
        let added = new.filter { !before.contains(key($0)) }
        note { tally in
            if isSampled { tally.picturesOfSampled[artwork] = new.count }
            for item in counted where !after.contains(key(item)) {
                tally.requests -= 1
                tally.pictures[ImageTile.sizeGroup(of: item.format), default: 0] -= 1
            }
            tally.requests += added.count + conditional.count
            tally.confirmations += conditional.count
            for item in conditional { tally.noteConditional(format: item.format) }
            for item in added { tally.notePicture(item.url, format: ImageTile.sizeGroup(of: item.format)) }
        }
        for item in added { reportPicture(item.image.id, item.format) }
    }

    private func reportPicture(_ id: String, _ format: String) {
        let group = ImageTile.sizeGroup(of: format)
        let size = history.pictures[group] ?? PlanDefaults.picture(group)
        report(group == ImageTile.kind ? group : "image", id, "fetched", bytes: Int64(size.mean))
    }
}
