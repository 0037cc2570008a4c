import Synchronization

/// Polls items (``Pollable``) at intervals. Each item is enabled and disabled separately.
///
/// ```swift
/// let center = PollingCenter()
/// center.add(Weather())
/// center.enable("Weather")
/// …
/// await center.disableAndWait("Weather")
/// ```
///
/// The creator owns the centre. When the centre is released, its handlers are cancelled.
///
/// All methods can be called at any time, from any task and from handlers. Methods that make a change return whether
/// anything changed. They are idempotent. An item never overlaps itself, even if it is removed and added again.
public final class PollingCenter: Sendable {
    /// The poll that the current task belongs to; nil outside of handlers.
    @TaskLocal static var caller: RunHandle?

    let clock: LoopClock
    let executor: (any TaskExecutor)?
    let alarm: Alarm
    let table: Mutex<PollingTable>

    /// Creates a centre without items.
    ///
    /// - Parameters:
    ///   - clock: The centre's time. Default: the system's continuous clock, starting at zero.
    ///   - executor: The executor of the handlers. Default: nil, the global one.
    ///   - random: Returns a random number in `0..<1`, for back-off. It must not call the centre. Default: the system's
    ///     random numbers.
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

    /// Adds an item. It is disabled at first.
    ///
    /// - Returns: Whether the item was added. False if there already is an item with its id, which isn't replaced.
    @discardableResult
    public func add(_ item: some Pollable) -> Bool {
        let item = PolledItem(item)
        return update { table, _ in table.add(item) }
    }

    /// Removes an item. If its handler runs, it is cancelled.
    ///
    /// - Returns: Whether there was such an item.
    @discardableResult
    public func remove(_ id: String) -> Bool {
        update { table, _ in table.remove(id) }
    }

    /// Enables an item. Its first poll is an interval from now, or at once if ``Pollable/startsAtOnce`` is true.
    ///
    /// - Returns: Whether anything changed. False if there is no such item or it is already enabled.
    @discardableResult
    public func enable(_ id: String) -> Bool { update { $0.enable(id, at: $1) ?? false } }

    /// Disables an item. An error thrown by its cancelled handler doesn't count as a failure.
    ///
    /// - Parameters:
    ///   - id: The item's ``Pollable/uid``.
    ///   - cancelling: Whether a running handler is cancelled. If false, it continues to its end. Default: true.
    /// - Returns: Whether anything changed. False if there is no such item or it is already disabled.
    @discardableResult
    public func disable(_ id: String, cancelling: Bool = true) -> Bool {
        update { table, _ in table.disable(id, cancelling: cancelling) ?? false }
    }

    /// Disables an item, and waits until its running handler has ended. The handler isn't cancelled.
    ///
    /// - To cancel the handler and wait, call ``disable(_:cancelling:)`` before.
    /// - Called from a handler, the method doesn't wait for that handler, nor for one that waits for that handler.
    /// - The method stops waiting when the calling task is cancelled.
    ///
    /// - Returns: Whether anything changed. False if there is no such item or it is already disabled.
    @discardableResult
    public func disableAndWait(_ id: String) async -> Bool {
        await updateAndWait([id]) { table, _ in table.disable(id, cancelling: false) ?? false }
    }

    /// Enables all disabled items, in the order in which they were added.
    public func enableAll() {
        update { table, now in
            for id in table.ids { _ = table.enable(id, at: now) }
        }
    }

    /// Disables all items, and cancels all running handlers.
    public func disableAll() {
        update { table, _ in
            for id in table.ids { _ = table.disable(id, cancelling: true) }
        }
    }

    /// Disables all items, and waits until all running handlers have ended; see ``disableAndWait(_:)``.
    public func disableAllAndWait() async {
        await updateAndWait(nil) { table, _ in
            for id in table.ids { _ = table.disable(id, cancelling: false) }
        }
    }

    /// Polls an enabled item now, regardless of its back-off. Its ticks don't move.
    ///
    /// If the item's handler already runs, the item is polled again when the handler has ended. Several calls in that time lead
    /// to one poll.
    ///
    /// - Returns: Whether there is such an item and it is enabled.
    @discardableResult
    public func trigger(_ id: String) -> Bool { update { $0.trigger(id, at: $1) } }

    /// The status of an item; nil if there is no such item.
    public func status(of id: String) -> PollingStatus? { table.withLock { $0.status(of: id) } }

    /// The status of all items, in the order in which they were added.
    public var statuses: [PollingStatus] { table.withLock { $0.statuses() } }
}
