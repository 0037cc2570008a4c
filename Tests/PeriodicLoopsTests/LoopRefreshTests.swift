import Testing

@testable import PeriodicLoops

/// Refreshes that a page's mask requests. The loop knows the bits 1, 2, 4, 8 and 16.
@Suite struct LoopRefreshTests {
    @Test(arguments: [
        (0, "apply 1"), (1, "refresh 1"), (2, "refresh 2"), (4, "refresh 4"), (8, "refresh 8"),
        (16, "refresh 16"),
        (3, "refresh 3"), (31, "refresh 31"), (255, "refresh 255"),
        // An unknown bit means everything, alone or together with known bits.
        (32, "refresh 255"), (64, "refresh 255"), (128, "refresh 255"), (33, "refresh 255"),
        (256, "refresh 255"), (512, "refresh 255"), (513, "refresh 255"), (-1, "refresh 255"),
        (Int.min, "refresh 255"), (Int.max, "refresh 255"),
    ])
    func aPagesMaskSelectsWhatIsRefreshed(mask: Int, expected: String) {
        let fixture = SchedulerFixture()
        fixture.core.answer(.init(eventID: "1", refresh: RefreshMask(rawValue: mask)))
        fixture.start()
        #expect(fixture.log.take() == ["core poll 0", "core \(expected)"])
        #expect(fixture.core.cursor == "1")
        #expect(fixture.status()?.successes == 1)
    }

    @Test func aMissingCursorRefreshesEverythingWithoutAPoll() {
        let fixture = SchedulerFixture(cursor: nil)
        fixture.start()
        #expect(fixture.log.take() == ["core refresh 255"])
        #expect(fixture.passing(.seconds(30)) == ["core poll latest", "core apply latest"])
    }

    @Test func aFailedRefreshIsTriedAgain() {
        let fixture = SchedulerFixture(cursor: nil)
        fixture.core.beforeCommit { _ in throw ScriptedError.server }
        fixture.start()
        #expect(fixture.core.cursor == nil)
        #expect(fixture.passing(.seconds(30)) == ["core refresh 255", "core is well"])
    }

    @Test func refreshingOneLoopDoesNotAffectOthers() {
        let fixture = SchedulerFixture()
        fixture.enable("a")
        fixture.core.answer(.init(eventID: "9", refresh: .everything))
        fixture.start()
        #expect(fixture.log.take() == ["core poll 0", "core refresh 255", "a poll 0", "a apply 0"])
        #expect(fixture["a"].cursor == "0")
    }

    @Test func aFeedThatAlwaysRequestsARefreshIsPolledLessAndLessOften() {
        let fixture = SchedulerFixture()
        fixture.core.answerAlways { .init(eventID: "1", refresh: .everything) }
        fixture.start()
        let asked = stride(from: 30, through: 7_200, by: 30).filter { _ in
            !fixture.passing(.seconds(30)).isEmpty
        }
        #expect(asked == [30, 90, 210, 450, 930, 1_890, 3_690, 5_490])
        #expect(fixture.status()?.health.state == .well)
        fixture.core.answerAlways(nil)
        #expect(fixture.passing(.seconds(90)) == ["core poll 1", "core apply 1"])
        #expect(fixture.passing(.seconds(30)) == ["core poll 1", "core apply 1"], "as often as before")
    }

    @Test func aLoopDoesNotRefreshRepeatedlyInOneTurn() {
        let fixture = SchedulerFixture()
        fixture.core.answer(
            .init(eventID: "1", refresh: .everything, hasMore: true),
            .init(eventID: "2", refresh: .everything, hasMore: true),
            .init(eventID: "3", refresh: .everything, hasMore: true))
        fixture.start()
        let once = ["core poll 0", "core refresh 255", "core poll 1", "core refresh 255"]
        #expect(fixture.log.take() == once)
        #expect(fixture.passing(.seconds(30)) == [])
        fixture.scheduler.triggerAll()
        #expect(fixture.passing(.zero) == ["core poll 2", "core refresh 255"], "a trigger starts a new turn")
    }

    @Test func unknownMaskBitsRefreshEverything() {
        let known = RefreshMask(rawValue: 0b101)
        #expect(RefreshMask([]).resolved(knowing: known).isEmpty)
        #expect(RefreshMask(rawValue: 4).resolved(knowing: known).rawValue == 4)
        #expect(RefreshMask(rawValue: 2).resolved(knowing: known) == .everything)
        #expect(RefreshMask.everything.resolved(knowing: .everything) == .everything)
        #expect(RefreshMask(rawValue: 512).resolved(knowing: .everything) == .everything)
    }
}
