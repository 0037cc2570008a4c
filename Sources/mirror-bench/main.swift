// mirror-bench: measures what the design sets bars for. Build it with `-c release`.
//
//   mirror-bench tree [ITEMS]                             the engine over trivial items, both modes (default 1,000,000)
//   mirror-bench loops [LOOPS]                            the scheduler of events loops that have nothing to do (default
//                                                         1,000 special loops)

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

switch arguments.first {
case "tree", nil:
    await TreeBenchmark(items: arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000).run()
case "loops":
    await LoopsBenchmark(specialLoops: arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000).run()
case let name?:
    print("No benchmark is called “\(name)”; there are: tree, loops")
    exit(64)
}
