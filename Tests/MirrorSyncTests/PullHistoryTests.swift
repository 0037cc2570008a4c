import GRDB
import MirrorSimulation
import MirrorStore
import Testing

/// Random histories of a partner and its mirror: the catalogue changes, albums are edited at both ends, times pass,
/// answers fail. Once the server is well and at rest, the mirror holds what it holds.
///
/// Here are a few; `mirror-bench histories` runs ten thousand, and replays one by its seed.
@Suite("Random histories of a partner and its mirror")
struct PullHistoryTests {
    /// Of those with all that the command does around a sync, one.
    private static let seeds: [ClosedRange<UInt64>] = [1...14, History.wholeEvery...History.wholeEvery]

    @Test func endWithTheMirrorHoldingWhatTheServerHolds() async throws {
        for seeds in Self.seeds {
            let report = try await HistoryBatch(seeds: seeds).run { verdict in
                Issue.record("seed \(verdict.seed): \(verdict.violations.joined(separator: "; "))")
            }
            #expect(report.histories == seeds.count)
            #expect(report.syncs >= 2 * seeds.count)
        }
    }

    /// The same seed makes the same history, alone or after others.
    @Test func areTheSameFromTheSameSeed() async throws {
        try await Self.withTemplate { template in
            let place = HistoryPlace(template)
            var fingerprints: [UInt64] = []
            for seed: UInt64 in [7, 8, 9] {
                fingerprints.append(try await History(seed: seed).run(at: place).fingerprint)
            }
            try place.close()
            let first = History(seed: 9, keepsTranscript: true),
                second = History(seed: 9, keepsTranscript: true)
            let verdict = try await first.run(at: HistoryPlace(template))
            _ = try await second.run(at: HistoryPlace(template))
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
        try await Self.withTemplate { template in
            let place = HistoryPlace(template)
            var found = 0
            for seed: UInt64 in 1...60 where found == 0 {
                var didHarm = false
                let verdict = try await History(seed: seed).run(at: place) { store in
                    didHarm = try store.pool.write { db in
                        let before = db.totalChangesCount
                        try db.execute(sql: damage.rawValue)
                        return db.totalChangesCount > before
                    }
                }
                if didHarm, !verdict.violations.isEmpty { found += 1 }
                if !didHarm { #expect(verdict.violations == [], "seed \(seed)") }
            }
            try place.close()
            #expect(found > 0, "\(damage)")
        }
    }

    private static func withTemplate(_ body: (MirrorTemplate) async throws -> Void) async throws {
        let template = try MirrorTemplate()
        do { try await body(template) } catch {
            try template.remove()
            throw error
        }
        try template.remove()
    }
}
