// mirror-bench: measures what the design sets limits for, and tries out at random what must always hold. A file has a
// command; what they try out is in `MirrorSimulation`.

import ArgumentParser
import Foundation

@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror-bench", abstract: "Measures and tests mirror. Build it with -c release.",
        subcommands: [
            TreeBenchmark.self, LoopsBenchmark.self, TortureCommand.self, KillBenchmark.self,
            FuzzBenchmark.self,
            FuzzPart.self, GenerateCommand.self,
        ] + libFuzzer)

    #if LIBFUZZER
        private static let libFuzzer: [any ParsableCommand.Type] = [LibFuzzer.self]
    #else
        private static let libFuzzer: [any ParsableCommand.Type] = []
    #endif

    static func main() async {
        // A reader of the output may close it early, as `head` does: the processes that were started are ended all the same.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}

/// Numbers from 1 on.
func requirePositive(_ numbers: (name: String, value: Int?)...) throws {
    for case (let name, let value?) in numbers where value < 1 {
        throw ValidationError("\(name) is a number above 0.")
    }
}
