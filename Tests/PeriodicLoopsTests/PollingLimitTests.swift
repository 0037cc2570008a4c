import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// The serial lane and the time limits of polled items.
@Suite struct PollingLimitTests {
    private let fixture = PollingFixture()
    private var center: PollingCenter { fixture.center }

    /// Adds items in the serial lane whose runs take a given time.
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

    @Test func serialItemsRunOneAtATimeInTheOrderTheyWereDue() {
        addSerial("a", "b", "c", taking: .seconds(2))
        fixture.add("free")
        fixture.enable("c", "a", "b", "free")
        #expect(
            fixture.passing(.seconds(19)) == ["a at 10.0", "free at 10.0", "b at 12.0", "c at 14.0"])
    }

    @Test func everyItemGetsItsTurnInAnOverloadedSerialLane() {
        addSerial("a", "b", "c", taking: .seconds(7))
        fixture.enable("a", "b", "c")
        let order = fixture.passing(.seconds(1_000)).compactMap(\.first)
        // The lane is never idle, and all items run equally often.
        #expect(order.count == 142)
        for id in "abc" { #expect((40...55).contains(order.filter { $0 == id }.count)) }
    }

    @Test func aFailureReleasesTheSerialLane() {
        fixture.add("a") {
            $0.lane = .serial
        } work: {
            throw ScriptedError.garbage
        }
        addSerial("b", taking: .seconds(1))
        fixture.enable("a", "b")
        #expect(fixture.passing(.seconds(10)) == ["a at 10.0", "b at 10.0"])
    }

    @Test func anItemDisabledOrRemovedWhileQueuedIsSkipped() {
        addSerial("a", "b", "c", "d", taking: .seconds(2))
        fixture.enable("a", "b", "c", "d")
        fixture.time.advance(by: .seconds(11))
        center.disable("b")
        center.remove("c")
        #expect(fixture.passing(.seconds(5)) == ["d at 12.0"])
    }

    @Test func aCancelledRunReleasesTheSerialLaneWhenItHasReturned() {
        let gate = Gate()
        fixture.add("a") {
            $0.lane = .serial
        } work: {
            await gate.passIgnoringCancellation()
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

    @Test func aTriggeredItemWaitsForTheSerialLane() {
        addSerial("a", "b", taking: .seconds(2))
        fixture.enable("a", "b")
        fixture.time.advance(by: .seconds(1))
        center.trigger("b")
        center.trigger("a")
        #expect(fixture.status("a")?.state == .queued)
        #expect(fixture.passing(.seconds(3)) == ["b at 1.0", "a at 3.0"])
    }

    @Test func aRunThatExceedsItsTimeLimitIsCancelledAndFails() {
        addSerial("a", "b", taking: .seconds(100), limit: .seconds(3))
        fixture.enable("a", "b")
        #expect(fixture.passing(.seconds(16)) == ["a at 10.0", "b at 13.0"])
        #expect(fixture.status()?.failures == 1)
        #expect(fixture.status()?.lastDuration == .seconds(3))
        #expect(fixture.status()?.lastError?.hasPrefix("The handler of a took longer than 3") == true)
        #expect(fixture.status()?.state == .waiting)
        #expect(fixture.times(in: .seconds(10)) == [20])
    }

    @Test func aHandlerThatIgnoresCancellationDelaysOnlyItself() {
        let gate = Gate()
        fixture.add("a") {
            $0.lane = .serial
            $0.timeLimit = .seconds(3)
        } work: {
            await gate.passIgnoringCancellation()
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

    /// The run's failure was recorded at its time limit. What its handler returns later is ignored.
    @Test func anOverdueRunCountsAsOneFailure() {
        let gate = Gate()
        fixture.add("a") {
            $0.timeLimit = .seconds(3)
        } work: {
            await gate.passIgnoringCancellation()
            throw ScriptedError.garbage
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(15))
        gate.open()
        fixture.time.settle()
        #expect(fixture.status()?.runs == 1)
        #expect(fixture.status()?.failures == 1)
        #expect(fixture.status()?.lastError?.contains("took longer") == true)
    }

    @Test func aDisabledHandlerThatIgnoresCancellationReleasesTheLaneAfterItsTimeLimit() {
        let gate = Gate()
        fixture.add("a") {
            $0.lane = .serial
            $0.timeLimit = .seconds(6)
        } work: {
            await gate.passIgnoringCancellation()
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

    @Test func extremeTimeLimitsDoNotTrap() {
        for limit in [Duration.zero, .seconds(-5), .seconds(Int64.max)] {
            let fixture = PollingFixture()
            fixture.add("a") { $0.timeLimit = limit }
            fixture.enable("a")
            #expect(fixture.times(in: .seconds(20)) == [10, 20])
        }
    }
}
