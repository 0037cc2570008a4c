/// Entries that may not go to the disk; the oldest make room for new ones.
struct MemoryEntries: Sendable {
    var capacity: Int {
        didSet { makeRoom(for: 0) }
    }
    private(set) var usage = 0
    private var entries: [String: [CacheEntry]] = [:]
    private var order: [String] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    func entry(for key: String, _ request: HeaderFields) -> CacheEntry? {
        entries[key]?.last { $0.vary.matches(request) }
    }

    mutating func store(_ entry: CacheEntry) {
        let kept = entries[entry.key]?.filter { $0.vary != entry.vary } ?? []
        remove(entry.key)
        guard entry.cost <= capacity else { return }
        let variants = kept + [entry]
        let cost = variants.reduce(0) { $0 + $1.cost }
        guard cost <= capacity else { return }
        makeRoom(for: cost)
        entries[entry.key] = variants
        order.append(entry.key)
        usage += cost
    }

    mutating func remove(_ key: String) {
        guard let removed = entries.removeValue(forKey: key) else { return }
        usage -= removed.reduce(0) { $0 + $1.cost }
        order.removeAll { $0 == key }
    }

    mutating func removeAll(where isWanted: (CacheEntry) -> Bool) {
        for (key, variants) in entries where variants.contains(where: isWanted) { remove(key) }
    }

    private mutating func makeRoom(for cost: Int) {
        while usage + cost > max(0, capacity), let oldest = order.first { remove(oldest) }
    }
}
