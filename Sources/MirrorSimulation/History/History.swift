// Simulations: random histories of a partner and its mirror, and the invariants that must hold in each.
//
// A `HistoryPlan` is drawn from a seed alone. `HistoryRunner` runs it:
// - The server is a `SimulatedPartner` with random `PartnerTraits`.
// - The mirror is a `SimulatedMirror`: the real sync, loops and store, on a disk that can crash at any write
//   (`CrashDisk`).
// - People edit both ends (`CatalogueEdit`, `SimulatedEditors`). Both ends have clocks (`SimulatedClock`).
// - In its `HistoryAction`s the catalogue changes, albums are edited, time passes, answers fail, processes are killed,
//   and the mirror syncs, is paused (`RunPause`) and resumed.
// - At the end nothing fails or changes any more, and the mirror must become equal to the server.
//
// In one history of four, the server is a museum with a described catalogue instead: `MuseumPlan` says more.
//
// The `Invariant`s are checked after every run, and what a reader sees after every commit (`LiveInvariants`). The same
// seed gives the same `Transcript`. `Torture` runs many histories; `HistoryShrinker` reduces one that fails to a minimal
// plan.

import Foundation
import MirrorStore
import MirrorSync

/// One random history.
package struct History: Sendable {
    package let plan: HistoryPlan
    package let transcript: Transcript
    /// The number of steps after which the remaining actions are skipped, and the server no longer changes.
    package var steps = Int.max
    package var injectedBug: InjectedBug?

    /// The result of a history.
    package struct Verdict: Sendable {
        package let seed: UInt64
        /// The invariants that were violated; empty if all held.
        package var violations: [Violation]
        package let counts: HistoryCounts
        package let requests: Int
        /// The number of answered requests, committed transactions, edits at both ends, and crashes.
        package let steps: Int
        package let fingerprint: UInt64
        /// If an invariant was violated: the transcript, if one is kept, and the violations.
        package let lines: [String]
    }

    package init(seed: UInt64, profile: HistoryProfile = .torture, keepsTranscript: Bool = false) {
        self.init(HistoryPlan(seed: seed, profile: profile), keepsTranscript: keepsTranscript)
    }

    package init(_ plan: HistoryPlan, keepsTranscript: Bool = false) {
        self.plan = plan
        transcript = Transcript(keepsLines: keepsTranscript)
    }

    /// Runs the history.
    ///
    /// - Parameter meddle: changes the mirror's database before it is compared with the server, for tests of the checks.
    package func run(
        in workspace: HistoryWorkspace, meddle: (CatalogueStore) throws -> Void = { _ in }
    ) async throws -> Verdict {
        let runner: any HistoryPlayer =
            if let museum = plan.museum {
                try MuseumRunner(
                    plan, museum, in: workspace, transcript: transcript, injectedBug: injectedBug)
            } else {
                try HistoryRunner(plan, in: workspace, transcript: transcript, injectedBug: injectedBug)
            }
        var broken: [Violation] = []
        do {
            try await runner.play(steps: steps)
            if runner.violations.isEmpty { try await runner.finish(meddle) }
        } catch {
            broken = [Violation(.historyCompletes, "It stopped with an error: \(error)")]
        }
        let steps = runner.steps, violations = runner.violations + broken
        try runner.end()
        return Verdict(
            seed: plan.seed, violations: violations, counts: runner.counts,
            requests: runner.requests, steps: steps,
            fingerprint: transcript.fingerprint,
            lines: violations.isEmpty ? [] : transcript.lines + violations.map(\.description))
    }
}

/// Runs the actions of one history, and checks the invariants.
protocol HistoryPlayer: AnyObject {
    /// All violations; the first one ends the history.
    var violations: [Violation] { get }
    var counts: HistoryCounts { get }
    /// The number of requests that the server received.
    var requests: Int { get }
    /// The number of answered requests, committed transactions, edits, and crashes.
    var steps: Int { get }

    /// Runs the actions, as long as the number of steps is below the limit.
    func play(steps limit: Int) async throws
    /// Compares the mirror with the server when nothing fails or changes any more.
    func finish(_ meddle: (CatalogueStore) throws -> Void) async throws
    /// Removes the files.
    func end() throws
}
