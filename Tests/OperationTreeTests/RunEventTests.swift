import OperationTree
import Synchronization
import Testing

struct RunEventTests {
    private func text(_ event: Event) -> String {
        switch event {
        case .expanded(let node, let list, let count): "\(node)(\(list)) \(count.map(String.init) ?? "?")"
        case .started(_, let item): "start \(item)"
        case .emitted(_, let item, let count): "emit \(item) \(count)"
        case .retried(_, let list, let item): "retry \(item ?? "list \(list)")"
        case .failed(let failure, let willRetry): "fail \(failure.item ?? "list") \(willRetry)"
        case .finished(_, let item): "finish \(item)"
        case .closed(let node, let list, let scope): "close \(node)(\(list)) \(scope.items)"
        }
    }

    @Test func eventsReportEveryTryInOrder() async {
        let tree = Tree(
            "r",
            ScriptedStep("r", items: ["a", "b"]) { item, context in
                if item == "a" && !context.isRetry { throw TestFailure() }
                return [item]
            }
        ) {
            Node("c", ScriptedStep("c") { _, _ in throw FinalTestFailure() })
        }
        let run = Run(tree, input: "", mode: .synchronous)
        let events = run.events
        _ = await run.execute()
        var texts: [String] = []
        for await event in events { texts.append(text(event)) }
        #expect(
            texts == [
                "r() 2", "start a", "fail a true", "start b", "emit b 1", "finish b", "fail list false",
                "close c(b) 0", "retry a", "emit a 1", "finish a", "fail list false", "close c(a) 0",
                "close r() 2",
            ])
    }

    @Test func eventsDroppedByAFullBufferAreCounted() async {
        let tree = Tree("r", ScriptedStep("r", items: (0..<20).map(String.init)))
        var configuration = RunConfiguration()
        let complete = Run(tree, input: "", mode: .synchronous, configuration: configuration)
        let all = complete.events
        #expect(await complete.execute().droppedEvents == 0)
        configuration.eventBuffer = 5
        let run = Run(tree, input: "", mode: .synchronous, configuration: configuration)
        let some = run.events
        let outcome = await run.execute()
        var counts = (all: 0, some: 0)
        for await _ in all { counts.all += 1 }
        for await _ in some { counts.some += 1 }
        #expect(counts.all == 62)
        #expect(counts.some == 5)
        #expect(outcome.droppedEvents == 57)
        #expect(run.droppedEvents == 57)
    }

    @Test func anEventStreamCreatedAfterTheRunIsEmpty() async {
        let run = Run(Tree("r", ScriptedStep("r", items: ["1"])), input: "", mode: .synchronous)
        _ = await run.execute()
        for await event in run.events { Issue.record("unexpected: \(event)") }
    }

    @Test func nodeCountsAreExactDuringTheRun() async {
        let shared = RunReference()
        let tree = Tree("r", ScriptedStep("r", items: ["1", "2", "3"])) {
            Node(
                "c",
                ScriptedStep("c", items: ["", "x"]) { item, _ in
                    guard let run = shared.run else { throw TestFailure(item: "no run") }
                    let parent = run.counts(of: "r") ?? NodeCounts()
                    let counts = run.counts["c"] ?? NodeCounts()
                    let number = Int(item.prefix(1)) ?? 0
                    #expect(parent.items == number && parent.done == number && parent.running == 0)
                    #expect(counts.lists == number && counts.completeLists == number - 1)
                    #expect(counts.items == 2 * number - (item.hasSuffix("x") ? 0 : 1))
                    #expect(counts.running == 1 && counts.done == counts.items - 1)
                    return []
                })
        }
        let run = Run(tree, input: "", mode: .synchronous)
        shared.set(run)
        #expect(await run.execute().isComplete)
        #expect(run.counts(of: "c")?.items == 6)
        #expect(run.counts(of: "nobody") == nil)
        shared.set(nil)
    }
}

/// Gives a step access to its own run.
private final class RunReference: Sendable {
    private let holder = Mutex<Run<String, Void>?>(nil)
    var run: Run<String, Void>? { holder.withLock { $0 } }
    func set(_ run: Run<String, Void>?) { holder.withLock { $0 = run } }
}
