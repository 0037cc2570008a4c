import MirrorStore
import MirrorSync
import Synchronization

/// Syncs and watches in the middle of a history.
extension Stage {
    func run(_ move: SyncMove) async throws {
        try await sync(move.trouble) { options in
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
        _ trouble: Trouble = Trouble(), inOpenFiles: Bool = false, _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncSummary {
        let refetches = try before()
        arm(trouble)
        var summary = SyncSummary(partner: "p", outcome: .cancelled)
        do {
            summary = try await mirror.sync(inOpenFiles: inOpenFiles, change)
        } catch  where disk.isDead {
            transcript.note("here: the run is dead: \(error)")
        }
        countSync()
        note(summary)
        try disarm(trouble)
        var options = SyncOptions()
        change(&options)
        try after(
            refetches, texts(summary), isGuarded: summary.outcome == .guarded, isReload: options.full)
        try check(summary, after: trouble)
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
        var refetches = try before()
        arm(move.start)
        let first = await feeds.begin()
        countSync()
        note(first)
        if disk.isDead { await feeds.stop() }
        try disarm(move.start)
        try after(refetches, texts(first) + tell(told), isGuarded: first.outcome == .guarded)
        try check(first, after: move.start)
        for round in move.rounds where violations.isEmpty && feeds.isFollowing && feeds.failure == nil {
            for move in round.before { pass(move) }
            refetches = try before()
            arm(round.trouble)
            do {
                try await round.isSync ? feeds.sync() : feeds.round()
            } catch {
                transcript.note("watch: \(error)")
            }
            countRound()
            if disk.isDead { await feeds.stop() }
            try disarm(round.trouble)
            try after(refetches, tell(told))
        }
        try checkFollowing(feeds, in: move)
        await feeds.stop()
        if let failure = feeds.failure { transcript.note("watch: ended: \(failure)") }
    }

    /// Passes on what a watch told.
    func tell(_ told: Told) -> [String] {
        let (lines, problems) = told.take()
        for line in lines { transcript.note("watch: \(line)") }
        noteFailures(problems)
        return lines
    }
}
