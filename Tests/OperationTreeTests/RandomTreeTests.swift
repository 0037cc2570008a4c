import Testing

@testable import OperationTree

/// Random trees with random failures, run in both modes and compared with a naive recursive model.
struct RandomTreeTests {
    @Test(arguments: 0..<150)
    func aRandomTreeRunsAsItsModelPredicts(seed: Int) async {
        let randomTree = RandomTree(seed: UInt64(seed))
        var model = ReferenceModel(randomTree: randomTree)
        model.run()
        for mode in bothModes {
            let log = CallLog()
            let scopes = ScopeLog()
            let configuration = RunConfiguration(lanes: [.requests: 3, .media: 1])
            let run = Run(
                randomTree.tree(log, scopes), input: "in", mode: mode, configuration: configuration)
            let outcome = await run.execute()
            #expect(log.all.sorted() == model.log.sorted())
            for (scope, expected) in model.scopes { #expect(scopes[scope] == expected, "\(scope)") }
            for node in randomTree.nodes {
                let counts = outcome.counts[node.name] ?? NodeCounts()
                #expect(counts.done == model.done[node.name, default: 0])
                #expect(counts.failed == model.failed[node.name, default: 0])
                #expect(counts.items == counts.done + counts.failed + counts.repeated)
                #expect(counts.lists == counts.completeLists + counts.incompleteLists)
                #expect(counts.running == 0 && counts.awaitingRetry == 0 && counts.pendingInputs == 0)
            }
            #expect(outcome.isComplete == model.isSubtreeComplete)
        }
    }

    @Test func synchronousRunsOfTheSameTreeAreIdentical() async {
        for seed in 0..<20 {
            let randomTree = RandomTree(seed: UInt64(seed))
            let journals = [CallLog(), CallLog()]
            for log in journals {
                _ = await Run(randomTree.tree(log, ScopeLog()), input: "in", mode: .synchronous).execute()
            }
            #expect(journals[0].all == journals[1].all)
        }
    }
}

/// The scripted result of an item or a list.
private enum ScriptedResult {
    case good, failsOnce, failsAlways, failsMidway, failsMidwayOnce, isIncomplete
}

/// A random tree. A node's children have higher indices, so some nodes are shared and there are no cycles.
private struct RandomTree: Sendable {
    struct NodeShape: Sendable {
        let name: String
        let children: [Int]
        /// Whether the node has several parents. If so, its items are drawn from a small pool.
        let isShared: Bool
    }

    let seed: UInt64
    let nodes: [NodeShape]

    init(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        self.seed = seed
        let count = 2 + numbers.next(below: 7)
        var children = [[Int]](repeating: [], count: count)
        for node in 1..<count {
            var parents: Set<Int> = [numbers.next(below: node)]
            if numbers.next(below: 3) == 0 { parents.insert(numbers.next(below: node)) }
            for parent in parents.sorted() { children[parent].append(node) }
        }
        nodes = children.indices.map { node in
            NodeShape(
                name: "n\(node)", children: children[node],
                isShared: children.filter { $0.contains(node) }.count > 1)
        }
    }

    /// A pseudo-random number that depends only on the seed and the subject.
    private func number(_ subject: String, below bound: UInt64) -> Int {
        let text = "\(seed) \(subject)".utf8
        let hash = text.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
        var numbers = SeededNumbers(seed: (hash ^ UInt64(text.count)) &- 0x9e37_79b9_7f4a_7c15)
        return Int((numbers.next() >> 8) % bound)
    }

    func items(of node: Int, _ input: String) -> [String] {
        let count = number("count \(node) \(input)", below: 4)
        guard nodes[node].isShared else { return (0..<count).map { "\(input)/\($0)" } }
        var pool: [String] = []
        for index in 0..<count {
            let item = "p\(number("pool \(node) \(input) \(index)", below: 5))"
            if !pool.contains(item) { pool.append(item) }
        }
        return pool
    }

    func outputs(of node: Int, _ item: String) -> [String] {
        (0..<number("outputs \(node) \(item)", below: 3)).map { "\(item)>\($0)" }
    }

    func result(ofItem item: String, at node: Int) -> ScriptedResult {
        [.failsOnce, .failsAlways, .failsAlways][safe: number("fate \(node) \(item)", below: 12)] ?? .good
    }

    func result(ofList input: String, at node: Int) -> ScriptedResult {
        // A failed root has a different outcome, which other tests cover.
        if node == 0 { return .good }
        return [.failsOnce, .failsAlways, .failsMidway, .failsMidwayOnce, .isIncomplete][
            safe: number("list \(node) \(input)", below: 16)] ?? .good
    }

    func tree(_ log: CallLog, _ scopes: ScopeLog) -> Tree<String, Void> {
        var built: [Int: Node<String, Void>] = [:]
        for node in nodes.indices.dropFirst().reversed() {
            let children = nodes[node].children.compactMap { built[$0] }
            built[node] = Node(
                nodes[node].name, step(node, log, scopes), lane: node % 3 == 0 ? .media : .requests
            ) {
                for child in children { child }
            }
        }
        let children = nodes[0].children.compactMap { built[$0] }
        return Tree(nodes[0].name, step(0, log, scopes)) {
            for child in children { child }
        }
    }

    private func step(_ node: Int, _ log: CallLog, _ scopes: ScopeLog) -> ScriptedStep {
        let name = nodes[node].name
        return ScriptedStep(
            name, CallLog(),
            perform: { [self] item, context in
                switch result(ofItem: item, at: node) {
                case .failsAlways where node != 0: throw TestFailure()
                case .failsOnce where !context.isRetry: throw TestFailure()
                default: break
                }
                log.add("\(name):\(item)")
                return outputs(of: node, item)
            },
            expand: { [self] input, context in
                let items = items(of: node, input)
                let result = result(ofList: input, at: node)
                switch result {
                case .failsAlways: throw TestFailure()
                case .failsOnce where !context.isRetry: throw TestFailure()
                case .isIncomplete: return Expansion(items, complete: { false })
                case .good: return Expansion(items)
                default: break
                }
                let failsInThisTry =
                    result == .failsMidway || (result == .failsMidwayOnce && !context.isRetry)
                return .unfolding(0) { position in
                    if failsInThisTry && position == 1 { throw TestFailure() }
                    defer { position += 1 }
                    if position < items.count { return items[position] }
                    if failsInThisTry { throw TestFailure() }
                    return nil
                }
            }
        ).recordingScopes(scopes)
    }
}

/// Computes the expected result of a random tree by plain recursion, without a schedule.
private struct ReferenceModel {
    let randomTree: RandomTree
    var log: [String] = []
    var scopes: [String: SubtreeOutcome] = [:]
    var done: [String: Int] = [:]
    var failed: [String: Int] = [:]
    var isSubtreeComplete = true
    private var reached: [String: (failed: Bool, isSubtreeComplete: Bool)] = [:]

    init(randomTree: RandomTree) { self.randomTree = randomTree }

    mutating func run() { isSubtreeComplete = expand(0, "in") }

    private mutating func expand(_ node: Int, _ input: String) -> Bool {
        var items = randomTree.items(of: node, input)
        let result = randomTree.result(ofList: input, at: node)
        switch result {
        case .failsAlways: items = []
        case .failsMidway: items = Array(items.prefix(1))
        default: break
        }
        let isListComplete = ![.failsAlways, .failsMidway, .isIncomplete].contains(result)
        var isSubtreeComplete = isListComplete
        var failedItems = 0
        for item in items {
            let result = perform(node, item)
            failedItems += result.failed ? 1 : 0
            isSubtreeComplete = isSubtreeComplete && result.isSubtreeComplete
        }
        scopes["\(randomTree.nodes[node].name)(\(input))"] = SubtreeOutcome(
            listComplete: isListComplete, items: items.count, failedItems: failedItems,
            subtreeComplete: isSubtreeComplete)
        return isSubtreeComplete
    }

    private mutating func perform(_ node: Int, _ item: String) -> (failed: Bool, isSubtreeComplete: Bool) {
        let name = randomTree.nodes[node].name
        let key = "\(name):\(item)"
        if randomTree.nodes[node].isShared, let earlier = reached[key] { return earlier }
        var result = (failed: false, isSubtreeComplete: true)
        if randomTree.result(ofItem: item, at: node) == .failsAlways && node != 0 {
            failed[name, default: 0] += 1
            result = (true, false)
        } else {
            done[name, default: 0] += 1
            log.append(key)
            for output in randomTree.outputs(of: node, item) {
                for child in randomTree.nodes[node].children where !expand(child, output) {
                    result.isSubtreeComplete = false
                }
            }
        }
        reached[key] = result
        return result
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
