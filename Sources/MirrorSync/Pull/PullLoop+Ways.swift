import Catalogue
import MirrorHTTP
import MirrorStore

/// How each kind is brought up to date, chosen anew whenever a pull begins.
extension PullLoop {
    /// Asked before the first list, so that whatever changes from then on is told by the feed. Without an answer, the next
    /// run asks again.
    func feedStanding() async throws -> FeedStanding {
        let feed = EventsFeed(session: environment.session, router: environment.router)
        if let refresh {
            if let cursor = refresh.cursor { return FeedStanding(cursor: cursor) }
            return FeedStanding(cursor: try await feed.latest())
        }
        guard environment.extensions.contains("events") else { return FeedStanding() }
        // Of another server the feed is another, too.
        let known = origin.isNew ? nil : try environment.store.loop(LoopRecord.coreID)?.cursor
        do {
            return try await FeedStanding.ask(feed, stored: known, kinds: environment.kinds)
        } catch let error as CancellationError {
            throw error
        } catch {
            environment.logger.debug("The feed of events gave no cursor: \(error)")
            return FeedStanding()
        }
    }

    mutating func chooseWays(forgotten: Set<Kind>) throws {
        pulled = [:]
        ways = [:]
        suspects = [:]
        stored = try environment.store.sinceRecords()
        let choice = try choice()
        for kind in environment.kinds.listed {
            if let refresh {
                ways[kind] = refresh.kinds.contains(kind) ? .lists(.refresh) : nil
            } else {
                let way = choice.way(stored[kind])
                ways[kind] = way.isSince && forgotten.contains(kind) ? .lists(.refresh) : way
            }
        }
        // The run's end remembers the clock as it is now: nothing would tell any more that these dates are wrong.
        try environment.store.forgetSince(environment.kinds.listed.filter { choice.isVoid(stored[$0]) })
    }

    private func choice() throws -> PullWayChoice {
        PullWayChoice(
            isOffered: environment.extensions.contains("since"), options: environment.options,
            isNewOrigin: origin.isNew, serverTime: try environment.serverTime(), now: environment.now(),
            offsets: try environment.clockOffsets())
    }

    /// Where an audit is due, the server's digest may say that the lists need not be looked at: what differs then is just
    /// what changed since. Files that are missing here no digest knows of, so while there are any the lists lead to them.
    ///
    /// - Parameter forgotten: kinds that have to be fetched afresh anyway.
    mutating func audit(forgotten: Set<Kind>) async throws {
        let options = environment.options
        let due = environment.kinds.listed.filter { ways[$0] == .lists(.audit) && !forgotten.contains($0) }
        guard refresh == nil, !due.isEmpty, options.auditsByDigest, environment.extensions.contains("digest"),
            try !options.media || !lacksFiles()
        else { return }
        let choice = try choice()
        let differing: [Kind: Set<ExactText>]
        switch try await DigestAudit(environment: environment).ask() {
        case .equal: differing = [:]
        case .differs(let objects): differing = objects
        case .doubt: return
        }
        for kind in due {
            let way = choice.way(stored[kind], isAudited: true)
            ways[kind] = way
            if way.isSince { suspects[kind] = differing[kind] ?? [] }
        }
    }

    private func lacksFiles() throws -> Bool {
        for kind in [Kind.artwork, .show] {
            let formats = environment.options.formats
            if try environment.store.picturesToFetch(of: kind, formats: formats).pictures > 0 { return true }
        }
        // What the server didn't offer yet is asked for again with the lists.
        if try environment.store.hasPicturesNotOffered() { return true }
        var isLacking = false
        try environment.store.documentsWithoutFile { _, _ in isLacking = true }
        return isLacking
    }
}
