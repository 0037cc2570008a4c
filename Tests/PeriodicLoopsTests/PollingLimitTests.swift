import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// The serial lane, and the time that a run may take.
@Suite struct PollingLimitTests {
    private let fixture = PollingFixture()
    private var center: PollingCenter { fixture.center }

    /// Adds items that share the lane, each of which takes that long.
    private func addSerial(_ ids: String..., taking duration: Duration, limit: Duration? = nil) {
        for id in ids {
            fixture.add(id) {
                $0.lane = .serial
                $0.timeLimit = limit
            } work: { [time = fixture.time] in
                try await time.sleep(duration)
            }
        }
    }

    @Test func serialItemsRunOneAfterTheOtherInTheOrderTheyWereDue() {
        addSerial("a", "b", "c", taking: .seconds(2))
        fixture.add("free")
        fixture.enable("c", "a", "b", "free")
        #expect(
            fixture.passing(.seconds(19)) == ["a at 10.0", "free at 10.0", "b at 12.0", "c at 14.0"])
    }

    @Test func nobodyIsLeftOutOfALaneThatIsTooShort() {
        addSerial("a", "b", "c", taking: .seconds(7))
        fixture.enable("a", "b", "c")
        let order = fixture.passing(.seconds(1_000)).compactMap(\.first)
        // The lane is never idle, and everyone has its share.
        #expect(order.count == 142)
        for id in "abc" { #expect((40...55).contains(order.filter { $0 == id }.count)) }
    }

    @Test func aFailureGivesTheLaneBack() {
        fixture.add("a") {
            $0.lane = .serial
        } work: {
            throw Trouble.garbage
        }
        addSerial("b", taking: .seconds(1))
        fixture.enable("a", "b")
        #expect(fixture.passing(.seconds(10)) == ["a at 10.0", "b at 10.0"])
    }

    @Test func whatIsDisabledOrRemovedWhileQueuedIsPassedOver() {
        addSerial("a", "b", "c", "d", taking: .seconds(2))
        fixture.enable("a", "b", "c", "d")
        fixture.time.advance(by: .seconds(11))
        center.disable("b")
        center.remove("c")
        #expect(fixture.passing(.seconds(5)) == ["d at 12.0"])
    }

    @Test func aCancelledHolderGivesTheLaneBackWhenItHasReturned() {
        let gate = Gate()
        fixture.add("a") {
            $0.lane = .serial
        } work: {
            await gate.passStubbornly()
        }
        addSerial("b", taking: .seconds(1))
        fixture.enable("a", "b")
        fixture.time.advance(by: .seconds(10))
        center.disable("a")
        #expect(fixture.passing(.seconds(5)).isEmpty)
        gate.open()
        fixture.time.settle()
        #expect(fixture.status("b")?.lastRun == .seconds(15))
    }

    @Test func aTriggerWaitsForTheLaneToo() {
        addSerial("a", "b", taking: .seconds(2))
        fixture.enable("a", "b")
        fixture.time.advance(by: .seconds(1))
        center.trigger("b")
        center.trigger("a")
        #expect(fixture.status("a")?.state == .queued)
        #expect(fixture.passing(.seconds(3)) == ["b at 1.0", "a at 3.0"])
    }

    @Test func aRunThatTakesTooLongIsCancelledAndHasFailed() {
        addSerial("a", "b", taking: .seconds(100), limit: .seconds(3))
        fixture.enable("a", "b")
        #expect(fixture.passing(.seconds(16)) == ["a at 10.0", "b at 13.0"])
        #expect(fixture.status()?.failures == 1)
        #expect(fixture.status()?.lastDuration == .seconds(3))
        #expect(fixture.status()?.lastError?.hasPrefix("The handler of a took longer than 3") == true)
        #expect(fixture.status()?.state == .waiting)
        #expect(fixture.times(in: .seconds(10)) == [20])
    }

    @Test func aHandlerThatHeedsNothingHoldsUpNobodyButItself() {
        let gate = Gate()
        fixture.add("a") {
            $0.lane = .serial
            $0.timeLimit = .seconds(3)
        } work: {
            await gate.passStubbornly()
        }
        addSerial("b", taking: .seconds(1))
        fixture.enable("a", "b")
        #expect(
            fixture.passing(.seconds(40)) == [
                "a at 10.0", "b at 13.0", "b at 20.0", "b at 30.0", "b at 40.0",
            ])
        #expect(fixture.status()?.state == .overdue)
        #expect(fixture.status()?.failures == 1)
        gate.open()
        #expect(fixture.times(in: .seconds(10)) == [50])
        #expect(fixture.status()?.state == .waiting)
        #expect(fixture.status()?.failures == 0)
        #expect(fixture.selfOverlaps == 0)
    }

    /// What an overdue handler returns in the end was noted as a failure long before.
    @Test func anOverdueRunCountsOnce() {
        let gate = Gate()
        fixture.add("a") {
            $0.timeLimit = .seconds(3)
        } work: {
            await gate.passStubbornly()
            throw Trouble.garbage
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(15))
        gate.open()
        fixture.time.settle()
        #expect(fixture.status()?.runs == 1)
        #expect(fixture.status()?.failures == 1)
        #expect(fixture.status()?.lastError?.contains("took longer") == true)
    }

    @Test func aDisabledHandlerThatHeedsNothingGivesUpTheLaneAfterItsTime() {
        let gate = Gate()
        fixture.add("a") {
            $0.lane = .serial
            $0.timeLimit = .seconds(6)
        } work: {
            await gate.passStubbornly()
        }
        addSerial("b", taking: .seconds(1))
        fixture.enable("a", "b")
        fixture.time.advance(by: .seconds(11))
        center.disable("a")
        #expect(fixture.passing(.seconds(5)) == ["b at 16.0"])
        #expect(fixture.status()?.failures == 0)
        gate.open()
        fixture.time.settle()
        #expect(fixture.status()?.state == .disabled)
    }

    @Test func limitsBelowReasonDoNotTrap() {
        for limit in [Duration.zero, .seconds(-5), .seconds(Int64.max)] {
            let fixture = PollingFixture()
            fixture.add("a") { $0.timeLimit = limit }
            fixture.enable("a")
            #expect(fixture.times(in: .seconds(20)) == [10, 20])
        }
    }
}
