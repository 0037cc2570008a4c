import GRDB
import MirrorSimulation
import MirrorStore
import Testing

/// Calm histories of a partner and its mirror: the catalogue changes, albums are edited at both ends, times pass, answers
/// fail. Once the server is well and at rest, the mirror holds what it holds.
@Suite("Calm histories of a partner and its mirror", .fewAtATime)
struct PullHistoryTests {
    /// Of those with all that the command does around a sync, one.
    private static let seeds: [ClosedRange<UInt64>] = [
        1...14, HistoryProfile.ownFilesInterval...HistoryProfile.ownFilesInterval,
    ]

    @Test func endWithTheMirrorHoldingWhatTheServerHolds() async throws {
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

    /// The same seed makes the same history, in files that others were in before, too.
    @Test func areTheSameFromTheSameSeed() async throws {
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

    /// What the checks are for, done to a mirror behind the server's back.
    enum Damage: String, CaseIterable {
        case staleBody = "UPDATE artwork SET json = json_set(json, '$.title', 'stale') WHERE ghost = 0"
        case lostMember = "DELETE FROM album_artwork"
        case lostObject = "UPDATE show SET ghost = 1, json = NULL"
        case wrongSlug = "UPDATE artist SET slug = 'nobody''s' WHERE ghost = 0"
        case lostNote = "DELETE FROM note"
        case strayGhost = "INSERT INTO artist (id, name, ghost) VALUES ('stray', 'Inaccessible', 1)"
    }

    @Test(arguments: Damage.allCases)
    func areSeenNotToHoldWhereTheyDoNot(damage: Damage) async throws {
        try await Self.withWorkspace { workspace in
            var found = 0
            for seed: UInt64 in 1...60 where found == 0 {
                var didHarm = false
                let verdict = try await History(seed: seed, profile: .calm).run(in: workspace) { store in
                    didHarm = try store.pool.write { db in
                        let before = db.totalChangesCount
                        try db.execute(sql: damage.rawValue)
                        return db.totalChangesCount > before
                    }
                }
                if didHarm, !verdict.violations.isEmpty { found += 1 }
                if !didHarm { #expect(verdict.violations == [], "seed \(seed)") }
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
