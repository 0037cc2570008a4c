import ArgumentParser
import PeriodicLoops

/// Measures the overhead of the scheduler, with event loops whose feeds have no events.
struct LoopsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loops", abstract: "Measure the scheduler with events loops that have nothing to do.")

    @Argument var specialLoops = 1_000

    /// The number of polls of a mirror with an interval of 30 s in 3.5 days.
    private static let intervals = 10_000

    func run() async {
        print("scenario                       cycles    seconds  µs/cycle    ns/loop   growth KiB")
        await measure("\(specialLoops) special loops", loops: specialLoops, cycles: 200)
        await measure("an idle partner", loops: 3, cycles: Self.intervals)
    }

    private func measure(_ name: String, loops: Int, cycles: Int) async {
        let scheduler = EventsPeriodicScheduler(
            core: IdleCoreLoop(), configuration: EventsConfiguration(interval: .seconds(86_400))
        ) { IdleLoop(loopID: $0) }
        for number in 0..<loops { scheduler.enableLoop("\(number)") }
        scheduler.start()
        await scheduler.settled()
        for _ in 0..<max(10, cycles / 100) {
            scheduler.triggerAll()
            await scheduler.settled()
        }
        let before = PeakMemory.mebibytes
        let start = ContinuousClock.now
        for _ in 0..<cycles {
            scheduler.triggerAll()
            await scheduler.settled()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let growth = (PeakMemory.mebibytes - before) * 1_024
        print(
            "\(name.padded(28)) \(String(cycles).padded(8, left: true)) "
                + "\(seconds.text(3).padded(10, left: true)) "
                + "\((seconds * 1e6 / Double(cycles)).text(1).padded(9, left: true)) "
                + "\((seconds * 1e9 / Double(cycles * (loops + 1))).text(0).padded(10, left: true)) "
                + "\(growth.text(0).padded(12, left: true))")
    }
}

private struct IdlePage: EventsPage {
    var refresh: RefreshMask { [] }
    var hasMore: Bool { false }
}

/// An event loop with a cursor and an empty feed.
private protocol Idle: EventsLoop where Page == IdlePage {}

extension Idle {
    var latestEventID: String? { "0" }
    var refreshableKinds: RefreshMask { [] }
    func poll(after eventID: String) async throws -> IdlePage { IdlePage() }
    func process(_ page: IdlePage, ticket: CommitTicket) async throws { try ticket.check() }
    func refresh(_ kinds: RefreshMask, answer: IdlePage?, ticket: CommitTicket) async throws {}
    func onError(_ error: any Error) async -> LoopFailure { .unprocessable("\(error)") }
}

private struct IdleLoop: Idle {
    let loopID: LoopID
}

private final class IdleCoreLoop: Idle, CoreLoop {
    let loopID = "core"
    private let link = CoreLoopDelegateLink()
    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }
}
