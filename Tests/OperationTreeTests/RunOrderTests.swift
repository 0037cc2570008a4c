import OperationTree
import Testing

struct RunOrderTests {
    private func tree(_ log: CallLog) -> Tree<String, Void> {
        let shared = Node("x", ScriptedStep("x", log, items: ["1"]))
        return Tree("r", ScriptedStep("r", log, items: ["a", "b"])) {
            Node("s", ScriptedStep("s", log, items: ["1", "2"])) { shared }
            Node("t", ScriptedStep("t", log, items: ["1"])) {
                Node("u", ScriptedStep("u", log, items: []))
                shared
            }
        }
    }

    @Test func aSynchronousRunIsDepthFirstInDeclaredOrder() async {
        let log = CallLog()
        let outcome = await Run(tree(log), input: "", mode: .synchronous).execute()
        #expect(outcome.isComplete)
        #expect(
            log.all == [
                "r()", "r:a",
                "s(a)", "s:a1", "x(a1)", "x:a11", "x(a1) done", "s:a2", "x(a2)", "x:a21", "x(a2) done",
                "s(a) done",
                "t(a)", "t:a1", "u(a1)", "u(a1) done", "x(a1)", "x(a1) done", "t(a) done",
                "r:b",
                "s(b)", "s:b1", "x(b1)", "x:b11", "x(b1) done", "s:b2", "x(b2)", "x:b21", "x(b2) done",
                "s(b) done",
                "t(b)", "t:b1", "u(b1)", "u(b1) done", "x(b1)", "x(b1) done", "t(b) done",
                "r() done",
            ])
    }

    @Test func aConcurrentRunDoesTheSameWorkAsASynchronousOne() async {
        let synchronous = CallLog()
        let concurrent = CallLog()
        let first = await Run(tree(synchronous), input: "", mode: .synchronous).execute()
        let second = await Run(tree(concurrent), input: "", mode: .concurrent).execute()
        #expect(synchronous.all.sorted() == concurrent.all.sorted())
        #expect(first.counts == second.counts)
    }

    @Test func eachOutputOfANodeIsPassedToAllItsChildrenBeforeTheNextOutput() async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: ["i"]) { _, _ in ["1", "2"] }) {
            Node("a", ScriptedStep("a", log, items: []))
            Node("b", ScriptedStep("b", log, items: []))
        }
        _ = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(log.all.filter { !$0.hasSuffix("done") } == ["a(1)", "b(1)", "a(2)", "b(2)"])
    }

    @Test func aListIsFinishedBeforeTheNextListOfItsNodeBegins() async {
        let log = CallLog()
        let tree = Tree("r", ScriptedStep("r", items: ["i"]) { _, _ in ["a", "b", "c"] }) {
            Node("x", ScriptedStep("x", log, items: ["1", "2"]))
        }
        _ = await Run(tree, input: "", mode: .synchronous).execute()
        #expect(
            log.all.filter { $0.hasPrefix("x:") } == ["x:a1", "x:a2", "x:b1", "x:b2", "x:c1", "x:c2"])
    }

    @Test func aSynchronousRunExecutesInTheCallersTask() async {
        let tree = Tree(
            "r",
            ScriptedStep("r", items: ["1", "2"]) { _, _ in
                #expect(TaskLocals.name == "caller")
                withUnsafeCurrentTask { #expect($0.map { $0.hashValue } == TaskLocals.task) }
                return []
            })
        await TaskLocals.$name.withValue("caller") {
            await TaskLocals.$task.withValue(withUnsafeCurrentTask { $0?.hashValue }) {
                _ = await Run(tree, input: "", mode: .synchronous).execute()
            }
        }
    }
}

private enum TaskLocals {
    @TaskLocal static var name = ""
    @TaskLocal static var task: Int?
}
