import Synchronization
import Testing

@testable import MirrorServer

@Suite("The queue of a server's event loop") struct LoopExecutorTests {
    /// A loop in the test's hand.
    private final class HandLoop: Sendable {
        private struct State {
            var queue: [LoopExecutor.Work] = []
            var later: [LoopExecutor.Work] = []
            var rounds = 0
        }

        private let state = Mutex(State())

        func execute(_ work: @escaping LoopExecutor.Work) { state.withLock { $0.queue.append(work) } }
        func executeLater(_ work: @escaping LoopExecutor.Work) { state.withLock { $0.later.append(work) } }

        /// Runs the queue until it is empty, as the loop does before it looks at its connections.
        ///
        /// - Returns: how much it ran; no more than `limit`.
        func drain(_ limit: Int) -> Int {
            var count = 0
            while count < limit,
                let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() })
            {
                count += 1
                work()
            }
            return count
        }

        /// What was put off, after the look at the connections.
        func nextTurn() {
            let works = state.withLock { state in
                defer { state.later = [] }
                return state.later
            }
            for work in works { work() }
        }

        func count() { state.withLock { $0.rounds += 1 } }
        var rounds: Int { state.withLock { $0.rounds } }

        var isIdle: Bool { state.withLock { $0.queue.isEmpty && $0.later.isEmpty } }
    }

    @Test func workThatAlwaysBringsMoreLeavesTheLoopItsTurns() async {
        let loop = HandLoop()
        let executor = LoopExecutor(
            turn: 16, execute: loop.execute, executeLater: loop.executeLater)
        let tasks = (0..<4).map { _ in
            Task(executorPreference: executor) {
                for _ in 0..<100 {
                    loop.count()
                    await Task.yield()
                }
            }
        }
        var turns = 0
        while !loop.isIdle {
            #expect(loop.drain(1_000) <= 16, "the queue was never empty")
            loop.nextTurn()
            turns += 1
        }
        for task in tasks { await task.value }
        #expect(loop.rounds == 400)
        #expect(turns >= 400 / 32)
    }
}
