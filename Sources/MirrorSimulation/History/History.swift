// Random histories of a partner and its mirror, and what must hold of each.
//
// A history is made from a seed alone: a server (`SimulatedPartner`) with traits of its own, a mirror (`SimulatedMirror`)
// that runs the shipped sync over the shipped store, people at both ends, two clocks. It goes through some steps in which
// the catalogue changes, albums are edited, time passes, answers fail and the mirror synchronises; then the server is
// well and at rest, and the mirror must come to hold what the server holds (`HistoryCheck`). The same seed makes the same
// history, byte by byte (`Transcript`). `HistoryBatch` runs many.

import Foundation
import MirrorStore
import MirrorSync

/// One random history.
package struct History: Sendable {
    package let seed: UInt64
    package let transcript: Transcript

    /// How it ended.
    package struct Verdict: Sendable {
        package let seed: UInt64
        /// What did not hold, in sentences; empty if all did.
        package var violations: [String]
        package let syncs: Int
        package let requests: Int
        package let fingerprint: UInt64
    }

    /// Every so many histories run with all that the command does around a sync; the others keep the database open.
    package static let wholeEvery: UInt64 = 200

    package init(seed: UInt64, keepsTranscript: Bool = false) {
        self.seed = seed
        transcript = Transcript(keepsLines: keepsTranscript)
    }

    /// Goes through it.
    ///
    /// - Parameter meddle: does something to the mirror's database before it is held against the server, for tests of
    ///   the checks.
    package func run(
        at place: HistoryPlace, meddle: (CatalogueStore) throws -> Void = { _ in }
    ) async throws -> Verdict {
        let stage = try Stage(seed: seed, place: place, transcript: transcript)
        var violations: [String] = []
        do {
            try await stage.play()
            violations = try await stage.close(meddle)
        } catch {
            violations = ["it broke off: \(error)"]
        }
        try stage.mirror.end()
        return Verdict(
            seed: seed, violations: violations, syncs: stage.syncs,
            requests: stage.partner.with { $0.requests },
            fingerprint: transcript.fingerprint)
    }
}
