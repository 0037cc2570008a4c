import Catalogue
import Foundation
import Synchronization

/// Keeps the requests to each host within a ``RequestBudget``. All requests to a host share one, including repetitions.
///
/// It must be placed after the throttle, whose delays (`Retry-After`, blocks) win: a request that got its slot waits for the end
/// of a delay, and then for a new slot. The wait for a slot is pacing, and doesn't count towards a limit of waits.
///
/// When the day's budget is used up, requests fail at once with code ``HTTPError/Code/dailyBudgetUsedUp``.
public final class BudgetInterceptor: Interceptor {
    /// The limits for each host.
    public let limits: RequestBudget.Limits
    /// The throttle before this interceptor.
    public let throttle: ThrottleInterceptor

    private let restore: @Sendable (Origin) throws -> RequestBudget.DayCount?
    private let store: @Sendable (Origin, RequestBudget.DayCount) throws -> Void
    private let budgets = Mutex<[Origin: RequestBudget]>([:])

    /// Creates an interceptor.
    ///
    /// The closures are only called if there is a limit for each day. They are called one at a time, and must not send requests.
    /// If one throws, the request fails with its error and is not sent.
    ///
    /// - Parameters:
    ///   - limits: The limits for each host.
    ///   - throttle: The throttle before this interceptor.
    ///   - restore: Returns a host's count that was stored last; called before the first request to a host.
    ///   - store: Stores a host's count durably; called at most once for each hundredth of the day's budget, or each 100
    ///     requests if these are fewer, and by ``settle()``.
    public init(
        limits: RequestBudget.Limits, behind throttle: ThrottleInterceptor,
        restore: @escaping @Sendable (Origin) throws -> RequestBudget.DayCount? = { _ in nil },
        store: @escaping @Sendable (Origin, RequestBudget.DayCount) throws -> Void = { _, _ in }
    ) {
        self.limits = limits
        self.throttle = throttle
        self.restore = restore
        self.store = store
    }

    /// Waits for the request's slot, and counts the request.
    public func willSend(_ attempt: inout Attempt) async throws {
        let origin = attempt.origin, clock = attempt.clock
        if let day = try change(origin, { $0.usedUp(at: clock.now()) }) {
            throw Self.usedUp(limits, origin, until: day, now: clock.now())
        }
        if attempt.mayWait {
            try await waitForSlot(&attempt)
        } else {
            _ = try change(origin) { $0.send(at: clock.elapsed(), mayWait: false) }
        }
        // From here on nothing waits: a counted request is sent.
        try attempt.session.sending.check()
        let now = clock.now()
        let decision = try change(origin) { budget in
            let decision = budget.countRequest(at: now)
            if case .sendAfterStoring(let count) = decision { try store(origin, count) }
            return decision
        }
        if case .usedUp(let day) = decision { throw Self.usedUp(limits, origin, until: day, now: now) }
    }

    /// Stores the exact counts. To be called at the end of a run. Without it, a run loses at most a hundredth of the budget.
    ///
    /// - Throws: errors of the closure that stores.
    public func settle() throws {
        for origin in budgets.withLock({ Array($0.keys) }) {
            try change(origin) { budget in
                if let count = budget.settle() { try store(origin, count) }
            }
        }
    }

    private func waitForSlot(_ attempt: inout Attempt) async throws {
        let origin = attempt.origin, clock = attempt.clock
        var wait = try change(origin) { $0.reserve(at: clock.elapsed()) }
        while true {
            if wait > .zero { _ = try await attempt.session.wait(wait, .pacing) }
            if throttle.isDelayed(origin, at: clock.elapsed()) {
                try await throttle.willSend(&attempt)
                wait = try change(origin) { $0.reserve(at: clock.elapsed()) }
            } else if let more = try change(origin, { $0.send(at: clock.elapsed()) }) {
                wait = more
            } else {
                return
            }
        }
    }

    /// Changes a host's budget; not if `body` throws.
    private func change<Result: Sendable>(
        _ origin: Origin, _ body: (inout RequestBudget) throws -> Result
    ) throws -> Result {
        try budgets.withLock { budgets in
            var budget: RequestBudget
            if let known = budgets[origin] {
                budget = known
            } else {
                budget = RequestBudget(
                    limits, restored: limits.perDay == nil ? nil : try restore(origin))
            }
            let result = try body(&budget)
            budgets[origin] = budget
            return result
        }
    }

    private static func usedUp(
        _ limits: RequestBudget.Limits, _ origin: Origin, until day: Int, now: Date
    ) -> HTTPError {
        let date = CalendarDate(daysSince1970: day)
        let text = "\(date.year.padded(to: 4))-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))"
        let left = Double(day) * 86_400 - now.timeIntervalSince1970
        return HTTPError(
            .dailyBudgetUsedUp,
            "The \(limits.perDay ?? 0) requests to \(origin.display) that are allowed on one day are used up. Requests continue on \(text) at 00:00 UTC. Try again then.",
            retryAfter: .seconds(max(0, left.rounded(.up))))
    }
}
