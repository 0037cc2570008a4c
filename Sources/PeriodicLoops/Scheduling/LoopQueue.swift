/// The serial queue: first in, first out, each loop at most once.
struct LoopQueue {
    private var entries: [LoopEntry] = []
    private var head = 0

    var isEmpty: Bool { head == entries.count }

    /// Appends what isn't in it already.
    mutating func append(_ entry: LoopEntry) {
        guard !entry.isQueued else { return }
        entry.isQueued = true
        entries.append(entry)
    }

    /// Puts an entry before all others, wherever it was.
    mutating func prepend(_ entry: LoopEntry) {
        remove(entry)
        entry.isQueued = true
        entries.insert(entry, at: head)
    }

    mutating func popFirst() -> LoopEntry? {
        guard head < entries.count else { return nil }
        let entry = entries[head]
        entry.isQueued = false
        head += 1
        // A queue that never runs empty gives back what it left behind, too.
        if head == entries.count {
            entries.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1_024 {
            entries.removeFirst(head)
            head = 0
        }
        return entry
    }

    mutating func remove(_ entry: LoopEntry) {
        guard entry.isQueued, let index = entries[head...].firstIndex(where: { $0 === entry }) else { return }
        entry.isQueued = false
        entries.remove(at: index)
    }

    mutating func removeAll() {
        while let entry = popFirst() { entry.isQueued = false }
    }
}
