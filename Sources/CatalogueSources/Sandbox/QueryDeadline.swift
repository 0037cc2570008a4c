import GRDBSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Interrupts a query that takes longer than one second.
///
/// SQLite asks after every hundred of its instructions. A single function is not interrupted: ``SandboxLimits`` keep its values
/// short.
package final class QueryDeadline {
    /// The time that a query may take.
    static let limit = Duration.seconds(1)

    private let now: @Sendable () -> Duration
    /// The time that is left for the query, as far as it was measured.
    private(set) var remaining = Duration.zero
    /// When SQLite asked last; `nil` before it asked in this turn.
    private var last: Duration?

    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Begins a turn of a query.
    ///
    /// The clock is first read when SQLite asks: most queries end before.
    func start(_ remaining: Duration) { (self.remaining, last) = (remaining, nil) }

    /// The connection must not run a query after the deadline is deinitialized.
    func attach(to database: OpaquePointer) {
        sqlite3_progress_handler(database, 100, hasPassed, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate func isOver() -> Bool {
        let time = now()
        if let last { remaining -= time - last }
        last = time
        return remaining <= .zero
    }

    /// The processor time of the current thread.
    package static let threadTime: @Sendable () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

private func hasPassed(_ deadline: UnsafeMutableRawPointer?) -> Int32 {
    guard let deadline else { return 0 }
    return Unmanaged<QueryDeadline>.fromOpaque(deadline).takeUnretainedValue().isOver() ? 1 : 0
}
