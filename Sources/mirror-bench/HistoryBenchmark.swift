import ChildProcesses
import Foundation
import MirrorSimulation

/// Random histories of a partner and its mirror: whether all of them hold, and how long they take.
///
/// They are spread over as many processes as there are processors: what SQLite shares within one would hold up the others.
struct HistoryBenchmark {
    /// How many, from the first seed on.
    let count: Int
    let seed: UInt64

    private var last: UInt64 { seed + UInt64(count) - 1 }

    /// - Returns: whether all of them hold.
    func run() async throws -> Bool {
        guard count > 1 else { return try await replay() }
        let parts = min(count, ProcessInfo.processInfo.activeProcessorCount)
        let start = ContinuousClock.now
        let running = try (0..<parts).map { try Part.start(["\(seed + UInt64($0))", "\(last)", "\(parts)"]) }
        var report = HistoryBatch.Report()
        for part in running { report.add(try part.report()) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            """
            \(report.histories) histories, seeds \(seed) to \(last), in \(parts) processes: \(report.failures) failed
            \(report.counts.syncs) syncs, \(report.requests) requests, \(seconds.text(1)) s, fingerprint \
            \(String(report.fingerprint, radix: 16))
            """)
        return report.failures == 0 && report.histories == count
    }

    /// One alone, with everything that happens in it.
    private func replay() async throws -> Bool {
        let template = try MirrorTemplate(),
            history = History(seed: seed, profile: .calm, keepsTranscript: true)
        let place = HistoryPlace(template), verdict = try await history.run(at: place)
        try place.close()
        try template.remove()
        for line in history.transcript.lines { print(line) }
        print("fingerprint \(String(verdict.fingerprint, radix: 16))")
        StandardError.write(Self.text(verdict))
        return verdict.violations.isEmpty
    }

    /// What a process among several does: each so-manieth seed. What fails is told on stderr, the report is on stdout.
    ///
    /// - Parameter arguments: the first seed, the last, the distance.
    static func part(_ arguments: ArraySlice<String>) async throws -> Bool {
        let numbers = arguments.compactMap { UInt64($0) }
        guard numbers.count == 3, numbers[0] <= numbers[1], numbers[2] > 0 else { return false }
        MirrorTemplate.keepOthersOut()
        let batch = HistoryBatch(seeds: numbers[0]...numbers[1], stride: Int(numbers[2]), profile: .calm)
        let report = try await batch.run { verdict, _ in
            StandardError.write(text(verdict))
            return true
        }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(report))
        return true
    }

    private static func text(_ verdict: History.Verdict) -> String {
        guard !verdict.violations.isEmpty else { return "" }
        let violations = verdict.violations.map { "  \($0)\n" }.joined()
        return """
            The history of seed \(verdict.seed) does not hold:
            \(violations)  Again, with all that happens in it: mirror-bench histories --count 1 --seed \(verdict.seed)

            """
    }

    /// A process of its own.
    private struct Part {
        let process: ChildProcess
        let output: ChildPipe

        static func start(_ arguments: [String]) throws -> Part {
            let output = try ChildPipe()
            return Part(
                process: try ChildProcess(
                    ChildProcess.thisProgram, ["part-of-histories"] + arguments, output: .pipe(output),
                    group: .shared),
                output: output)
        }

        func report() throws -> HistoryBatch.Report {
            let data = try output.reading.readToEnd() ?? Data()
            process.wait()
            return try JSONDecoder().decode(HistoryBatch.Report.self, from: data)
        }
    }
}
