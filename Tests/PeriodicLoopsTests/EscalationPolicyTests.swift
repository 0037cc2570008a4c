import Catalogue
import Testing

@testable import PeriodicLoops

/// The decisions of the escalation policy.
@Suite struct EscalationPolicyTests {
    private let policy = EscalationPolicy()

    private func health(after kinds: [LoopFailure.Kind], at now: Duration = .seconds(100)) -> LoopHealth? {
        kinds.reduce(LoopHealth()) { health, kind in
            health.flatMap { policy.health(after: LoopFailure(kind, "why"), of: $0, at: now, random: 1) }
        }
    }

    @Test(arguments: [
        (1, LoopHealth.State.backingOff, 1.0), (2, .backingOff, 2), (5, .backingOff, 16), (6, .resetting, 32),
        (7, .resetting, 64), (8, .resetting, 128), (9, .quarantined, 86_400), (10, .quarantined, 86_400),
        (500, .quarantined, 86_400),
    ])
    func unprocessableResponsesEscalateToQuarantine(failures: Int, state: LoopHealth.State, wait: Double) {
        let health = health(after: Array(repeating: .unprocessable, count: failures))
        #expect(
            health
                == LoopHealth(
                    state: state, failures: failures, lastError: "why", lastErrorAt: .seconds(100),
                    nextTry: .seconds(100) + .seconds(wait)))
    }

    @Test(arguments: [(1, 1.0), (6, 32), (9, 256), (12, 1_800), (1_000, 1_800)])
    func networkFailuresOnlyBackOff(troubles: Int, wait: Double) {
        let health = health(after: Array(repeating: .unreachable(retryAfter: nil), count: troubles))
        #expect(health?.state == .backingOff)
        #expect(health?.failures == 0)
        #expect(health?.troubles == troubles)
        #expect(health?.nextTry == .seconds(100) + .seconds(wait))
    }

    @Test func theServersRequestedWaitIsTheShortestWait() {
        #expect(health(after: [.unreachable(retryAfter: .seconds(77))])?.nextTry == .seconds(177))
        #expect(health(after: [.unreachable(retryAfter: .milliseconds(1))])?.nextTry == .seconds(101))
        #expect(health(after: [.unreachable(retryAfter: .seconds(-5))])?.nextTry == .seconds(101))
        // The server can request a wait of at most a day.
        #expect(health(after: [.unreachable(retryAfter: .seconds(1e15))])?.nextTry == .seconds(86_500))
    }

    @Test func networkFailuresNeitherCountNorInterruptConsecutiveBadResponses() {
        let bad = Array(repeating: LoopFailure.Kind.unprocessable, count: 5)
        let between = health(after: bad + [.unreachable(retryAfter: nil)])
        #expect(between?.failures == 5)
        #expect(between?.state == .backingOff)
        let sixth = health(after: bad + [.unreachable(retryAfter: nil), .unprocessable])
        #expect(sixth?.state == .resetting)
        #expect(sixth?.troubles == 0)
    }

    @Test func anUnreachableProbeIsRetriedSoonAndTheQuarantineContinues() {
        let nine = Array(repeating: LoopFailure.Kind.unprocessable, count: 9)
        let health = health(after: nine + [.unreachable(retryAfter: nil)])
        #expect(health?.state == .quarantined)
        #expect(health?.nextTry == .seconds(101))
    }

    @Test func aFeedThatHasEndedHasNoHealth() { #expect(health(after: [.over]) == nil) }

    @Test func longErrorMessagesAreTruncated() {
        let failure = LoopFailure.unprocessable(String(repeating: "é", count: 100_000))
        let health = policy.health(after: failure, of: LoopHealth(), at: .zero, random: 0)
        #expect(health?.lastError?.count == 500)
    }

    @Test func failureCountsNeverOverflow() {
        let old = LoopHealth(failures: .max, troubles: .max)
        #expect(policy.health(after: .unreachable(""), of: old, at: .zero, random: 0)?.troubles == .max)
        #expect(policy.health(after: .unprocessable(""), of: old, at: .zero, random: 0)?.failures == .max)
    }

    @Test func theLimitsOfAnEscalationPolicyAreConfigurable() {
        var strict = EscalationPolicy()
        (strict.resetAfter, strict.quarantineAfter, strict.probeInterval) = (1, 2, .seconds(60))
        let once = strict.health(after: .unprocessable(""), of: LoopHealth(), at: .zero, random: 1)
        #expect(once?.state == .resetting)
        let twice = once.flatMap { strict.health(after: .unprocessable(""), of: $0, at: .zero, random: 1) }
        #expect(twice?.state == .quarantined)
        #expect(twice?.nextTry == .seconds(60))
        var none = EscalationPolicy()
        (none.resetAfter, none.quarantineAfter) = (0, 0)
        #expect(none.restored(LoopHealth(), at: .zero).state == .well)
    }

    // MARK: Restoring

    private struct Restored: Sendable {
        let stored: LoopHealth
        let expected: LoopHealth
    }

    /// Stored healths and what they are restored to, at the time 1,000 s.
    private static let restored: [Restored] = [
        Restored(stored: LoopHealth(), expected: LoopHealth()),
        // A healthy loop has no next try and no error.
        Restored(stored: LoopHealth(lastError: "old", nextTry: .seconds(9_999)), expected: LoopHealth()),
        Restored(
            stored: LoopHealth(state: .quarantined, failures: 9, lastError: "bad", nextTry: .seconds(5_000)),
            expected: LoopHealth(state: .quarantined, failures: 9, lastError: "bad", nextTry: .seconds(5_000))
        ),
        // The counts and the time of the last error are enough. So is the state alone.
        Restored(
            stored: LoopHealth(failures: 11, lastErrorAt: .seconds(400)),
            expected: LoopHealth(
                state: .quarantined, failures: 11, lastErrorAt: .seconds(400), nextTry: .seconds(86_800))),
        Restored(
            stored: LoopHealth(state: .quarantined),
            expected: LoopHealth(state: .quarantined, failures: 9, nextTry: .seconds(87_400))),
        Restored(
            stored: LoopHealth(failures: 7), expected: LoopHealth(state: .resetting, failures: 7)),
        Restored(
            stored: LoopHealth(troubles: 3, nextTry: .seconds(900)),
            expected: LoopHealth(state: .backingOff, troubles: 3, nextTry: .seconds(900))),
        // A next try that was read from another clock.
        Restored(
            stored: LoopHealth(troubles: 3, nextTry: .seconds(1e12)),
            expected: LoopHealth(state: .backingOff, troubles: 3, nextTry: .seconds(87_400))),
        Restored(stored: LoopHealth(failures: -4, troubles: -1), expected: LoopHealth()),
    ]

    @Test(arguments: restored)
    private func restoredHealthIsMadeConsistent(_ row: Restored) {
        #expect(policy.restored(row.stored, at: .seconds(1_000)) == row.expected)
    }

    @Test func healthFromAPolicyIsRestoredUnchanged() throws {
        for kinds in [[LoopFailure.Kind.unprocessable], [.unreachable(retryAfter: .seconds(86_400))]] {
            for count in 1...12 {
                let kinds = Array(repeating: kinds, count: count).flatMap { $0 }
                let health = try #require(self.health(after: kinds))
                #expect(policy.restored(health, at: .seconds(100)) == health)
            }
        }
    }
}
