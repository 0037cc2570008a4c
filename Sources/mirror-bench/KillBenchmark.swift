import Foundation
import MirrorSimulation

/// Kills the real binary at random moments, looks at what it left, and lets the next run go on.
struct KillBenchmark {
    let runs: Int
    let seed: UInt64

    /// The binary that was built beside this one.
    private static var binary: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "mirror").path
    }

    /// - Returns: whether all of them were survived.
    func run() throws -> Bool {
        let program = MirrorProgram(path: Self.binary)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mirror-kills-\(UUID().uuidString)")
        let stage = try KillStage(program, folder: folder.path)
        let start = ContinuousClock.now
        var survived = 0
        let kinds = KillKind.spread(over: runs)
        for kind in KillKind.allCases {
            let numbers = kinds.indices.filter { kinds[$0] == kind }
            guard !numbers.isEmpty else { continue }
            let whole = try KillTrial.measure(stage, kind)
            var good = 0, objects: [Int] = [], files: [Int] = []
            for number in numbers {
                let seed = seed &+ UInt64(number)
                var trial = KillTrial(stage, kind, seed: seed)
                try trial.run(whole)
                objects.append(trial.objects)
                files.append(trial.files)
                if trial.findings.isEmpty { good += 1 }
                for finding in trial.findings {
                    print("\(kind.rawValue), run \(number), seed \(seed), \(trial.moment): \(finding)")
                }
            }
            survived += good
            print(
                "\(kind.rawValue): \(good) of \(numbers.count) survived; committed when killed:",
                "\(Self.range(objects)) objects, \(Self.range(files)) files")
        }
        try stage.end()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("\(survived) of \(runs) kills survived, \(seconds.text(0)) s")
        return survived == runs
    }

    private static func range(_ numbers: [Int]) -> String { "\(numbers.min() ?? 0) to \(numbers.max() ?? 0)" }
}
