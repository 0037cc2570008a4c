import ArgumentParser
import Foundation
import MirrorSimulation

struct TortureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Run randomised simulations of mirrors, and check that nothing is lost.",
        discussion: """
            Each history has a server that changes, lies and fails, people who edit albums, syncs and watches that are paused, \
            and processes that die at any write; what must never be false is checked all the while. It is drawn from its seed alone, and the same seed makes \
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

    /// One of several processes: takes every n-th seed, and reports its results in lines to the process that started it.
    @Option(help: .hidden)
    var part: Int?

    @Flag(help: "Print one JSON object a line; the last one is always the summary.")
    var json = false

    static let standardRuns = 300

    func validate() throws {
        try requirePositive(("--runs", runs), ("--steps", steps), ("--part", part))
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
        if let part { return try await reportToParent(stride: part) }
        let report = TortureReport(json: json, seeds: seeds)
        let processes = TortureProcesses(
            seeds: seeds, steps: steps, count: ProcessInfo.processInfo.activeProcessorCount)
        let began = ContinuousClock.now
        do {
            let outcome = try await processes.run { report.handle($0, of: $1) }
            report.finish(outcome, seconds: (ContinuousClock.now - began) / .seconds(1))
            if outcome.report.failures > 0 { throw ExitCode.failure }
        } catch let error as TortureProcesses.Failure {
            report.fail(error)
            throw error
        }
    }

    private func reportToParent(stride: Int) async throws {
        MirrorTemplate.useExclusiveLocking()
        let torture = Torture(seeds: seeds, stride: stride, steps: steps ?? .max)
        let work = Task { try await torture.run(Self.send) }
        Self.endWithParent(work)
        do { try await work.value } catch is CancellationError { throw ExitCode.failure }
    }

    /// Cancels the work when the process that began this part is gone, so that its files are removed; ends at once where
    /// that takes too long, as where a history hangs.
    private static func endWithParent(_ work: Task<Void, any Error>) {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                guard count > 0 || count < 0 && errno == EINTR else { break }
            }
            work.cancel()
            sleep(10)
            _exit(1)
        }
    }

    private static func send(_ event: Torture.Event) throws {
        let line = try JSONEncoder().encode(event) + [UInt8(ascii: "\n")]
        do {
            try FileHandle.standardOutput.write(contentsOf: line)
        } catch {
            // Without a parent there is nobody to work for.
            throw CancellationError()
        }
    }
}
