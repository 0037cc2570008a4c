/// Which runs wait for which others.
struct WaitGraph {
    private var edges: [ObjectIdentifier: [ObjectIdentifier]] = [:]

    /// Whether one may wait for the other: not if that one waits for the first, directly or not.
    mutating func add(from waiter: RunHandle, to other: RunHandle) -> Bool {
        let (waiter, other) = (ObjectIdentifier(waiter), ObjectIdentifier(other))
        var open = [other]
        var seen: Set<ObjectIdentifier> = []
        while let next = open.popLast() {
            if next == waiter { return false }
            if seen.insert(next).inserted { open += edges[next] ?? [] }
        }
        edges[waiter, default: []].append(other)
        return true
    }

    mutating func remove(from waiter: RunHandle, to other: RunHandle) {
        let (waiter, other) = (ObjectIdentifier(waiter), ObjectIdentifier(other))
        if let index = edges[waiter]?.firstIndex(of: other) { edges[waiter]?.remove(at: index) }
        if edges[waiter]?.isEmpty == true { edges[waiter] = nil }
    }
}
