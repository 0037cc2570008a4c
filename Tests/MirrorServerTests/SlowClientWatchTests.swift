import Testing

@testable import MirrorServer

@Suite("A client that is too slow") struct SlowClientWatchTests {
    /// What happens on a connection, a letter each: the head of a request comes (`h`), and its end (`e`); bytes were read (`r`);
    /// it is checked while an answer is due (`b`), and while none is (`c`).
    @Test(arguments: [
        // Nothing came, or some of a head.
        ("ccc", false), ("cccc", true), ("rccc", false), ("rcccc", true),
        // It came in time, and with the request's end nothing is owed.
        ("hercccccc", false), ("ccchercccc", false), ("hecccc", false),
        // Another one was begun.
        ("herrccc", false), ("herrcccc", true), ("cccherrccc", false), ("cccherrcccc", true),
        ("herrccrcc", true), ("herrcchercccc", false),
        // A body that doesn't come is no head.
        ("hrrrcccc", false), ("hrrercccc", false),
        // While earlier requests are answered the client may take its time.
        ("herrbbbbb", false), ("herrbbbbbccc", false), ("herrbbbbbcccc", true), ("herrccbcc", false),
    ])
    func aHeadThatIsMissingAtFourChecksInARowIsTooSlow(_ story: String, _ isTooSlow: Bool) {
        var watch = SlowClientWatch(), last = false
        for event in story {
            switch event {
            case "h": watch.headCame()
            case "e": watch.requestEnded()
            case "r": watch.readCompleted()
            default: last = watch.isTooSlow(isAnswering: event == "b", .init(unsent: 0, parts: 0))
            }
        }
        #expect(last == isTooSlow, "\(story)")
    }

    /// At each check: bytes that wait, and parts that were written.
    @Test(arguments: [
        ([(9, 1)], 6, false), ([(9, 1)], 7, true),
        // It takes a little, or all and is sent as much again.
        ([(9, 1), (8, 1)], 6, false), ([(9, 1), (9, 2)], 6, false), ([(9, 1), (8, 1)], 7, true),
        // Nothing waits for it.
        ([(0, 1)], 20, false), ([(9, 1), (0, 1)], 20, false), ([(0, 1), (9, 1)], 7, true),
    ])
    func anAnswerOfWhichNothingIsTakenBetweenSevenChecksIsTooSlow(
        _ checks: [(Int, Int)], _ times: Int, _ isTooSlow: Bool
    ) {
        var watch = SlowClientWatch(), last = false
        let still = checks.last.map { Array(repeating: $0, count: times) } ?? []
        for (unsent, parts) in checks.dropLast() + still {
            last = watch.isTooSlow(isAnswering: true, .init(unsent: unsent, parts: parts))
        }
        #expect(last == isTooSlow)
    }

    /// Four readers of a snapshot could keep all others out for ever.
    @Test func anAnswerThatIsTakenForSixHoursWithoutAPauseIsTooSlow() {
        /// After how many checks it is; `nil` if it never is.
        func end(_ checks: Int, pauseEvery pause: Int) -> Int? {
            var watch = SlowClientWatch()
            return (1...checks).first { check in
                let unsent = check.isMultiple(of: pause) ? 0 : 9
                return watch.isTooSlow(isAnswering: true, .init(unsent: unsent, parts: check))
            }
        }
        let most = SlowClientWatch.sendingChecks
        #expect(end(2 * most, pauseEvery: .max) == most)
        #expect(end(3 * most, pauseEvery: 100) == nil)
    }
}
