import Foundation
import MirrorHTTP
import MirrorTesting
import Testing

/// The decisions of a budget, without a session.
@Suite struct RequestBudgetTests {
    @Test(
        arguments: [
            (nil, .seconds(1), nil, .zero, nil), (20, .seconds(1), nil, .milliseconds(50), nil),
            (1, .seconds(1), nil, .seconds(1), 10), (60, .seconds(60), nil, .seconds(1), 10),
            (30, .seconds(3_600), nil, .seconds(120), 1), (0.5, .seconds(1), nil, .seconds(2), 5),
            (20, .seconds(1), 2, .milliseconds(50), 2), (nil, .seconds(1), 4, .zero, 4),
        ] as [(Double?, Duration, Int?, Duration, Int?)])
    func limitsGiveASpacingAndAWidth(
        requests: Double?, interval: Duration, parallel: Int?, spacing: Duration, width: Int?
    ) {
        let limits = RequestBudget.Limits(requests: requests, per: interval, parallel: parallel)
        #expect(limits.spacing == spacing && limits.width == width)
    }

    /// Requests arrive at random times, and a busy computer wakes them up to 300 ms late.
    @Test(arguments: [0, 0.3]) func noSecondContainsMoreThanTwentyOneRequestsAtTwentyASecond(
        lateness: Double
    ) {
        let random = SeededRandom(seed: 5)
        var budget = RequestBudget(RequestBudget.Limits(requests: 20))
        var sent: [Duration] = [], now = Duration.zero, hasSlot = Set<Int>()
        var alarms = (0..<300).map { (id: $0, time: Duration.seconds(random.unit() * 8)) }
        while let next = alarms.indices.min(by: { alarms[$0].time < alarms[$1].time }) {
            let alarm = alarms.remove(at: next)
            now = max(now, alarm.time + .seconds(random.unit() * lateness))
            let wait = hasSlot.insert(alarm.id).inserted ? budget.reserve(at: now) : .zero
            if wait > .zero {
                alarms.append((alarm.id, now + wait))
            } else if let more = budget.send(at: now) {
                alarms.append((alarm.id, now + more))
            } else {
                sent.append(now)
            }
        }
        #expect(sent.count == 300)
        let most = sent.indices.map { first in sent[first...].prefix { $0 <= sent[first] + .seconds(1) }.count
        }
        #expect(most.max() ?? 0 <= 21)
        // The budget is used: 300 requests that are always waiting take 15 s.
        if lateness == 0 { #expect(now < .seconds(16)) }
    }

    @Test func aRequestThatMustNotWaitDelaysTheNextOne() {
        var budget = RequestBudget(RequestBudget.Limits(requests: 2))
        #expect(budget.reserve(at: .zero) == .zero && budget.send(at: .zero) == nil)
        #expect(budget.send(at: .milliseconds(100), mayWait: false) == nil)
        #expect(budget.reserve(at: .milliseconds(200)) == .milliseconds(400))
        #expect(budget.send(at: .milliseconds(500)) == .milliseconds(100))
    }

    private func date(_ day: Int, _ seconds: Double = 0) -> Date {
        Date(timeIntervalSince1970: Double(day) * 86_400 + seconds)
    }

    @Test func theBudgetOfADayIsUsedUpUntilTheNextDay() {
        var budget = RequestBudget(RequestBudget.Limits(perDay: 2))
        #expect(budget.countRequest(at: date(100)) == .sendAfterStoring(.init(day: 100, requests: 1)))
        #expect(budget.countRequest(at: date(100, 5)) == .sendAfterStoring(.init(day: 100, requests: 2)))
        #expect(budget.countRequest(at: date(100, 86_399.9)) == .usedUp(until: 101))
        #expect(budget.usedUp(at: date(100, 86_399.9)) == 101)
        #expect(budget.countRequest(at: date(101)) == .sendAfterStoring(.init(day: 101, requests: 1)))
    }

    @Test(arguments: [(50, 1), (2_500, 25), (80_000, 100)])
    func aHigherNumberIsStoredAheadAndRarely(perDay: Int, lease: Int) {
        var budget = RequestBudget(RequestBudget.Limits(perDay: perDay))
        var stored: [Int] = []
        for _ in 0..<perDay {
            if case .sendAfterStoring(let count) = budget.countRequest(at: date(1)) {
                stored.append(count.requests)
            }
        }
        #expect(stored == Array(stride(from: lease, through: perDay, by: lease)))
        #expect(budget.countRequest(at: date(1)) == .usedUp(until: 2))
        #expect(budget.settle() == nil)
    }

    @Test func withoutADailyLimitNothingIsStored() {
        var budget = RequestBudget(RequestBudget.Limits(requests: 5))
        #expect(budget.countRequest(at: date(1)) == .send && budget.usedUp(at: date(1)) == nil)
        #expect(budget.settle() == nil)
    }

    /// The clock's day, the stored day, and the number of requests that are left of 10 after 4 were stored.
    @Test(arguments: [
        (100, 100, 6), (101, 100, 10), (200, 100, 10),
        // The count of the next day stays; one from far ahead becomes today's.
        (99, 100, 6), (50, 100, 6),
    ])
    func aChangedClockGivesNoSecondBudget(today: Int, stored: Int, left: Int) {
        var budget = RequestBudget(
            RequestBudget.Limits(perDay: 10), restored: .init(day: stored, requests: 4))
        var sent = 0
        while budget.usedUp(at: date(today)) == nil, sent < 20 {
            if case .usedUp = budget.countRequest(at: date(today)) { break }
            sent += 1
        }
        #expect(sent == left)
    }

    /// Programs that are killed at random moments, some between storing a count and sending the request.
    @Test func killsNeverLetMoreThanTheBudgetThrough() {
        let random = SeededRandom(seed: 11)
        for _ in 0..<300 {
            let limits = RequestBudget.Limits(perDay: 1 + Int(random.unit() * 900))
            var stored: RequestBudget.DayCount?, sent: [Int: Int] = [:], kills = 0
            var budget = RequestBudget(limits)
            for step in 0..<2_000 {
                let day = 40 + step / 1_000
                if random.unit() < 0.005 {
                    kills += 1
                    budget = RequestBudget(limits, restored: stored)
                }
                if random.unit() < 0.002, let count = budget.settle() { stored = count }
                switch budget.countRequest(at: date(day)) {
                case .usedUp: continue
                case .send: break
                case .sendAfterStoring(let count):
                    stored = count
                    if random.unit() < 0.05 {
                        kills += 1
                        budget = RequestBudget(limits, restored: stored)
                        continue
                    }
                }
                sent[day, default: 0] += 1
            }
            let perDay = limits.perDay ?? 0, lease = min(max(perDay / 100, 1), 100)
            for (_, count) in sent where count > perDay { Issue.record("\(count) of \(perDay) requests") }
            // A day of more steps than requests is used up, except for the leases that were lost by kills.
            let least = 2 * min(perDay, 1_000) - kills * (lease + 1)
            #expect(sent.values.reduce(0, +) >= least)
        }
    }
}
