import Testing

@testable import MirrorServer

@Suite("A client that is too slow") struct SlowClientWatchTests {
    /// Each letter is an event on a connection: the head of a request (`h`) or its end (`e`) is received, bytes are read (`r`),
    /// a check happens while an answer is incomplete (`b`) or while none is (`c`).
    @Test(arguments: [
        // Nothing or a part of a head was received.
        ("ccc", false), ("cccc", true), ("rccc", false), ("rcccc", true),
        // The head was received in time; after the request's end nothing is missing.
        ("hercccccc", false), ("ccchercccc", false), ("hecccc", false),
        // Another request was begun.
        ("herrccc", false), ("herrcccc", true), ("cccherrccc", false), ("cccherrcccc", true),
        ("herrccrcc", true), ("herrcchercccc", false),
        // A missing body is not a missing head.
        ("hrrrcccc", false), ("hrrercccc", false),
        // No head is expected while earlier requests are answered.
        ("herrbbbbb", false), ("herrbbbbbccc", false), ("herrbbbbbcccc", true), ("herrccbcc", false),
    ])
    func aRequestHeadMissingInFourChecksIsTooSlow(_ story: String, _ isTooSlow: Bool) {
        var watch = SlowClientWatch(), last = false
        for event in story {
            switch event {
            case "h": watch.headReceived()
            case "e": watch.requestEnded()
            case "r": watch.readCompleted()
            default: last = watch.isTooSlow(isAnswering: event == "b", .init(unsent: 0, parts: 0))
            }
        }
        #expect(last == isTooSlow, "\(story)")
    }

    /// For each check: the number of unsent bytes, and of parts written.
    @Test(arguments: [
        ([(9, 1)], 6, false), ([(9, 1)], 7, true),
        // The client reads a little, or everything, and the same amount is sent again.
        ([(9, 1), (8, 1)], 6, false), ([(9, 1), (9, 2)], 6, false), ([(9, 1), (8, 1)], 7, true),
        // There are no unsent bytes.
        ([(0, 1)], 20, false), ([(9, 1), (0, 1)], 20, false), ([(0, 1), (9, 1)], 7, true),
    ])
    func anAnswerWithoutProgressInSevenChecksIsTooSlow(
        _ checks: [(Int, Int)], _ times: Int, _ isTooSlow: Bool
    ) {
        var watch = SlowClientWatch(), last = false
        let still = checks.last.map { Array(repeating: $0, count: times) } ?? []
        for (unsent, parts) in checks.dropLast() + still {
            last = watch.isTooSlow(isAnswering: true, .init(unsent: unsent, parts: parts))
        }
        #expect(last == isTooSlow)
    }

    /// Without this limit, four slow clients of a snapshot could block all others.
    @Test func anAnswerThatTakesSixHoursWithoutAPauseIsTooSlow() {
        /// The number of checks after which the client is too slow; `nil` if it never is.
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
