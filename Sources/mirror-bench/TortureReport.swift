import Catalogue
import Foundation
import MirrorSimulation
import Synchronization

/// Prints findings, progress and a summary, as text or as JSON.
final class TortureReport: Sendable {
    private struct State: Sendable {
        var histories: [Int: Int] = [:]
        var failures: [Int: Int] = [:]
        var reportedSteps = 0
    }

    private let json: Bool
    private let seeds: ClosedRange<UInt64>
    /// Whether progress is updated in place.
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    init(json: Bool, seeds: ClosedRange<UInt64>) {
        self.json = json
        self.seeds = seeds
    }

    private var count: Int { Int(seeds.upperBound - seeds.lowerBound) + 1 }

    func handle(_ event: Torture.Event, of part: Int) {
        switch event {
        case .progress(let histories, let failures):
            state.withLock { state in
                state.histories[part] = histories
                state.failures[part] = failures
                if let line = progress(&state) { draw(isTerminal ? line : line + "\n") }
            }
        case .finding(let finding):
            draw("")
            print(
                json
                    ? TortureText.json(finding).canonicalText
                    : TortureText.lines(finding).joined(separator: "\n"))
            // So that the finding is visible at once: the remaining histories may take hours.
            fflush(nil)
        case .ended: break
        }
    }

    /// Reports progress now and then: every hundredth part on a terminal, every fifth elsewhere.
    private func progress(_ state: inout State) -> String? {
        let done = state.histories.values.reduce(0, +), step = max(1, count / (isTerminal ? 100 : 5))
        guard done / step > state.reportedSteps || done == count else { return nil }
        state.reportedSteps = done / step
        let failures = state.failures.values.reduce(0, +)
        let findings = failures == 0 ? "" : ", \(TortureText.count(failures)) of them failed"
        return "\(TortureText.count(done)) of \(TortureText.count(count)) histories\(findings)"
    }

    func finish(_ outcome: Torture.Outcome, seconds: Double) {
        draw("")
        if json {
            print(TortureText.summary(outcome, seeds, seconds: seconds).canonicalText)
        } else {
            print(TortureText.lines(outcome, seeds, seconds: seconds).joined(separator: "\n"))
        }
    }

    /// Reports an error that prevented the summary.
    func fail(_ error: TortureProcesses.Failure) {
        draw("")
        guard json else { return }
        let summary: JSONObject = [
            "type": "summary", "outcome": "failed", "error": .string(error.description),
        ]
        print(summary.canonicalText)
    }

    /// Writes to standard error; on a terminal, replaces the current line.
    private func draw(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(((isTerminal ? "\r\u{1B}[K" : "") + text).utf8))
    }
}
