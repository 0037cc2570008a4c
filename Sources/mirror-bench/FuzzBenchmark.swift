import ArgumentParser
import Foundation
import MirrorSimulation

/// Runs the parsers of untrusted bytes on millions of random inputs.
///
/// The inputs are parsed in child processes, so that a trap is reported like any other failure, and a hang is ended.
struct FuzzBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz", abstract: "Fuzz the parsers of untrusted bytes.")

    @Option var seed: UInt64 = 1
    @Option(
        help:
            "Inputs in total, divided among the targets. Default: 1,000,000, or as many as --seconds allows.")
    var runs: Int?
    @Option(help: "Wall time in total.") var seconds: Int?
    @Option(name: .customLong("door"), help: "Fuzz this target only.") var target: String?
    @Option(help: "Replay one input.") var only: UInt64?
    @Option(help: "The folder of a catalogue, whose lines are used as seeds.") var corpus: String?

    /// The number of failures after which a target is not run any more.
    static let mostFailures = 5
    /// The time after which an input counts as a hang.
    static let limit = Duration.seconds(10)

    private var targets: [FuzzTarget] { FuzzTarget.all.filter { $0.name == target ?? $0.name } }

    func validate() throws {
        try requirePositive(("--runs", runs), ("--seconds", seconds))
        guard targets.isEmpty else { return }
        throw ValidationError(
            "There is no such target; there are: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    }

    func run() throws {
        if let only { return try replay(only) }
        let runs = runs.map(UInt64.init) ?? (seconds == nil ? 1_000_000 : nil)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mirror-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        let parts = ProcessInfo.processInfo.activeProcessorCount
        var running = try (0..<parts).map { part in
            let order = FuzzOrder(
                targets: targets.map(\.name), seed: seed, runs: runs.map { $0 / UInt64(targets.count) },
                seconds: seconds.map { Double($0) / Double(targets.count) }, corpus: corpus, part: part,
                parts: parts)
            return try FuzzProcess(order, folder: folder.path)
        }
        while running.contains(where: \.isRunning) {
            usleep(20_000)
            for index in running.indices { try running[index].poll() }
        }
        var tallies: [String: FuzzTally] = [:], failures: [FuzzTrial.Failure] = []
        for process in running {
            for tally in process.tallies {
                tallies[tally.target, default: FuzzTally(target: tally.target)].add(tally)
            }
            failures += process.failures
        }
        printReport(tallies, failures, seconds: (ContinuousClock.now - start) / .seconds(1))
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func printReport(_ tallies: [String: FuzzTally], _ failures: [FuzzTrial.Failure], seconds: Double)
    {
        for target in targets {
            guard let tally = tallies[target.name] else { continue }
            let rate = Int(Double(tally.inputs) / max(tally.seconds, 0.001))
            print("\(target.name): \(tally.inputs) inputs, \(rate) per second and process")
        }
        for failure in failures {
            print(
                """
                \(failure.target), input \(failure.number): \(failure.sentence)
                  "\(failure.input.fuzzText)"
                  Run it again: mirror-bench fuzz --door "\(failure.target)" --seed \(failure.seed) --only \(failure.number)\(
                    corpus.map { " --corpus \($0)" } ?? "")
                """)
        }
        let inputs = tallies.values.reduce(0) { $0 + $1.inputs }
        print(
            "\(inputs) inputs, seed \(seed), \(targets.count) targets: \(failures.count) failed, \(seconds.text(1)) s"
        )
    }

    /// Runs one input again, in this process.
    private func replay(_ number: UInt64) throws {
        var isGood = true
        for target in targets {
            let trial = FuzzTrial(target, seed: seed, lines: try FuzzCorpus.lines(corpus))
            print("\(target.name), input \(number): \"\(trial.input(number).fuzzText)\"")
            fflush(nil)
            guard let failure = trial.run(number) else { continue }
            isGood = false
            print("\(failure.sentence)\n  \"\(failure.input.fuzzText)\"")
        }
        guard isGood else { throw ExitCode.failure }
        print("No failure.")
    }
}

/// The work of one process: every n-th input, where n is the number of processes.
struct FuzzOrder: Codable {
    var targets: [String]
    let seed: UInt64
    /// The inputs of each target in all processes, and the seconds for each target.
    let runs: UInt64?
    let seconds: Double?
    let corpus: String?
    let part: Int
    let parts: Int
    /// The number of the first target's next input, after one that ended the process.
    var next: UInt64?
}

/// The number of inputs that a target was run on.
struct FuzzTally: Codable {
    let target: String
    var inputs: UInt64 = 0
    var seconds = 0.0

    mutating func add(_ other: FuzzTally) {
        inputs += other.inputs
        seconds += other.seconds
    }
}

/// A report of a child process.
enum FuzzEvent: Codable {
    case failure(FuzzTrial.Failure)
    case tally(FuzzTally)
}

enum FuzzCorpus {
    /// Lines of every file of a catalogue, at equal distances.
    static func lines(_ folder: String?, ofEach most: Int = 60, longest: Int = 8 << 10) throws -> [[UInt8]] {
        guard let folder else { return [] }
        var lines: [[UInt8]] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where name.hasSuffix(".jsonl") || name.hasSuffix(".json") {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"), options: .mappedIfSafe)
            let all = data.split(separator: 0x0A).filter { $0.count <= longest }
            let step = max(1, all.count / most)
            lines += stride(from: 0, to: all.count, by: step).map { Array(all[$0]) }
        }
        return lines
    }
}
