import Catalogue
import MirrorStore
import MirrorSync

/// What is wrong for the whole of a run, and what must hold of the run all the same.
extension Stage {
    func begin(_ hazard: Hazard?) {
        partner.begin(hazard)
        guard case .localClock(let seconds)? = hazard else { return }
        // The log of a year ago is thrown away.
        people.noteConflicts()
        clock.mislead(localBy: seconds)
    }

    func end(_ hazard: Hazard?) {
        hazardMet = partner.endHazard()
        guard let hazard else { return }
        if case .localClock(let seconds) = hazard { clock.mislead(localBy: -seconds) }
        let isMet =
            switch hazard {
            case .localClock: true
            case .serverClock: traits.saysDate
            default: hazardMet > 0
            }
        if isMet { count(hazard.name) }
    }

    /// What a run says of itself, and what it did of what nothing kept it from.
    func check(_ summary: SyncSummary, after trouble: Trouble, pause: RunPause? = nil) throws {
        guard plan.profile == .torture, violations.isEmpty else { return }
        let said = partner.with { $0.said }, goesOn = pause.map { $0.end == .resumed } ?? true
        let isAlone = trouble.faults == nil && trouble.crash == nil && goesOn
        var failing: Kind?
        if case .failingList(let list)? = trouble.hazard, hazardMet > 0 { failing = list.kind }
        found(OutcomeCheck(summary: summary, said: said, failing: failing, isAlone: isAlone).violations())
        if case .emptyLists? = trouble.hazard, hazardMet > 0, summary.outcome == .guarded {
            count("empty lists that the guard stopped")
        }
        guard let failing, isAlone else { return }
        count("failing list, ended \(summary.outcome.rawValue)")
        let isQuiet = trouble.meanwhile.isEmpty && pause?.meanwhile.isEmpty ?? true
        guard isQuiet, summary.outcome == .partial else { return }
        try checkOthers(than: failing, summary)
    }

    /// What a failing list holds up is nothing but what it names.
    private func checkOthers(than failing: Kind, _ summary: SyncSummary) throws {
        let others = summary.problems.filter {
            $0.kind != failing.name && !["push", "conflict", "lost edit"].contains($0.what)
        }
        // An object that loses its slug is requested again in the next sync.
        guard others.isEmpty, partner.tellsTheTruth, !traits.isStale, try !check.hasMore() else { return }
        count("failing list, all others compared")
        let kinds = Kinds.standard.listed.filter { kind in
            kind != failing && (kind != .album || people.ledger.edits.isEmpty)
        }
        found(
            try check.listed(kinds).map { Violation(.mirrorEqualsServer, "Beside a list that fails: \($0)") })
    }

    /// A list that fails for ever keeps no watch from following its feed.
    func checkFollowing(_ feeds: FeedRounds, in move: WatchMove) throws {
        let isQuiet = move.rounds.count >= 8 && move.rounds.suffix(8).allSatisfy { $0.trouble == move.start }
        guard case .failingList? = move.start.hazard, move.start.isNothingElse, isQuiet, violations.isEmpty
        else { return }
        guard feeds.failure == nil, feeds.isFollowing else {
            return found([
                Violation(.outcomesAreTrue, "A watch with a list that fails ended: \(feeds.failure as Any?)")
            ])
        }
        count("failing list, followed")
        let cursor = try mirror.access { try $0.loop(LoopRecord.coreID)?.cursor }
        let latest = partner.catalogue.log.latest
        if cursor != latest {
            found([
                Violation(
                    .mirrorEqualsServer,
                    "With the feed at \(latest) and a list that fails, a watch got no further than \(cursor ?? "nothing")."
                )
            ])
        }
    }
}

extension Trouble {
    /// Whether a hazard is all there is.
    fileprivate var isNothingElse: Bool { faults == nil && crash == nil && meanwhile.isEmpty }
}
