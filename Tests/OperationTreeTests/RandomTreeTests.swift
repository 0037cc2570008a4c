import Testing

@testable import OperationTree

/// Random trees with random failures, run in both modes and held against a naive recursive model.
struct RandomTreeTests {
    @Test(arguments: 0..<150)
    func runDoesWhatTheModelSays(seed: Int) async {
        let world = World(seed: UInt64(seed))
        var model = Model(world: world)
        model.run()
        for mode in bothModes {
            let journal = Journal()
            let scopes = Scopes()
            let configuration = RunConfiguration(lanes: [.requests: 3, .media: 1])
            let run = Run(
                world.tree(journal, scopes), input: "in", mode: mode, configuration: configuration)
            let outcome = await run.execute()
            #expect(journal.all.sorted() == model.journal.sorted())
            for (scope, expected) in model.scopes { #expect(scopes[scope] == expected, "\(scope)") }
            for node in world.nodes {
                let counts = outcome.counts[node.name] ?? NodeCounts()
                #expect(counts.done == model.done[node.name, default: 0])
                #expect(counts.failed == model.failed[node.name, default: 0])
                #expect(counts.items == counts.done + counts.failed + counts.repeated)
                #expect(counts.lists == counts.completeLists + counts.incompleteLists)
                #expect(counts.running == 0 && counts.awaitingRetry == 0 && counts.pendingInputs == 0)
            }
            #expect(outcome.isComplete == model.isIntact)
        }
    }

    @Test func synchronousRunsAreEqualToTheLastEntry() async {
        for seed in 0..<20 {
            let world = World(seed: UInt64(seed))
            let journals = [Journal(), Journal()]
            for journal in journals {
                _ = await Run(world.tree(journal, Scopes()), input: "in", mode: .synchronous).execute()
            }
            #expect(journals[0].all == journals[1].all)
        }
    }
}

/// How an item or a list fares.
private enum Fate {
    case good, failsOnce, failsAlways, failsMidway, failsMidwayOnce, isIncomplete
}

/// A random tree: nodes point only at later ones, so some are shared and none is its own descendant.
private struct World: Sendable {
    struct Plot: Sendable {
        let name: String
        let children: [Int]
        /// Whether it hangs under several parents; its items are of one small pool then.
        let isShared: Bool
    }

    let seed: UInt64
    let nodes: [Plot]

    init(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        self.seed = seed
        let count = 2 + numbers.next(below: 7)
        var children = [[Int]](repeating: [], count: count)
        for node in 1..<count {
            var parents: Set<Int> = [numbers.next(below: node)]
            if numbers.next(below: 3) == 0 { parents.insert(numbers.next(below: node)) }
            for parent in parents.sorted() { children[parent].append(node) }
        }
        nodes = children.indices.map { node in
            Plot(
                name: "n\(node)", children: children[node],
                isShared: children.filter { $0.contains(node) }.count > 1)
        }
    }

    /// A number that depends on the seed and the subject alone.
    private func draw(_ subject: String, below bound: UInt64) -> Int {
        let text = "\(seed) \(subject)".utf8
        let hash = text.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
        var numbers = Numbers(seed: (hash ^ UInt64(text.count)) &- 0x9e37_79b9_7f4a_7c15)
        return Int((numbers.next() >> 8) % bound)
    }

    func items(of node: Int, _ input: String) -> [String] {
        let count = draw("count \(node) \(input)", below: 4)
        guard nodes[node].isShared else { return (0..<count).map { "\(input)/\($0)" } }
        var pool: [String] = []
        for index in 0..<count {
            let item = "p\(draw("pool \(node) \(input) \(index)", below: 5))"
            if !pool.contains(item) { pool.append(item) }
        }
        return pool
    }

    func outputs(of node: Int, _ item: String) -> [String] {
        (0..<draw("outputs \(node) \(item)", below: 3)).map { "\(item)>\($0)" }
    }

    func fate(ofItem item: String, at node: Int) -> Fate {
        [.failsOnce, .failsAlways, .failsAlways][safe: draw("fate \(node) \(item)", below: 12)] ?? .good
    }

    func fate(ofList input: String, at node: Int) -> Fate {
        // A root that fails ends otherwise, which has tests of its own.
        if node == 0 { return .good }
        return [.failsOnce, .failsAlways, .failsMidway, .failsMidwayOnce, .isIncomplete][
            safe: draw("list \(node) \(input)", below: 16)] ?? .good
    }

    func tree(_ journal: Journal, _ scopes: Scopes) -> Tree<String, Void> {
        var built: [Int: Node<String, Void>] = [:]
        for node in nodes.indices.dropFirst().reversed() {
            let children = nodes[node].children.compactMap { built[$0] }
            built[node] = Node(
                nodes[node].name, step(node, journal, scopes), lane: node % 3 == 0 ? .media : .requests
            ) {
                for child in children { child }
            }
        }
        let children = nodes[0].children.compactMap { built[$0] }
        return Tree(nodes[0].name, step(0, journal, scopes)) {
            for child in children { child }
        }
    }

    private func step(_ node: Int, _ journal: Journal, _ scopes: Scopes) -> ScriptedStep {
        let name = nodes[node].name
        return ScriptedStep(
            name, Journal(),
            perform: { [self] item, context in
                switch fate(ofItem: item, at: node) {
                case .failsAlways where node != 0: throw Trouble()
                case .failsOnce where !context.isRetry: throw Trouble()
                default: break
                }
                journal.add("\(name):\(item)")
                return outputs(of: node, item)
            },
            expand: { [self] input, context in
                let items = items(of: node, input)
                let fate = fate(ofList: input, at: node)
                switch fate {
                case .failsAlways: throw Trouble()
                case .failsOnce where !context.isRetry: throw Trouble()
                case .isIncomplete: return Expansion(items, complete: { false })
                case .good: return Expansion(items)
                default: break
                }
                let breaks = fate == .failsMidway || (fate == .failsMidwayOnce && !context.isRetry)
                return .unfolding(0) { position in
                    if breaks && position == 1 { throw Trouble() }
                    defer { position += 1 }
                    if position < items.count { return items[position] }
                    if breaks { throw Trouble() }
                    return nil
                }
            }
        ).noting(scopes)
    }
}

/// What should come of a world: plain recursion, no schedule.
private struct Model {
    let world: World
    var journal: [String] = []
    var scopes: [String: ScopeOutcome] = [:]
    var done: [String: Int] = [:]
    var failed: [String: Int] = [:]
    var isIntact = true
    private var reached: [String: (failed: Bool, isIntact: Bool)] = [:]

    init(world: World) { self.world = world }

    mutating func run() { isIntact = expand(0, "in") }

    private mutating func expand(_ node: Int, _ input: String) -> Bool {
        var items = world.items(of: node, input)
        let fate = world.fate(ofList: input, at: node)
        switch fate {
        case .failsAlways: items = []
        case .failsMidway: items = Array(items.prefix(1))
        default: break
        }
        let isListComplete = ![.failsAlways, .failsMidway, .isIncomplete].contains(fate)
        var isIntact = isListComplete
        var failedItems = 0
        for item in items {
            let result = perform(node, item)
            failedItems += result.failed ? 1 : 0
            isIntact = isIntact && result.isIntact
        }
        scopes["\(world.nodes[node].name)(\(input))"] = ScopeOutcome(
            listComplete: isListComplete, items: items.count, failedItems: failedItems,
            subtreeComplete: isIntact)
        return isIntact
    }

    private mutating func perform(_ node: Int, _ item: String) -> (failed: Bool, isIntact: Bool) {
        let name = world.nodes[node].name
        let key = "\(name):\(item)"
        if world.nodes[node].isShared, let known = reached[key] { return known }
        var result = (failed: false, isIntact: true)
        if world.fate(ofItem: item, at: node) == .failsAlways && node != 0 {
            failed[name, default: 0] += 1
            result = (true, false)
        } else {
            done[name, default: 0] += 1
            journal.append(key)
            for output in world.outputs(of: node, item) {
                for child in world.nodes[node].children where !expand(child, output) {
                    result.isIntact = false
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
