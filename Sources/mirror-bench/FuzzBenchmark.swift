import ArgumentParser
import Foundation
import MirrorSimulation

/// Inputs by the million for everything that reads what servers, files and clients wrote.
///
/// They are taken in by processes of their own, so that a trap is found like any other failure, and a hang is ended.
struct FuzzBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz", abstract: "Make random inputs for everything that reads.")

    @Option var seed: UInt64 = 1
    @Option(
        help: "Inputs in all, divided among the doors. Default: 1,000,000, or as many as --seconds allows.")
    var runs: Int?
    @Option(help: "Wall time in all.") var seconds: Int?
    @Option(name: .customLong("door"), help: "Fuzz this target only.") var target: String?
    @Option(help: "Replay one input.") var only: UInt64?
    @Option(help: "The folder of a catalogue, whose lines are used as seeds.") var corpus: String?

    /// What stops a door.
    static let mostFailures = 5
    /// An input that takes longer than this has hung.
    static let limit = Duration.seconds(10)

    private var targets: [FuzzTarget] { FuzzTarget.all.filter { $0.name == target ?? $0.name } }

    func validate() throws {
        try requirePositive(("--runs", runs), ("--seconds", seconds))
        guard targets.isEmpty else { return }
        throw ValidationError(
            "There is no such door; there are: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
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
        report(tallies, failures, seconds: (ContinuousClock.now - start) / .seconds(1))
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func report(_ tallies: [String: FuzzTally], _ failures: [FuzzTrial.Failure], seconds: Double) {
        for target in targets {
            guard let tally = tallies[target.name] else { continue }
            let rate = Int(Double(tally.inputs) / max(tally.seconds, 0.001))
            print("\(target.name): \(tally.inputs) inputs, \(rate) a second a process")
        }
        for failure in failures {
            print(
                """
                \(failure.target), input \(failure.number): \(failure.sentence)
                  "\(failure.input.fuzzText)"
                  Again: mirror-bench fuzz --door "\(failure.target)" --seed \(failure.seed) --only \(failure.number)\(
                    corpus.map { " --corpus \($0)" } ?? "")
                """)
        }
        let inputs = tallies.values.reduce(0) { $0 + $1.inputs }
        print(
            "\(inputs) inputs, seed \(seed), \(targets.count) doors: \(failures.count) failed, \(seconds.text(1)) s"
        )
    }

    /// One input again, in this very process.
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
        print("Nothing is wrong with it.")
    }
}

/// What one process does: each so-manieth input.
struct FuzzOrder: Codable {
    var targets: [String]
    let seed: UInt64
    /// Inputs of each door; and seconds for each.
    let runs: UInt64?
    let seconds: Double?
    let corpus: String?
    let part: Int
    let parts: Int
    /// The input of the first door to go on with, after one that ended a process.
    var next: UInt64?
}

/// How many inputs of a door were taken in.
struct FuzzTally: Codable {
    let target: String
    var inputs: UInt64 = 0
    var seconds = 0.0

    mutating func add(_ other: FuzzTally) {
        inputs += other.inputs
        seconds += other.seconds
    }
}

/// What a process tells.
enum FuzzEvent: Codable {
    case failure(FuzzTrial.Failure)
    case tally(FuzzTally)
}

/// Lines of a catalogue.
enum FuzzCorpus {
    /// Some of every file, spread over all of it.
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
