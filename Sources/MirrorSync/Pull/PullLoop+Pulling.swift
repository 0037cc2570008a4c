import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

/// Kinds of which the server says what changed since a date.
extension PullLoop {
    mutating func pull() async throws -> PullResult {
        environment.report.startOver()
        outcome = nil
        try Pruning(environment: environment).begin()
        let standing = try await feedStanding()
        cursor = environment.coverage.isWhole ? standing.cursor : nil
        try chooseWays(forgotten: standing.forgotten)
        try await audit(forgotten: standing.forgotten)
        let feeds = environment.kinds.listed.compactMap { kind -> SinceFeed? in
            guard case .since(let date)? = ways[kind],
                let route = environment.source.changes(of: kind, since: date)
            else { return nil }
            return SinceFeed(environment: environment, kind: kind, since: date, route: route)
        }
        guard !feeds.isEmpty else { return .nothingToPull }
        var failed: [(error: any Error, url: String)] = []
        let answers = try await environment.each(of: feeds, atOnce: feeds.count) { ($0, await $0.result()) }
        for (feed, answer) in answers {
            switch answer {
            case .success(.changes(let changes)):
                if let suspects = suspects[feed.kind], !DigestAudit.explains(changes, suspects) {
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
        if try await isTrouble(failed, .since) { return .serverInTrouble }
        let deletions = try PulledDeletions(pulled, in: environment.store)
        for kind in deletions.kindsToList(DeleteGuard(environment.options.maxDelete)) {
            pulled[kind] = nil
            try list(kind, .deletions)
        }
        return pulled.isEmpty ? .nothingToPull : .done
    }

    /// Has a whole list looked at although the server would tell what changed: even one that is unchanged is walked.
    private mutating func list(_ kind: Kind, _ reason: PullWay.Reason) throws {
        ways[kind] = .lists(reason)
        _ = try environment.store.apply([.unclean(kind: kind)], run: environment.run)
    }

    private func isWhole(_ kind: Kind, _ state: SyncReport.State) -> Bool {
        state.whole.contains(kind) && state.refused[kind.name] == nil && !state.outdated.contains(kind)
    }

    /// Of a kind whose list was looked at though its date would have done, what did not come may be what no later change
    /// reports: the next run looks at the list again. Where there is another reason for that, the next run finds it, too.
    func forgetUnproven() throws {
        let state = environment.report.current
        let listed = ways.filter { [.lists(.forced), .lists(.refused)].contains($0.value) }.keys
        try environment.store.forgetSince(listed.filter { stored[$0]?.since != nil && !isWhole($0, state) })
    }

    /// Stores what was pulled: objects in the order of ``PersistingOrder``, then what was deleted in the opposite one, all in
    /// one transaction.
    ///
    /// - Throws: ``SyncError`` if the store can't be written.
    mutating func persist() async throws {
        try pulled[.show]?.leaveOut(environment.store.prunedETags())
        let inOrder = environment.kinds.listed.compactMap { pulled[$0] }.filter { !$0.isEmpty }
        guard !inOrder.isEmpty else { return }
        var writes = inOrder.map { Write.unclean(kind: $0.kind, date: $0.date?.timeIntervalSince1970) }
        for changes in inOrder {
            writes += changes.records.map(Write.object)
            let ids = changes.members.map(\.id) + changes.gone
            environment.session.cache?.forget(ids.map { environment.router.object(changes.kind, $0) })
        }
        for changes in inOrder.reversed() {
            let url = environment.source.changes(of: changes.kind, since: changes.since)?.canonicalURL ?? ""
            writes += changes.gone.map {
                .tombstone(kind: changes.kind, id: $0, evidence: "deleted, says \(url)")
            }
        }
        try await applier.submitTogether(writes)
    }

    /// What the next pull asks with, of every kind of which everything came.
    func nextDates() -> [FinishRequest.Since] {
        let state = environment.report.current
        return environment.kinds.listed.compactMap { kind in
            guard environment.source.changes(of: kind, since: "") != nil, isWhole(kind, state) else {
                return nil
            }
            return NextDate(
                kind: kind, stored: stored[kind], media: environment.options.mediaKey, now: environment.now(),
                oldest: state.oldest[kind]
            ).after(
                pulled[kind], list: state.complete.contains(kind) ? state.listDates[kind] : nil,
                end: state.changesEnd[kind], isAudited: suspects[kind] != nil)
        }
    }

    /// Of a kind that was pulled, what is here is what a list would have named.
    func countPulled() throws {
        for kind in pulled.keys {
            let held = try environment.store.heldCount(kind)
            environment.report.note { $0.listed[kind] = held }
        }
    }
}

/// How each kind is brought up to date, chosen again whenever a pull begins.
extension PullLoop {
    /// Asked before the first list, so that the feed reports whatever changes from then on. Without an answer, the next
    /// run asks again.
    func feedStanding() async throws -> FeedStanding {
        let feed = EventsFeed(session: environment.session, router: environment.router)
        if let cursor = refresh?.cursor { return FeedStanding(cursor: cursor) }
        if refresh != nil { return FeedStanding(cursor: try await feed.latest()) }
        guard environment.extensions.contains("events") else { return FeedStanding() }
        // Of another server the feed is another, too.
        let known = origin.isNew ? nil : try environment.store.loop(LoopRecord.coreID)?.cursor
        // A part of the tree stores no cursor: the feed is only asked whether it still is the one that the dates are from.
        guard environment.coverage.isWhole || known != nil else { return FeedStanding() }
        do {
            return try await FeedStanding.ask(feed, stored: known, kinds: environment.kinds)
        } catch  where !(error is CancellationError) {
            environment.logger.debug("The feed of events gave no cursor: \(error)")
            return FeedStanding()
        }
    }

    mutating func chooseWays(forgotten: Set<Kind>) throws {
        pulled = [:]
        ways = [:]
        suspects = [:]
        stored = try environment.store.sinceRecords()
        for kind in environment.walkedKinds {
            if let refresh {
                ways[kind] = refresh.kinds.contains(kind) ? .lists(.refresh) : nil
            } else {
                let way = try choice(kind).way(stored[kind])
                ways[kind] = way.isSince && forgotten.contains(kind) ? .lists(.refresh) : way
            }
        }
        // The run's end remembers the clock as it is now: nothing would tell any more that these dates are wrong.
        try environment.store.forgetSince(
            environment.kinds.listed.filter { try choice($0).isVoid(stored[$0]) })
    }

    private func choice(_ kind: Kind) throws -> PullWayChoice {
        try environment.wayChoice(of: kind, isNewOrigin: origin.isNew)
    }

    /// Where an audit is due, the server's digest may say that the lists need not be looked at: what differs then is just
    /// what changed since. Files that are missing here no digest knows of, so while there are any the lists lead to them.
    ///
    /// - Parameter forgotten: kinds that have to be fetched afresh anyway.
    mutating func audit(forgotten: Set<Kind>) async throws {
        let options = environment.options
        let due = environment.kinds.listed.filter { ways[$0] == .lists(.audit) && !forgotten.contains($0) }
        guard refresh == nil, environment.coverage.isWhole, !due.isEmpty, options.auditsByDigest,
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
            if way.isSince { suspects[kind] = differing[kind] ?? [] }
        }
    }

    private func lacksFiles() throws -> Bool {
        let formats = environment.options.formats
        // Whether a picture lacks a tile, the lists' step looks up for the objects that it goes over.
        if environment.options.tiles { return true }
        for kind in environment.kinds.listed where kind.hasPictures {
            if try environment.store.picturesToFetch(of: kind, formats: formats).pictures > 0 { return true }
        }
        // What the server didn't offer yet is asked for again with the lists.
        if try environment.store.hasPicturesNotOffered() { return true }
        var isLacking = false
        try environment.store.documentsWithoutFile { _, _ in isLacking = true }
        return isLacking
    }
}

/// Where the partner's feed of events stands before the first list, and whether it still is the feed that the mirror knows.
///
/// A server that was put back from a backup, or another database in its place, answers by dates as if nothing had
/// happened. Its feed knows better: the cursor that the last complete run stored is none of its own (410), or is too
/// old for it. What changed since a date is then no evidence, and the lists are looked at.
struct FeedStanding: Sendable, Hashable {
    /// What is stored if the run ends complete; `nil` where the feed gave nothing.
    var cursor: String?
    /// Kinds of which the feed doesn't know what happened since the stored cursor.
    var forgotten: Set<Kind> = []

    /// - Parameter stored: the cursor of the last complete run; `nil` for none.
    /// - Throws: what the feed's request throws; ``EventsFeed/Refusal``.
    static func ask(_ feed: EventsFeed, stored: String?, kinds: Kinds) async throws -> FeedStanding {
        guard let stored else { return FeedStanding(cursor: try await feed.latest()) }
        let answer = try await feed.page(after: stored).answer
        let isRefresh = answer.refresh != 0
        let mask = RefreshMask(rawValue: answer.refresh)
        // The first page alone would have a feed that is followed afterwards report again what this run brings.
        let isCurrent = !isRefresh && !answer.hasMore
        return FeedStanding(
            cursor: isCurrent ? answer.eventID : try await feed.latest(),
            forgotten: isRefresh ? kinds.named(by: mask) : [])
    }
}
