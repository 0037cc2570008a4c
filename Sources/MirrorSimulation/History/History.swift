// Random histories of a partner and its mirror, and what must hold of each.
//
// A history is drawn from a seed alone, as a `HistoryPlan`: a server (`SimulatedPartner`) with traits of its own, a mirror
// (`SimulatedMirror`) that runs the shipped sync and the shipped loops over the shipped store, on a disk that can die at
// any write (`CrashDisk`), people at both ends, two clocks. It goes through its `Move`s, in which the catalogue changes,
// albums are edited, time passes, answers fail, processes die, and the mirror synchronises, is paused (`RunPause`) and goes on;
// then the server is well and at rest, and the mirror must come to hold what the server holds. What must never be false
// (`Invariant`) is checked after every run, and what a reader may see after every commit. The same seed makes the same
// history (`Transcript`).
// `Torture` runs many, and makes of one that doesn't hold the shortest that still doesn't (`Shrinking`).

import Foundation
import MirrorStore
import MirrorSync

/// One random history.
package struct History: Sendable {
    package let plan: HistoryPlan
    package let transcript: Transcript
    /// After so many steps, what is left of the plan is skipped: it comes to rest.
    package var steps = Int.max
    package var sabotage: Sabotage?

    /// How it ended.
    package struct Verdict: Sendable {
        package let seed: UInt64
        /// What did not hold; empty if all did.
        package var violations: [Violation]
        package let counts: HistoryCounts
        package let requests: Int
        /// Requests that were answered, transactions that were committed, edits at both ends, crashes.
        package let steps: Int
        package let fingerprint: UInt64
        /// If something did not hold: what happened, line by line, if a transcript is kept, and what did not hold.
        package let lines: [String]
    }

    package init(seed: UInt64, profile: HistoryProfile = .torture, keepsTranscript: Bool = false) {
        self.init(HistoryPlan(seed: seed, profile: profile), keepsTranscript: keepsTranscript)
    }

    package init(_ plan: HistoryPlan, keepsTranscript: Bool = false) {
        self.plan = plan
        transcript = Transcript(keepsLines: keepsTranscript)
    }

    /// Goes through it.
    ///
    /// - Parameter meddle: does something to the mirror's database before it is held against the server, for tests of
    ///   the checks.
    package func run(
        at place: HistoryPlace, meddle: (CatalogueStore) throws -> Void = { _ in }
    ) async throws -> Verdict {
        let stage = try Stage(plan, at: place, transcript: transcript, sabotage: sabotage)
        var broken: [Violation] = []
        do {
            try await stage.play(steps: steps)
            if stage.violations.isEmpty { try await stage.close(meddle) }
        } catch {
            broken = [Violation(.goesOn, "It broke off: \(error)")]
        }
        let steps = stage.steps, violations = stage.violations + broken
        try stage.mirror.end()
        return Verdict(
            seed: plan.seed, violations: violations, counts: stage.counts,
            requests: stage.partner.with { $0.requests }, steps: steps,
            fingerprint: transcript.fingerprint,
            lines: violations.isEmpty ? [] : transcript.lines + violations.map(\.description))
    }
}
