import ArgumentParser
import MirrorSimulation
import PartnerAPI
import Synchronization

/// What a person or a program is told of histories: findings as they come, how far it is, and a summary.
final class TortureReport: Sendable {
    private struct State: Sendable {
        var histories: [Int: Int] = [:]
        var failures: [Int: Int] = [:]
        var told = 0
    }

    private let output: LineOutput
    private let screen: Screen
    private let json: Bool
    private let seeds: ClosedRange<UInt64>
    private let state = Mutex(State())

    init(output: LineOutput, screen: Screen, json: Bool, seeds: ClosedRange<UInt64>) {
        self.output = output
        self.screen = screen
        self.json = json
        self.seeds = seeds
    }

    private var count: Int { Int(seeds.upperBound - seeds.lowerBound) + 1 }

    func hear(_ news: Torture.News, of part: Int) {
        switch news {
        case .progress(let histories, let failures):
            let line = state.withLock { state -> String? in
                state.histories[part] = histories
                state.failures[part] = failures
                return progress(&state)
            }
            if let line { screen.isTerminal ? screen.draw([line]) : screen.line(line) }
        case .finding(let finding): tell(finding)
        case .ended: break
        }
    }

    /// A line now and then: on a terminal for each hundredth part, elsewhere for each fifth.
    private func progress(_ state: inout State) -> String? {
        let done = state.histories.values.reduce(0, +), step = max(1, count / (screen.isTerminal ? 100 : 5))
        guard done / step > state.told || done == count else { return nil }
        state.told = done / step
        let failures = state.failures.values.reduce(0, +)
        let findings = failures == 0 ? "" : ", \(Wording.count(failures)) of them don't hold"
        return "\(Wording.count(done)) of \(Wording.count(count)) histories\(findings)"
    }

    private func tell(_ finding: Shrinking.Finding) {
        let invariant = finding.violation.invariant
        // Whoever waits for the rest, which may take hours, has something to look at.
        defer { output.flush() }
        guard json else {
            for line in TortureText.lines(finding) { output.line(line.printable) }
            return
        }
        output.json([
            "type": "finding", "seed": .string("\(finding.seed)"), "invariant": .integer(invariant.rawValue),
            "sentence": .string(invariant.sentence), "seen": .string(finding.violation.what),
            "history": .array(finding.lines.map(JSONValue.string)),
        ])
    }

    /// - Throws: an exit code if something was found.
    func finish(_ outcome: Torture.Outcome, seconds: Double) throws {
        screen.clear()
        if json {
            output.json(TortureText.summary(outcome, seeds, seconds: seconds))
        } else {
            for line in TortureText.lines(outcome, seeds, seconds: seconds) { output.line(line) }
        }
        if outcome.report.failures > 0 { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
