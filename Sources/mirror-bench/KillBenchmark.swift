import ArgumentParser
import Foundation
import MirrorSimulation

/// Kills the built `mirror` command at random moments, checks the mirror that remains, and runs the command again.
struct KillBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kills", abstract: "Kill the built `mirror` command at random moments.")

    @Option(help: "The number of trials: each kills the command once.") var runs = 200
    @Option(help: "The seed. Trial N uses the seed plus N - 1.") var seed: UInt64 = 1
    @Option(help: "Repeat only trial N, from 1. Pass the same --runs and --seed.") var only: Int?

    func validate() throws {
        try requirePositive(("--runs", runs), ("--only", only))
        if let only, only > runs {
            throw ValidationError("--only \(only) is above the number of trials (--runs \(runs)).")
        }
    }

    func run() throws {
        let program = try MirrorProgram(path: BuiltMirror().path)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mirror-kills-\(UUID().uuidString)")
        let environment = try KillEnvironment(program, folder: folder.path)
        let start = ContinuousClock.now
        var correct = 0
        let kinds = KillKind.spread(over: runs)
        for kind in KillKind.allCases {
            let indexes = kinds.indices.filter { kinds[$0] == kind && (only == nil || only == $0 + 1) }
            guard !indexes.isEmpty else { continue }
            let measure = try KillTrial.measure(environment, kind)
            var correctOfKind = 0, objects: [Int] = [], files: [Int] = []
            for index in indexes {
                let seed = seed &+ UInt64(index)
                var trial = KillTrial(environment, kind, seed: seed)
                try trial.run(measure)
                objects.append(trial.objects)
                files.append(trial.files)
                if trial.findings.isEmpty { correctOfKind += 1 }
                for finding in trial.findings {
                    print("\(kind.rawValue), trial \(index + 1), seed \(seed), \(trial.moment): \(finding)")
                }
            }
            correct += correctOfKind
            defer { fflush(nil) }
            print(
                "\(kind.rawValue): \(correctOfKind) of \(indexes.count) trials left a correct mirror; committed when killed:",
                "\(Self.range(objects)) objects, \(Self.range(files)) files")
        }
        try environment.end()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let count = only == nil ? runs : 1
        print("\(correct) of \(count) trials left a correct mirror, \(seconds.text(0)) s")
        if correct != count { throw ExitCode.failure }
    }

    private static func range(_ numbers: [Int]) -> String { "\(numbers.min() ?? 0) to \(numbers.max() ?? 0)" }
}
