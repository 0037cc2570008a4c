import Catalogue
import MirrorStore
import MirrorSync

/// The end of a history: nothing fails any more, and the server doesn't change.
extension HistoryRunner {
    /// Syncs once, or three times at most, and checks that mirror and server are equal.
    func finish(_ meddle: (CatalogueStore) throws -> Void) async throws {
        if plan.requiresFaults, counts.crashes == 0 { try await crashOnce() }
        if plan.requiresFaults, counts.faults == 0, violations.isEmpty { try await failOnce() }
        guard violations.isEmpty else { return }
        // Advances both clocks, so that everything that was missing is requested again, and a server whose clock was set
        // back doesn't repeat earlier dates. At the resulting time of day no show ends.
        let day = 86_400.0
        // Changes alone don't correct false answers. Either an audit is requested, or enough time passes that the sync
        // makes one itself.
        let needsAudit = partner.with { $0.needsAudit }
        var random = SplitMix(seed: plan.worldSeed ^ 5)
        let isAudit = needsAudit && random.chance(50)
        let days = needsAudit && !isAudit ? 8.0 : 1
        let next = ((clock.latestServer / day).rounded(.down) + 2 + days) * day + 23_400
        let latestLocal = clock.latestLocal
        clock.advance(by: next - clock.server)
        // If the mirror's clock was set back, less time may have passed by it.
        let missing = latestLocal + days * day + 3_600 - clock.local
        if missing > 0 { clock.advance(by: (missing / day).rounded(.up) * day) }
        // What was missing while a clock was wrong is requested again up to a day after the time that the clock showed
        // then.
        while clock.isWithinSkewedPeriod { clock.advance(by: day) }
        let usual: @Sendable (inout SyncOptions) -> Void = { options in
            options.maxDelete = .total(1_000)
            if isAudit { options.full = true }
        }
        // A dry run doesn't request objects that are only referred to.
        let (sentForeignETags, hadWrongDate) = partner.with { ($0.sentForeignETags, $0.hadWrongDate) }
        let isPredictable = !partner.catalogue.hasUnlisted && !sentForeignETags && !hadWrongDate
        let predicted = plan.checksDryRun && isPredictable ? try await mirror.plan(usual) : nil
        var first = try await sync(Disturbances(), usual)
        // If the server's clock seems to have been set back, one run treats its lists as older than the stored ones.
        if hadWrongDate, first.problems.contains(where: { $0.what == "older list" }) {
            count("server's clock ahead, one older list at rest")
            first = try await sync(Disturbances(), usual)
        }
        if let predicted { record(DryRunCheck(predicted: predicted, actual: first).violations()) }
        // An edit that the server refuses is reported once, and so is one that a conflict discards.
        let others = first.problems.filter { !["push", "conflict", "lost edit"].contains($0.what) }
        if first.outcome != .complete, first.outcome != .partial || !others.isEmpty {
            record([
                Violation(
                    .killedRunsConverge,
                    "The first sync at rest was \(first.outcome.rawValue): \(others) \(first.failure ?? "")")
            ])
        }
        // An object that loses its slug is requested again: in the next sync, if its list was stored before the slug was
        // settled. Until then, and in that sync if the shows were already checked, it is not pruned.
        for _ in 0..<2 {
            let isLate = keepShows == nil ? false : try !check.equality().isEmpty
            if try isLate || check.hasPendingWork() { try await sync { $0.maxDelete = .total(1_000) } }
        }
        try mirror.access(meddle)
        record(try (check.equality() + check.consistency()).map { Violation(.mirrorEqualsServer, $0) })
        try checkStore(atRest: true)
        record(try (check.edits() + check.notes()).map { Violation(.localEditsSurvive, $0) })
        if violations.isEmpty, plan.checksIdempotence { try await checkIdempotence() }
        if violations.isEmpty, plan.checksFollowing, traits.has("events") { try await checkWatchFollows() }
    }

    var check: FinalStateCheck { FinalStateCheck(self) }

    /// Runs a sync that crashes early.
    private func crashOnce() async throws {
        var disturbances = Disturbances(), random = SplitMix(seed: plan.worldSeed ^ 1)
        disturbances.crash = Disturbances.Crash(
            moment: .write(CrashDisk.CrashPoint(write: 1 + random.below(6), sixteenths: random.below(17))),
            power: random.chance(50) ? random.next() : nil)
        try await sync(disturbances) { $0.maxDelete = .total(1_000) }
    }

    /// Runs a sync whose first request fails.
    private func failOnce() async throws {
        var disturbances = Disturbances()
        (disturbances.faults, disturbances.failsFirstRequest) = (plan.worldSeed ^ 4, true)
        try await sync(disturbances) { $0.maxDelete = .total(1_000) }
    }

    /// Checks that another sync finds nothing to do, by each of the sync strategies.
    private func checkIdempotence() async throws {
        var problems: [String] = []
        let before = try check.activity()
        try mirror.access { try $0.pool.writeWithoutTransaction { try RowWriteRecorder(db: $0).begin() } }
        var random = SplitMix(seed: plan.worldSeed ^ 2)
        let strategy = random.below(6)
        let last = try await sync(inOpenFiles: true) { options in
            options.maxDelete = .total(1_000)
            if strategy < 2 { options.auditEvery = .zero }
            if strategy == 2 { options.full = true }
        }
        if last.outcome != .complete { problems.append("The last sync was \(last.outcome.rawValue).") }
        // For a pruned show, only its ETag shows that it didn't change.
        let refetchesPrunedShows = !traits.hasETags && keepShows != nil
        if last.hasChanges, !refetchesPrunedShows {
            problems.append(
                "The last sync changed something: \(last.objects.filter { $0.value.created + $0.value.updated + $0.value.deleted > 0 }.map(\.key).sorted())"
            )
        }
        let touched = try mirror.access { store in
            try store.pool.writeWithoutTransaction { db in
                try RowWriteRecorder(db: db).end { partner.catalogue.names(.show, $0) }
            }
        }
        if !touched.isEmpty, !refetchesPrunedShows { problems.append("The last sync wrote rows: \(touched)") }
        if try check.activity() != before {
            problems.append("The last sync pushed something, or noted a conflict again.")
        }
        if traits.has("validators"), traits.hasListETags, strategy != 2 {
            let requested = partner.with { $0.serverTranscript.requested }.filter { path in
                // An object that no list contains has no validator in any list.
                Kinds.standard.listed.contains { kind in
                    partner.catalogue.ids(kind).contains { PartnerCatalogue.path(kind, $0) == path }
                }
            }
            if !requested.isEmpty { problems.append("The last sync requested \(requested).") }
        }
        record(problems.map { Violation(.unchangedWritesNothing, $0) })
    }

    /// Checks that a watch learns of new changes from the feed alone.
    private func checkWatchFollows() async throws {
        // The pause of the watch had no effect on syncs until now.
        if editors.hasPausedWatch { perform(.resumeWatch) }
        let watchTranscript = WatchTranscript(), feeds = try mirror.watch { watchTranscript.note($0) }
        guard let first = try await begin(feeds, Disturbances(), watchTranscript), feeds.isFollowing,
            first.outcome == .complete || first.outcome == .partial
        else {
            return await feeds.stop()
        }
        // From now on the feed must report every change, and so earlier false answers are no excuse.
        partner.with { ($0.needsAudit, $0.sentStaleAnswers) = (false, false) }
        var random = SplitMix(seed: plan.worldSeed ^ 3)
        for _ in 0..<4 where violations.isEmpty {
            if random.chance(70) { perform(.partnerEdit(random.next())) }
            perform(.wait(400))
            let refetches = try prepareChecks()
            applyDisturbances(Disturbances())
            do { try await feeds.round() } catch { transcript.note("watch: \(error)") }
            countRound()
            try clearDisturbances(Disturbances())
            try runChecks(refetches, drain(watchTranscript))
            try checkStore(isIndexed: true)
        }
        let cursor = try mirror.access { try $0.loop(LoopRecord.coreID)?.cursor }
        let latest = partner.catalogue.log.latest
        if cursor != latest, violations.isEmpty {
            record([
                Violation(
                    .mirrorEqualsServer,
                    "With the feed at \(latest), a watch stopped at \(cursor ?? "nothing").")
            ])
        }
        await feeds.stop()
    }
}
