/// What the benchmarks are called, and which options each takes.
enum BenchUsage {
    static let text = """
        mirror-bench: measures what the design sets bars for. Build it with -c release.

          mirror-bench tree [ITEMS]                             the engine over trivial items, both modes (default 1,000,000)
          mirror-bench loops [LOOPS]                            the scheduler of events loops that have nothing to do (default
                                                                1,000 special loops)
          mirror-bench histories [--count N] [--seed N]         random histories of a partner and its mirror (default 10,000)
          mirror-bench kills [--runs N] [--seed N] [--only N]   kills of the real binary beside it (default 200); one again
          mirror-bench fuzz [--seed N] [--runs K] [--seconds S] [--door NAME] [--only N] [--corpus DIR]
                                                                random inputs for all that reads (default 1,000,000); one
                                                                again
          mirror-bench generate --to DIR [--artworks N]         a catalogue of N made-up artworks (default 10,000)
        """

    private static let options = [
        "tree": [], "loops": [], "histories": ["--count", "--seed"], "kills": ["--runs", "--seed", "--only"],
        "fuzz": ["--seed", "--runs", "--seconds", "--door", "--only", "--corpus"],
        "generate": ["--to", "--artworks"],
    ]

    static func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help"
    }

    /// What is wrong with the options, as a sentence; `nil` if nothing is.
    static func complaint(_ arguments: [String]) -> String? {
        guard let name = arguments.first, let known = options[name],
            let unknown = arguments.dropFirst().first(where: { $0.hasPrefix("-") && !known.contains($0) })
        else { return nil }
        return known.isEmpty
            ? "mirror-bench \(name) takes no option \(unknown)."
            : "mirror-bench \(name) takes no option \(unknown); there are \(known.joined(separator: ", "))."
    }
}
