// mirror-bench: measurements, randomised tests of the invariants and the parsers, generated catalogues and imitated servers. The tests
// themselves are in `MirrorSimulation`.

import ArgumentParser
import Foundation

@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror-bench", abstract: "Measures and tests mirror. Build it with -c release.",
        subcommands: [
            TreeBenchmark.self, LoopsBenchmark.self, ReadingBenchmark.self, TortureCommand.self,
            KillBenchmark.self,
            FuzzBenchmark.self,
            FuzzPart.self, GenerateCommand.self, ImitateCommand.self,
        ] + libFuzzer)

    #if LIBFUZZER
        private static let libFuzzer: [any ParsableCommand.Type] = [LibFuzzer.self]
    #else
        private static let libFuzzer: [any ParsableCommand.Type] = []
    #endif

    static func main() async {
        // A reader of the output may close it early, as `head` does. SIGPIPE would then end this process, but not its children.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}

/// - Throws: a validation error for a number below 1.
func requirePositive(_ numbers: (name: String, value: Int?)...) throws {
    for case (let name, let value?) in numbers where value < 1 {
        throw ValidationError("\(name) must be a number above 0.")
    }
}
