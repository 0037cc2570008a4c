/// What runs: the worker, the operation that it is at, and those that were given up and have not returned.
struct LoopExecution {
    /// Only touched under the engine's lock.
    final class Running {
        let operation: LoopOperation
        let entry: LoopEntry
        fileprivate(set) var activity: LoopStatus.Activity
        fileprivate(set) var deadline: Duration?
        /// Nothing that comes of it counts.
        fileprivate(set) var isCancelled = false

        init(
            _ operation: LoopOperation, _ entry: LoopEntry, _ activity: LoopStatus.Activity,
            until deadline: Duration?
        ) {
            self.operation = operation
            self.entry = entry
            self.activity = activity
            self.deadline = deadline
        }
    }

    /// Works off the queue in one task, and is gone when that is empty. A task that was cancelled stays so: then another
    /// worker goes on.
    private(set) var worker: RunHandle?
    private(set) var running: Running?
    /// By loop: the operation that was given up. While it hasn't returned, that loop begins no other.
    private var strays: [LoopID: LoopOperation] = [:]

    func hasStray(_ entry: LoopEntry) -> Bool { !strays.isEmpty && strays[entry.id] != nil }

    /// A worker, if there is none.
    mutating func hire() -> RunHandle? {
        guard worker == nil else { return nil }
        let handle = RunHandle()
        worker = handle
        return handle
    }

    mutating func dismiss() { worker = nil }

    mutating func begin(
        _ entry: LoopEntry, _ work: LoopOperation.Work, _ activity: LoopStatus.Activity,
        until deadline: Duration?
    ) -> LoopOperation {
        let operation = LoopOperation(entry.loop, work)
        running = Running(operation, entry, activity, until: deadline)
        return operation
    }

    /// The operation, if it is the one that runs, and still counts.
    func current(_ operation: LoopOperation) -> Running? {
        guard let running, running.operation === operation, !running.isCancelled else { return nil }
        return running
    }

    func enter(_ activity: LoopStatus.Activity, until deadline: Duration?) {
        running?.activity = activity
        running?.deadline = deadline
    }

    /// An operation has returned. The one that ran, with whether it still counts; nil if it had been given up.
    mutating func end(_ operation: LoopOperation) -> Running? {
        guard let ended = running, ended.operation === operation else {
            let id = operation.loop.loopID
            if strays[id] === operation { strays[id] = nil }
            return nil
        }
        running = nil
        return ended
    }

    /// From here on, the running operation can't commit and counts for nothing; returns the worker to be cancelled. It has
    /// until `deadline` to return.
    func cancel(by deadline: Duration) -> RunHandle? {
        guard let running, !running.isCancelled else { return nil }
        running.operation.ticket.revoke()
        running.isCancelled = true
        running.deadline = min(running.deadline ?? deadline, deadline)
        return worker
    }

    /// Goes on without the running operation; returns it and its worker.
    mutating func giveUp() -> (running: Running, worker: RunHandle?)? {
        guard let given = running else { return nil }
        given.operation.ticket.revoke()
        strays[given.operation.loop.loopID] = given.operation
        defer { (running, worker) = (nil, nil) }
        return (given, worker)
    }
}
