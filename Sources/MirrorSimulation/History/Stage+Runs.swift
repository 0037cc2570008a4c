import MirrorStore
import MirrorSync
import Synchronization

/// Syncs and watches in the middle of a history.
extension Stage {
    func run(_ move: SyncMove) async throws {
        try await sync(move.trouble, pause: move.pause) { options in
            switch move.way {
            case .usual: break
            case .audit: options.auditEvery = .zero
            case .full: options.full = true
            case .failFast: options.failFast = true
            case .impatient: options.maxWait = .seconds(120)
            }
            if move.mayDelete { options.maxDelete = .total(1_000) }
            guard case .emptyLists(let emptied)? = move.trouble.hazard else { return }
            switch emptied.limit {
            case .usual: options.maxDelete = .standard
            case .nothing: options.maxDelete = .total(0)
            case .everything: options.maxDelete = .total(1_000)
            }
        }
    }

    @discardableResult
    func sync(
        _ trouble: Trouble = Trouble(), pause: RunPause? = nil, inOpenFiles: Bool = false,
        _ change: @escaping @Sendable (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        let refetches = try before()
        arm(trouble)
        var summary = SyncSummary(partner: "p", outcome: .cancelled)
        do {
            summary =
                if let pause {
                    try await sync(pausing: pause, inOpenFiles: inOpenFiles, change)
                } else {
                    try await mirror.sync(inOpenFiles: inOpenFiles, change)
                }
        } catch  where disk.isDead {
            transcript.note("here: the run is dead: \(error)")
        }
        countSync()
        note(summary)
        try disarm(trouble, power: pause?.power)
        var options = SyncOptions()
        change(&options)
        try after(
            refetches, texts(summary), isGuarded: summary.outcome == .guarded, isReload: options.full)
        try check(summary, after: trouble, pause: pause)
        if summary.outcome == .complete, trouble.crash == nil { try lookWhole() }
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

    func run(_ move: WatchMove) async throws {
        let told = Told(), feeds = try mirror.watch { told.note($0) }
        var isBegun = try await begin(feeds, move.start, told) != nil
        var wasHeldBack = !isBegun, wasEverHeldBack = !isBegun
        for round in move.rounds
        where violations.isEmpty && feeds.failure == nil && (feeds.isFollowing || !isBegun) {
            for move in round.before { pass(move) }
            guard isBegun else {
                isBegun = try await begin(feeds, round.trouble, told) != nil
                wasHeldBack = !isBegun
                continue
            }
            wasHeldBack = try await play(round, feeds, told, wasHeldBack: wasHeldBack)
            wasEverHeldBack = wasEverHeldBack || wasHeldBack
        }
        if !wasEverHeldBack { try checkFollowing(feeds, in: move) }
        await feeds.stop()
        if let failure = feeds.failure { transcript.note("watch: ended: \(failure)") }
    }

    /// The first sync of a watch.
    ///
    /// - Returns: `nil` if there was none: somebody has the watch paused.
    func begin(_ feeds: FeedRounds, _ trouble: Trouble, _ told: Told) async throws -> SyncSummary? {
        let isHeldBack = people.hasPausedWatch, sent = requests, refetches = try before()
        arm(trouble)
        let first = await feeds.begin()
        if let first {
            countSync()
            note(first)
        }
        let hasDied = disk.isDead
        if hasDied { await feeds.stop() }
        try disarm(trouble)
        let lines = tell(told)
        try after(refetches, (first.map(texts) ?? []) + lines, isGuarded: first?.outcome == .guarded)
        if let first { try check(first, after: trouble) }
        if isHeldBack { count("a watch that waits to begin") }
        found(
            WatchPauseCheck(
                isHeldBack: isHeldBack, mustGoOn: !hasDied, requests: requests - sent, lines: lines
            ).violations())
        return first
    }

    /// One round of a watch that has begun.
    ///
    /// - Returns: whether somebody had the watch paused.
    private func play(
        _ round: WatchMove.Round, _ feeds: FeedRounds, _ told: Told, wasHeldBack: Bool
    ) async throws -> Bool {
        let isHeldBack = people.hasPausedWatch, sent = requests, refetches = try before()
        arm(round.trouble)
        do {
            try await round.isSync ? feeds.sync() : feeds.round()
        } catch {
            transcript.note("watch: \(error)")
        }
        if isHeldBack { count("a paused watch") } else { countRound() }
        let hasDied = disk.isDead
        if hasDied { await feeds.stop() }
        let mustGoOn = wasHeldBack && !hasDied && feeds.asksFeed
        try disarm(round.trouble)
        let lines = tell(told)
        try after(refetches, lines)
        found(
            WatchPauseCheck(
                isHeldBack: isHeldBack, mustGoOn: mustGoOn, requests: requests - sent, lines: lines
            ).violations())
        return isHeldBack
    }

    /// Passes on what a watch told.
    func tell(_ told: Told) -> [String] {
        let (lines, problems) = told.take()
        for line in lines { transcript.note("watch: \(line)") }
        noteFailures(problems)
        return lines
    }
}
