// mirror-bench: measures what the design sets bars for; `BenchUsage` says what there is.

import Foundation
import MirrorSimulation

let arguments = Array(CommandLine.arguments.dropFirst())

/// The number behind an option's name.
func number(_ name: String, default value: UInt64) -> UInt64 {
    guard let place = arguments.firstIndex(of: name) else { return value }
    guard place + 1 < arguments.count, let number = UInt64(arguments[place + 1]), number > 0 else {
        print("\(name) takes a number from 1 on.")
        exit(64)
    }
    return number
}

/// The word behind an option's name.
func text(_ name: String) -> String? {
    guard let place = arguments.firstIndex(of: name) else { return nil }
    guard place + 1 < arguments.count else {
        print("\(name) takes a value.")
        exit(64)
    }
    return arguments[place + 1]
}

if BenchUsage.asksForHelp(arguments) {
    print(BenchUsage.text)
    exit(0)
}
if let complaint = BenchUsage.complaint(arguments) {
    print(complaint)
    exit(64)
}
// Whoever reads what is printed may go, as `head` does: what was started is stopped at the end all the same.
signal(SIGPIPE, SIG_IGN)

do {
    switch arguments.first {
    case "tree", nil:
        await TreeBenchmark(items: arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000).run()
    case "loops":
        await LoopsBenchmark(specialLoops: arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000).run()
    case "histories":
        let histories = HistoryBenchmark(
            count: Int(number("--count", default: 10_000)), seed: number("--seed", default: 1))
        exit(try await histories.run() ? 0 : 1)
    case "part-of-histories":
        exit(try await HistoryBenchmark.part(arguments.dropFirst()) ? 0 : 64)
    case "kills":
        exit(
            try KillBenchmark(
                runs: Int(number("--runs", default: 200)), seed: number("--seed", default: 1),
                only: arguments.contains("--only") ? Int(number("--only", default: 1)) : nil
            ).run() ? 0 : 1)
    case "fuzz":
        let name = text("--door")
        let doors = FuzzDoor.all.filter { $0.name == name ?? $0.name }
        guard !doors.isEmpty else {
            print("There is no such door; there are: \(FuzzDoor.all.map(\.name).joined(separator: ", "))")
            exit(64)
        }
        let seconds = arguments.contains("--seconds") ? Double(number("--seconds", default: 60)) : nil
        let fuzzing = FuzzBenchmark(
            doors: doors, seed: number("--seed", default: 1),
            runs: seconds == nil || arguments.contains("--runs") ? number("--runs", default: 1_000_000) : nil,
            seconds: seconds, corpus: text("--corpus"))
        if let only = text("--only") {
            guard let only = UInt64(only) else {
                print("--only takes the number of an input.")
                exit(64)
            }
            exit(try fuzzing.replay(only) ? 0 : 1)
        }
        exit(try fuzzing.run() ? 0 : 1)
    case "part-of-fuzz":
        exit(try FuzzProcess.part(arguments.dropFirst()) ? 0 : 64)
    #if LIBFUZZER
        case "libfuzzer":
            exit(try LibFuzzer.main(arguments.dropFirst()))
    #endif
    case "generate":
        guard let folder = text("--to") else {
            print("generate takes --to and a folder.")
            exit(64)
        }
        try GeneratedCatalogue(artworks: Int(number("--artworks", default: 10_000))).write(to: folder)
    case let name?:
        print("No benchmark is called “\(name)”; there are: tree, loops, histories, kills, fuzz, generate")
        exit(64)
    }
} catch {
    // Foundation's own have sentences of another kind.
    let words = error is CocoaError || error is DecodingError ? error.localizedDescription : "\(error)"
    StandardError.write("mirror-bench: \(words)\n")
    exit(1)
}
