import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

/// Pulling: the kinds for which the server reports what changed since a date.
extension PullLoop {
    /// Chooses each kind's way, and requests the changes of all kinds that are pulled.
    mutating func pull() async throws -> PullResult {
        environment.report.startOver()
        outcome = nil
        try Pruning(environment: environment).begin()
        let position = try await feedPosition()
        cursor = environment.coverage.coversMirror ? position.cursor : nil
        try chooseWays(forgotten: position.forgotten)
        try await audit(forgotten: position.forgotten)
        let feeds = environment.kinds.listed.compactMap { kind -> SinceFeed? in
            guard case .since(let date)? = ways[kind],
                let route = environment.source.changes(of: kind, since: date)
            else { return nil }
            return SinceFeed(environment: environment, kind: kind, since: date, route: route)
        }
        guard !feeds.isEmpty else { return .nothingToPull }
        var failed: [(error: any Error, url: String)] = []
        async let user: Void = environment.requestUserEarly()
        let answers = try await environment.each(of: feeds, atOnce: feeds.count) { ($0, await $0.result()) }
        await user
        for (feed, answer) in answers {
            switch answer {
            case .success(.changes(let changes)):
                if let differing = digestDifferences[feed.kind], !DigestAudit.explains(changes, differing) {
                    try list(feed.kind, .audit)
                } else {
                    pulled[feed.kind] = changes
                }
            case .success(.lists(let reason)): ways[feed.kind] = .lists(reason)
            case .failure(let error as HTTPError):
                failed.append((error, feed.route.path))
                ways[feed.kind] = .lists(.refused)
            case .failure(let error): throw error
            }
        }
        if try await shouldStartOver(after: failed, .since) { return .serverInTrouble }
        let deletions = try PulledDeletions(pulled, in: environment.store)
        for kind in deletions.kindsToList(DeleteGuard(environment.options.maxDelete)) {
            pulled[kind] = nil
            try list(kind, .deletions)
        }
        return pulled.isEmpty ? .nothingToPull : .done
    }

    /// Makes the tree request and walk a kind's own list, even if it is unchanged, instead of pulling the kind.
    private mutating func list(_ kind: Kind, _ reason: PullWay.Reason) throws {
        ways[kind] = .lists(reason)
        _ = try environment.store.apply([.markListNotClean(kind: kind)], run: environment.run)
    }

    /// Whether everything of a kind was fetched and stored.
    private func isComplete(_ kind: Kind, _ state: SyncReport.State) -> Bool {
        state.kindsWithoutFailures.contains(kind) && state.refused[kind.name] == nil
            && !state.outdated.contains(kind)
    }

    /// Removes the since dates of kinds whose list was incomplete and was requested because of the options, or because the
    /// server refused the date.
    ///
    /// Later answers by date may not report what is missing, so the next run has to request the list again. For every other
    /// reason to list a kind, the next run finds the same reason by itself.
    func forgetUnproven() throws {
        let state = environment.report.current
        let listed = ways.filter { [.lists(.forced), .lists(.refused)].contains($0.value) }.keys
        try environment.store.forgetSince(
            listed.filter { stored[$0]?.since != nil && !isComplete($0, state) })
    }

    /// Stores the pulled changes in one transaction: objects in the order of ``PersistingOrder``, then deletions in the
    /// reverse order.
    ///
    /// - Throws: ``SyncError`` if the store can't be written.
    mutating func persist() async throws {
        try pulled[.show]?.leaveOut(environment.store.prunedETags())
        let inOrder = environment.kinds.listed.compactMap { pulled[$0] }.filter { !$0.isEmpty }
        guard !inOrder.isEmpty else { return }
        var writes = inOrder.map {
            Write.markListNotClean(kind: $0.kind, date: $0.date?.timeIntervalSince1970)
        }
        for changes in inOrder {
            writes += changes.records.map(Write.object)
            let ids = changes.members.map(\.id) + changes.deleted
            environment.session.cache?.forget(ids.map { environment.router.object(changes.kind, $0) })
        }
        for changes in inOrder.reversed() {
            let url = environment.source.changes(of: changes.kind, since: changes.since)?.canonicalURL ?? ""
            writes += changes.deleted.map {
                .tombstone(kind: changes.kind, id: $0, evidence: .deleted(accordingTo: url))
            }
        }
        try await applier.submitAsOneTransaction(writes)
    }

    /// The since dates for the next pull, of the kinds that are complete.
    func nextDates() -> [FinishRequest.Since] {
        let state = environment.report.current
        // A described source's dates are stored as soon as the changes are read.
        if environment.described != nil { return [] }
        return environment.kinds.listed.compactMap { kind in
            guard environment.source.changes(of: kind, since: "") != nil, isComplete(kind, state) else {
                return nil
            }
            return NextDate(
                kind: kind, stored: stored[kind], media: environment.options.mediaKey, now: environment.now(),
                oldest: state.oldest[kind]
            ).after(
                pulled[kind], list: state.complete.contains(kind) ? state.listDates[kind] : nil,
                end: state.changesEnd[kind], isAudited: digestDifferences[kind] != nil)
        }
    }

    /// Reports the number of stored objects as the number of listed ones, for the kinds that were pulled or gathered from
    /// artworks.
    func countPulled() throws {
        for kind in Set(pulled.keys).union(environment.described?.gathered ?? []) {
            let held = try environment.store.serverCount(kind)
            environment.report.note { $0.listed[kind] = held }
        }
    }
}

/// Choosing how each kind is brought up to date; done again whenever a pull begins.
extension PullLoop {
    /// The feed's position before the first list. The one that was requested together with the partner is used once: a run that
    /// starts over requests it again.
    private mutating func feedPosition() async throws -> FeedPosition {
        if let position = earlyPosition {
            earlyPosition = nil
            return position
        }
        return try await FeedPosition.beforeLists(
            environment, isNewOrigin: origin.isNew, refresh: refresh)
    }

    /// Chooses the way of each kind of this run.
    ///
    /// - Parameter forgotten: kinds whose changes the feed can't report since the stored cursor; they are listed.
    mutating func chooseWays(forgotten: Set<Kind>) throws {
        pulled = [:]
        ways = [:]
        digestDifferences = [:]
        stored = try environment.store.sinceRecords()
        for kind in environment.walkedKinds {
            if let refresh {
                ways[kind] = refresh.kinds.contains(kind) ? .lists(.refresh) : nil
            } else {
                let way = try choice(kind).way(stored[kind])
                ways[kind] = way.isSince && forgotten.contains(kind) ? .lists(.refresh) : way
            }
        }
        // The end of the run stores the new clock offset. After that, wrong dates could no longer be detected.
        try environment.store.forgetSince(
            environment.kinds.listed.filter { try choice($0).isUnreliable(stored[$0]) })
    }

    private func choice(_ kind: Kind) throws -> PullWayChoice {
        try environment.wayChoice(of: kind, isNewOrigin: origin.isNew)
    }

    /// Replaces the full lists of a due audit by the server's digest, where that is possible.
    ///
    /// If the digest differs only in objects that changed since the stored date, the kinds are pulled. A digest doesn't cover
    /// files, so while files are missing, the lists are requested.
    ///
    /// - Parameter forgotten: kinds that have to be listed for another reason.
    mutating func audit(forgotten: Set<Kind>) async throws {
        let options = environment.options
        let due = environment.kinds.listed.filter { ways[$0] == .lists(.audit) && !forgotten.contains($0) }
        guard refresh == nil, environment.coverage.coversMirror, !due.isEmpty, options.auditsByDigest,
            environment.extensions.contains("digest"),
            try !options.media || !lacksFiles()
        else { return }
        let differing: [Kind: Set<ExactText>]
        switch try await DigestAudit(environment: environment, router: environment.router).ask() {
        case .equal: differing = [:]
        case .differs(let objects): differing = objects
        case .doubt: return
        }
        for kind in due {
            let way = try choice(kind).way(stored[kind], isAudited: true)
            ways[kind] = way
            if way.isSince { digestDifferences[kind] = differing[kind] ?? [] }
        }
    }

    private func lacksFiles() throws -> Bool {
        let formats = environment.options.pictureFormats
        // Missing tiles are found only while the lists are walked.
        if environment.options.tiles { return true }
        for kind in environment.kinds.listed where kind.hasPictures {
            if try environment.store.picturesToFetch(of: kind, formats: formats).pictures > 0 { return true }
        }
        // Pictures that the server didn't have are requested again while the lists are walked.
        if try environment.store.hasUnavailablePictures() { return true }
        var isLacking = false
        try environment.store.documentsWithoutFile { _, _ in isLacking = true }
        return isLacking
    }
}

/// The latest cursor of the partner's feed before the first list, and whether the feed still knows the stored cursor.
///
/// A server that was restored from a backup, or got another database, still answers requests by date. Only its feed shows
/// the change: it doesn't know the stored cursor (410), or can't report all changes since. Then answers by date prove
/// nothing, and the lists are requested.
struct FeedPosition: Sendable, Hashable {
    /// The cursor to store if the run ends complete; `nil` if the feed gave none.
    var cursor: String?
    /// Kinds whose changes the feed can't report since the stored cursor.
    var forgotten: Set<Kind> = []

    /// Requests the feed's cursor before the first list, so that the feed reports all later changes.
    ///
    /// If the feed fails, no cursor is stored and the next run requests one.
    static func beforeLists(
        _ environment: SyncEnvironment, isNewOrigin: Bool, refresh: RefreshOrder?
    ) async throws -> FeedPosition {
        let feed = EventsFeed(session: environment.session, router: environment.router)
        if let cursor = refresh?.cursor { return FeedPosition(cursor: cursor) }
        if refresh != nil { return FeedPosition(cursor: try await feed.latest()) }
        guard environment.extensions.contains("events") else { return FeedPosition() }
        // A stored cursor belongs to the feed of the server before.
        let known = isNewOrigin ? nil : try environment.store.loop(LoopRecord.coreID)?.cursor
        // A run of a part of the tree stores no cursor. It only checks that the feed still knows the stored one.
        guard environment.coverage.coversMirror || known != nil else { return FeedPosition() }
        do {
            return try await FeedPosition.fetch(feed, stored: known, kinds: environment.kinds)
        } catch  where !(error is CancellationError) {
            environment.logger.debug("The feed of events gave no cursor: \(error)")
            return FeedPosition()
        }
    }

    /// Requests the page after the stored cursor, and the latest cursor where needed.
    ///
    /// - Parameter stored: the cursor of the last complete run; `nil` for none.
    /// - Throws: the errors of the feed's requests; ``EventsFeed/Refusal``.
    static func fetch(_ feed: EventsFeed, stored: String?, kinds: Kinds) async throws -> FeedPosition {
        guard let stored else { return FeedPosition(cursor: try await feed.latest()) }
        let answer = try await feed.page(after: stored).answer
        let isRefresh = answer.refresh != 0
        let mask = RefreshMask(rawValue: answer.refresh)
        // If there are more pages, the latest cursor is stored: otherwise a following watch would fetch this run's changes
        // again.
        let isCurrent = !isRefresh && !answer.hasMore
        return FeedPosition(
            cursor: isCurrent ? answer.eventID : try await feed.latest(),
            forgotten: isRefresh ? kinds.named(by: mask) : [])
    }
}
