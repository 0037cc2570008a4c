/// What a retry pass has before it: in the order of failure, with a queue of its own for each lane, so that a full
/// lane doesn't hold up the others.
struct ParkedQueue {
    private struct Entry {
        let order: Int
        let node: Int
        let work: any ParkedWork
    }

    private var lanes: [[Entry]]
    private var heads: [Int]
    private var order = 0
    private(set) var count = 0

    init(lanes: Int) {
        self.lanes = Array(repeating: [], count: lanes)
        heads = Array(repeating: 0, count: lanes)
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ work: any ParkedWork, node: Int, lane: Int) {
        order += 1
        count += 1
        lanes[lane].append(Entry(order: order, node: node, work: work))
    }

    /// The lane whose first entry is the oldest among those that may run.
    func firstLane(where mayRun: (Int) -> Bool) -> Int? {
        if isEmpty { return nil }
        var best: (lane: Int, order: Int)?
        for lane in lanes.indices where heads[lane] < lanes[lane].count {
            let entry = lanes[lane][heads[lane]]
            if entry.order < best?.order ?? .max, mayRun(entry.node) { best = (lane, entry.order) }
        }
        return best?.lane
    }

    mutating func popFirst(lane: Int) -> (work: any ParkedWork, node: Int)? {
        guard heads[lane] < lanes[lane].count else { return nil }
        let entry = lanes[lane][heads[lane]]
        heads[lane] += 1
        count -= 1
        if heads[lane] == lanes[lane].count {
            lanes[lane] = []
            heads[lane] = 0
        }
        return (entry.work, entry.node)
    }

    mutating func removeAll() { self = ParkedQueue(lanes: lanes.count) }
}
