import ArgumentParser
import Foundation
import MirrorSimulation

struct TortureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Let random histories happen to simulated mirrors, and see that nothing is lost.",
        discussion: """
            Each history has a server that changes, lies and fails, people who edit albums, and processes that die at any \
            write; what must never be false is checked all the while. It is drawn from its seed alone, and the same seed makes \
            the same history. Of one that doesn't hold, the shortest that still doesn't is printed, and the exit code is 1. \
            Nothing is asked of any network, and no mirror is touched.
            """)

    @Option(help: ArgumentHelp("The first seed. Alone: just that history. Default: 1.", valueName: "n"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("How many histories, from the first seed on. Default: 300.", valueName: "k"))
    var runs: Int?

    @Option(
        help: ArgumentHelp(
            "After so many steps (a request, a commit, an edit, a crash) a history comes to rest. Default: at its own end.",
            valueName: "s"))
    var steps: Int?

    /// One of several processes: takes each so-manieth seed, and tells what becomes of it in lines for the one that began it.
    @Option(help: .hidden)
    var part: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    static let standardRuns = 300

    func validate() throws {
        if let runs, runs < 1 { throw ValidationError("--runs is a number above 0.") }
        if let steps, steps < 1 { throw ValidationError("--steps is a number above 0.") }
        if let part, part < 1 { throw ValidationError("--part is a number above 0.") }
        if (seed ?? 1).addingReportingOverflow(UInt64(count - 1)).overflow {
            throw ValidationError("There are not so many seeds behind that one.")
        }
    }

    private var count: Int { runs ?? (seed == nil ? Self.standardRuns : 1) }

    private var seeds: ClosedRange<UInt64> {
        let first = seed ?? 1
        return first...(first + UInt64(count - 1))
    }

    func run() async throws {
        if let part { return try await tellParent(stride: part) }
        try await output.printing { output in
            let screen = Screen.standardError()
            let report = TortureReport(output: output, screen: screen, json: self.output.json, seeds: seeds)
            let processes = TortureProcesses(
                seeds: seeds, steps: steps, count: ProcessInfo.processInfo.activeProcessorCount)
            let began = ContinuousClock.now
            let outcome = try await Interruption.cancelling {
                try await processes.run { report.hear($0, of: $1) }
            }
            try report.finish(outcome, seconds: (ContinuousClock.now - began) / .seconds(1))
        }
    }

    private func tellParent(stride: Int) async throws {
        MirrorTemplate.keepOthersOut()
        Self.endWithParent()
        let torture = Torture(seeds: seeds, stride: stride, steps: steps ?? .max)
        do {
            try await Interruption.cancelling { try await torture.run(Self.tell) }
        } catch is CancellationError {
            // The parent says so.
            throw ExitCode(ExitStatus.interrupted.rawValue)
        }
    }

    /// Ends as a signal would end it when whoever began this part is gone; at once where that takes too long, as where a
    /// history hangs.
    private static func endWithParent() {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                guard count > 0 || count < 0 && errno == EINTR else { break }
            }
            kill(getpid(), SIGTERM)
            sleep(10)
            _exit(ExitStatus.interrupted.rawValue)
        }
    }

    private static func tell(_ news: Torture.News) throws {
        var line = try Array(JSONEncoder().encode(news))
        line.append(UInt8(ascii: "\n"))
        // Without a parent there is nobody to work for.
        if Descriptor.write(line, to: STDOUT_FILENO) != nil { throw CancellationError() }
    }
}
