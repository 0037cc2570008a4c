import Synchronization

/// Runs named items at intervals, each enabled and disabled by itself.
///
/// ```swift
/// let center = PollingCenter()
/// center.add(Weather())
/// center.enable("Weather")
/// …
/// await center.disableAndWait("Weather")
/// ```
///
/// An ordinary value that one makes and keeps: when it goes away, its handlers are cancelled and nothing is left. All
/// methods may be called at any time, from any task and from handlers; those that change something say whether there was
/// anything to change, and calling them twice is harmless. An item never overlaps itself, not even across removing it
/// and adding it again.
public final class PollingCenter: Sendable {
    /// The run of the handler that calls, if one does.
    @TaskLocal static var caller: RunHandle?

    let clock: LoopClock
    let executor: (any TaskExecutor)?
    let alarm: Alarm
    let table: Mutex<PollingTable>

    /// - Parameters:
    ///   - clock: Default: the system's, from zero on.
    ///   - executor: Where handlers run. Default: the global one.
    ///   - random: Numbers in `0..<1` for back-off. It must not call the centre. Default: the system's.
    public init(
        clock: LoopClock = .continuous(), executor: (any TaskExecutor)? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.clock = clock
        self.executor = executor
        alarm = Alarm(clock: clock, executor: executor)
        table = Mutex(PollingTable(random: random))
    }

    deinit {
        alarm.end()
        for handle in table.withLock({ $0.runs.values.map(\.handle) }) { handle.cancel() }
    }

    /// Adds an item, disabled.
    ///
    /// - Returns: Whether it was added: false if there is one with its id, which stays as it is.
    @discardableResult
    public func add(_ item: some Pollable) -> Bool {
        let item = PolledItem(item)
        return update { table, _ in table.add(item) }
    }

    /// Removes an item at once, and cancels its handler if that runs.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func remove(_ id: String) -> Bool {
        update { table, _ in table.remove(id) }
    }

    /// Enables an item: it runs an interval from now, or at once if it says so, and so on.
    ///
    /// - Returns: Whether that changed anything: false if there is no such item or it is enabled.
    @discardableResult
    public func enable(_ id: String) -> Bool { update { $0.enable(id, at: $1) ?? false } }

    /// Disables an item at once. What a cancelled handler throws is no failure.
    ///
    /// - Parameter cancelling: Whether its handler is cancelled if that runs, rather than going on to its end. Default: true.
    /// - Returns: Whether that changed anything: false if there is no such item or it was disabled.
    @discardableResult
    public func disable(_ id: String, cancelling: Bool = true) -> Bool {
        update { table, _ in table.disable(id, cancelling: cancelling) ?? false }
    }

    /// Disables an item, and returns when its handler has ended, which goes on to its end if it runs.
    ///
    /// In a handler it doesn't wait for that handler itself, nor for one that waits for it in turn. It waits no longer
    /// when its own task is cancelled. To cancel the handler and wait, call ``disable(_:)`` before.
    /// - Returns: Whether that changed anything: false if there is no such item or it was disabled.
    @discardableResult
    public func disableAndWait(_ id: String) async -> Bool {
        await updateAndWait([id]) { table, _ in table.disable(id, cancelling: false) ?? false }
    }

    /// Enables all items that are not, in the order in which they were added.
    public func enableAll() {
        update { table, now in
            for id in table.ids { _ = table.enable(id, at: now) }
        }
    }

    /// Disables all items at once, and cancels the handlers that run.
    public func disableAll() {
        update { table, _ in
            for id in table.ids { _ = table.disable(id, cancelling: true) }
        }
    }

    /// Disables all items, and returns when the handlers that run have ended.
    public func disableAllAndWait() async {
        await updateAndWait(nil) { table, _ in
            for id in table.ids { _ = table.disable(id, cancelling: false) }
        }
    }

    /// Runs an enabled item now, whatever its back-off; its ticks stay where they are. If its handler runs, once more when
    /// that has ended, however often this is called until then.
    ///
    /// - Returns: Whether there is such an item and it is enabled.
    @discardableResult
    public func trigger(_ id: String) -> Bool { update { $0.trigger(id, at: $1) } }

    /// The status of an item; nil if there is none.
    public func status(of id: String) -> PollingStatus? { table.withLock { $0.status(of: id) } }

    /// The status of all items, in the order in which they were added.
    public var statuses: [PollingStatus] { table.withLock { $0.statuses() } }
}
