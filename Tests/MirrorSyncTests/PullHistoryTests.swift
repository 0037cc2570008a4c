import GRDB
import MirrorSimulation
import MirrorStore
import Testing

/// Random histories without crashes: the catalogue changes, albums are edited on both sides, time passes, answers fail. When
/// the server is healthy and its catalogue no longer changes, the mirror must equal the server.
@Suite("Calm histories of a partner and its mirror", .limitedConcurrency)
struct PullHistoryTests {
    /// The second range is the one seed whose history runs as the command does: each run opens its own files, and runs all hooks.
    private static let seeds: [ClosedRange<UInt64>] = [
        1...8, HistoryProfile.ownFilesInterval...HistoryProfile.ownFilesInterval,
    ]

    @Test func calmHistoriesEndWithAMirrorThatEqualsTheServer() async throws {
        for seeds in Self.seeds {
            let report = try await HistoryBatch(seeds: seeds, profile: .calm).run { verdict, _ in
                for violation in verdict.violations { Issue.record("seed \(verdict.seed): \(violation)") }
                return true
            }
            #expect(report.histories == seeds.count)
            #expect(report.counts.syncs >= 2 * seeds.count)
            #expect(report.counts.crashes == 0)
        }
    }

    /// Even if the workspace's files were used by other histories before.
    @Test func theSameSeedMakesTheSameCalmHistory() async throws {
        var fingerprints: [UInt64] = []
        _ = try await HistoryBatch(seeds: 7...9, profile: .calm).run { verdict, _ in
            fingerprints.append(verdict.fingerprint)
            return true
        }
        try await Self.withWorkspace { workspace in
            let first = History(seed: 9, profile: .calm, keepsTranscript: true)
            let second = History(seed: 9, profile: .calm, keepsTranscript: true)
            let verdict = try await first.run(in: workspace)
            _ = try await second.run(in: workspace)
            #expect(first.transcript.lines == second.transcript.lines)
            #expect(first.transcript.lines.count > 20)
            #expect(verdict.fingerprint == fingerprints[2])
            #expect(Set(fingerprints).count == 3)
        }
    }

    /// Damage to a mirror that the checks must detect, as SQL.
    enum Damage: String, CaseIterable {
        case staleBody = "UPDATE artwork SET json = json_set(json, '$.title', 'stale') WHERE ghost = 0"
        case lostMember = "DELETE FROM album_artwork"
        case lostObject = "UPDATE show SET ghost = 1, json = NULL"
        case wrongSlug = "UPDATE artist SET slug = 'nobody''s' WHERE ghost = 0"
        case lostNote = "DELETE FROM note"
        case strayGhost = "INSERT INTO artist (id, name, ghost) VALUES ('stray', 'Inaccessible', 1)"
    }

    @Test(arguments: Damage.allCases)
    func theChecksOfACalmHistoryDetectDamage(damage: Damage) async throws {
        try await Self.withWorkspace { workspace in
            var found = 0
            for seed: UInt64 in 1...60 where found == 0 {
                var didDamage = false
                let verdict = try await History(seed: seed, profile: .calm).run(in: workspace) { store in
                    didDamage = try store.pool.write { db in
                        let before = db.totalChangesCount
                        try db.execute(sql: damage.rawValue)
                        return db.totalChangesCount > before
                    }
                }
                if didDamage, !verdict.violations.isEmpty { found += 1 }
                if !didDamage { #expect(verdict.violations == [], "seed \(seed)") }
            }
            #expect(found > 0, "\(damage)")
        }
    }

    private static func withWorkspace(_ body: (HistoryWorkspace) async throws -> Void) async throws {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        do { try await body(workspace) } catch {
            try? workspace.close()
            try template.remove()
            throw error
        }
        try workspace.close()
        try template.remove()
    }
}
