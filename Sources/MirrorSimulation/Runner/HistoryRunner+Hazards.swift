import Catalogue
import MirrorStore
import MirrorSync

/// Begins and ends hazards, and checks the runs during which one lasts. A ``Hazard`` is a fault that lasts for a complete run.
extension HistoryRunner {
    func begin(_ hazard: Hazard?) {
        partner.begin(hazard)
        guard case .localClock(let seconds)? = hazard else { return }
        // If the clock is ahead by a year, the mirror deletes its old logs. So the logged conflicts are copied first.
        editors.noteConflicts()
        clock.skew(localBy: seconds)
    }

    func end(_ hazard: Hazard?) {
        hazardHits = partner.endHazard()
        guard let hazard else { return }
        if case .localClock(let seconds) = hazard { clock.skew(localBy: -seconds) }
        // Only hazards that had an effect are counted.
        let tookEffect =
            switch hazard {
            case .localClock: true
            case .serverClock: traits.sendsDate
            default: hazardHits > 0
            }
        if tookEffect { count(hazard.name) }
    }

    /// Checks the outcome of a run, and that a failing list did not affect the other lists.
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
        let hasNoConcurrentActions =
            disturbances.concurrentActions.isEmpty && pause?.concurrentActions.isEmpty ?? true
        guard hasNoConcurrentActions, summary.outcome == .partial else { return }
        try checkOthers(than: failing, summary)
    }

    /// Checks that all objects except those of the failing list's kind are up to date.
    private func checkOthers(than failing: Kind, _ summary: SyncSummary) throws {
        let others = summary.problems.filter {
            $0.kind != failing.name && !["push", "conflict", "lost edit"].contains($0.what)
        }
        // An object that lost its slug to another one is pending work: the next sync requests it again.
        guard others.isEmpty, partner.isTruthful, !traits.servesStaleAnswers, try !check.hasPendingWork()
        else { return }
        count("failing list, all others compared")
        let kinds = Kinds.standard.listed.filter { kind in
            kind != failing && (kind != .album || editors.ledger.edits.isEmpty)
        }
        record(
            try check.listed(kinds).map {
                Violation(
                    .mirrorEqualsServer,
                    "Only the list of \(failing.name) fails, but another kind differs: \($0)")
            })
    }

    /// Checks that a watch follows its feed even if a list fails.
    func checkFollowing(_ feeds: FeedRounds, in action: WatchAction) throws {
        // The list fails from the start, and nothing else happened in the last eight rounds.
        let hasEightEqualRounds =
            action.rounds.count >= 8 && action.rounds.suffix(8).allSatisfy { $0.disturbances == action.start }
        guard case .failingList? = action.start.hazard, action.start.hasOnlyHazard, hasEightEqualRounds,
            violations.isEmpty
        else { return }
        guard feeds.failure == nil, feeds.isFollowing else {
            return record([
                Violation(
                    .reportsAreAccurate,
                    "The watch ended, although only a list failed: \(feeds.failure as Any?)")
            ])
        }
        count("failing list, followed")
        let cursor = try mirror.access { try $0.loop(LoopRecord.coreID)?.cursor }
        let latest = partner.catalogue.log.latest
        if cursor != latest {
            record([
                Violation(
                    .mirrorEqualsServer,
                    "A list fails. The feed's last event is \(latest), but the watch stored only the events up to \(cursor ?? "none")."
                )
            ])
        }
    }
}

extension Disturbances {
    /// Whether a hazard is the only disturbance.
    fileprivate var hasOnlyHazard: Bool { faults == nil && crash == nil && concurrentActions.isEmpty }
}
