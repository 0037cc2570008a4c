import ArgumentParser
import Foundation
import MirrorSimulation

struct TortureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Run randomised simulations of mirrors, and check that nothing is lost.",
        discussion: """
            In each history a server changes, fails and sends false answers, people edit albums, syncs and watches are paused, \
            and processes are killed at any write. In one history of four, the server is a museum with a described catalogue. The invariants are checked all the time. A history is drawn from its seed alone: \
            the same seed gives the same history. If an invariant is violated, the shortest history that still violates it is \
            printed, and the exit code is 1. No network is used, and no real mirror is changed.
            """)

    @Option(
        help: ArgumentHelp(
            "The first seed. Without --runs, only this history is run. Default: 1.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp("The number of histories, from the first seed on. Default: 300.", valueName: "k"))
    var runs: Int?

    @Option(
        help: ArgumentHelp(
            "The maximum number of steps of a history (requests, commits, edits, crashes). Default: no limit.",
            valueName: "s"))
    var steps: Int?

    /// Set in child processes: take every n-th seed, and report the results to the parent process, one line each.
    @Option(help: .hidden)
    var part: Int?

    @Flag(help: "Print one JSON object per line; the last one is always the summary.")
    var json = false

    static let standardRuns = 300

    func validate() throws {
        try requirePositive(("--runs", runs), ("--steps", steps), ("--part", part))
        if (seed ?? 1).addingReportingOverflow(UInt64(count - 1)).overflow {
            throw ValidationError("There are not that many seeds from --seed on. Lower --seed or --runs.")
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

    /// Cancels the work when the parent process is gone, so that the files are removed. Exits after 10 seconds if that
    /// takes too long, as when a history hangs.
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
            // The parent process is gone.
            throw CancellationError()
        }
    }
}
