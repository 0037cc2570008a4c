/// Scopes by age: the oldest is first.
struct ScopeHeap {
    private var scopes: ContiguousArray<Scope> = []

    var first: Scope? { scopes.first }

    mutating func insert(_ scope: Scope) {
        scopes.append(scope)
        var child = scopes.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if scopes[parent].order < scopes[child].order { break }
            scopes.swapAt(parent, child)
            child = parent
        }
    }

    mutating func removeFirst() -> Scope {
        scopes.swapAt(0, scopes.count - 1)
        let first = scopes.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < scopes.count && scopes[child].order < scopes[least].order {
                least = child
            }
            if least == parent { return first }
            scopes.swapAt(parent, least)
            parent = least
        }
    }

    mutating func removeAll() { scopes = [] }
}
