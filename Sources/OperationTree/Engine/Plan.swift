/// A tree laid out for the engine: nodes by index, depth first in declared order.
struct Plan: Sendable {
    /// What a piece of work needs to know about its node.
    struct Place: Sendable {
        let index: Int
        let children: [Int]
        let isShared: Bool
    }

    private(set) var bodies: [any NodeBody] = []
    private(set) var places: [Place] = []
    private(set) var infos: [NodeInfo] = []
    /// The nodes that can be reached at each depth; a shared node may be reached at several.
    private(set) var levels: [[Int]] = []
    /// What is wrong with the declaration, if anything.
    private(set) var mistake: String?

    init(root: any NodeBody) {
        var indices: [ObjectIdentifier: Int] = [:]
        visit(root, &indices)
        let children = bodies.map { body in body.children.map { indices[ObjectIdentifier($0), default: 0] } }
        var parents = [[Int]](repeating: [], count: bodies.count)
        for (parent, children) in children.enumerated() {
            for child in children { parents[child].append(parent) }
        }
        for (index, body) in bodies.enumerated() {
            places.append(
                Place(index: index, children: children[index], isShared: parents[index].count > 1))
            infos.append(
                NodeInfo(
                    name: body.name, lane: body.lane, timeLimit: body.timeLimit, step: body.anyStep,
                    parents: parents[index].map { bodies[$0].name },
                    children: children[index].map { bodies[$0].name }))
        }
        var level = [0]
        while !level.isEmpty {
            levels.append(level)
            level = Set(level.flatMap { children[$0] }).sorted()
        }
        mistake = Plan.mistake(in: infos)
    }

    private mutating func visit(_ body: any NodeBody, _ indices: inout [ObjectIdentifier: Int]) {
        guard indices[ObjectIdentifier(body)] == nil else { return }
        indices[ObjectIdentifier(body)] = bodies.count
        bodies.append(body)
        for child in body.children { visit(child, &indices) }
    }

    static func mistake(in nodes: [NodeInfo]) -> String? {
        var names: Set<String> = []
        for node in nodes {
            guard names.insert(node.name).inserted else {
                return "Two nodes of one tree are named “\(node.name)”; give each a name of its own, "
                    + "or declare the node once and place it under both parents"
            }
            guard Set(node.children).count == node.children.count else {
                return "A node is declared twice under “\(node.name)”; remove one of them"
            }
        }
        return nil
    }
}
