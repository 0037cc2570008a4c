import MirrorTesting
import Synchronization
import Testing

@testable import PeriodicLoops

/// Changes while items wait or run, from outside and from their own handlers.
@Suite struct PollingChangeTests {
    private let fixture = PollingFixture()
    private var center: PollingCenter { fixture.center }

    // MARK: From handlers

    @Test func aHandlerCanRemoveItsOwnItem() {
        fixture.add("a") { _ in
        } work: { [weak center, log = fixture.log] in
            center?.remove("a")
            log.record("cancelled: \(Task.isCancelled)")
        }
        fixture.enable("a")
        #expect(fixture.passing(.seconds(100)) == ["a at 10.0", "cancelled: true"])
        #expect(fixture.status() == nil)
    }

    @Test func aHandlerDoesNotWaitForItselfWhenItDisablesItsItem() {
        fixture.add("a") { _ in
        } work: { [weak center, log = fixture.log] in
            let isDisabled = await center?.disableAndWait("a")
            log.record("\(isDisabled == true), cancelled: \(Task.isCancelled)")
        }
        fixture.enable("a")
        #expect(fixture.passing(.seconds(100)) == ["a at 10.0", "true, cancelled: false"])
    }

    @Test func aHandlerCanReplaceItsOwnItem() {
        fixture.add("a") { _ in
        } work: { [weak fixture] in
            fixture?.center.remove("a")
            fixture?.add("a", every: .seconds(1))
            fixture?.center.enable("a")
        }
        fixture.enable("a")
        #expect(fixture.times(in: .seconds(12)) == [10, 11, 12])
        #expect(fixture.selfOverlaps == 0)
    }

    @Test func aHandlerCanTriggerItself() {
        let left = Mutex(3)
        fixture.add("a") { _ in
        } work: { [weak center] in
            let isMore = left.withLock { left in
                left -= 1
                return left > 0
            }
            if isMore { center?.trigger("a") }
        }
        fixture.enable("a")
        #expect(fixture.times(in: .seconds(10)) == [10, 10, 10])
    }

    @Test func aHandlerCanDisableAndEnableAllItems() {
        fixture.add("a") { _ in
        } work: { [weak center] in
            await center?.disableAllAndWait()
            center?.enableAll()
        }
        fixture.add("b")
        fixture.enable("a", "b")
        #expect(fixture.times(in: .seconds(30)) == [10, 20, 30])
    }

    @Test func handlersThatWaitForEachOtherDoNotDeadlock() {
        for (id, other) in [("a", "b"), ("b", "c"), ("c", "a")] {
            fixture.add(id) { _ in
            } work: { [weak fixture] in
                try await fixture?.time.sleep(.seconds(1))
                await fixture?.center.disableAndWait(other)
                fixture?.log.record("\(id) ends")
            }
        }
        fixture.enable("a", "b", "c")
        let lines = fixture.passing(.seconds(11))
        #expect(Set(lines.suffix(3)) == ["a ends", "b ends", "c ends"])
        #expect(center.statuses.allSatisfy { $0.state == .disabled })
    }

    @Test func aHandlerCanWaitForAnother() {
        let gate = Gate()
        fixture.add("a") { _ in
        } work: { [weak fixture] in
            await fixture?.center.disableAndWait("b")
            fixture?.log.record("a continues")
        }
        fixture.add("b") { _ in
        } work: {
            try await gate.pass()
        }
        fixture.enable("b", "a")
        #expect(fixture.passing(.seconds(10)) == ["a at 10.0", "b at 10.0"])
        gate.open()
        #expect(fixture.passing(.zero).isEmpty == false)
        #expect(fixture.status("b")?.runs == 1)
    }

    // MARK: Waiting

    @Test func disableAndWaitWaitsForTheHandlerWithoutCancellingIt() {
        let gate = Gate()
        fixture.add("a") { _ in
        } work: { [log = fixture.log] in
            try await gate.pass()
            log.record("cancelled: \(Task.isCancelled)")
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(10))
        for number in 1...2 {
            _ = fixture.time.spawn { [center, log = fixture.log] in
                let isChanged = await center.disableAndWait("a")
                log.record("\(number): \(isChanged)")
            }
        }
        #expect(fixture.passing(.seconds(50)).isEmpty)
        gate.open()
        fixture.time.settle()
        #expect(fixture.log.take() == ["cancelled: false", "1: true", "2: false"])
        #expect(fixture.status()?.runs == 1)
    }

    @Test func disableAndWaitReturnsWhenItsTaskIsCancelled() {
        let gate = Gate()
        fixture.add("a") { _ in
        } work: {
            try await gate.pass()
        }
        fixture.enable("a")
        fixture.time.advance(by: .seconds(10))
        let waiter = fixture.time.spawn { [center, log = fixture.log] in
            await center.disableAllAndWait()
            log.record("left")
        }
        #expect(fixture.passing(.zero).isEmpty)
        waiter.cancel()
        #expect(fixture.passing(.zero) == ["left"])
        #expect(fixture.status()?.state == .running)
        gate.open()
        fixture.time.settle()
    }

    @Test func aThousandItemsUseOneTimer() {
        for number in 0..<1_000 { fixture.add("\(number)") }
        center.enableAll()
        fixture.time.settle()
        #expect(fixture.time.sleepers == 1)
        #expect(fixture.passing(.seconds(10)).count == 1_000)
        #expect(fixture.time.sleepers == 1)
        for number in stride(from: 0, to: 1_000, by: 2) { center.remove("\(number)") }
        #expect(fixture.passing(.seconds(10)).count == 500)
        center.disableAll()
        #expect(fixture.passing(.seconds(100)).isEmpty)
        #expect(center.statuses.count == 500)
    }

    @Test func aReleasedCentreReleasesItsItemsAndTasks() {
        for state in ["empty", "disabled", "waiting", "running", "queued", "disabling", "overdue"] {
            let (time, liveObjects, gate) = (VirtualClock(), LiveObjectCounter(), Gate())
            do {
                let center = PollingCenter(clock: time.loopClock, executor: time.executor)
                let residents = state == "empty" ? [] : ["a", "b"].map { ($0, CountedObject(liveObjects)) }
                for (id, countedObject) in residents {
                    var item = TestItem(uid: id, interval: .seconds(10)) {
                        defer { withExtendedLifetime(countedObject) {} }
                        try await gate.pass()
                    }
                    item.lane = .serial
                    item.timeLimit = state == "overdue" ? .seconds(1) : nil
                    center.add(item)
                }
                if state != "disabled" { center.enableAll() }
                if ["running", "queued", "disabling", "overdue"].contains(state) {
                    time.advance(by: .seconds(10))
                }
                if state == "disabling" { center.disable("a") }
                if state == "overdue" { time.advance(by: .seconds(1)) }
                if state == "queued" { #expect(center.status(of: "b")?.state == .queued) }
            }
            time.settle()
            #expect(liveObjects.count == 0, "\(state)")
            #expect(time.sleepers == 0, "\(state)")
            #expect(gate.waiting == 0, "\(state)")
        }
    }
}
