import MirrorStore
import MirrorSync
import Synchronization

/// Syncs and watches in the middle of a history.
extension HistoryRunner {
    func run(_ action: SyncAction) async throws {
        try await sync(action.disturbances, pause: action.pause) { options in
            switch action.mode {
            case .usual: break
            case .audit: options.auditEvery = .zero
            case .full: options.full = true
            case .failFast: options.failFast = true
            case .impatient: options.maxWait = .seconds(120)
            }
            if action.disablesDeleteGuard { options.maxDelete = .total(1_000) }
            guard case .emptyLists(let emptied)? = action.disturbances.hazard else { return }
            switch emptied.limit {
            case .usual: options.maxDelete = .standard
            case .nothing: options.maxDelete = .total(0)
            case .everything: options.maxDelete = .total(1_000)
            }
        }
    }

    @discardableResult
    func sync(
        _ disturbances: Disturbances = Disturbances(), pause: RunPause? = nil, inOpenFiles: Bool = false,
        _ change: @escaping @Sendable (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        let refetches = try prepareChecks()
        applyDisturbances(disturbances)
        var summary = SyncSummary(partner: "p", outcome: .cancelled)
        do {
            summary =
                if let pause {
                    try await sync(pausing: pause, inOpenFiles: inOpenFiles, change)
                } else {
                    try await mirror.sync(inOpenFiles: inOpenFiles, change)
                }
        } catch  where disk.hasCrashed {
            transcript.note("local: the run is dead: \(error)")
        }
        countSync()
        note(summary)
        try clearDisturbances(disturbances, power: pause?.power)
        var options = SyncOptions()
        change(&options)
        try runChecks(
            refetches, texts(summary), isGuarded: summary.outcome == .guarded, isReload: options.full)
        try check(summary, after: disturbances, pause: pause)
        if summary.outcome == .complete, disturbances.crash == nil { try checkStore() }
        return summary
    }

    private func note(_ summary: SyncSummary) {
        noteFailures(summary.problems, isComplete: summary.outcome == .complete)
        let ways = summary.ways.map { "\($0.key.name) \($0.value.text)" }.sorted()
        transcript.note(
            "sync: \(summary.outcome.rawValue) \(ways.joined(separator: ", ")) \(summary.failure ?? "")")
        for problem in summary.problems {
            transcript.note("  \(problem.what) \(problem.id ?? ""): \(problem.message)")
        }
    }

    private func texts(_ summary: SyncSummary) -> [String] {
        summary.problems.map(\.message) + [summary.failure ?? "", "\(summary.cause as Any?)"]
    }

    // MARK: - Watches

    func run(_ action: WatchAction) async throws {
        let watchTranscript = WatchTranscript(), feeds = try mirror.watch { watchTranscript.note($0) }
        var hasBegun = try await begin(feeds, action.start, watchTranscript) != nil
        var wasPaused = !hasBegun, wasEverPaused = !hasBegun
        for round in action.rounds
        where violations.isEmpty && feeds.failure == nil && (feeds.isFollowing || !hasBegun) {
            for action in round.before { perform(action) }
            guard hasBegun else {
                hasBegun = try await begin(feeds, round.disturbances, watchTranscript) != nil
                wasPaused = !hasBegun
                continue
            }
            wasPaused = try await play(round, feeds, watchTranscript, wasPaused: wasPaused)
            wasEverPaused = wasEverPaused || wasPaused
        }
        if !wasEverPaused { try checkFollowing(feeds, in: action) }
        await feeds.stop()
        if let failure = feeds.failure { transcript.note("watch: ended: \(failure)") }
    }

    /// Runs the first sync of a watch.
    ///
    /// - Returns: `nil` if there was none, because the watch is paused.
    func begin(_ feeds: FeedRounds, _ disturbances: Disturbances, _ watchTranscript: WatchTranscript)
        async throws -> SyncSummary?
    {
        let isPaused = editors.hasPausedWatch, sent = requests, refetches = try prepareChecks()
        applyDisturbances(disturbances)
        let first = await feeds.begin()
        if let first {
            countSync()
            note(first)
        }
        let hasCrashed = disk.hasCrashed
        if hasCrashed { await feeds.stop() }
        try clearDisturbances(disturbances)
        let lines = drain(watchTranscript)
        try runChecks(refetches, (first.map(texts) ?? []) + lines, isGuarded: first?.outcome == .guarded)
        if let first { try check(first, after: disturbances) }
        if isPaused { count("a watch that waits to begin") }
        record(
            WatchPauseCheck(
                isPaused: isPaused, mustProgress: !hasCrashed, requests: requests - sent, lines: lines
            ).violations())
        return first
    }

    /// Runs one round of a watch that has begun.
    ///
    /// - Returns: whether the watch was paused.
    private func play(
        _ round: WatchAction.Round, _ feeds: FeedRounds, _ watchTranscript: WatchTranscript, wasPaused: Bool
    ) async throws -> Bool {
        let isPaused = editors.hasPausedWatch, sent = requests, refetches = try prepareChecks()
        applyDisturbances(round.disturbances)
        do {
            try await round.isSync ? feeds.sync() : feeds.round()
        } catch {
            transcript.note("watch: \(error)")
        }
        if isPaused { count("a paused watch") } else { countRound() }
        let hasCrashed = disk.hasCrashed
        if hasCrashed { await feeds.stop() }
        let mustProgress = wasPaused && !hasCrashed && feeds.requestsFeed
        try clearDisturbances(round.disturbances)
        let lines = drain(watchTranscript)
        try runChecks(refetches, lines)
        record(
            WatchPauseCheck(
                isPaused: isPaused, mustProgress: mustProgress, requests: requests - sent, lines: lines
            ).violations())
        return isPaused
    }

    /// Adds the watch's reports to the transcript, and returns its lines.
    func drain(_ watchTranscript: WatchTranscript) -> [String] {
        let (lines, problems) = watchTranscript.take()
        for line in lines { transcript.note("watch: \(line)") }
        noteFailures(problems)
        return lines
    }
}
