import ArgumentParser
import Foundation
import MirrorSimulation

/// Kills the real binary at random moments, checks what it left, and runs it again.
struct KillBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kills", abstract: "Kill the real command, built beside this one, at random moments.")

    @Option var runs = 200
    @Option var seed: UInt64 = 1
    @Option(help: "Run only the run with this number.") var only: Int?

    func validate() throws { try requirePositive(("--runs", runs), ("--only", only)) }

    func run() throws {
        let program = try MirrorProgram(path: BuiltMirror().path)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mirror-kills-\(UUID().uuidString)")
        let environment = try KillEnvironment(program, folder: folder.path)
        let start = ContinuousClock.now
        var survived = 0
        let kinds = KillKind.spread(over: runs)
        for kind in KillKind.allCases {
            let numbers = kinds.indices.filter { kinds[$0] == kind && $0 == only ?? $0 }
            guard !numbers.isEmpty else { continue }
            let measure = try KillTrial.measure(environment, kind)
            var good = 0, objects: [Int] = [], files: [Int] = []
            for number in numbers {
                let seed = seed &+ UInt64(number)
                var trial = KillTrial(environment, kind, seed: seed)
                try trial.run(measure)
                objects.append(trial.objects)
                files.append(trial.files)
                if trial.findings.isEmpty { good += 1 }
                for finding in trial.findings {
                    print("\(kind.rawValue), run \(number), seed \(seed), \(trial.moment): \(finding)")
                }
            }
            survived += good
            defer { fflush(nil) }
            print(
                "\(kind.rawValue): \(good) of \(numbers.count) survived; committed when killed:",
                "\(Self.range(objects)) objects, \(Self.range(files)) files")
        }
        try environment.end()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let count = only == nil ? runs : 1
        print("\(survived) of \(count) kills survived, \(seconds.text(0)) s")
        if survived != count { throw ExitCode.failure }
    }

    private static func range(_ numbers: [Int]) -> String { "\(numbers.min() ?? 0) to \(numbers.max() ?? 0)" }
}
