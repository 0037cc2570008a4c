import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Every command on an item, in every state of the item.
@Suite struct PollingTransitionTests {
    enum State: String, CaseIterable {
        case absent, disabled, waiting, queued, running
        /// Running, and will run again.
        case triggered
        /// Running for the last time: disabled but not cancelled.
        case finishing
        /// Disabled and cancelled, but its handler ignores the cancellation.
        case cancelled
        /// Beyond its time limit, but its handler ignores the cancellation.
        case overdue
        /// Removed, but its handler ignores the cancellation.
        case removed
    }

    /// For each command and state before it: what the command returns, and the state after it.
    ///
    /// `yes`, `no` and `-` are the returned value, if any. `waits` means that the command returns only when the handler
    /// has ended. `=` means that the state doesn't change. `-off` means that the item is disabled.
    static let table = [
        "add": """
        absent yes disabled; disabled no =; waiting no =; queued no =; running no =; triggered no =;
        finishing no =; cancelled no =; overdue no =; removed yes overdue-off
        """,
        "remove": """
        absent no =; disabled yes absent; waiting yes absent; queued yes absent; running yes absent;
        triggered yes absent; finishing yes absent; cancelled yes absent; overdue yes absent; removed no =
        """,
        "enable": """
        absent no =; disabled yes waiting; waiting no =; queued no =; running no =; triggered no =;
        finishing yes running; cancelled yes overdue; overdue no =; removed no =
        """,
        "disable": """
        absent no =; disabled no =; waiting yes disabled; queued yes disabled; running yes disabled;
        triggered yes disabled; finishing no disabled; cancelled no =; overdue yes overdue-off; removed no =
        """,
        "disableAndWait": """
        absent no =; disabled no =; waiting yes disabled; queued yes disabled; running waits running-off;
        triggered waits running-off; finishing waits =; cancelled waits =; overdue waits overdue-off;
        removed waits =
        """,
        "trigger": """
        absent no =; disabled no =; waiting yes running; queued yes =; running yes =; triggered yes =;
        finishing no =; cancelled no =; overdue yes =; removed no =
        """,
        "enableAll": """
        absent - =; disabled - waiting; waiting - =; queued - =; running - =; triggered - =;
        finishing - running; cancelled - overdue; overdue - =; removed - =
        """,
        "disableAll": """
        absent - =; disabled - =; waiting - disabled; queued - disabled; running - disabled;
        triggered - disabled; finishing - disabled; cancelled - =; overdue - overdue-off; removed - =
        """,
        "tick": """
        absent - =; disabled - =; waiting - running; queued - =; running - =; triggered - =;
        finishing - =; cancelled - =; overdue - =; removed - =
        """,
        "end": """
        absent - =; disabled - =; waiting - =; queued - waiting; running - waiting; triggered - waiting;
        finishing - disabled; cancelled - disabled; overdue - waiting; removed - absent
        """,
    ]

    private static func outcome(_ command: String, _ state: State) -> [String] {
        let cells = (table[command] ?? "").split { ";\n".contains($0) }.map { $0.split(separator: " ") }
        return cells.first { $0.first == state.rawValue[...] }?.dropFirst().map(String.init) ?? []
    }

    /// Adds an item and brings it into a state. Its handler waits at the gate.
    private func item(_ state: State, _ fixture: PollingFixture, _ gate: Gate) {
        let ignoresCancellation = [.cancelled, .overdue, .removed].contains(state)
        guard state != .absent else { return }
        fixture.add("b") {
            $0.lane = .serial
        } work: {
            try await gate.pass()
        }
        fixture.add("a") {
            $0.lane = state == .queued ? .serial : .own
            if state == .overdue { $0.timeLimit = .seconds(5) }
        } work: {
            if ignoresCancellation { await gate.passIgnoringCancellation() } else { try await gate.pass() }
        }
        if state == .disabled { return }
        if state == .queued {
            fixture.enable("b")
            fixture.center.trigger("b")
        }
        fixture.enable("a")
        if state == .waiting { return }
        fixture.center.trigger("a")
        fixture.time.settle()
        switch state {
        case .triggered: fixture.center.trigger("a")
        case .finishing: _ = fixture.time.spawn { await fixture.center.disableAndWait("a") }
        case .cancelled: fixture.center.disable("a")
        case .overdue: fixture.time.advance(by: .seconds(5))
        case .removed: fixture.center.remove("a")
        case .absent, .disabled, .waiting, .queued, .running: break
        }
        fixture.time.settle()
    }

    private func name(_ fixture: PollingFixture) -> String {
        guard let status = fixture.status() else { return "absent" }
        let isOff = !status.isEnabled && status.state != .disabled
        return "\(status.state)\(isOff ? "-off" : "")"
    }

    private func perform(_ command: String, _ fixture: PollingFixture, _ gate: Gate) -> String {
        let center = fixture.center
        let result = Mutex<String?>(nil)
        func returned(_ value: Bool) { result.withLock { $0 = value ? "yes" : "no" } }
        switch command {
        case "add": returned(fixture.add("a"))
        case "remove": returned(center.remove("a"))
        case "enable": returned(center.enable("a"))
        case "disable": returned(center.disable("a"))
        case "trigger": returned(center.trigger("a"))
        case "enableAll": center.enableAll()
        case "disableAll": center.disableAll()
        case "tick": fixture.time.advance(by: .seconds(10))
        case "end": gate.open()
        default: return disableAndWait(fixture)
        }
        fixture.time.settle()
        return result.withLock { $0 ?? "-" }
    }

    private func disableAndWait(_ fixture: PollingFixture) -> String {
        let (center, result) = (fixture.center, ReturnedValue())
        _ = fixture.time.spawn { result.set(await center.disableAndWait("a")) }
        fixture.time.settle()
        return result.value.map { $0 ? "yes" : "no" } ?? "waits"
    }

    private final class ReturnedValue: Sendable {
        private let state = Mutex<Bool?>(nil)
        var value: Bool? { state.withLock { $0 } }
        func set(_ value: Bool) { state.withLock { $0 = value } }
    }

    @Test(arguments: table.keys.sorted(), State.allCases)
    func everyCommandHasTheExpectedResultInEveryItemState(_ command: String, state: State) throws {
        let (fixture, gate) = (PollingFixture(), Gate())
        item(state, fixture, gate)
        let before = name(fixture)
        let outcome = Self.outcome(command, state)
        try #require(outcome.count == 2, "the table has no entry")
        #expect(perform(command, fixture, gate) == outcome[0])
        #expect(name(fixture) == (outcome[1] == "=" ? before : outcome[1]))

        // After every command, the handler ends, the item never overlaps itself, and it can be used again.
        gate.open()
        fixture.time.advance(by: .seconds(100))
        #expect(fixture.selfOverlaps == 0)
        #expect(["absent", "disabled", "waiting"].contains(name(fixture)))
        fixture.add("a")
        fixture.center.disable("a")
        #expect(fixture.center.enable("a"))
        #expect(fixture.center.trigger("a"))
        let began = fixture.passing(.zero)
        #expect(fixture.center.remove("a"))
        #expect(began.filter { $0.hasPrefix("a at") }.count == 1)
        fixture.center.disableAll()
        fixture.time.settle()
        #expect(fixture.center.statuses.allSatisfy { $0.state == .disabled })
    }

    @Test func theTransitionTableCoversEveryCommandAndState() {
        for (command, cells) in Self.table {
            #expect(cells.split { ";\n".contains($0) }.count == State.allCases.count, "\(command)")
        }
    }
}
