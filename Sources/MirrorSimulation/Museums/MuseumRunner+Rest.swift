import Catalogue
import GRDB
import MirrorStore
import MirrorSync

/// Dry runs, and the end of a history: nothing fails any more, and the museum's catalogue doesn't change.
extension MuseumRunner {
    private static let day = 86_400.0

    // MARK: - Dry runs

    /// Checks that a dry run writes nothing, and keeps the budget.
    @discardableResult
    func dryRun(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncSummary {
        let before = try footprint()
        server.begin(MuseumSync())
        let summary = try await mirror.plan(change)
        server.end()
        transcript.note("dry run: \(summary.outcome.rawValue) \(summary.failure ?? "")")
        count("a dry run")
        if try footprint() != before {
            record([Violation(.unchangedWritesNothing, "A dry run wrote to the mirror's catalogue.")])
        }
        record(BudgetCheck(log: server.log, rate: traits.rate, perDay: traits.perDay).violations())
        return summary
    }

    /// Numbers that change with each write to the mirror's catalogue, its lists and its log.
    private func footprint() throws -> [Int64] {
        try mirror.files.access { store in
            try store.read { db in
                try [
                    "SELECT coalesce(max(seq), 0) FROM change", "SELECT coalesce(max(run), 0) FROM sync_log",
                    "SELECT count(*) + coalesce(sum(version), 0) FROM list", "SELECT count(*) FROM artwork",
                    "SELECT count(*) + coalesce(sum(lists), 0) FROM absence",
                ].map { try Int64.fetchOne(db, sql: $0) ?? 0 }
            }
        }
    }

    // MARK: - At rest

    /// Syncs until what the museum removed is missing for long enough, and checks that mirror and museum are equal.
    func finish(_ meddle: (CatalogueStore) throws -> Void) async throws {
        if plan.requiresFaults, counts.crashes == 0 { try await crashOnce() }
        if plan.requiresFaults, counts.faults == 0, violations.isEmpty { try await failOnce() }
        guard violations.isEmpty else { return }
        // What was absent is requested again after a day.
        clock.advance(by: 1.1 * Self.day)
        var sync = MuseumSync()
        (sync.disablesDeleteGuard, sync.selection) = (true, .whole)
        let predicted = plan.checksDryRun && traits.perDay == nil ? try await predict(sync) : nil
        let first = try await syncToEnd(sync)
        if let predicted { record(DryRunCheck(predicted: predicted, actual: first).violations()) }
        sync.selection = .remembered
        // A list that a killed run has read in part is continued: it may lack changes since then, which the next sync finds.
        for _ in 0..<4 where violations.isEmpty {
            clock.advance(by: 1.5 * Self.day)
            try await syncToEnd(sync)
        }
        guard violations.isEmpty else { return }
        try mirror.files.access(meddle)
        try checkContent(allowsMore: false)
        try checkStore(isAtRest: true)
        if violations.isEmpty, plan.checksIdempotence { try await checkIdempotence(sync) }
        if violations.isEmpty { try await checkRestore() }
    }

    private func predict(_ sync: MuseumSync) async throws -> SyncSummary {
        try await dryRun { options in
            (options.maxDelete, options.maxDeleteIsChosen) = (.total(1_000), true)
            options.source.selection = []
        }
    }

    /// Syncs until the day's budgets suffice. Each sync continues where the one before stopped.
    @discardableResult
    private func syncToEnd(_ sync: MuseumSync) async throws -> SyncSummary {
        var summary = try await run(sync), days = 0
        while violations.isEmpty, (summary.cause as? SyncError)?.code == .paused, days < 60 {
            days += 1
            count("a run that the day's budget ends")
            clock.advance(by: ((clock.local / Self.day).rounded(.down) + 1) * Self.day + 60 - clock.local)
            summary = try await run(sync)
        }
        if summary.outcome != .complete, violations.isEmpty {
            record([
                Violation(
                    .killedRunsConverge,
                    "A sync at rest was \(summary.outcome.rawValue) after \(days) days: \(summary.problems.map(\.message)) \(summary.failure ?? "")"
                )
            ])
        }
        return summary
    }

    /// Runs a sync that crashes early.
    private func crashOnce() async throws {
        var sync = MuseumSync(), random = SplitMix(seed: plan.worldSeed ^ 1)
        sync.crash = Disturbances.Crash(
            moment: .write(CrashDisk.CrashPoint(write: 1 + random.below(6), sixteenths: random.below(17))),
            power: random.chance(50) ? random.next() : nil)
        try await run(sync)
    }

    /// Runs a sync at a museum with one of its faults.
    private func failOnce() async throws {
        var sync = MuseumSync()
        sync.failures = plan.worldSeed ^ 4
        if let fault = traits.museum.faults.first(where: { $0 != .spacesInNumbers }) { sync.faults = [fault] }
        try await run(sync)
    }

    // MARK: - Idempotence

    /// Checks that another sync writes no object row, and requests no object and no picture.
    private func checkIdempotence(_ sync: MuseumSync) async throws {
        var problems: [String] = []
        // The list of changes since a date begins some days before the last sync.
        clock.advance(by: 4 * Self.day)
        try mirror.files.access { store in
            try store.pool.writeWithoutTransaction { try RowWriteRecorder(db: $0).begin() }
        }
        let last = try await run(sync, inOpenFiles: true)
        let touched = try mirror.files.access { store in
            try store.pool.writeWithoutTransaction { try RowWriteRecorder(db: $0).end { _ in true } }
        }
        if last.outcome != .complete { problems.append("The last sync was \(last.outcome.rawValue).") }
        if last.hasChanges {
            let changed = last.objects.filter { $0.value.created + $0.value.updated + $0.value.deleted > 0 }
            problems.append("The last sync changed something: \(changed.keys.sorted())")
        }
        if !touched.isEmpty { problems.append("The last sync wrote rows: \(touched)") }
        let log = server.log
        if !log.requested.isEmpty { problems.append("The last sync requested \(log.requested.sorted()).") }
        if !log.pictures.isEmpty { problems.append("The last sync downloaded \(log.pictures.sorted()).") }
        record(problems.map { Violation(.unchangedWritesNothing, $0) })
    }

    // MARK: - Restoring

    /// Restores the artworks that the last run with deletions removed; the mirror is not synced afterwards.
    private func checkRestore() async throws {
        let oldest = clock.local - Double(Restore.days - 1) * Self.day
        let (source, ids) = try mirror.files.access { store in
            try store.read { db in
                let source = try Int64.fetchOne(
                    db,
                    sql: """
                        SELECT max(run) FROM change
                        WHERE kind = 'artwork' AND action = 'delete' AND evidence LIKE 'not in %'
                          AND unixepoch(at) > ?
                        """, arguments: [oldest])
                let ids = try String.fetchAll(
                    db, sql: "SELECT id FROM change WHERE kind = 'artwork' AND action = 'delete' AND run = ?",
                    arguments: [source])
                return (source, ids)
            }
        }
        guard let source else { return }
        count("a restore")
        mirror.files.close()
        var restore = Restore(mirror.files.folder, now: mirror.files.now)
        restore.source = source
        let outcome = try await restore.run()
        let stored = try mirror.files.access { store in
            try store.read { Set(try String.fetchAll($0, sql: "SELECT id FROM artwork WHERE ghost = 0")) }
        }
        let lost = ids.filter { !stored.contains($0) }
        if !lost.isEmpty {
            record([
                Violation(
                    .deletionsAreRestorable,
                    "Artworks \(lost) were not restored from run \(source): \(outcome.summary.problems.map(\.message))"
                )
            ])
        }
    }
}
