import OperationTree
import Testing

// The limit is for a run that hangs. It is long because the other tests, which run at the same time, slow this suite.
@Suite(.timeLimit(.minutes(10)))
struct RunConcurrencyTests {
    @Test func aLaneRunsExactlyAsMuchWorkAsItsWidthAllows() async {
        let meeting = Rendezvous(of: 3)
        let gauge = Gauge()
        let tree = Tree(
            "r",
            ScriptedStep("r", items: (0..<60).map(String.init)) { item, _ in
                gauge.change(by: 1)
                // The first three items continue only when all three are in progress.
                if ["0", "1", "2"].contains(item) { await meeting.arrive() }
                await Task.yield()
                gauge.change(by: -1)
                return []
            })
        let configuration = RunConfiguration(lanes: [.requests: 3])
        let outcome = await Run(tree, input: "", configuration: configuration).execute()
        #expect(outcome.isComplete)
        #expect(gauge.maximum == 3)
    }

    @Test func aSlowLaneDoesNotDelayOtherLanes() async {
        let done = Rendezvous(of: 2)
        let tree = Tree("r", ScriptedStep("r", items: ["1"])) {
            Node(
                "slow",
                ScriptedStep("slow", items: [""]) { _, _ in
                    await done.arrive(); return []
                }, lane: .media)
            Node(
                "fast",
                ScriptedStep("fast", items: (0..<100).map(String.init)) { item, _ in
                    if item == "199" { await done.arrive() }
                    return []
                })
        }
        let configuration = RunConfiguration(lanes: [.requests: 1, .media: 1])
        #expect(await Run(tree, input: "", configuration: configuration).execute().isComplete)
    }

    @Test(arguments: bothModes)
    func theNumberOfWaitingInputsIsLimitedForAnyListLength(mode: RunMode) async {
        let waiting = Gauge()
        let leaf = Node(
            "leaf",
            ScriptedStep(
                "leaf",
                perform: { _, _ in
                    await Task.yield(); return []
                }
            ) { _, _ in
                waiting.change(by: -1)
                return .one("i")
            }, lane: .media)
        let tree = Tree(
            "r",
            ScriptedStep("r", perform: { _, _ in ["1", "2"] }) { _, _ in
                Expansion((0..<5_000).map(String.init))
            }
        ) {
            Node(
                "middle",
                ScriptedStep(
                    "middle",
                    perform: { item, _ in
                        waiting.change(by: 1); return [item]
                    }
                ) { input, _ in
                    .one(input)
                }
            ) { leaf }
        }
        let configuration = RunConfiguration(lanes: [.requests: 4, .media: 1])
        let run = Run(tree, input: "", mode: mode, configuration: configuration)
        let outcome = await run.execute()
        #expect(outcome.isComplete)
        #expect(outcome.counts["leaf"]?.lists == 10_000)
        // Four times the width of the leaf's lane, and the items that were in progress in the parent's lane.
        #expect(waiting.maximum <= 4 * 1 + 4)
        #expect(waiting.now == 0)
    }

    @Test(arguments: bothModes)
    func cancellingARunStopsItPromptlyAndLeavesNothingRunning(mode: RunMode) async {
        let width = mode == .synchronous ? 1 : 4
        let begun = Rendezvous(of: width + 1)
        let running = Gauge()
        let tree = Tree("r", ScriptedStep("r", items: (0..<100).map(String.init))) {
            Node(
                "c",
                ScriptedStep("c", items: [""]) { _, _ in
                    running.change(by: 1)
                    defer { running.change(by: -1) }
                    await begun.arrive()
                    try await untilCancelled()
                    return []
                }, lane: .media)
        }
        let configuration = RunConfiguration(lanes: [.media: width])
        let run = Run(tree, input: "", mode: mode, configuration: configuration)
        let task = Task { await run.execute() }
        await begun.arrive()
        task.cancel()
        let outcome = await task.value
        #expect(outcome.isCancelled)
        #expect(outcome.failures.isEmpty)
        #expect(running.now == 0 && running.maximum == width)
        #expect(outcome.counts["c"]?.abandoned == width)
        #expect(outcome.counts["c"]?.running == 0)
    }

    @Test(arguments: bothModes)
    func aRunInACancelledTaskDoesNothing(mode: RunMode) async {
        let log = CallLog()
        let run = Run(Tree("r", ScriptedStep("r", log, items: ["1"])), input: "", mode: mode)
        let begun = Rendezvous(of: 2)
        let task = Task {
            await begun.arrive()
            while !Task.isCancelled { await Task.yield() }
            return await run.execute()
        }
        await begun.arrive()
        task.cancel()
        #expect(await task.value.isCancelled)
        #expect(log.all.isEmpty)
    }

    @Test func aTimeLimitCancelsOneItemAndTheOthersContinue() async {
        let clock = ManualClock()
        let begun = Rendezvous(of: 2)
        let configuration = clock.configuration(lanes: [.requests: 1], timeLimit: .seconds(60))
        let tree = Tree("r", ScriptedStep("r", items: [""])) {
            Node(
                "c",
                ScriptedStep("c", items: ["1", "2"]) { item, _ in
                    if item == "1" {
                        await begun.arrive()
                        try await untilCancelled()
                    }
                    return []
                })
        }
        let run = Run(tree, input: "", configuration: configuration)
        async let outcome = run.execute()
        await begun.arrive()
        clock.advance(by: .seconds(59))
        #expect(run.counts(of: "c")?.running == 1)
        clock.advance(by: .seconds(1))
        // The second try is at the end of the run, and also exceeds its time limit.
        while run.counts(of: "c")?.retried != 1 { await Task.yield() }
        #expect(run.counts(of: "c")?.done == 1)
        while run.counts(of: "c")?.failed != 1 {
            clock.advance(by: .seconds(60))
            await Task.yield()
        }
        let result = await outcome
        #expect(result.isPartial)
        #expect(
            result.failures.map { $0.error as? TimeLimitExceeded }
                == [TimeLimitExceeded(node: "c", limit: .seconds(60))])
        #expect(clock.sleepers == 0)
    }

    @Test(arguments: bothModes)
    func anItemThatExceedsItsTimeLimitFailsEvenIfItReturns(mode: RunMode) async {
        let clock = ManualClock()
        let configuration = clock.configuration()
        let log = CallLog()
        let step = ScriptedStep("r", log, items: ["1"]) { item, context in
            clock.advance(by: context.isRetry ? .seconds(4) : .seconds(5))
            return [item]
        }
        let tree = Tree("r", step, timeLimit: .seconds(5)) {
            Node("c", ScriptedStep("c", log, items: []))
        }
        let outcome = await Run(tree, input: "", mode: mode, configuration: configuration).execute()
        #expect(outcome.isComplete)
        #expect(log.all.filter { $0 == "c(1)" }.count == 1)
        #expect(log.all.contains("r:1 again"))
    }

    @Test func aListIsNeverPulledConcurrently() async {
        let pulls = Gauge()
        let tree = Tree(
            "r",
            ScriptedStep("r") { _, _ in
                .unfolding(0) { count in
                    pulls.change(by: 1)
                    await Task.yield()
                    pulls.change(by: -1)
                    count += 1
                    return count <= 500 ? "\(count)" : nil
                }
            })
        let outcome = await Run(tree, input: "").execute()
        #expect(outcome.counts["r"]?.done == 500)
        #expect(pulls.maximum == 1)
    }
}
