import Catalogue
import MirrorStore
import MirrorSync

/// Hazards, and the checks of runs that they affect.
extension HistoryRunner {
    func begin(_ hazard: Hazard?) {
        partner.begin(hazard)
        guard case .localClock(let seconds)? = hazard else { return }
        // A clock that is ahead by a year makes the mirror delete its logs.
        editors.noteConflicts()
        clock.skew(localBy: seconds)
    }

    func end(_ hazard: Hazard?) {
        hazardHits = partner.endHazard()
        guard let hazard else { return }
        if case .localClock(let seconds) = hazard { clock.skew(localBy: -seconds) }
        let isMet =
            switch hazard {
            case .localClock: true
            case .serverClock: traits.sendsDate
            default: hazardHits > 0
            }
        if isMet { count(hazard.name) }
    }

    /// Checks the outcome of a run, and that a hazard affected nothing else.
    func check(_ summary: SyncSummary, after disturbances: Disturbances, pause: RunPause? = nil) throws {
        guard plan.profile == .torture, violations.isEmpty else { return }
        let serverTranscript = partner.with { $0.serverTranscript },
            wasResumed = pause.map { $0.end == .resumed } ?? true
        let hasNoOtherFault = disturbances.faults == nil && disturbances.crash == nil && wasResumed
        var failing: Kind?
        if case .failingList(let list)? = disturbances.hazard, hazardHits > 0 { failing = list.kind }
        record(
            OutcomeCheck(
                summary: summary, serverTranscript: serverTranscript, failing: failing,
                hasNoOtherFault: hasNoOtherFault
            ).violations())
        if case .emptyLists? = disturbances.hazard, hazardHits > 0, summary.outcome == .guarded {
            count("empty lists that the guard stopped")
        }
        guard let failing, hasNoOtherFault else { return }
        count("failing list, ended \(summary.outcome.rawValue)")
        let isQuiet = disturbances.concurrentActions.isEmpty && pause?.concurrentActions.isEmpty ?? true
        guard isQuiet, summary.outcome == .partial else { return }
        try checkOthers(than: failing, summary)
    }

    /// Checks that a failing list holds up only what it names.
    private func checkOthers(than failing: Kind, _ summary: SyncSummary) throws {
        let others = summary.problems.filter {
            $0.kind != failing.name && !["push", "conflict", "lost edit"].contains($0.what)
        }
        // An object that loses its slug is requested again in the next sync.
        guard others.isEmpty, partner.isTruthful, !traits.servesStaleAnswers, try !check.hasPendingWork()
        else { return }
        count("failing list, all others compared")
        let kinds = Kinds.standard.listed.filter { kind in
            kind != failing && (kind != .album || editors.ledger.edits.isEmpty)
        }
        record(
            try check.listed(kinds).map { Violation(.mirrorEqualsServer, "Beside a list that fails: \($0)") })
    }

    /// Checks that a watch follows its feed although a list fails.
    func checkFollowing(_ feeds: FeedRounds, in action: WatchAction) throws {
        let isQuiet =
            action.rounds.count >= 8 && action.rounds.suffix(8).allSatisfy { $0.disturbances == action.start }
        guard case .failingList? = action.start.hazard, action.start.hasOnlyHazard, isQuiet,
            violations.isEmpty
        else { return }
        guard feeds.failure == nil, feeds.isFollowing else {
            return record([
                Violation(
                    .reportsAreAccurate, "A watch with a list that fails ended: \(feeds.failure as Any?)")
            ])
        }
        count("failing list, followed")
        let cursor = try mirror.access { try $0.loop(LoopRecord.coreID)?.cursor }
        let latest = partner.catalogue.log.latest
        if cursor != latest {
            record([
                Violation(
                    .mirrorEqualsServer,
                    "With the feed at \(latest) and a list that fails, a watch got no further than \(cursor ?? "nothing")."
                )
            ])
        }
    }
}

extension Disturbances {
    /// Whether the run has no other disturbance than a hazard.
    fileprivate var hasOnlyHazard: Bool { faults == nil && crash == nil && concurrentActions.isEmpty }
}
