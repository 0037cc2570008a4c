import Testing

@testable import MirrorServer

@Suite("What a client doesn't take") struct SendWatchTests {
    /// At each look: bytes that wait, and parts that were written.
    @Test(arguments: [
        ([(9, 1)], 6, false), ([(9, 1)], 7, true),
        // It takes a little, or all and is sent as much again.
        ([(9, 1), (8, 1)], 6, false), ([(9, 1), (9, 2)], 6, false), ([(9, 1), (8, 1)], 7, true),
        // Nothing waits for it.
        ([(0, 1)], 20, false), ([(9, 1), (0, 1)], 20, false), ([(0, 1), (9, 1)], 7, true),
    ])
    func isStalledWhenNothingMovedOnceTooOften(
        _ looks: [(Int, Int)], _ times: Int, _ isStalled: Bool
    ) {
        var watch = SendWatch(), last = false
        let still = looks.last.map { Array(repeating: $0, count: times) } ?? []
        for (unsent, parts) in looks.dropLast() + still {
            last = watch.isStalled(unsent: unsent, parts: parts)
        }
        #expect(last == isStalled)
    }

    /// Four readers of a snapshot could keep all others out for ever.
    @Test func hoursAreEnoughHoweverLittleIsTaken() {
        /// After how many looks it is; `nil` if it never is.
        func end(_ looks: Int, pauseEvery pause: Int) -> Int? {
            var watch = SendWatch()
            for look in 1...looks
            where watch.isStalled(unsent: look.isMultiple(of: pause) ? 0 : 9, parts: look) {
                return look
            }
            return nil
        }
        #expect(end(2 * SendWatch.most, pauseEvery: .max) == SendWatch.most)
        #expect(end(3 * SendWatch.most, pauseEvery: 100) == nil)
    }
}
