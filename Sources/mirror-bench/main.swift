// mirror-bench: measures what the design sets bars for. Build it with `-c release`.
//
//   mirror-bench tree [ITEMS]                             the engine over trivial items, both modes (default 1,000,000)
//   mirror-bench loops [LOOPS]                            the scheduler of events loops that have nothing to do (default
//                                                         1,000 special loops)
//   mirror-bench histories [--count N] [--seed N]         random histories of a partner and its mirror (default 10,000)
//   mirror-bench kills [--runs N] [--seed N] [--only N]   kills of the real binary beside it (default 200); one again
//   mirror-bench compare [--sizes N,N] [--catalogue DIR] [--tools NAMES] [--runs N] [--json FILE] [--svg FILE]
//                        [--mirror PATH]                  the real binary beside curl and others, on the same URLs

import Foundation

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
case "compare":
    exit(CompareBenchmark.main(arguments.dropFirst()))
case let name?:
    print("No benchmark is called “\(name)”; there are: tree, loops, histories, kills, compare")
    exit(64)
}
